/** Whose a number is when other tools, other machines, older states and other names have a hand in it, on the real engine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { VirtualClock } from "../emulator";
import { useEmulator } from "./helpers/emulator";
import { createProject, type Project, type Run } from "./helpers/engine";

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

test("with a state from before --replace, destroy fails and keeps the number; after an up it releases it", async () => {
	const stack = await stackWith(number("main"));
	const [entry] = await stack.resources();
	const older = join(stack.folder, "older.json");
	writeFileSync(older, await stack.state());
	succeeds(await stack.up("--replace", entry?.urn ?? ""));
	succeeds(await stack.pulumi("stack", "import", "--file", older));
	const refused = fails(await stack.destroy());
	for (const part of ["Kept number", entry?.id ?? "", "run `pulumi up --refresh`"])
		expect(flat(refused)).toContain(part);
	expect([kinds(), row(entry?.id)?.status, await stack.ids()]).toEqual([["purchase"], "active", { main: entry?.id }]);
	// The engine asks nothing of an entry that is as declared: only a read finds it out.
	succeeds(await stack.up("--refresh"));
	succeeds(await stack.destroy());
	expect([kinds(), await stack.resources()]).toEqual([["purchase", "release"], []]);
});

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

test.each(["ab", "ba"])("so it does in one run after `state rename`, declared in the order %s", async (order) => {
	const stack = await stackWith(number("a"));
	const [old] = await stack.resources();
	succeeds(await stack.pulumi("state", "rename", old?.urn ?? "", "b", "--yes"));
	stack.write([...order].map((name) => number(name)).join("\n"));
	succeeds(await stack.up());
	const ids = await stack.ids();
	expect(ids).toEqual({ a: expect.not.stringMatching(old?.id ?? ""), b: old?.id });
	expect([row(ids.a)?.status, row(ids.b)?.status, kinds()]).toEqual(["active", "active", ["purchase", "purchase"]]);
	succeeds(await stack.preview("--expect-no-changes"));
	expect((await stack.drift()).code).toBe(0);
});

/** The next runs are on another machine, which has the same disk. */
function moveTo(machine: string, stack: Project): void {
	const folder = mkdtempSync(join(tmpdir(), "telephony-machine-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const preload = join(folder, "machine.cjs");
	writeFileSync(preload, `require("node:os").hostname = () => ${JSON.stringify(machine)};\n`);
	stack.env.NODE_OPTIONS = `--require=${preload}`;
}

/** A run on one machine that was killed before the engine saved what it had bought. */
const killedElsewhere = async () => {
	const stack = await createProject({ program: number("main"), service: emulator, env: { CI: "true" } });
	moveTo("runner-1", stack);
	expect(flat(succeeds(await stack.up()))).toContain("pulumi config set telephony:owner NAME");
	const [entry] = await stack.resources();
	succeeds(await stack.pulumi("state", "delete", entry?.urn ?? "", "--yes"));
	moveTo("runner-2", stack);
	return { stack, id: entry?.id ?? "" };
};

test("on another machine, what a killed run bought is refused, and adopt takes it over", async () => {
	const { stack, id } = await killedElsewhere();
	const refused = fails(await stack.up());
	for (const part of [id, "adopt", "telephony:owner"]) expect(flat(refused)).toContain(part);
	stack.write(number("main", { adopt: id, label: "Taken over" }));
	succeeds(await stack.up());
	expect([await stack.ids(), row(id), kinds()]).toMatchObject([{ main: id }, { label: "Taken over" }, ["purchase"]]);
	expect((await stack.drift()).code).toBe(0);
});

test("on another machine, a newly set owner takes over what a killed run bought without one", async () => {
	const { stack, id } = await killedElsewhere();
	await stack.pulumi("config", "set", "telephony:owner", "ci");
	expect(flat(succeeds(await stack.up()))).toContain("Took over");
	expect([await stack.ids(), kinds()]).toEqual([{ main: id }, ["purchase"]]);
	expect((await stack.drift()).code).toBe(0);
	// From now on any machine will do.
	moveTo("runner-3", stack);
	succeeds(await stack.preview("--expect-no-changes"));
	succeeds(await stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});

const labelled = (label: string) => number("main", { label, routing: { type: "forward", to: "+31201234567" } });

/** The stack `dev` is called `prod` from now on, and there is a new stack `dev` beside it. */
const renamed = async (service = emulator) => {
	const stack = await createProject({ program: labelled("Production"), service });
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

const hours = 3_600_000;
const time = new VirtualClock(Date.now() - 25 * hours);
const yesterday = useEmulator({ kyc: "immediate", clock: time });

test("under a renamed stack's old name, a number older than a day and configured otherwise is refused", async () => {
	const { stack, main, reuse } = await renamed(yesterday);
	await reuse();
	time.advance(25 * hours);
	const all = () => yesterday.control.state().numbers;
	const before = all();
	stack.write(labelled("Development"));
	const refused = flat(fails(await stack.up()));
	for (const part of [main, "older than a day", 'the label "Production"', `adopt: "${main}"`, "renamed stack"])
		expect(refused).toContain(part);
	expect([all(), await stack.resources()]).toEqual([before, []]);
	stack.write(number("main", { label: "Development", adopt: main }));
	succeeds(await stack.up());
	expect(all()).toMatchObject([{ id: main, label: "Development" }]);
});

test("a stack that is renamed and run once lets its old name buy a number of its own", async () => {
	const { stack, main, on, reuse } = await renamed();
	on("prod");
	succeeds(await stack.up());
	await reuse();
	stack.write(labelled("Development"));
	succeeds(await stack.up());
	const ids = await stack.ids();
	expect(ids.main).not.toBe(main);
	expect([row(main)?.label, row(ids.main)?.label, kinds()]).toEqual([
		"Production",
		"Development",
		["purchase", "purchase"],
	]);
	succeeds(await stack.destroy());
	expect([row(main)?.status, kinds()]).toEqual(["active", ["purchase", "purchase", "release"]]);
});
