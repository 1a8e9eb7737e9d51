/** Combinations of the engine's features, each of which keeps the numbers. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, fronts, plugin, succeeds } from "../helpers/engine";
import { replacing, taint, withSite } from "../helpers/story";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const declared =
	(type: string, given: object) =>
	(name: string, args: object = {}, options: object = {}): string =>
		`new telephony.${type}("${name}", ${JSON.stringify({ ...given, ...args })}, ${JSON.stringify(options)});\n`;
const number = declared("Number", { country: "NL", type: "mobile" });
const pool = declared("NumberPool", { country: "NL", type: "mobile", label: "line-{index}", count: 2 });
const formerly = (name: string) => ({ aliases: [{ name }] });
const bought = (count: number) => Array(count).fill("purchase");
const approveAll = () => {
	for (const { id, status } of emulator.live()) if (status === "pending") emulator.control.decide(id, "approve");
};

const site = (version: number, rest: string) => withSite({ version, city: "Utrecht" }, rest);

test("replaceOnChanges keeps a number whose dependency is deleted first", async () => {
	const main = `new telephony.Number("main", { country: "NL", type: "mobile", label: site.city }, { replaceOnChanges: ["label"] });`;
	const stack = await createProject({ program: site(1, main), service: emulator, front: plugin });
	await succeeds(stack.up());
	const ids = await stack.ids();
	stack.write(site(2, main));
	const { output } = await succeeds(stack.up());
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }, output).toEqual({ ids, kinds: bought(1) });
});

test.each(inTurn(fronts))("%s: a new name and replacementTrigger in one run buy nothing", async (front) => {
	for (const [declare, count] of [[number, 1] as const, [pool, 2] as const]) {
		emulator.control.reset();
		const stack = await createProject({
			program: declare("a", {}, { replacementTrigger: 1 }),
			service: emulator,
			front,
		});
		await succeeds(stack.up());
		const kept = emulator.live().map(({ id }) => id);
		stack.write(declare("b", {}, { replacementTrigger: 2, ...formerly("a") }));
		const output = await fails(stack.up(), "claimed");
		expect(output).toContain("was renamed, and is replaced in the same run");
		expect(emulator.kinds(), output).toEqual(bought(count));
		// The rename first, as the error says.
		stack.write(declare("b", {}, { replacementTrigger: 1, ...formerly("a") }));
		await succeeds(stack.up());
		stack.write(declare("b", {}, { replacementTrigger: 2 }));
		await succeeds(stack.up());
		expect({ kinds: emulator.kinds(), kept: emulator.live().map(({ id }) => id) }).toEqual({
			kinds: bought(count),
			kept,
		});
		await expectQuiet(stack);
	}
});

test("a new name and replaceOnChanges in one run keep the numbers", async () => {
	for (const [declare, count] of [[number, 1] as const, [pool, 2] as const]) {
		emulator.control.reset();
		const options = { replaceOnChanges: ["metadata"] };
		const stack = await createProject({ program: declare("a", {}, options), service: emulator, front: plugin });
		await succeeds(stack.up());
		const kept = emulator.live().map(({ id }) => id);
		stack.write(declare("b", { metadata: { a: "b" } }, { ...options, ...formerly("a") }));
		const { output } = await succeeds(stack.up());
		expect({ kinds: emulator.kinds(), kept: emulator.live().map(({ id }) => id) }, output).toEqual({
			kinds: bought(count),
			kept,
		});
		await expectQuiet(stack);
	}
});

test.each(inTurn(fronts))("%s: --continue-on-error keeps what isn't replaced yet", async (front) => {
	const program = (country: string) =>
		number("main", { country, activationTimeoutSeconds: 1 }) + pool("lines", { country, activationTimeoutSeconds: 1 });
	const stack = await createProject({ program: program("NL"), service: emulator, front });
	await succeeds(stack.up());
	const old = emulator.live().map(({ id }) => id);
	emulator.control.kyc("manual");
	stack.write(program("DE"));
	await fails(stack.up("--continue-on-error"));
	expect(emulator.released()).toEqual([]);
	expect(flat(await stack.up("--continue-on-error"))).toContain("didn't finish its replacement");
	expect(emulator.released()).toEqual([]);
	approveAll();
	await succeeds(stack.up());
	expect(emulator.released().sort()).toEqual(old.sort());
	await expectQuiet(stack);
});

test.each(inTurn(fronts))("%s: a replaced pool that shrinks gives up what releaseFirst names", async (front) => {
	const stack = await createProject({ program: pool("lines", { count: 3 }), service: emulator, front });
	await succeeds(stack.up());
	stack.write(pool("lines", { count: 2, releaseFirst: ["lines[0]"] }));
	const { output } = await succeeds(stack.up(...(await replacing("lines")(stack))));
	expect(emulator.labels(), output).toEqual(["line-1", "line-2"]);
});

test.each(inTurn(fronts))("%s: a replaced resource whose delete failed is no drift", async (front) => {
	const stack = await createProject({ program: number("main"), service: emulator, front });
	await succeeds(stack.up());
	const ids = await stack.ids();
	await taint("main")(stack);
	// The create reads the number first, and then the delete.
	const nth = Array.from({ length: 30 }, (_, index) => index + 2);
	emulator.control.faults.set({ operation: "getNumber", nth, kind: "status", status: 403 });
	await fails(stack.up());
	emulator.control.faults.clear();
	expect(await stack.resources()).toHaveLength(2);
	const drift = await succeeds(stack.drift());
	expect(drift.output).not.toContain("another-attempt");
	await succeeds(stack.up("--refresh"));
	expect({ ids: await stack.ids(), kinds: emulator.kinds() }).toEqual({ ids, kinds: bought(1) });
	await expectQuiet(stack);
});
