import Big from "big.js";
import type { Money } from "./contract";

/** ISO 4217 codes of the currencies that this Node knows. */
const currencies = new Set(Intl.supportedValuesOf("currency"));

/** A decimal as services write amounts: `12`, `12.5`, `-3.25`; no exponent, no thousands separator. */
const decimal = /^-?\d+(\.\d+)?$/;

export const isDecimal = (amount: string): boolean => decimal.test(amount);

/** At least two decimals, and more if the amount has them. */
const written = (amount: Big): string => (amount.round(2).eq(amount) ? amount.toFixed(2) : amount.toFixed());

/**
 * Parses an amount that a user typed, such as `500EUR` or `12.50 USD`: not negative, with a currency of ISO 4217.
 * Returns a sentence about the mistake, if there is one.
 */
export function parseMoney(text: string): Money | string {
	const [, amount, currency] = /^\s*(\S*?)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
	if (amount === undefined || currency === undefined || !decimal.test(amount))
		return `"${text}" isn't an amount: write a decimal and a currency, such as 500EUR`;
	if (amount.startsWith("-")) return `"${text}" is negative: write zero or more, such as 500EUR`;
	if (currency === "") return `"${text}" has no currency: write one after the amount, such as 500EUR`;
	const code = currency.toUpperCase();
	if (!currencies.has(code)) return `"${text}" has the unknown currency ${code}: write an ISO 4217 code, such as EUR`;
	return { amount: written(new Big(amount)), currency: code };
}

/** Amounts by currency, in upper case; amounts of different currencies are never added. Exact: no binary fractions. */
export class Sum {
	readonly #amounts = new Map<string, Big>();

	/** Adds `times` × an amount; false, and nothing is added, if the amount isn't a decimal. */
	add({ amount, currency }: Money, times = 1): boolean {
		if (!decimal.test(amount)) return false;
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
		return entries.map(([currency, amount]) => ({ amount: written(amount), currency }));
	}

	/** `12.00 EUR + 3.50 USD`; `0` if there is nothing. */
	toString(): string {
		return formatMoneys(this.amounts()) || "0";
	}
}

export const formatMoney = ({ amount, currency }: Money): string => `${amount} ${currency}`;
export const formatMoneys = (amounts: readonly Money[]): string => amounts.map(formatMoney).join(" + ");
