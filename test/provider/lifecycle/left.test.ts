/** Objects that their stack has left on the account: who resumes them, who adopts them, and what stays with them. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { kinds } from "../../helpers/kinds";
import { aNumber, aTrunk, checked, create, failureOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";

const { emulator, open, live, purchases, released } = useAccount();
const elsewhere = { place: "https://elsewhere.example" };
const isLeftIn = (reference: unknown) => String(reference).includes(".left~");

describe.each(kinds)("a left $noun", ({ name, text, declare, buys }) => {
	const ids = () => emulator.rows(name).map(({ id }) => id);
	const leave = async (args: Values = {}) => {
		const { id, outs } = await create(open()[name], declare({ [text]: "Desk", onDelete: "retain", ...args }));
		const run = open();
		await run[name].delete(id, outs);
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:kept\\]$`)]);
		return { id, outs };
	};

	test("stays as it was but for its lease", async () => {
		const { id } = await leave();
		expect(emulator.rows(name)).toMatchObject([{ id, [text]: "Desk" }]);
		expect(isLeftIn(emulator.row(id)?.reference)).toBe(true);
	});

	test("is resumed by the same declaration, and nothing is made", async () => {
		const { id } = await leave();
		const run = open();
		const made = await create(run[name], declare({ [text]: "Office" }));
		expect(made.id).toBe(id);
		expect(emulator.row(id)).toMatchObject({ [text]: "Office" });
		expect(emulator.row(id)?.reference).toContain(String(made.outs.lease));
		if (buys) expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:taken-over\\]$`)]);
		const later = open();
		expect(await refreshed(later, made, declare({ [text]: "Office" }))).toMatchObject({ changes: false });
		expect(later.warnings).toEqual([]);
	});

	test("is resumed after each of several removals", async () => {
		const { id } = await leave();
		for (const _ of [1, 2]) expect((await leave()).id).toBe(id);
		expect(ids()).toEqual([id]);
	});

	test("isn't resumed by another declaration, which gets its own", async () => {
		const { id } = await leave();
		expect((await create(open()[name], declare({}, "other"))).id).not.toBe(id);
		expect(isLeftIn(emulator.row(id)?.reference)).toBe(true);
	});

	test.each([
		["another resource of this stack", {}],
		["another stack", elsewhere],
	])("is adopted by %s, which its first stack respects", async (_, options) => {
		const { id, outs } = await leave();
		const adopted = await create(open(options)[name], declare({ adopt: id }, "other"));
		expect(adopted.id).toBe(id);
		expect(emulator.row(id)?.reference).toContain(String(adopted.outs.lease));
		// An older copy of the first state neither takes it back nor ends it.
		await open()[name].delete(id, { ...outs, onDelete: buys ? "release" : "delete" });
		expect(ids()).toEqual([id]);
		const anew = await create(open()[name], declare());
		expect(anew.id).not.toBe(id);
		expect((await failureOf(create(open()[name], declare({ adopt: id }, "third")))).messageCode).toBe("claimed");
	});

	test("is left again by the stack that adopted it", async () => {
		const { id } = await leave();
		const { outs } = await create(open(elsewhere)[name], declare({ adopt: id }, "other"));
		await open(elsewhere)[name].delete(id, outs);
		expect(isLeftIn(emulator.row(id)?.reference)).toBe(true);
		expect((await create(open()[name], declare({ adopt: id }))).id).toBe(id);
	});

	test("isn't named as lost by a state that has it still", async () => {
		const { id, outs } = await leave();
		const run = open();
		expect((await run[name].read(id, outs)).id).toBe(id);
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:another-attempt\]$/)]);
	});
});

describe("a trunk", () => {
	const routed = async (onDelete: string, as: string, trunkId: string) =>
		create(open().number, aNumber({ onDelete, routing: { type: "trunk", trunkId } }, as));

	test.each(["delete", "retain"])("that only left numbers use is left with them: onDelete %s", async (onDelete) => {
		const trunk = await create(open().sipTrunk, aTrunk({ onDelete }));
		const number = await routed("retain", "main", trunk.id);
		const run = open();
		await run.number.delete(number.id, number.outs);
		await run.sipTrunk.delete(trunk.id, trunk.outs);
		expect(run.warnings.filter((each) => each.endsWith("[telephony:kept]"))).toHaveLength(2);
		expect(isLeftIn(emulator.row(trunk.id)?.reference)).toBe(true);
		expect(live()).toMatchObject([{ id: number.id, routing: { type: "trunk", trunk_id: trunk.id } }]);
		// Both come back as they were.
		expect((await create(open().sipTrunk, aTrunk())).id).toBe(trunk.id);
		expect((await routed("retain", "main", trunk.id)).id).toBe(number.id);
		expect(purchases()).toHaveLength(1);
	});

	test("that a declared number uses isn't deleted, and the error names the number", async () => {
		const trunk = await create(open().sipTrunk, aTrunk());
		const [left, held] = [await routed("retain", "left", trunk.id), await routed("release", "held", trunk.id)];
		await open().number.delete(left.id, left.outs);
		const error = await failureOf(open().sipTrunk.delete(trunk.id, trunk.outs));
		expect(error.message).toContain(held.id);
		expect(emulator.rows("sipTrunk")).toMatchObject([{ id: trunk.id }]);
		await open().number.delete(held.id, held.outs);
		const run = open();
		await run.sipTrunk.delete(trunk.id, trunk.outs);
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:kept\]$/)]);
	});

	test("whose last number is released is deleted", async () => {
		const trunk = await create(open().sipTrunk, aTrunk());
		const number = await routed("release", "main", trunk.id);
		const run = open();
		await Promise.all([run.sipTrunk.delete(trunk.id, trunk.outs), run.number.delete(number.id, number.outs)]);
		expect({ trunks: emulator.rows("sipTrunk"), released: released() }).toEqual({ trunks: [], released: [number.id] });
	});
});

describe("an object of another stack's name", () => {
	test.each(kinds)("a $noun warns once that an update has claimed it", async ({ name, declare, text }) => {
		const inStack = (stack: string, args: Values = {}) => ({
			...declare(args),
			resourceUrn: String(declare().resourceUrn).replace("dev", stack),
		});
		const { id, outs } = await create(open()[name], inStack("dev"));
		const moved = { ...outs, resourceUrn: inStack("prod").resourceUrn };
		const run = open();
		const inputs = await checked(run[name], inStack("prod"), inStack("prod"));
		expect((await run[name].diff(id, moved, inputs)).changes).toBe(true);
		const done = await run[name].update(id, moved, inputs);
		expect(run.warnings).toEqual([expect.stringMatching(/shop\/dev.*\[telephony:rename\]$/)]);
		const next = open();
		await next[name].update(id, done.outs, await checked(next[name], inStack("prod", { [text]: "x" }), inputs));
		expect(next.warnings).toEqual([]);
	});
});
