/** Keeps to `telephony:limits`, before each purchase and release, and in a preview. */
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { type Fault, useFaultProxy } from "../../../helpers/fault-proxy";
import { numbersIn } from "../../../helpers/pools";
import {
	aNumber,
	aPool,
	checked,
	codesOf,
	failureOf,
	initErrorOf,
	openProvider,
	type Provider,
	type ProviderOptions,
} from "../../../helpers/provider";
import { failedUp } from "../../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);

const open = (limits: object = {}, more: ProviderOptions = {}): Provider =>
	openProvider(emulator, { ...more, config: { ...more.config, "telephony:limits": JSON.stringify(limits) } });
const bought = () => emulator.purchases().length;
/** Buys without a check, as when a preview was skipped. */
const buy = (run: Provider, name: string, more: Values = {}) =>
	run.number.create(aNumber({ onDelete: "release", ...more }, name));
const codeOf = async (work: Promise<unknown>) => (await failureOf(work)).messageCode;
/** A purchase that an interrupted run has neither claimed nor configured. */
const interrupted = async () => {
	emulator.control.faults.set({
		operation: "patchNumber",
		phase: "before",
		kind: "status",
		error: "bad_request",
		nth: 1,
	});
	return initErrorOf(buy(openProvider(emulator), "a", { label: "late" }));
};

