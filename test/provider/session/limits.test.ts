/** `telephony:limits` of a stack, and the count that the processes of a run share. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { brokenBy, limitsIn, nothing } from "../../../provider/session/limits";
import { Spending } from "../../../provider/session/spending";
import { FakeClock } from "../../helpers/clock";

const euros = (amount: string) => ({ amount, currency: "EUR" });
test.each([
	["", undefined],
	["{}", {}],
	['{"maxPurchases":"3","maxReleases":0}', { maxPurchases: 3, maxReleases: 0 }],
	['{"maxSetup":"500EUR"}', { maxSetup: [euros("500.00")] }],
	['{"maxMonthly":["10 eur","7.5USD"]}', { maxMonthly: [euros("10.00"), { amount: "7.50", currency: "USD" }] }],
	['{"maxPurchases":3,"destroy":"false"}', { maxPurchases: 3, destroy: false }],
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

test.each([
	["10EUR", "10.00 EUR", []],
	["10EUR", "10.001 EUR", ["10.001EUR"]],
	["10EUR", "0.01 USD", ["10.00EUR,0.01USD"]],
	["10EUR", "0.00 USD", []],
	["10EUR,5USD", "6.00 usd", ["10.00EUR,6.00USD"]],
])("compares a limit of %s with %s, and proposes another: %j", (maxSetup, money, settings) => {
	const [amount = "", currency = ""] = money.split(" ");
	const total = nothing();
	total.setup.add({ amount, currency });
	expect(brokenBy(total, limitsIn(JSON.stringify({ maxSetup })) ?? {}).map(({ setting }) => setting)).toEqual(settings);
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
