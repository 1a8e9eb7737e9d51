/** Whose a number is when other tools, other machines, older states and other names of a stack have a hand in it. */
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import {
	aNumber,
	aTrunk,
	aWebhook,
	checked,
	create,
	failureOf,
	initErrorOf,
	openProvider,
} from "../../helpers/provider";

const { emulator, clock, live, open, purchases } = useAccount();
const released = () => emulator.control.ledger().filter(({ kind }) => kind === "release");
const at = (place: string, config: Record<string, string> = {}) => openProvider(emulator, { clock, place, config });
const owned = (owner: string) => ({ "telephony:owner": owner });

describe("another tool", () => {
	test.each([false, true])(
		"writes a reference of its own: the number is its, refreshed before: %s",
		async (refresh) => {
			const { id, outs } = await create(open().number, aNumber());
			emulator.control.patchNumber(id, { reference: "order 4711" });
			const run = open();
			const { props = {} } = refresh ? await run.number.read(id, outs) : { props: outs };
			await run.number.delete(id, props);
			expect([released(), live()[0]?.reference]).toEqual([[], "order 4711"]);
			expect(run.warnings.at(-1)).toMatch(/^Kept number .* somebody else has claimed it/);
			expect((await failureOf(open().number.update(id, props, await checked(open().number, aNumber())))).kind).toBe(
				"Claimed",
			);
		},
	);

	test.each([false, true])(
		"clears the reference: delete fails until an up has written it, refreshed: %s",
		async (refresh) => {
			const { id, outs } = await create(open().number, aNumber());
			emulator.control.patchNumber(id, { reference: null });
			const { props = {} } = refresh ? await open().number.read(id, outs) : { props: outs };
			const error = await failureOf(open().number.delete(id, props));
			expect([error.kind, error.message]).toEqual(["Claimed", expect.stringContaining("run `pulumi up --refresh`")]);
			const inputs = await checked(open().number, aNumber());
			if (refresh) expect((await open().number.diff(id, props, inputs)).changes).toBe(true);
			const { outs: mended } = await open().number.update(id, props, inputs);
			await open().number.delete(id, mended);
			expect(released()).toHaveLength(1);
		},
	);
});

describe("two stacks that adopt one number", () => {
	test("don't overwrite each other in turn: who lost it is told, and refused", async () => {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
		const declare = (stack: string): Values => ({
			...aNumber({ adopt: body.id }),
			resourceUrn: `urn:pulumi:${stack}::shop::pulumi-nodejs:dynamic/telephony:Number::main`,
		});
		const first = await create(open().number, declare("one"));
		// The second one has read the account before.
		emulator.control.patchNumber(body.id, { reference: null });
		await create(open().number, declare("two"));
		const reference = live()[0]?.reference;
		const run = open();
		const { props = {} } = await run.number.read(body.id, first.outs);
		expect(run.warnings).toEqual([expect.stringContaining("claimed by another stack")]);
		const inputs = await checked(open().number, declare("one"));
		expect((await open().number.diff(body.id, props, inputs)).changes).toBe(false);
		expect((await failureOf(open().number.update(body.id, props, inputs))).kind).toBe("Claimed");
		expect(live()[0]?.reference).toBe(reference);
	});
});

describe("a replacement that nobody asked for", () => {
	const area = (value: string, more: Values = {}) =>
		aNumber({ country: "NL", type: "geographic", area: value, ...more });

	test("after a taint, with another area: the old number is kept, and named", async () => {
		const { id, outs } = await create(open().number, area("20"));
		const run = open();
		const made = await create(run.number, area("10"));
		const error = await failureOf(run.number.delete(id, outs));
		expect(error.message).toMatch(/was not released: .*allowReplacement/);
		expect(error.message).toContain(id);
		expect(released()).toEqual([]);
		// The engine tries again what it couldn't delete.
		const asked = open();
		const inputs = await checked(asked.number, area("10", { allowReplacement: true }));
		await asked.number.diff(made.id, made.outs, inputs);
		await asked.number.delete(id, outs);
		expect(released().map(({ number_id }) => number_id)).toEqual([id]);
	});

	test("with the value unknown, as for what depends on a resource that is deleted first: it is no replacement", async () => {
		const { id, outs } = await create(open().number, area("20"));
		for (const change of [{ area: unknownValue }, { generation: unknownValue }]) {
			const inputs = { ...(await checked(open().number, area("20"))), ...change };
			expect(await open().number.diff(id, outs, inputs)).toMatchObject({ replaces: [] });
		}
	});

	test("deleted first, with nothing left to buy: the old number is kept, and named", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const run = open();
		const inputs = await checked(run.number, aNumber({ generation: 1 }));
		await run.number.delete(id, outs);
		expect(run.warnings.join()).toContain(id);
		emulator.control.settings({ numbersMax: 1 });
		await failureOf(run.number.create(inputs));
		expect(released()).toEqual([]);
	});

	test("deleted first, and bought then: the old number is released once its successor is bought", async () => {
		const { id, outs } = await create(open().number, aNumber());
		const run = open();
		const inputs = await checked(run.number, aNumber({ generation: 1 }));
		await run.number.delete(id, outs);
		expect(released()).toEqual([]);
		const made = await run.number.create(inputs);
		expect(released().map(({ number_id }) => number_id)).toEqual([id]);
		expect(live().map((row) => row.id)).toEqual([made.id]);
	});
});

