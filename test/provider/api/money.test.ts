import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMoney, parseMoney, Sum } from "../../../provider/api/money";

const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
const amountOf = (n: number) =>
	`${n < 0 ? "-" : ""}${Math.trunc(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, "0")}`;

describe("amounts that somebody types", () => {
	it.each([
		["500EUR", "500.00 EUR"],
		["12.5 usd", "12.50 USD"],
		["0JPY", "0.00 JPY"],
		["0.005EUR", "0.005 EUR"],
	])("%s is %s", (text, expected) => {
		const money = parseMoney(text);
		expect(typeof money === "string" ? money : formatMoney(money)).toBe(expected);
	});

	it.each([
		["500", "has no currency"],
		["EUR", "isn't an amount"],
		["", "isn't an amount"],
		["1e3EUR", "isn't an amount"],
		["1,000EUR", "isn't an amount"],
		["-1EUR", "is negative"],
		["5XQZ", "unknown currency"],
	])("%s is refused: it %s", (text, expected) => {
		expect(parseMoney(text)).toContain(expected);
	});
});

describe("sums", () => {
	it("are exact, whatever the order", () => {
		fc.assert(
			fc.property(fc.array(cents, { minLength: 1 }), (amounts) => {
				const sum = new Sum();
				for (const amount of amounts) sum.add({ amount: amountOf(amount), currency: "EUR" });
				const total = amounts.reduce((a, b) => a + b, 0);
				expect(sum.amounts()).toEqual([{ amount: amountOf(total), currency: "EUR" }]);
			}),
		);
	});

	it("keep currencies apart, and compare a limit with its own alone", () => {
		const sum = new Sum();
		sum.add({ amount: "0.10", currency: "USD" }, 3);
		sum.add({ amount: "1", currency: "EUR" });
		expect(String(sum)).toBe("1.00 EUR + 0.30 USD");
		expect(sum.isOver({ amount: "0.30", currency: "USD" })).toBe(false);
		expect(sum.isOver({ amount: "0.29", currency: "USD" })).toBe(true);
		expect(sum.isOver({ amount: "0", currency: "GBP" })).toBe(false);
	});

	it.each(["usd", "Usd", "USD"])("count %s as USD", (currency) => {
		const sum = new Sum();
		sum.add({ amount: "0.10", currency });
		sum.add({ amount: "0.10", currency: "USD" });
		expect(sum.amounts()).toEqual([{ amount: "0.20", currency: "USD" }]);
		expect(sum.isOver({ amount: "0.19", currency })).toBe(true);
	});

	it("leave out what isn't a decimal, and say so", () => {
		const sum = new Sum();
		expect(sum.add({ amount: "n/a", currency: "EUR" })).toBe(false);
		expect(String(sum)).toBe("0");
	});
});
