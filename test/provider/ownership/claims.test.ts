/** Whose a number is when other tools, other machines and older states have a hand in it. */
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { aNumber, checked, create, initErrorOf, openProvider } from "../../helpers/provider";

const { emulator, clock, live, open, purchases, released } = useAccount();
const at = (place: string, config: Record<string, string> = {}) => openProvider(emulator, { clock, place, config });
const owned = (owner: string) => ({ "telephony:owner": owner });

describe("a replacement", () => {
	const area = (value: string, more: Values = {}) =>
		aNumber({ country: "NL", type: "geographic", area: value, ...more });

	test.each([
		["release", "after its successor is bought", false],
		["release", "before its successor is bought", true],
		["retain", "after its successor is bought", false],
		["retain", "before its successor is bought", true],
	])("ends the old number as its saved `%s` says, %s", async (onDelete, _, isDeletedFirst) => {
		const { id, outs } = await create(open().number, area("20", { onDelete }));
		const run = open();
		// The new declaration has no say in it.
		const inputs = await checked(run.number, area("10", { onDelete: "release" }), area("20", { onDelete }));
		expect((await run.number.diff(id, outs, inputs)).replaces).toEqual(["area"]);
		if (isDeletedFirst) await run.number.delete(id, outs);
		const made = await run.number.create(inputs);
		if (!isDeletedFirst) await run.number.delete(id, outs);
		expect(released()).toEqual(onDelete === "release" ? [id] : []);
		expect(live().map((row) => row.id)).toContain(made.id);
		expect(purchases()).toHaveLength(2);
	});

	test("with the value unknown, as for what depends on a resource that is deleted first: it is no replacement", async () => {
		const { id, outs } = await create(open().number, area("20"));
		for (const change of [{ area: unknownValue }, { generation: unknownValue }]) {
			const inputs = { ...(await checked(open().number, area("20"))), ...change };
			expect(await open().number.diff(id, outs, inputs)).toMatchObject({ replaces: [] });
		}
	});
});

describe("one stack on several machines", () => {
	test.each([
		["a folder", "file:///srv/state", {}, 1],
		["a folder, with an owner", "file:///srv/state", owned("ci"), 0],
		["no folder", "s3://state", {}, 0],
	])("a CI job whose state is in %s is told once to set an owner: %s %j", async (_, place, config, times) => {
		const run = openProvider(emulator, { clock, place, config, env: { CI: "true" } });
		for (const name of ["one", "two"]) await create(run.number, aNumber({}, name));
		expect(run.warnings.filter((text) => text.includes("pulumi config set telephony:owner"))).toHaveLength(times);
	});

	const elsewhere = "https://elsewhere.example";
	test.each([
		["with an owner, goes on with it", owned("ci"), 1],
		["without one, buys another and names the first", {}, 2],
	])("a run was killed before it claimed its number: the next place, %s", async (_, config, count) => {
		emulator.control.faults.set({ operation: "patchNumber", every: true, kind: "status", status: 503 });
		const { id } = await initErrorOf(create(at(elsewhere, config).number, aNumber()));
		emulator.control.faults.clear();
		await clock.sleep(120_000);
		const run = at("https://state.example", config);
		expect((await create(run.number, aNumber())).id === id).toBe(count === 1);
		expect(purchases()).toHaveLength(count);
		if (count === 2) expect(run.warnings).toEqual([expect.stringMatching(new RegExp(`Bought a number, but .*${id}`))]);
	});

	test("another stack of the same name gets a number of its own with an owner", async () => {
		await create(at("https://elsewhere.example").number, aNumber());
		await create(at("https://state.example", owned("colleague")).number, aNumber());
		expect(live()).toHaveLength(2);
	});

	test("an owner that is set, changed and removed again loses nothing, and a replacement says the way", async () => {
		let { id, outs } = await create(open().number, aNumber());
		for (const config of [owned("one"), owned("two"), {}]) {
			const run = at("https://state.example", config);
			({ outs } = await run.number.update(id, outs, await checked(run.number, aNumber())));
		}
		await clock.sleep(60_000);
		expect((await create(open().number, aNumber())).id).toBe(id);
		expect((await create(at("https://state.example", owned("three")).number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});
});
