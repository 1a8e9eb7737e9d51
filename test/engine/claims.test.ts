/** Whose a number is when other tools and older states have a hand in it, on the real engine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run } from "../helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const row = (id: string | undefined) => emulator.control.state().numbers.find((number) => number.id === id);
const flat = ({ output }: Run) => output.replaceAll(/\s+/g, " ");

const number = (name: string) => `new telephony.Number("${name}", { country: "NL", type: "mobile" });`;
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
		if (isRefreshed) expect(flat(succeeds(await stack.refresh()))).toContain("has been claimed by another program");
		const destroy = succeeds(await stack.destroy());
		for (const part of ["Kept number", main ?? "", "has been claimed by another program"])
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
		if (isRefreshed)
			expect(flat(succeeds(await stack.refresh()))).toContain("Run `pulumi up --refresh`, which writes it again");
		expect(flat(fails(await stack.destroy()))).toContain("its `reference` was cleared outside Pulumi");
		expect([kinds(), await stack.ids()]).toEqual([["purchase"], { main }]);
		succeeds(await stack.up("--refresh"));
		succeeds(await stack.destroy());
		expect([kinds(), await stack.resources()]).toEqual([["purchase", "release"], []]);
	},
);

test("with a state from before --replace, destroy keeps the number, names it, and both ways that it says work", async () => {
	const stack = await stackWith(number("main"));
	const [entry] = await stack.resources();
	const { urn = "", id = "" } = entry ?? {};
	const older = join(stack.folder, "older.json");
	writeFileSync(older, (await stack.pulumi("stack", "export")).stdout);
	succeeds(await stack.up("--replace", urn));
	succeeds(await stack.pulumi("stack", "import", "--file", older));
	const kept = async () => {
		expect(await stack.ids()).toEqual({ main: id });
		expect([kinds(), row(id)?.status]).toEqual([["purchase"], "active"]);
	};
	for (const _ of ["once", "again"]) {
		const refused = flat(fails(await stack.destroy()));
		for (const part of ["Kept number", id, "run `pulumi up --refresh`", `run \`pulumi state delete '${urn}'\``])
			expect(refused).toContain(part);
		await kept();
	}
	succeeds(await stack.pulumi("state", "delete", urn, "--yes"));
	expect([await stack.resources(), kinds(), row(id)?.status]).toEqual([[], ["purchase"], "active"]);
	succeeds(await stack.pulumi("stack", "import", "--file", older));
	// The engine asks nothing of an entry that is as declared: only a read finds it out.
	succeeds(await stack.up("--refresh"));
	await kept();
	succeeds(await stack.destroy());
	expect([kinds(), await stack.resources()]).toEqual([["purchase", "release"], []]);
});