describe("names that come again", () => {
	test.each([
		["the old name's create comes first", ["a", "b"]],
		["the new name's diff comes first", ["b", "a"]],
	])("a renamed number stays its entry's alone, when %s", async (_, order) => {
		const { id, outs } = await create(open().number, aNumber({}, "a"));
		const run = open();
		const [a, b] = [await checked(run.number, aNumber({}, "a")), await checked(run.number, aNumber({}, "b"))];
		const done: Record<string, string> = {};
		const steps: Record<string, () => Promise<void>> = {
			a: async () => {
				done.a = (await run.number.create(a)).id;
			},
			b: async () => {
				await run.number.diff(id, outs, b);
				await run.number.update(id, outs, b);
				done.b = id;
			},
		};
		await Promise.all(order.map((name) => steps[name]?.()));
		expect(done.b).toBe(id);
		expect(done.a).not.toBe(id);
		expect(live()).toHaveLength(2);
	});

	test.each([
		["create", ["a", "b"]],
		["update", ["b", "a"]],
	])("a renamed number that a lost run wrote is its entry's; the old name gets another; %s first", async (_, order) => {
		const { id, outs } = await create(open().number, aNumber({}, "a"));
		const lost = live()[0]?.reference?.replace(/[^.]+$/, "lost") ?? null;
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

	test.each([
		["trunk", "the old name's create comes first", ["a", "b"]],
		["trunk", "the new name's diff comes first", ["b", "a"]],
		["webhook", "the old name's create comes first", ["a", "b"]],
		["webhook", "the new name's diff comes first", ["b", "a"]],
	])("a renamed %s stays its entry's alone, when %s", async (kind, _, order) => {
		const kindOf = (run: ReturnType<typeof open>) => (kind === "trunk" ? run.sipTrunk : run.webhook);
		const args = (name: string) => (kind === "trunk" ? aTrunk({}, name) : aWebhook({}, name));
		const { id, outs } = await create(kindOf(open()), args("a"));
		const handler = kindOf(open());
		const [a, b] = [await checked(handler, args("a")), await checked(handler, args("b"), args("a"))];
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
		const { trunks, webhooks } = emulator.control.state();
		expect([...trunks, ...webhooks].map((row) => row.id).sort()).toEqual(ids.sort());
	});

	test.each([
		["number", aNumber],
		["sipTrunk", aTrunk],
		["webhook", aWebhook],
	] as const)("a renamed %s stays its entry's alone, though the list still shows the old name", async (kind, args) => {
		const { id, outs } = await create(open()[kind], args({}, "a"));
		await clock.sleep(3_600_000);
		await open()[kind].update(id, outs, await checked(open()[kind], args({}, "b"), args({}, "a")));
		emulator.control.settings({ listLagMs: 5_000 });
		// The renamed entry isn't declared any more, so nothing but its reference tells whose it is.
		expect((await create(open()[kind], args({}, "a"))).id).not.toBe(id);
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
		expect([error.kind, error.message]).toEqual([
			"Claimed",
			expect.stringContaining("another resource of this program"),
		]);
		expect(live().map((row) => row.reference)).toEqual([reference]);
	});

	test("a number of a renamed stack, older than a day and configured otherwise, is named and not taken over", async () => {
		const { id } = await create(open().number, aNumber({ label: "Production" }));
		await clock.sleep(25 * 3_600_000);
		const error = await failureOf(create(open().number, aNumber({ label: "New" })));
		expect(error.kind).toBe("Claimed");
		expect(error.message).toMatch(/older than a day.*"Production"/);
		expect([live()[0]?.label, purchases().length]).toEqual(["Production", 1]);
		expect((await create(open().number, aNumber({ label: "New", adopt: id }))).id).toBe(id);
	});

	test("one that is as declared is taken over at any age, with a word on what it was", async () => {
		const { id } = await create(open().number, aNumber({ label: "Production" }));
		await clock.sleep(25 * 3_600_000);
		const run = open();
		expect((await create(run.number, aNumber({ label: "Production" }))).id).toBe(id);
		expect(run.warnings).toEqual([expect.stringMatching(/^Took over .*has existed since .*the label "Production"/)]);
	});
});

describe("one stack on several machines", () => {
	test("a newly set owner finds what was bought without one", async () => {
		const { id } = await create(at("https://state.example").number, aNumber());
		const run = at("https://state.example", owned("ci"));
		expect((await create(run.number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

	test("adopt takes what was bought for this very declaration, wherever that was", async () => {
		const { id } = await create(at("https://elsewhere.example").number, aNumber());
		expect((await failureOf(create(open().number, aNumber()))).message).toContain("`adopt`");
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});

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
		const made = await create(run.number, aNumber());
		expect([made.id === id, purchases().length]).toEqual([count === 1, count]);
		if (count === 2)
			expect(run.warnings).toEqual([expect.stringMatching(new RegExp(`Bought a number, though .*${id}`))]);
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
			const inputs = await checked(run.number, aNumber());
			({ outs } = await run.number.update(id, outs, inputs));
		}
		await clock.sleep(60_000);
		expect((await create(open().number, aNumber())).id).toBe(id);
		const run = at("https://state.example", owned("three"));
		expect((await create(run.number, aNumber())).id).toBe(id);
		expect(purchases()).toHaveLength(1);
	});
});
