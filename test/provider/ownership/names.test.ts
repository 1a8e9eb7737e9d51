/** Keeps an object with its owner when the resource or the stack is renamed, and the old name comes again. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { kinds } from "../../helpers/kinds";
import { aNumber, checked, create, failureOf, initErrorOf } from "../../helpers/provider";
import { updated } from "../../helpers/runs";

const { emulator, clock, live, open, purchases } = useAccount();
const hour = 3_600_000;
const ids = () => live().map(({ id }) => id);

describe("a renamed stack, and another one with its old name,", () => {
	const inStack = (stack: string): Values => ({
		...aNumber(),
		__resourceUrn: String(aNumber().__resourceUrn).replace("dev", stack),
	});
	/** A state after `pulumi stack rename`, which changes only the URN. */
	const renamed = async () => {
		const { id, outs } = await create(open().number, inStack("dev"));
		await clock.sleep(hour);
		return { id, outs: { ...outs, __resourceUrn: inStack("before").__resourceUrn } };
	};

	test("have a number each once the renamed one has run", async () => {
		const resource = await renamed();
		const moved = await updated(open(), resource, inStack("before"));
		const second = await create(open().number, inStack("dev"));
		await open().number.delete(moved.id, moved.outs);
		expect(ids()).toEqual([second.id]);
		await open().number.delete(second.id, second.outs);
		expect(ids()).toEqual([]);
	});

	test.each([false, true])("share nothing once the new one has claimed the number; refreshed: %s", async (refresh) => {
		const { id, outs } = await renamed();
		expect((await create(open().number, inStack("dev"))).id).toBe(id);
		const before = live();
		const { props = {} } = refresh ? await open().number.read(id, outs) : { props: outs };
		expect((await failureOf(updated(open(), { id, outs: props }, inStack("before")))).kind).toBe("Claimed");
		await open().number.delete(id, props);
		expect(live()).toEqual(before);
	});
});

describe.each(kinds)("a renamed $noun", ({ name, declare }) => {
	test.each([["the old name's create"], ["the new name's diff"]])(
		"keeps its object if %s comes first",
		async (first) => {
			const { id, outs } = await create(open()[name], declare({}, "a"));
			const { [name]: handler } = open();
			const [a, b] = [
				await checked(handler, declare({}, "a")),
				await checked(handler, declare({}, "b"), declare({}, "a")),
			];
			const steps = [
				async () => (await handler.create(a)).id,
				async () => {
					await handler.diff(id, outs, b);
					await handler.update(id, outs, b);
					return id;
				},
			];
			const made = await Promise.all((first.startsWith("the old") ? steps : steps.reverse()).map((step) => step()));
			expect(new Set(made).size).toBe(2);
			expect(new Set(emulator.rows(name).map((row) => row.id))).toEqual(new Set(made));
		},
	);

	test("keeps its object if the old name's create follows the new name's diff", async () => {
		const { id, outs } = await create(open()[name], declare({}, "a"));
		const { [name]: handler } = open();
		const b = await checked(handler, declare({}, "b"), declare({}, "a"));
		await handler.diff(id, outs, b);
		expect((await create(handler, declare({}, "a"))).id).not.toBe(id);
		await handler.update(id, outs, b);
		expect(emulator.rows(name)).toHaveLength(2);
	});

	test("keeps its object though the list still shows the old name", async () => {
		const made = await create(open()[name], declare({}, "a"));
		await clock.sleep(hour);
		await updated(open(), made, declare({}, "b"), declare({}, "a"));
		emulator.control.settings({ listLagMs: 5_000 });
		expect((await create(open()[name], declare({}, "a"))).id).not.toBe(made.id);
	});
});

test("leaves a number to the tool that claimed it, though the list lags", async () => {
	const { id } = await create(open().number, aNumber());
	await clock.sleep(hour);
	emulator.control.settings({ listLagMs: 5_000 });
	emulator.control.patchNumber(id, { reference: "order 4711" });
	expect((await failureOf(create(open().number, aNumber()))).kind).toBe("Claimed");
	expect(live().map(({ reference }) => reference)).toEqual(["order 4711"]);
	expect(purchases()).toHaveLength(1);
});

describe("one stack on several machines", () => {
	const owned = (owner: string) => ({ config: { "telephony:owner": owner } });

	test.each([
		["resumes the unclaimed number of a killed run if it has an owner", owned("ci"), 1],
		["buys another number without an owner, and names the first", {}, 2],
	])("%s", async (_, options, count) => {
		emulator.control.faults.set({ operation: "patchNumber", every: true, kind: "status", status: 503 });
		const { id } = await initErrorOf(
			create(open({ place: "https://elsewhere.example", ...options }).number, aNumber()),
		);
		emulator.control.faults.clear();
		await clock.sleep(120_000);
		const run = open(options);
		expect((await create(run.number, aNumber())).id === id).toBe(count === 1);
		expect(purchases()).toHaveLength(count);
		if (count === 2) expect(run.warnings).toEqual([expect.stringContaining(id)]);
	});
});

test("buys many numbers at once with one list, a purchase and a claim each", async () => {
	const run = open();
	const made = await Promise.all(Array.from({ length: 12 }, (_, n) => create(run.number, aNumber({}, `n${n}`))));
	expect(new Set(made.map(({ id }) => id)).size).toBe(12);
	expect(emulator.requests()).toHaveLength(1 + 12 * 2);
});
