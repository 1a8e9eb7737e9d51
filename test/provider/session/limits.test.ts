/** `telephony:limits` of a stack, and the count that the processes of a run share. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { brokenBy, limitsIn, nothing } from "../../../provider/session/limits";
import { raised, Spending } from "../../../provider/session/spending";
import { FakeClock } from "../../helpers/clock";

const euros = (amount: string) => ({ amount, currency: "EUR" });
test.each([
	[undefined, undefined],
	["", undefined],
	["{}", {}],
	['{"maxPurchases":"3","maxReleases":0}', { maxPurchases: 3, maxReleases: 0 }],
	['{"maxSetup":"500EUR"}', { maxSetup: [euros("500.00")] }],
	['{"maxMonthly":["10 eur","7.5USD"]}', { maxMonthly: [euros("10.00"), { amount: "7.50", currency: "USD" }] }],
	['{"destroy":true}', { destroy: true }],
	['{"destroy":"false"}', { destroy: false }],
])("reads the limits %s", (text, expected) => {
	expect(limitsIn(text)).toEqual(expected);
});

test.each([
	["10", '"10"'],
	["[]", '"[]"'],
	['{"maxPurchases":-1}', "maxPurchases: -1"],
	['{"maxReleases":1.5}', "maxReleases: 1.5"],
	['{"maxReleases":"many"}', 'maxReleases: "many"'],
	['{"maxSetup":500}', 'maxSetup: "500"'],
	['{"maxMonthly":["1,5EUR"]}', 'maxMonthly: "1,5EUR"'],
	['{"maxMonthly":{}}', 'maxMonthly: "{}"'],
	['{"maxMonthly":["1EUR","2EUR"]}', "maxMonthly: "],
	['{"destroy":"sometimes"}', 'destroy: "sometimes"'],
	['{"maxPurchase":1}', "maxPurchase: "],
	['{"maxPurchases":-1,"maxSetup":"5"}', "maxPurchases: -1", 'maxSetup: "5"'],
])("refuses the limits %s", (text, ...places) => {
	for (const part of [...places, "[telephony:config]"]) expect(() => limitsIn(text)).toThrow(part);
});

describe("a limit of money", () => {
	const broken = (maxSetup: unknown, ...amounts: readonly string[]) => {
		const total = nothing();
		for (const each of amounts) {
			const [amount = "", currency = ""] = each.split(" ");
			total.setup.add({ amount, currency });
		}
		return brokenBy(total, limitsIn(JSON.stringify({ maxSetup })) ?? {});
	};

	test.each([
		["10.00 EUR", false],
		["10.001 EUR", true],
		["0.01 USD", true],
		["0.00 USD", false],
	])("of 10 EUR compares %s (broken: %s)", (amount, isBroken) => {
		expect(broken("10EUR", amount).map(({ name }) => name)).toEqual(isBroken ? ["maxSetup"] : []);
	});

	test.each([
		["10EUR", ["20 EUR"]],
		["10 eur", ["20 EUR", "10.5 usd"]],
		[
			["10EUR", "5USD"],
			["1 EUR", "6 USD"],
		],
		["10EUR,5USD", ["11 EUR", "6 USD", "0.1 GBP"]],
		["10EUR,5USD", ["6.00 usd"]],
	])("of %j holds once its advice is followed", (maxSetup, amounts) => {
		const advice = raised(broken(maxSetup, ...amounts));
		const values = [...advice.matchAll(/telephony:limits\.maxSetup ([^`\s]+)`/g)].map(([, value]) => value);
		expect(values).toHaveLength(1);
		expect(broken(values[0], ...amounts)).toEqual([]);
	});
});

describe("processes of one run", () => {
	const open = (engine: string | undefined, more = {}) =>
		new Spending({ clock: new FakeClock(), ending: new AbortController().signal, engine: () => engine, ...more });
	const purchase = { deed: "purchase" } as const;
	const reserve = (each: Spending) => each.reserve(purchase, { maxPurchases: 2 });
	const refused = (work: Promise<unknown>) => expect(work).rejects.toThrow("this run has bought 2 so far");

	test("count together, and other runs don't", async () => {
		const run = randomUUID();
		const [one, two] = [open(run), open(run)];
		// One of them has no limits.
		one.note(purchase)?.keep();
		(await reserve(two)).keep();
		for (const each of [one, two, open(run)]) await refused(reserve(each));
		for (const each of [open(randomUUID()), open(undefined)]) await reserve(each);
	});

	test("wait for each other's responses before they refuse", async () => {
		const run = randomUUID();
		const [one, two] = [open(run), open(run)];
		const [first, second] = [await reserve(one), await reserve(two)];
		const third = reserve(one);
		const fourth = refused(reserve(two));
		first.keep();
		second.giveBack();
		(await third).keep();
		await fourth;
	});

	test("end their wait when the run ends", async () => {
		const [ending, clock, run] = [new AbortController(), new FakeClock(), randomUUID()];
		for (const _ of [1, 2]) await reserve(open(run));
		clock.onSleep = () => ending.abort("the run was interrupted");
		await expect(reserve(open(run, { clock, ending: ending.signal }))).rejects.toThrow("[telephony:interrupted]");
	});
});