describe("maxPurchases", () => {
	test("refuses the purchase that is one too many, without a write", async () => {
		const run = open({ maxPurchases: 2 });
		for (const name of ["a", "b"]) await buy(run, name);
		const before = emulator.requests().length;
		const error = await failureOf(buy(run, "c"));
		expect(error).toMatchObject({ kind: "Invalid", messageCode: "limit" });
		expect(error.message).toMatch(/maxPurchases 2,.* bought 2 .*maxPurchases 3`/);
		expect([bought(), emulator.writes(before)]).toEqual([2, []]);
	});

	test("holds for purchases at once", async () => {
		const run = open({ maxPurchases: 5 });
		const made = await Promise.allSettled(Array.from({ length: 16 }, (_, index) => buy(run, `n${index}`)));
		expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
		expect(bought()).toBe(5);
	});

	test("lets purchases at once end if a response can't be read", async () => {
		const limits = { "telephony:limits": JSON.stringify({ maxPurchases: 9 }) };
		const run = openProvider(proxy, { config: limits });
		await buy(run, "readable");
		let posts = 0;
		proxy.plan = (_, method) => {
			if (method !== "POST") return undefined;
			posts += 1;
			return posts === 1 ? { kind: "garbled" } : undefined;
		};
		const made = await Promise.all(["a", "b", "c"].map((name) => buy(run, name)));
		expect(new Set(made.map(({ id }) => id)).size).toBe(3);
		expect(bought()).toBe(4);
	});

	test.each<[string, string, Fault]>([
		["the list before it can't be read", "GET", { kind: "refused", status: 503 }],
		["the service refuses more requests", "POST", { kind: "refused", status: 429 }],
	])("counts no purchase that certainly bought nothing: %s", async (_, faulty, fault) => {
		const run = openProvider(proxy, { config: { "telephony:limits": JSON.stringify({ maxPurchases: 2 }) } });
		const withoutId: Fault = { kind: "garbled" };
		let isFaulty = false;
		proxy.plan = (_request, method) => {
			if (isFaulty && method === faulty) return fault;
			return method === "POST" ? withoutId : undefined;
		};
		await buy(run, "a");
		isFaulty = true;
		await failureOf(buy(run, "b"));
		isFaulty = false;
		await run.clock.sleep(600_000);
		await buy(run, "b");
		expect([bought(), await codeOf(buy(run, "c"))]).toEqual([2, "limit"]);
	});

	test("sends nothing more once the run has ended, and blames no limit", async () => {
		const run = open({ maxPurchases: 2 });
		const { id: fault } = emulator.control.faults.set({ operation: "buyNumber", kind: "hold" });
		const buying = Promise.allSettled(["a", "b", "c"].map((name) => buy(run, name)));
		while (emulator.control.faults.list()[0]?.held !== 1) await new Promise(setImmediate);
		run.session.end("the run was interrupted");
		emulator.control.faults.release(fault);
		const failed = expect.objectContaining({ message: expect.stringContaining("[telephony:interrupted]") });
		expect(await buying).toEqual(Array(3).fill({ status: "rejected", reason: failed }));
		expect(bought()).toBe(1);
	});

	test("doesn't count what a run resumes or adopts", async () => {
		const { id } = await buy(openProvider(emulator), "a");
		const { id: retained, outs } = await buy(openProvider(emulator), "elsewhere", { onDelete: "retain" });
		await openProvider(emulator).number.delete(retained, outs);
		const run = open({ maxPurchases: 0 });
		for (const news of [aNumber({}, "a"), aNumber({ adopt: retained }, "b")]) await run.number.create(news);
		expect([bought(), emulator.live().map((row) => row.id)]).toEqual([2, [id, retained]]);
	});

	test("doesn't count a replay", async () => {
		await interrupted();
		const run = open({ maxPurchases: 1 });
		for (const name of ["a", "b"]) await buy(run, name);
		expect([bought(), await codeOf(buy(run, "c"))]).toEqual([2, "limit"]);
	});

	test.each([
		["that its key repeats", {}, 2],
		["that stays unknown", { "telephony:features": "-idempotencyKey" }, 1],
	])("counts a purchase without a response once: one %s", async (_, config, expected) => {
		const run = open({ maxPurchases: 2 }, { config });
		await buy(run, "first", { type: "geographic" });
		emulator.control.faults.set({ operation: "buyNumber", phase: "after", kind: "reset", nth: 1 });
		await buy(run, "a").catch(() => {});
		expect([await codeOf(buy(run, "b", { type: "national" })), bought()]).toEqual(["limit", 2]);
		expect(emulator.live().filter(({ reference }) => reference)).toHaveLength(expected);
	});
});

describe("a limit of money", () => {
	test.each([
		["maxMonthly", "4USD", 2],
		["maxMonthly", "3.99USD", 1],
		["maxMonthly", "100EUR", 0],
		["maxSetup", "0EUR", 3],
	])("allows numbers at 2 USD a month: %s %s", async (name, amount, expected) => {
		const run = open({ [name]: amount });
		for (const resource of ["a", "b", "c"]) await buy(run, resource).catch(() => {});
		expect(bought()).toBe(expected);
	});

	/** Shows every price of 2.00 USD in this form. */
	const priced = (money: string) => {
		proxy.rewrite = (text) => text.replaceAll('"amount":"2.00","currency":"USD"', money);
	};
	const openPriced = (limits: object, more: ProviderOptions = {}) =>
		openProvider(proxy, { ...more, config: { ...more.config, "telephony:limits": JSON.stringify(limits) } });

	test.each([
		["JPY", "400JPY", 2],
		["JPY", "399JPY", 1],
		["JPY", "4JPY", 0],
		["KWD", "0.4KWD", 2],
		["KWD", "0.399KWD", 1],
		["IQD", "0.4IQD", 2],
		["LBP", "4LBP", 2],
		["eur", "4EUR", 2],
	])("reads 200 minor units by the currency: %s, %s", async (currency, maxMonthly, expected) => {
		priced(`"amount":200,"currency":"${currency}"`);
		const fields = { "price.monthly.amount": { as: "cents" } };
		const service = { records: { number: fields, available_number: fields } };
		const run = openPriced({ maxMonthly }, { config: { "telephony:service": JSON.stringify(service) } });
		for (const resource of ["a", "b", "c"]) await buy(run, resource).catch(() => {});
		expect(bought()).toBe(expected);
	});

	describe("at a service that shows one currency for all amounts", () => {
		const prices = {
			"price.setup.amount": { at: "setup_fee", as: "cents" },
			"price.setup.currency": "iso",
			"price.monthly.amount": { at: "fee", as: "cents" },
			"price.monthly.currency": "iso",
		} as const;
		const service = { records: { number: prices, available_number: prices } };
		const described = useEmulator({ kyc: "immediate", service });

		test.each([
			["4USD", 2],
			["3.99USD", 1],
		])("allows numbers at 2 USD a month: %s", async (maxMonthly, expected) => {
			const limits = JSON.stringify({ maxMonthly, maxSetup: "0USD" });
			const config = { "telephony:limits": limits, "telephony:service": JSON.stringify(service) };
			const run = openProvider(described, { config });
			for (const resource of ["a", "b", "c"]) await buy(run, resource).catch(() => {});
			expect(described.purchases()).toHaveLength(expected);
		});
	});

	test.each([
		['"amount":"2.00","currency":"XBT"'],
		['"amount":"0.00","currency":"credits"'],
		['"amount":"2.00","currency":""'],
		['"amount":"2.00"'],
		['"amount":"-2.00","currency":"USD"'],
		['"amount":"2,00","currency":"USD"'],
	])("buys nothing at a price that can't be compared: %s", async (money) => {
		priced(money);
		for (const maxMonthly of ["100USD", "0EUR"]) {
			expect([await codeOf(buy(openPriced({ maxMonthly }), "a")), bought()]).toEqual(["limit", 0]);
		}
		await buy(openPriced({ maxSetup: "0USD" }), "a").catch(() => {});
		await buy(openPriced({ maxPurchases: 1 }), "a");
		expect(bought()).toBe(1);
	});

	test("buys nothing if the next number may have a price of another currency", async () => {
		let count = 0;
		proxy.rewrite = (text, _, path) =>
			path.includes("available")
				? text.replace(/"2.00","currency":"USD"/g, (all) => (count++ === 1 ? '"900","currency":"EUR"' : all))
				: text;
		expect([await codeOf(buy(openPriced({ maxMonthly: "2USD" }), "a")), bought()]).toEqual(["limit", 0]);
	});

	test.each([
		["10USD", 2],
		["12USD", 3],
	])("holds once a purchase has shown the real price: %s", async (maxMonthly, expected) => {
		// The inventory shows 2 USD a month, and the service sells at 4 USD.
		proxy.rewrite = (text, method, path) =>
			method === "POST" && path.endsWith("/numbers") ? text.replaceAll('"amount":"2.00"', '"amount":"4.00"') : text;
		const saved = await failedUp(openPriced({ maxMonthly }), aPool({ count: 5 }));
		expect(saved.error.message).toContain("[telephony:limit]");
		expect([bought(), numbersIn(saved).length]).toEqual([expected, expected]);
	});

	test("stops an interrupted purchase whose price is unknown", async () => {
		// The run ends between the purchase and the claim, and saves nothing.
		await interrupted();
		proxy.rewrite = (text, _, path) => (path.includes("available") ? '{"data":[],"next_cursor":null}' : text);
		const error = await failureOf(buy(openPriced({ maxMonthly: "100USD" }), "a"));
		expect([error.messageCode, bought()]).toEqual(["limit", 1]);
		expect(error.message).toContain("set only `maxPurchases`");
		const { id } = await buy(openPriced({ maxPurchases: 1 }), "a");
		expect([bought(), emulator.live().map((row) => [row.id, Boolean(row.reference)])]).toEqual([1, [[id, true]]]);
	});

	test.each([
		["there is no inventory", { config: { "telephony:features": "-inventory" } }],
		["the inventory can't be read", {}],
	])("buys nothing if %s, and a preview shows no price", async (_, options) => {
		emulator.control.faults.set({ operation: "searchNumbers", kind: "status", error: "forbidden", every: true });
		expect([await codeOf(buy(open({ maxSetup: "10USD" }, options), "a")), bought()]).toEqual(["limit", 0]);
		const run = openProvider(emulator, options);
		await run.number.foresee?.(aNumber());
		expect(run.statuses).toEqual([]);
	});
});

describe("maxReleases", () => {
	test.each([
		["a run that declares something", {}, {}, true, 1],
		["a run with a program", {}, { hasProgram: true }, false, 1],
		["destroy", {}, {}, false, 2],
		["destroy, if that counts", { destroy: true }, {}, false, 1],
	])("holds in %s", async (_, limits, options, declares, expected) => {
		const made = [await buy(openProvider(emulator), "a"), await buy(openProvider(emulator), "b")];
		const run = open({ maxReleases: 1, ...limits }, options);
		if (declares) await run.webhook.check({}, { ...aNumber(), url: "https://hooks.example.com", events: ["*"] });
		// The first response is lost, and the release counts.
		emulator.control.faults.set({ operation: "releaseNumber", phase: "after", kind: "reset", nth: 1 });
		const codes = [];
		for (const { id, outs } of made)
			codes.push(await run.number.delete(id, outs).catch(({ messageCode }) => messageCode));
		expect(codes).toEqual([undefined, ...(expected === 1 ? ["limit"] : [undefined])]);
		expect(emulator.released()).toHaveLength(expected);
	});

	test("holds for the numbers of a pool, which keeps the rest", async () => {
		const { id, outs } = await openProvider(emulator).numberPool.create(aPool({ count: 4, onDelete: "release" }));
		const run = open({ maxReleases: 1 });
		const inputs = await checked(run.numberPool, aPool({ count: 1 }), aPool({ count: 4 }));
		const { properties, cause } = await initErrorOf(run.numberPool.update(id, outs, inputs));
		expect([properties.count, emulator.released().length]).toEqual([3, 1]);
		expect(cause).toMatchObject({ messageCode: "limit" });
		const end = open({ maxReleases: 1 }, { hasProgram: true });
		expect([await codeOf(end.numberPool.delete(id, properties)), emulator.released().length]).toEqual(["limit", 2]);
	});
});

describe("a preview", () => {
	const codes = async (run: Provider, news: Values, olds: Values = {}) => {
		const { failures } = await (news.count === undefined ? run.number : run.numberPool).check(olds, news);
		return codesOf(failures.map(({ reason }) => reason));
	};
	const named = (name: string, more: Values = {}) => aNumber(more, name);

	test("refuses the third of three numbers", async () => {
		const run = open({ maxPurchases: 2 });
		for (const [name, found] of Object.entries({ a: [], b: [], c: ["limit"] }))
			expect(await codes(run, named(name)), name).toEqual(found);
	});

	test.each<[Values, object]>([
		[{ country: "FI" }, {}],
		[{ country: "DE", type: "geographic" }, { exhausted: ["DE"] }],
	])("warns of a number that isn't for sale: %j, %j", async (declared, settings) => {
		emulator.control.settings(settings);
		const run = openProvider(emulator);
		await run.number.foresee?.(named("a", { ...declared, kycProfileId: "kyc_1" }));
		await run.numberPool.foresee?.(aPool({ ...declared, kycProfileId: "kyc_1" }));
		expect(run.statuses).toEqual([]);
		expect(run.warnings).toEqual(Array(2).fill(expect.stringContaining("[telephony:no-inventory]")));
	});

	test.each<[string, number, Values, Values, boolean]>([
		["a pool", 2, aPool({ count: 3 }), {}, true],
		["a pool's growth", 2, aPool({ count: 5 }), aPool({ count: 2 }), true],
		["a pool that grows by less", 2, aPool({ count: 4 }), aPool({ count: 2 }), false],
		["a pool that adopts", 2, aPool({ count: 3, adopt: ["num_1"] }), {}, false],
		["a pool that shrinks", 2, aPool({ count: 1 }), aPool({ count: 9 }), false],
		["a new number", 0, named("a"), {}, true],
		["a number that exists", 0, named("a"), named("a"), false],
		["an adopted number", 0, named("a", { adopt: "num_1" }), {}, false],
		["another generation", 0, named("a", { generation: 1 }), named("a"), true],
		["another type", 0, named("a", { type: "geographic" }), named("a"), true],
		["unknown criteria", 0, named("a", { country: unknownValue }), {}, false],
	])("weighs %s against maxPurchases %i", async (_, maxPurchases, news, olds, isRefused) => {
		expect(await codes(open({ maxPurchases }), news, olds)).toEqual(isRefused ? ["limit"] : []);
	});
});
