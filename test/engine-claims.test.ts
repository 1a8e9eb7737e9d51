/** Whose a number is when other tools, other machines, older states and other names have a hand in it, on the real engine. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "./helpers/emulator";
import { createProject, type Run } from "./helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const row = (id: string | undefined) => emulator.control.state().numbers.find((number) => number.id === id);
const flat = ({ output }: Run) => output.replaceAll(/\s+/g, " ");

const number = (name: string, args: object = {}, options = "{}") =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })}, ${options});`;
const succeeds = (run: Run) => {
	expect(run.code, run.output).toBe(0);
	return run;
};
const fails = (run: Run) => {
	expect(run.code, run.output).not.toBe(0);
	return run;
};
const stackWith = async (program: string) => {
	const stack = await createProject({ program, service: emulator });
	succeeds(await stack.up());
	return stack;
};

test.each([false, true])(
	"a number that another tool has claimed outlives destroy, refreshed before: %s",
	async (isRefreshed) => {
		const stack = await stackWith(number("main"));
		const { main } = await stack.ids();
		emulator.control.patchNumber(main ?? "", { reference: "order 4711" });
		if (isRefreshed) expect(flat(succeeds(await stack.refresh()))).toContain("has been claimed by another stack");
		const destroy = succeeds(await stack.destroy());
		for (const part of ["Kept number", main ?? "", "somebody else has claimed it"])
			expect(flat(destroy)).toContain(part);
		expect([kinds(), row(main)]).toMatchObject([["purchase"], { status: "active", reference: "order 4711" }]);
		expect(await stack.resources()).toEqual([]);
	},
);

test.each([false, true])(
	"a number whose reference was cleared is kept by destroy until an up has taken it back, refreshed before: %s",
	async (isRefreshed) => {
		const stack = await stackWith(number("main"));
		const { main } = await stack.ids();
		emulator.control.patchNumber(main ?? "", { reference: null });
		if (isRefreshed) succeeds(await stack.refresh());
		expect(flat(fails(await stack.destroy()))).toContain("its `reference` was cleared outside Pulumi");
		expect([kinds(), await stack.ids()]).toEqual([["purchase"], { main }]);
		succeeds(await stack.up(...(isRefreshed ? [] : ["--refresh"])));
		succeeds(await stack.destroy());
		expect([kinds(), await stack.resources()]).toEqual([["purchase", "release"], []]);
	},
);

test.each(["ab", "ba"])(
	"the old name of a renamed number buys another one, declared in the order %s",
	async (order) => {
		const both = [...order].map((name) => number(name)).join("\n");
		const stack = await stackWith(number("a"));
		const { a: first = "" } = await stack.ids();
		stack.write(number("b", {}, '{ aliases: [{ name: "a" }] }'));
		succeeds(await stack.up());
		stack.write(both);
		succeeds(await stack.up());
		const ids = await stack.ids();
		expect(ids).toEqual({ a: expect.not.stringMatching(first), b: first });
		expect([row(ids.a)?.status, row(ids.b)?.status, kinds()]).toEqual(["active", "active", ["purchase", "purchase"]]);
		succeeds(await stack.preview("--expect-no-changes"));
		expect((await stack.drift()).code).toBe(0);
	},
);

const labelled = (label: string) => number("main", { label, routing: { type: "forward", to: "+31201234567" } });

/** The stack `dev` is called `prod` from now on, and there is a new stack `dev` beside it. */
const renamed = async () => {
	const stack = await createProject({ program: labelled("Production"), service: emulator });
	succeeds(await stack.up());
	const { main = "" } = await stack.ids();
	succeeds(await stack.pulumi("stack", "rename", "prod"));
	const on = (name: string) => Object.assign(stack.env, { PULUMI_STACK: name });
	const reuse = async () => {
		succeeds(await stack.pulumi("stack", "init", "dev", "--no-select"));
		on("dev");
	};
	return { stack, main, on, reuse };
};

test("under a renamed stack's old name, its number is taken over the same day, with a word on what it was", async () => {
	const { stack, main, reuse } = await renamed();
	await reuse();
	const found = flat(succeeds(await stack.up()));
	for (const part of ["Took over", "It exists since 2", 'the label "Production"', "routing forward"])
		expect(found).toContain(part);
	expect([await stack.ids(), kinds()]).toEqual([{ main }, ["purchase"]]);
});
