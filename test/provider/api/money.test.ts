import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Money } from "../../../provider/api/contract";
import { decimalOf } from "../../../provider/api/contract/decimal";
import { minorDigits } from "../../../provider/api/currencies";
import { conversionOf } from "../../../provider/api/description/values";
import { findIncomparable, formatMoney, parseMoney, Sum } from "../../../provider/api/money";

test.each(["12.5 usd", "0JPY", "0.005EUR", "500", "EUR", "", "1e3EUR", "1,000EUR", "-1EUR", "5XQZ"])(
	"reads %j",
	(text) => {
		const read = { "12.5 usd": "12.50 USD", "0JPY": "0 JPY", "0.005EUR": "0.005 EUR" }[text];
		const money = parseMoney(text);
		if (read === undefined) expect(money).toContain(`"${text}" `);
		else expect(formatMoney(money as Money)).toBe(read);
	},
);

test("adds amounts exactly, in any order", () => {
	const amountOf = (cents: number) =>
		`${cents < 0 ? "-" : ""}${Math.trunc(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;
	fc.assert(
		fc.property(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1 }), (amounts) => {
			const sum = new Sum();
			for (const cents of amounts) sum.add({ amount: amountOf(cents), currency: "EUR" });
			const total = amounts.reduce((a, b) => a + b, 0);
			expect(sum.amounts()).toEqual([{ amount: amountOf(total), currency: "EUR" }]);
		}),
	);
});

test("keeps currencies apart, in any case, and compares a limit with its own", () => {
	const sum = new Sum();
	sum.add({ amount: "0.10", currency: "usd" }, 2);
	sum.add({ amount: "0.10", currency: "USD" });
	sum.add({ amount: "1", currency: "EUR" });
	expect(sum.add({ amount: "n/a", currency: "EUR" })).toBe(false);
	expect(String(sum)).toBe("1.00 EUR + 0.30 USD");
	const isOver = (amount: string, currency: string) => sum.isOver({ amount, currency });
	expect([isOver("0.30", "USD"), isOver("0.29", "Usd"), isOver("0", "GBP")]).toEqual([false, true, false]);
	expect(String(new Sum())).toBe("0");
});

describe("minor units", () => {
	/** Currencies whose digits in CLDR differ from those in ISO 4217. */
	const isoDigits = { AFN: 2, HUF: 2, IDR: 2, IQD: 3, IRR: 2, LBP: 2, MGA: 2, RSD: 2, UYW: 4, YER: 2 };
	const money = fc.record({
		units: fc.integer({ min: -1e9, max: 1e9 }),
		currency: fc.constantFrom("EUR", "JPY", "KWD", "CLF", ...Object.keys(isoDigits)),
	});
	const cents = conversionOf({ as: "cents" }, "text");

	test("have the digits of ISO 4217", () => {
		const others = { EUR: 2, JPY: 0, ISK: 0, UGX: 0, XOF: 0, KWD: 3, TND: 3, CLF: 4, ...isoDigits };
		for (const [currency, digits] of Object.entries(others))
			expect([currency, minorDigits(currency)]).toEqual([currency, digits]);
		for (const currency of ["XBT", "CREDITS", "", "XAU", "XXX", "DEM"]) expect(minorDigits(currency)).toBeUndefined();
	});

	test("are read and written by the digits of the currency", () => {
		fc.assert(
			fc.property(money, ({ units, currency }) => {
				const amount = cents.toOurs(units, currency);
				expect(Number(amount)).toBeCloseTo(units / 10 ** (minorDigits(currency) ?? 0), 4);
				expect(cents.toTheirs(amount, currency)).toBe(units);
				expect(cents.toOurs(`${units}`, currency.toLowerCase())).toBe(amount);
			}),
		);
	});

	test.each([
		[1005.5, "EUR", "10.055"],
		[500, "JPY", "500"],
		["1500.0", "KWD", "1.500"],
		["1e3", "JPY", "1000"],
		[-250, "EUR", "-2.50"],
		[500, "XBT", "500"],
		[500, undefined, "500"],
		["1,000", "EUR", "1,000"],
	])("reads %j %s as %s", (theirs, currency, ours) => {
		expect(cents.toOurs(theirs, currency)).toBe(ours);
	});
});

test.each<[string | number, string | undefined]>([
	[0.1 + 0.2, "0.3"],
	[1e-7, "0.0000001"],
	[-4, "-4"],
	["12.50", "12.50"],
	[" 4 ", "4"],
	["+1.5", "1.5"],
	["1.25E1", "12.5"],
	[".5", "0.5"],
	...["1,000", "1.000.000", "2,00", "4 EUR", "", "two", "1e999", "NaN", Number.NaN].map(
		(text): [string | number, undefined] => [text, undefined],
	),
])("reads %j as the decimal %s", (amount, decimal) => {
	expect(decimalOf(amount)).toBe(decimal);
});

test("compares no negative or unreadable price, and no unknown currency", () => {
	const isComparable = (amount: string, currency: string) => findIncomparable({ amount, currency }) === undefined;
	const wrong = [
		["1", "XBT"],
		["0", "CREDITS"],
		["1", ""],
		["-1", "EUR"],
		["n/a", "EUR"],
		["1,000", "EUR"],
	] as const;
	for (const [amount, currency] of wrong)
		expect([amount, currency, isComparable(amount, currency)]).toEqual([amount, currency, false]);
	for (const amount of ["0", "-0.00", "1.005"]) expect(isComparable(amount, "eur")).toBe(true);
});
