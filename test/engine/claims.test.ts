/** Whose a number is when other tools and older states have a hand in it, on the real engine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, succeeds } from "../helpers/engine";

// A test here is up to nine runs of the engine.
vi.setConfig({ testTimeout: 300_000 });
const emulator = useEmulator({ kyc: "immediate" });
const { kinds, number: row } = seenAt(emulator);

const number = (name: string) => `new telephony.Number("${name}", { country: "NL", type: "mobile" });`;
const stackWith = async (program: string) => {
	const stack = await createProject({ program, service: emulator });
	await succeeds(stack.up());
	return stack;
};

test("a number that another tool has claimed outlives destroy after a refresh", async () => {
	const stack = await stackWith(number("main"));
	const { main } = await stack.ids();
	emulator.control.patchNumber(main ?? "", { reference: "order 4711" });
	expect(flat(await succeeds(stack.refresh()))).toContain("has been claimed by another program");
	const destroy = await succeeds(stack.destroy());
	for (const part of ["Kept number", main ?? "", "has been claimed by another program"])
		expect(flat(destroy)).toContain(part);
	expect(kinds()).toMatchObject(["purchase"]);
	expect(row(main)).toMatchObject({ status: "active", reference: "order 4711" });
	expect(await stack.resources()).toEqual([]);
});

test("a number whose reference was cleared is kept by destroy until an up has taken it back", async () => {
	const stack = await stackWith(number("main"));
	const { main } = await stack.ids();
	emulator.control.patchNumber(main ?? "", { reference: null });
	expect(await fails(stack.destroy())).toContain("its `reference` was cleared outside Pulumi");
	expect({ kinds: kinds(), ids: await stack.ids() }).toEqual({ kinds: ["purchase"], ids: { main } });
	await succeeds(stack.up("--refresh"));
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
	expect(await stack.resources()).toEqual([]);
});

test("with a state from before --replace, destroy keeps the number, names it, and both ways that it says work", async () => {
	const stack = await stackWith(number("main"));
	const [entry] = await stack.resources();
	const { urn = "", id = "" } = entry ?? {};
	const older = join(stack.folder, "older.json");
	writeFileSync(older, (await stack.pulumi("stack", "export")).stdout);
	await succeeds(stack.up("--replace", urn));
	await succeeds(stack.pulumi("stack", "import", "--file", older));
	const kept = async () => {
		expect(await stack.ids()).toEqual({ main: id });
		expect({ kinds: kinds(), status: row(id)?.status }).toEqual({ kinds: ["purchase"], status: "active" });
	};
	for (const _ of ["once", "again"]) {
		const refused = await fails(stack.destroy());
		for (const part of ["Kept number", id, "run `pulumi up --refresh`", `run \`pulumi state delete '${urn}'\``])
			expect(refused).toContain(part);
		await kept();
	}
	await succeeds(stack.pulumi("state", "delete", urn, "--yes"));
	expect(await stack.resources()).toEqual([]);
	expect(kinds()).toEqual(["purchase"]);
	expect(row(id)?.status).toBe("active");
	await succeeds(stack.pulumi("stack", "import", "--file", older));
	// The engine asks nothing of an entry that is as declared: only a read finds it out.
	await succeeds(stack.up("--refresh"));
	await kept();
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
	expect(await stack.resources()).toEqual([]);
});
