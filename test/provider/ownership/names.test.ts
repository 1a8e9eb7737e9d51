/** Whose an object is when its resource or its stack gets another name, and the old name comes again. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { kinds } from "../../helpers/kinds";
import { aNumber, checked, create, failureOf } from "../../helpers/provider";
import { updated } from "../../helpers/runs";

const { emulator, clock, live, open, purchases, released } = useAccount();

describe("a stack that was renamed, and another one that has its old name now,", () => {
	const inStack = (stack: string, args: Values = {}, name = "main"): Values => ({
		...aNumber(args, name),
		resourceUrn: `urn:pulumi:${stack}::shop::pulumi-nodejs:dynamic/telephony:Number::${name}`,
	});
	/** The entry of the renamed stack, as `pulumi stack rename` leaves it: only its URN is another one. */
	const renamed = async (args: Values = {}) => {
		const made = await create(open().number, inStack("dev", args));
		await clock.sleep(3_600_000);
		return { id: made.id, outs: { ...made.outs, resourceUrn: inStack("before").resourceUrn } };
	};
	const upBefore = async ({ id, outs }: { id: string; outs: Values }, args: Values = {}) => {
		const run = open();
		const inputs = await checked(run.number, inStack("before", args), inStack("before", args));
		await run.number.diff(id, outs, inputs);
		return run.number.update(id, outs, inputs);
	};

	test("have a number each, once the renamed one has run, and each releases its own", async () => {
		const entry = await renamed();
		const { id } = entry;
		const before = await upBefore(entry);
		const other = await create(open().number, inStack("dev"));
		expect(other.id).not.toBe(id);
		await open().number.delete(id, before.outs);
		expect(live().map((row) => row.id)).toEqual([other.id]);
		await open().number.delete(other.id, other.outs);
		expect(live()).toEqual([]);
	});

	test("the renamed one warns once that it has claimed what the old name had", async () => {
		const { id, outs } = await renamed();
		const run = open();
		const inputs = await checked(run.number, inStack("before"), inStack("before"));
		const moved = await run.number.update(id, outs, inputs);
		expect(run.warnings).toEqual([expect.stringMatching(/shop\/dev.*\[telephony:rename\]$/)]);
		const next = open();
		await next.number.update(id, moved.outs, { ...inputs, label: "x" });
		expect(next.warnings).toEqual([]);
	});

	test.each([false, true])(
		"don't take it from each other in turn: what the new one has written is somebody else's; refreshed: %s",
		async (refresh) => {
			const { id, outs } = await renamed();
			// It is as declared, so the new stack takes it for its own.
			expect((await create(open().number, inStack("dev"))).id).toBe(id);
			const reference = live()[0]?.reference;
			const run = open();
			const { props = {} } = refresh ? await run.number.read(id, outs) : { props: outs };
			if (refresh) expect(run.warnings).toEqual([expect.stringContaining("claimed by the stack shop/dev")]);
			expect((await failureOf(upBefore({ id, outs: props }))).kind).toBe("Claimed");
			await open().number.delete(id, props);
			expect({ ids: live().map((row) => row.id), reference: live()[0]?.reference }).toEqual({ ids: [id], reference });
			expect(released()).toEqual([]);
		},
	);
});

describe("names that come again", () => {
	test.each([
		["create", ["a", "b"]],
		["update", ["b", "a"]],
	])("a renamed number that a lost run wrote is its entry's; the old name gets another; %s first", async (_, order) => {
		const { id, outs } = await create(open().number, aNumber({}, "a"));
		const lost = live()[0]?.reference?.replace(String(outs.lease), "lost") ?? null;
		emulator.control.patchNumber(id, { reference: lost });
		const run = open();
		const a = await checked(run.number, aNumber({}, "a"));
		const b = await checked(run.number, aNumber({}, "b"), aNumber({}, "a"));
		await run.number.diff(id, outs, b);
		const done: Record<string, string> = {};
		for (const name of order)
			if (name === "a") done.a = (await run.number.create(a)).id;
			else await run.number.update(id, outs, b);
		expect(done.a).not.toBe(id);
		expect(live().map((row) => row.id)).toEqual([id, done.a]);
		expect(released()).toEqual([]);
	});

	test.each(
		kinds.flatMap(({ name, declare }) => [
			{ kind: name, args: declare, order: ["a", "b"], first: "the old name's create" },
			{ kind: name, args: declare, order: ["b", "a"], first: "the new name's diff" },
		]),
	)("a renamed $kind stays its entry's alone, when $first comes first", async ({ kind, args, order }) => {
		const { id, outs } = await create(open()[kind], args({}, "a"));
		const { [kind]: handler } = open();
		const [a, b] = [await checked(handler, args({}, "a")), await checked(handler, args({}, "b"), args({}, "a"))];
		const steps: Record<string, () => Promise<string>> = {
			a: async () => (await handler.create(a)).id,
			b: async () => {
				await handler.diff(id, outs, b);
				await handler.update(id, outs, b);
				return id;
			},
		};
		const ids = await Promise.all(order.map((name) => steps[name]?.()));
		expect(new Set(ids).size).toBe(2);
		expect(
			emulator
				.rows(kind)
				.map((row) => row.id)
				.sort(),
		).toEqual(ids.sort());
	});

	test.each(kinds)(
		"a renamed $noun stays its entry's alone, though the list still shows the old name",
		async (each) => {
			const { name: kind, declare: args } = each;
			const made = await create(open()[kind], args({}, "a"));
			await clock.sleep(3_600_000);
			await updated(open(), made, args({}, "b"), args({}, "a"));
			emulator.control.settings({ listLagMs: 5_000 });
			// The renamed entry isn't declared any more, so nothing but its reference tells whose it is.
			expect((await create(open()[kind], args({}, "a"))).id).not.toBe(made.id);
		},
	);

	test("a number that another tool has claimed stays its, though the list still shows this resource's name", async () => {
		const { id } = await create(open().number, aNumber());
		await clock.sleep(3_600_000);
		emulator.control.settings({ listLagMs: 5_000 });
		emulator.control.patchNumber(id, { reference: "order 4711" });
		expect((await failureOf(create(open().number, aNumber()))).kind).toBe("Claimed");
		expect(live().map((row) => row.reference)).toEqual(["order 4711"]);
		expect(purchases()).toHaveLength(1);
	});

	test("a new entry that took a renamed number over is not robbed of it: the renamed one is refused", async () => {
		const { id, outs } = await create(open().number, aNumber({}, "a"));
		// As `pulumi up --target` runs it: the renamed entry is not seen.
		const taken = await create(open().number, aNumber({}, "a"));
		expect(taken.id).toBe(id);
		const run = open();
		const olds = aNumber({}, "a");
		const [a, b] = [await checked(run.number, olds, olds), await checked(run.number, aNumber({}, "b"), olds)];
		await run.number.diff(id, taken.outs, a);
		expect((await run.number.diff(id, outs, b)).changes).toBe(true);
		const reference = live()[0]?.reference;
		const error = await failureOf(run.number.update(id, outs, b));
		expect(error).toMatchObject({ kind: "Claimed", messageCode: "shared-object" });
		expect(live().map((row) => row.reference)).toEqual([reference]);
	});

	test("a number is resumed at any age, with a warning that says what it was", async () => {
		const { id } = await create(open().number, aNumber({ label: "Production" }));
		await clock.sleep(25 * 3_600_000);
		const run = open();
		expect((await create(run.number, aNumber({ label: "New" }))).id).toBe(id);
		expect(run.warnings).toEqual([expect.stringMatching(/"Production".*\[telephony:taken-over\]$/)]);
	});
});
