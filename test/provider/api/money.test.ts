import fc from "fast-check";
import { expect, test } from "vitest";
import type { Money } from "../../../provider/api/contract";
import { formatMoney, parseMoney, Sum } from "../../../provider/api/money";

test.each(["12.5 usd", "0JPY", "0.005EUR", "500", "EUR", "", "1e3EUR", "1,000EUR", "-1EUR", "5XQZ"])(
	"reads %j",
	(text) => {
		const read = { "12.5 usd": "12.50 USD", "0JPY": "0.00 JPY", "0.005EUR": "0.005 EUR" }[text];
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
