/** What a number survives, and when it is bought or released, on the real engine. The ledger judges. */
import { describe, expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fronts, type Project, seenAt, succeeds } from "../helpers/engine";
import { crash, startUp } from "../helpers/engine-running";
import { type Step, tell, urnOf } from "../helpers/story";
import { variations } from "../short.mts";

// A story is up to forty runs of the engine.
vi.setConfig({ testTimeout: 1_200_000 });
const emulator = useEmulator({ kyc: "immediate" });
const { kinds, ledger, live, number: row } = seenAt(emulator);

const number = (name: string, args: object = {}, options = "{}") =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "geographic", area: "20", ...args })}, ${options});\n`;
const kept = (name: string, args: object = {}) => number(name, { onDelete: "retain", ...args });
const inComponent = `
	class Office extends pulumi.ComponentResource {
		constructor() {
			super("example:index:Office", "office");
			${number("a", { onDelete: "retain" }, "{ parent: this }")}
		}
	}
	new Office();
`;
const taint = (name: string) => async (stack: Project) =>
	succeeds(stack.pulumi("state", "taint", await urnOf(stack, name), "--yes"));
const replacing =
	(...names: readonly string[]) =>
	async (stack: Project) =>
		(await Promise.all(names.map((name) => urnOf(stack, name)))).flatMap((urn) => ["--replace", urn]);

const numbers: readonly Step[] = [
	{ name: "first up", program: kept("a") + number("b"), buys: 2, notes: { first: "a" } },
	{ name: "rename", program: kept("c") + number("b"), buys: 1, says: "kept" },
	{ name: "rename back", program: kept("a") + number("b"), has: { a: "first" }, says: "taken-over" },
	{ name: "move into a component", program: inComponent + number("b"), buys: 1, says: "kept" },
	{ name: "move back", program: kept("a") + number("b"), has: { a: "first" }, says: "taken-over" },
	{ name: "remove one and add another", program: kept("a") + number("d"), buys: 1, releases: ["b"] },
	{ name: "another area, retained", program: kept("a", { area: "10" }) + number("d"), buys: 1, says: "kept" },
	{ name: "the old area again", program: kept("a") + number("d"), has: { a: "first" } },
	{ name: "another area, released", program: kept("a") + number("d", { area: "10" }), buys: 1, releases: ["d"] },
	{
		name: "another generation",
		program: kept("a") + number("d", { area: "10", generation: 1 }),
		buys: 1,
		releases: ["d"],
		notes: { last: "d" },
	},
	{ name: "taint", first: taint("d"), has: { a: "first", d: "last" } },
	{ name: "--replace", args: replacing("a", "d"), has: { a: "first", d: "last" } },
	{
		name: "--target",
		program: kept("a") + number("e"),
		args: async () => ["--target", "**::e"],
		again: ["--target", "**::e"],
		buys: 1,
		has: { a: "first", d: "last" },
	},
	{ name: "removal", program: number("e"), releases: ["d"], says: "kept" },
];

const pool = (name: string, count: number, more: object = {}) =>
	`new telephony.NumberPool("${name}", ${JSON.stringify({ country: "NL", type: "mobile", count, ...more })});\n`;

describe.each(variations(fronts))("%s", (front) => {
	test("a number is released only if its saved onDelete says so, and a left one is resumed", async () => {
		const stack = await createProject({ service: emulator, front });
		await tell(stack, emulator, numbers);
		await succeeds(stack.destroy());
		expect(await stack.ids()).toEqual({});
		// `a` and `c` in each of their forms were left.
		expect(live().map(({ reference }) => reference?.split("~")[0]?.split(".")[3])).toEqual([
			"left",
			"left",
			"left",
			"left",
		]);
	});

	test("destroy leaves numbers by default, and releases them if the saved state says so", async () => {
		const stack = await createProject({ service: emulator, front, onDelete: null, program: number("a") });
		const set = (...args: string[]) => succeeds(stack.pulumi("config", ...args));
		await succeeds(stack.up());
		const { a } = await stack.ids();
		await succeeds(stack.destroy());
		expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: {}, kinds: ["purchase"] });
		await set("set", "telephony:onDelete", "retain");
		await tell(stack, emulator, [{ name: "up after destroy", says: "taken-over" }]);
		expect(await stack.ids()).toEqual({ a });
		await succeeds(stack.destroy());
		await set("set", "telephony:onDelete", "release");
		await tell(stack, emulator, [{ name: "up with another default" }]);
		expect(await stack.ids()).toEqual({ a });
		// The saved state decides, not the configuration.
		await set("set", "telephony:onDelete", "retain");
		await succeeds(stack.destroy());
		expect({ status: row(a)?.status, kinds: kinds() }).toEqual({ status: "released", kinds: ["purchase", "release"] });
	});

	test("a pool's numbers are left or released as its saved onDelete says", async () => {
		const stack = await createProject({ service: emulator, front });
		const retained = { onDelete: "retain" };
		await tell(stack, emulator, [
			{ name: "first up", program: pool("desk", 3, retained), buys: 3 },
			{ name: "shrink", program: pool("desk", 2, retained), says: "kept" },
			{ name: "grow", program: pool("desk", 3, retained), says: "taken-over" },
			{ name: "rename", program: pool("office", 3, retained), buys: 3, says: "kept" },
			{ name: "rename back", program: pool("desk", 3, retained), says: "taken-over" },
			{ name: "taint", first: taint("desk") },
			{ name: "let go", program: pool("desk", 3) },
		]);
		const bought = ledger("purchase");
		stack.write(pool("desk", 2));
		await succeeds(stack.up());
		expect(ledger("release")).toHaveLength(1);
		await succeeds(stack.destroy());
		expect(ledger("release").sort()).toEqual(bought.slice(0, 3).sort());
		expect(live()).toHaveLength(3);
	});

	test.each(["patchNumber", "releaseNumber"] as const)(
		"a replacement killed at %s is finished by the next up",
		async (operation) => {
			const stack = await createProject({ service: emulator, front, program: number("a") });
			await succeeds(stack.up());
			const { a: old } = await stack.ids();
			stack.write(number("a", { generation: 1 }));
			emulator.control.faults.set({ operation, nth: 1, kind: "hold", phase: "before", whenGone: "drop" });
			const running = startUp(stack);
			await vi.waitFor(
				() =>
					expect(
						emulator.control.faults.list().map(({ held }) => held),
						running.output(),
					).toEqual([1]),
				120_000,
			);
			await crash(running);
			emulator.control.faults.clear();
			await succeeds(stack.pulumi("cancel", "--yes"));
			await succeeds(stack.refresh("--clear-pending-creates"));
			await succeeds(stack.up());
			await succeeds(stack.up("--expect-no-changes"));
			await expectQuiet(stack);
			expect({ bought: ledger("purchase").length, released: ledger("release") }).toEqual({
				bought: 2,
				released: [old],
			});
		},
	);
});
