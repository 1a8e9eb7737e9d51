/** `telephony:limits` of a stack, and the count of one provider process. */
import { describe, expect, test } from "vitest";
import { brokenBy, limitsIn, nothing, Spending } from "../../../provider/session/limits";

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
	['{"maxPurchases":null}', "maxPurchases: null"],
	['{"maxSetup":null}', 'maxSetup: "null"'],
	['{"destroy":null}', "destroy: null"],
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

describe("a count", () => {
	const purchase = { charge: "purchase" } as const;
	const limits = { maxPurchases: 2 };
	const codeOf = (work: Promise<unknown>) =>
		work.then(
			() => "granted",
			({ messageCode }) => messageCode,
		);

	test("waits for pending requests before it refuses", async () => {
		const count = new Spending(new AbortController().signal);
		const [first, second] = [await count.reserve(purchase, limits), await count.reserve(purchase, limits)];
		const third = count.reserve(purchase, limits);
		const fourth = codeOf(count.reserve(purchase, limits));
		first.confirm();
		second.cancel();
		(await third).confirm();
		expect(await fourth).toBe("limit");
	});

	test("ends a wait when the run ends", async () => {
		const ending = new AbortController();
		const count = new Spending(ending.signal);
		const pending = await count.reserve(purchase, { maxPurchases: 1 });
		const waiting = codeOf(count.reserve(purchase, { maxPurchases: 1 }));
		ending.abort("the run was interrupted");
		pending.cancel();
		expect(await waiting).toBe("interrupted");
	});
});
