/** Whose a number is when other tools and older states have a hand in it, on the real engine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, seenAt, succeeds } from "../helpers/engine";

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
	expect(flat(await succeeds(stack.refresh()))).toContain("was claimed by another program");
	const destroy = await succeeds(stack.destroy());
	expect(flat(destroy)).toMatch(new RegExp(`${main}.*order 4711.*\\[telephony:claimed\\]`));
	expect(kinds()).toMatchObject(["purchase"]);
	expect(row(main)).toMatchObject({ status: "active", reference: "order 4711" });
	expect(await stack.resources()).toEqual([]);
});

test("a number whose reference was cleared is still this stack's, and destroy releases it", async () => {
	const stack = await stackWith(number("main"));
	const { main } = await stack.ids();
	emulator.control.patchNumber(main ?? "", { reference: null });
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
	expect(await stack.resources()).toEqual([]);
});

test("with a state from before --replace, destroy keeps the number, and up --refresh makes it this state's", async () => {
	const stack = await stackWith(number("main"));
	const { urn = "", id = "" } = (await stack.resources())[0] ?? {};
	const older = join(stack.folder, "older.json");
	writeFileSync(older, (await stack.pulumi("stack", "export")).stdout);
	await succeeds(stack.up("--replace", urn));
	await succeeds(stack.pulumi("stack", "import", "--file", older));
	expect(flat(await succeeds(stack.destroy()))).toContain("[telephony:claimed]");
	expect({ kinds: kinds(), status: row(id)?.status, ids: await stack.ids() }).toEqual({
		kinds: ["purchase"],
		status: "active",
		ids: {},
	});
	await succeeds(stack.pulumi("stack", "import", "--file", older));
	// Only a read finds out who wrote the number last.
	await succeeds(stack.up("--refresh"));
	expect(await stack.ids()).toEqual({ main: id });
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});
