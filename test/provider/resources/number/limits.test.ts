/** What a run may buy and release (`telephony:limits`): before each request, and in a preview. */
import { describe, expect, it } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import {
	aNumber,
	aPool,
	checked,
	failureOf,
	initErrorOf,
	openProvider,
	type Provider,
	type ProviderOptions,
} from "../../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });

const openLimited = (limits: object, more: ProviderOptions = {}): Provider =>
	openProvider(emulator, { ...more, config: { ...more.config, "telephony:limits": JSON.stringify(limits) } });
const bought = () => emulator.purchases().length;
/** Without its check, as where a preview was skipped and other processes buy too. */
const buy = (run: Provider, name: string, more: Values = {}) =>
	run.number.create(aNumber({ onDelete: "release", ...more }, name));
const codeOf = async (work: Promise<unknown>) => (await failureOf(work)).messageCode;

describe("maxPurchases", () => {
	it("refuses one purchase too many and leaves nothing behind", async () => {
		const run = openLimited({ maxPurchases: 2 });
		await buy(run, "a");
		await buy(run, "b");
		const before = emulator.control.requests().length;
		const error = await failureOf(buy(run, "c"));
		expect(error.messageCode).toBe("limit");
		expect(error.message).toContain("telephony:limits.maxPurchases 3`");
		expect([bought(), emulator.writes(before)]).toEqual([2, []]);
	});

	it("holds for purchases that run at once", async () => {
		const run = openLimited({ maxPurchases: 5 });
		const names = Array.from({ length: 16 }, (_, index) => `n${index}`);
		const done = await Promise.allSettled(names.map((name) => buy(run, name)));
		expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
		expect(bought()).toBe(5);
	});

	it("keeps what a pool has bought so far, and the next run buys the rest", async () => {
		const run = openLimited({ maxPurchases: 2 });
		const { id, properties, message } = await initErrorOf(run.numberPool.create(aPool({ count: 4 })));
		expect([bought(), message]).toEqual([2, expect.stringContaining("[telephony:limit]")]);
		const next = openLimited({ maxPurchases: 2 });
		const inputs = await checked(next.numberPool, aPool({ count: 4 }), aPool({ count: 4 }));
		const { outs } = await next.numberPool.update(id, properties, inputs);
		expect([outs.count, bought()]).toEqual([4, 4]);
	});

	it("of 0 lets a run take over what an earlier one bought, and adopt", async () => {
		const killed = openProvider(emulator);
		const { id } = await buy(killed, "a");
		const { id: other, outs } = await buy(killed, "elsewhere", { onDelete: "retain" });
		await openProvider(emulator).number.delete(other, outs);
		const run = openLimited({ maxPurchases: 0 });
		for (const news of [aNumber({}, "a"), aNumber({ adopt: other }, "b")])
			await run.number.create(await checked(run.number, news));
		expect([bought(), emulator.live().map((each) => each.id)]).toEqual([2, [id, other]]);
	});

	it("doesn't count a purchase that its key shows to be an earlier one", async () => {
		emulator.control.faults.set({
			operation: "patchNumber",
			phase: "before",
			kind: "status",
			error: "bad_request",
			nth: 1,
		});
		await initErrorOf(buy(openProvider(emulator), "a", { label: "late" }));
		const run = openLimited({ maxPurchases: 1 });
		await buy(run, "a");
		await buy(run, "b");
		expect([bought(), await codeOf(buy(run, "c"))]).toEqual([2, "limit"]);
	});

	it("names what an interrupted run may have bought, where nothing more may be", async () => {
		emulator.control.faults.set({
			operation: "patchNumber",
			phase: "before",
			kind: "status",
			error: "bad_request",
			nth: 1,
		});
		const { id } = await initErrorOf(buy(openProvider(emulator), "a", { label: "late" }));
		const { message } = await failureOf(buy(openLimited({ maxPurchases: 0 }), "a"));
		expect(message).toContain(id);
		expect(message).toContain("[telephony:limit]");
	});

	it("gives the place of a refused purchase back", async () => {
		const run = openLimited({ maxPurchases: 1 });
		expect(await codeOf(buy(run, "a", { country: "ZZ" }))).toBe("no-inventory");
		await buy(run, "b");
		expect(bought()).toBe(1);
	});

	it.each([
		["is repeated under its key", {}, 2],
		["nobody can clear up", { "telephony:features": "-idempotencyKey" }, 1],
	])("counts once a purchase whose answer is lost, and which %s", async (_, config, expected) => {
		const run = openLimited({ maxPurchases: 2 }, { config });
		await buy(run, "first", { type: "geographic" });
		emulator.control.faults.set({ operation: "buyNumber", phase: "after", kind: "reset", nth: 1 });
		await buy(run, "a").catch(() => {});
		expect([await codeOf(buy(run, "b", { type: "national" })), bought()]).toEqual(["limit", 2]);
		expect(emulator.live().filter(({ reference }) => reference)).toHaveLength(expected);
	});
});

