/** `telephony:limits` of a stack, and the count of one provider process. */
import { describe, expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import { brokenBy, type Limits, limitsIn, nothing, Spending } from "../../../provider/session/limits";

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

describe("requests under a limit", () => {
	const purchase = { kind: "purchase" } as const;
	/** Sends purchases at once. Each ends when `ends` says so. */
	const sendAll = (limits: Limits | undefined, count: number) => {
		const spending = new Spending();
		const ends: ((error?: Error) => void)[] = [];
		const request = (noteEffect: () => void) => {
			noteEffect();
			return new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
		};
		const outcomes = Array.from({ length: count }, () =>
			spending.send(purchase, limits, request).then(
				() => "bought",
				({ messageCode }) => messageCode,
			),
		);
		return { ends, outcomes };
	};
	const settled = () => new Promise(setImmediate);

	test("run one at a time, and count unless the service refused them", async () => {
		const { ends, outcomes } = sendAll({ maxPurchases: 2 }, 4);
		const failures = [undefined, new TelephonyError("Forbidden", ""), new TelephonyError("OutcomeUnknown", "")];
		for (const [index, failure] of failures.entries()) {
			await settled();
			expect(ends).toHaveLength(index + 1);
			ends[index]?.(failure);
		}
		expect(await Promise.all(outcomes)).toEqual(["bought", "account-refused", "unconfirmed-write", "limit"]);
	});

	test.each([undefined, {}, { maxReleases: 1, destroy: true }])("run at once under limits of others: %j", (limits) => {
		expect(sendAll(limits, 3).ends).toHaveLength(3);
	});
});
