import Big from "big.js";
import type { Money } from "./contract";
import { isDecimal } from "./contract/decimal";
import { minorDigits } from "./currencies";

/** At least the decimals of the currency, and more if the amount has them. */
function written(amount: Big, currency: string): string {
	const digits = minorDigits(currency) ?? 2;
	return amount.round(digits).eq(amount) ? amount.toFixed(digits) : amount.toFixed();
}

/** Returns why a price can't be compared with a limit, in words that follow it; undefined if it can. */
export function findIncomparable({ amount, currency }: Money): string | undefined {
	if (!isDecimal(amount)) return "isn't a decimal";
	if (currency === "") return "has no currency";
	if (minorDigits(currency) === undefined) return "has a currency that ISO 4217 doesn't have";
	return amount.startsWith("-") && /[1-9]/.test(amount) ? "is negative" : undefined;
}

/** Converts an amount in minor units, such as cents, yen or fils. Returns undefined if the currency's digits are unknown. */
export function fromMinorUnits(count: string, currency: string): string | undefined {
	const digits = minorDigits(currency);
	return digits === undefined ? undefined : written(new Big(count).times(`1e-${digits}`), currency);
}

/** Converts an amount to minor units. Returns undefined if the currency's digits are unknown. */
export function toMinorUnits({ amount, currency }: Money): number | undefined {
	const digits = minorDigits(currency);
	return digits === undefined ? undefined : new Big(amount).times(`1e${digits}`).toNumber();
}

/**
 * Parses an amount that a user typed, such as `500EUR` or `12.50 USD`: not negative, with a currency of ISO 4217.
 * Returns a sentence about the mistake, if there is one.
 */
export function parseMoney(text: string): Money | string {
	const [, amount, currency] = /^\s*(\S*?)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
	if (amount === undefined || currency === undefined || !isDecimal(amount))
		return `"${text}" isn't an amount: write a decimal and a currency, such as 500EUR`;
	if (amount.startsWith("-")) return `"${text}" is negative: write zero or more, such as 500EUR`;
	if (currency === "") return `"${text}" has no currency: write one after the amount, such as 500EUR`;
	const code = currency.toUpperCase();
	if (minorDigits(code) === undefined)
		return `"${text}" has the unknown currency ${code}: write an ISO 4217 code, such as EUR`;
	return { amount: written(new Big(amount), code), currency: code };
}

/** Amounts by currency, in upper case; amounts of different currencies are never added. Exact: no binary fractions. */
export class Sum {
	readonly #amounts = new Map<string, Big>();

	/** Adds `times` × an amount; false, and nothing is added, if the amount isn't a decimal. */
	add({ amount, currency }: Money, times = 1): boolean {
		if (!isDecimal(amount)) return false;
		const code = currency.toUpperCase();
		this.#amounts.set(code, new Big(amount).times(times).plus(this.#amounts.get(code) ?? 0));
		return true;
	}

	/** Adds, or with -1 takes away, all amounts of another sum. */
	addAll(sum: Sum, times: 1 | -1 = 1): void {
		for (const money of sum.amounts()) this.add(money, times);
	}

	/** True if the amount in the limit's currency is over the limit. Other currencies don't count. */
	isOver({ amount, currency }: Money): boolean {
		return this.#amounts.get(currency.toUpperCase())?.gt(new Big(amount)) ?? false;
	}

	/** One amount for each currency, in the order of their codes. */
	amounts(): Money[] {
		const entries = [...this.#amounts].sort(([a], [b]) => (a < b ? -1 : 1));
		return entries.map(([currency, amount]) => ({ amount: written(amount, currency), currency }));
	}

	/** `12.00 EUR + 3.50 USD`; `0` if there is nothing. */
	toString(): string {
		return formatMoneys(this.amounts()) || "0";
	}
}

export const formatMoney = ({ amount, currency }: Money): string => `${amount} ${currency}`;
export const formatMoneys = (amounts: readonly Money[]): string => amounts.map(formatMoney).join(" + ");