describe("limits of money", () => {
	it.each([
		["maxMonthly", "4USD", 2],
		["maxMonthly", "3.99USD", 1],
		["maxMonthly", "100EUR", 0],
		["maxSetup", "0EUR", 3],
	])("%s %s allows this many mobile numbers at 2 USD a month and no setup", async (name, amount, expected) => {
		const run = openLimited({ [name]: amount });
		for (const each of ["a", "b", "c"]) await buy(run, each).catch(() => {});
		expect(bought()).toBe(expected);
	});

	it("ask the inventory once for each criteria", async () => {
		const run = openLimited({ maxMonthly: "100USD" });
		await Promise.all(["a", "b", "c", "d"].map((name) => buy(run, name)));
		await buy(run, "e", { type: "geographic" });
		expect(emulator.requests().filter((request) => request === "GET /available_numbers")).toHaveLength(2);
	});

	it.each([
		["there is no inventory", { config: { "telephony:features": "-inventory" } }, /the service has no inventory/],
		["the inventory can't be read", {}, /the inventory can't be read/],
	])("buy nothing where %s", async (_, options, expected) => {
		emulator.control.faults.set({ operation: "searchNumbers", kind: "status", error: "forbidden" });
		const { message } = await failureOf(buy(openLimited({ maxSetup: "10USD" }, options), "a"));
		expect(message).toMatch(expected);
		expect(message).toMatch(/set only `maxPurchases`\. \[telephony:limit\]$/);
		expect(bought()).toBe(0);
	});
});

describe("maxReleases", () => {
	const bought2 = async () => {
		const run = openProvider(emulator);
		return [await buy(run, "a"), await buy(run, "b")] as const;
	};
	const releaseBoth = async (run: Provider, entries: Awaited<ReturnType<typeof bought2>>) => {
		const outcomes = [];
		for (const { id, outs } of entries) outcomes.push(await run.number.delete(id, outs).then(() => "done", String));
		return outcomes.map((each) => (each.includes("[telephony:limit]") ? "limit" : each));
	};

	it.each([
		["a run that declares something", {}, {}, true, ["done", "limit"]],
		["a run whose engine runs a program", {}, { hasProgram: true }, false, ["done", "limit"]],
		["destroy", {}, {}, false, ["done", "done"]],
		["destroy, where that counts", { destroy: true }, {}, false, ["done", "limit"]],
	])("in %s", async (_, limits, options, declares, expected) => {
		const entries = await bought2();
		const run = openLimited({ maxReleases: 1, ...limits }, options);
		if (declares) await run.webhook.check({}, { ...aNumber(), url: "https://hooks.example.com", events: ["*"] });
		expect(await releaseBoth(run, entries)).toEqual(expected);
		expect(emulator.released()).toHaveLength(expected.filter((each) => each === "done").length);
	});

	it("counts a release whose answer is lost, and which is gone when it is asked for again", async () => {
		const entries = await bought2();
		emulator.control.faults.set({ operation: "releaseNumber", phase: "after", kind: "reset", nth: 1 });
		expect(await releaseBoth(openLimited({ maxReleases: 1 }, { hasProgram: true }), entries)).toEqual([
			"done",
			"limit",
		]);
		expect(emulator.released()).toHaveLength(1);
	});

	it("holds for a pool that is removed from the program", async () => {
		const first = openProvider(emulator);
		const { id, outs } = await first.numberPool.create(await checked(first.numberPool, aPool({ count: 3 })));
		const run = openLimited({ maxReleases: 1 }, { hasProgram: true });
		expect([await codeOf(run.numberPool.delete(id, outs)), emulator.released().length]).toEqual(["limit", 1]);
	});

	it("holds for the numbers of a pool, which keeps the rest", async () => {
		const first = openProvider(emulator);
		const { id, outs } = await first.numberPool.create(await checked(first.numberPool, aPool({ count: 4 })));
		const run = openLimited({ maxReleases: 1 });
		const inputs = await checked(run.numberPool, aPool({ count: 1 }), aPool({ count: 4 }));
		const { properties, message } = await initErrorOf(run.numberPool.update(id, outs, inputs));
		expect([properties.count, emulator.released().length]).toEqual([3, 1]);
		expect(message).toContain("[telephony:limit]");
	});
});

describe("a preview", () => {
	const reasons = async (run: Provider, news: Values, olds: Values = {}) => {
		const handler = news.count === undefined ? run.number : run.numberPool;
		return (await handler.check(olds, news)).failures.map(({ reason }) => reason);
	};
	const named = (name: string, more: Values = {}) => aNumber(more, name);

	it("refuses what surely buys too many", async () => {
		const run = openLimited({ maxPurchases: 2 });
		expect(await reasons(run, named("a"))).toEqual([]);
		expect(await reasons(run, named("b"))).toEqual([]);
		expect(await reasons(run, named("c"))).toEqual([
			expect.stringMatching(/limits\.maxPurchases 3`.*\[telephony:limit\]$/),
		]);
	});

	it.each<[string, Values, Values, boolean]>([
		["a pool", aPool({ count: 3 }), {}, true],
		["a pool's growth", aPool({ count: 5 }), aPool({ count: 2 }), true],
		["a pool that grows by less", aPool({ count: 4 }), aPool({ count: 2 }), false],
		["a pool that adopts", aPool({ count: 3, adopt: ["num_1"] }), {}, false],
		["a pool that shrinks", aPool({ count: 1 }), aPool({ count: 9 }), false],
	])("weighs %s", async (_, news, olds, isRefused) => {
		expect((await reasons(openLimited({ maxPurchases: 2 }), news, olds)).length > 0).toBe(isRefused);
	});

	it.each<[string, Values, Values, boolean]>([
		["a new one", named("a"), {}, true],
		["one that has an entry", named("a"), named("a"), false],
		["one that is adopted", named("a", { adopt: "num_1" }), {}, false],
		["another generation", named("a", { generation: 1 }), named("a"), true],
		["another type", named("a", { type: "geographic" }), named("a"), true],
		["criteria that aren't known yet", named("a", { country: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }), {}, false],
	])("weighs a number: %s", async (_, news, olds, isRefused) => {
		expect((await reasons(openLimited({ maxPurchases: 0 }), news, olds)).length > 0).toBe(isRefused);
	});

	it("doesn't count numbers that an earlier run has bought", async () => {
		await buy(openProvider(emulator), "a");
		expect(await reasons(openLimited({ maxPurchases: 0 }), named("a"))).toEqual([]);
		expect(await reasons(openLimited({ maxPurchases: 0 }), named("b"))).toHaveLength(1);
	});

	it.each([
		["4USD", 0],
		["3USD", 1],
	])("weighs the price of two numbers at 2 USD against maxMonthly %s", async (maxMonthly, refused) => {
		const run = openLimited({ maxMonthly });
		expect(await reasons(run, named("a"))).toEqual([]);
		expect(await reasons(run, named("b"))).toHaveLength(refused);
	});

	it("never fails because the account or the inventory can't be read", async () => {
		emulator.control.faults.set({ operation: "listNumbers", kind: "status", error: "forbidden" });
		emulator.control.faults.set({ operation: "searchNumbers", kind: "status", error: "forbidden" });
		expect(await reasons(openLimited({ maxPurchases: 0, maxMonthly: "0USD" }), named("a"))).toEqual([]);
	});

	it("says the price in each row, from one request for each criteria", async () => {
		const run = openProvider(emulator);
		await Promise.all(
			[named("a"), named("b"), named("c", { adopt: "num_1" })].map((news) => run.number.foresee?.(news)),
		);
		await run.numberPool.foresee?.(aPool({ count: 10, type: "geographic" }));
		expect(run.statuses).toEqual([
			"0.00 USD setup, 2.00 USD a month",
			"0.00 USD setup, 2.00 USD a month",
			"10 numbers: 0.00 USD setup, 10.00 USD a month",
		]);
		expect(emulator.requests().filter((request) => request.endsWith("_numbers"))).toHaveLength(2);
	});

	it.each([
		["in a country that the service doesn't sell in", { country: "FI" }, {}],
		["that is sold out", { country: "DE", type: "geographic" }, { exhausted: ["DE"] }],
	])("warns of a number %s", async (_, declared, settings) => {
		emulator.control.settings(settings);
		const run = openProvider(emulator);
		await run.number.foresee?.(named("a", { ...declared, kycProfileId: "kyc_1" }));
		expect(run.statuses).toEqual([]);
		expect(run.warnings).toEqual([expect.stringContaining("[telephony:no-inventory]")]);
	});

	it("warns of a market that needs identity checks, unless a profile is named", async () => {
		const run = openProvider(emulator);
		const german = { country: "DE", type: "geographic" };
		await run.number.foresee?.(named("a", { ...german, kycProfileId: "kyc_1" }));
		expect(run.warnings).toEqual([]);
		await run.number.foresee?.(named("b", german));
		expect(run.warnings).toEqual([expect.stringContaining("[telephony:kyc-requirements]")]);
	});

	it.each([
		["the service has no inventory", { config: { "telephony:features": "-inventory" } }],
		["the inventory refuses", {}],
	])("says no price where %s", async (_, options) => {
		emulator.control.faults.set({ operation: "searchNumbers", kind: "status", error: "forbidden" });
		const run = openProvider(emulator, options);
		await run.number.foresee?.(named("a"));
		expect(run.statuses).toEqual([]);
	});
});
