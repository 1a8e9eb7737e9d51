/** What the parts of a bill are made of: a month, lines, and amounts that can be added. */
import type { Money } from "../provider/api/contract";
import { isDecimal, Sum } from "../provider/api/money";

export interface Month {
	/** `2026-07`. */
	readonly name: string;
	/** Ms since 1970, UTC; the end is the first moment that no longer counts. */
	readonly from: number;
	readonly to: number;
	readonly isOver: boolean;
}

export interface BilledNumber {
	readonly id?: string;
	readonly e164?: string;
	/** Of its resource, if a stack holds it. */
	readonly name?: string;
	/** Absent where the price is unknown. */
	readonly monthly?: Money;
	/** Of a number that was bought in this month. */
	readonly setup?: Money;
}

export interface Line {
	/** `stack prod`, `no stack`, `calls`. */
	readonly of: string;
	/** Of a stack, or of none. */
	readonly numbers?: readonly BilledNumber[];
	/** Of usage. */
	readonly quantity?: number;
	readonly unit?: string;
	/** By currency, as all sums. */
	readonly monthly?: readonly Money[];
	readonly setup?: readonly Money[];
	/** In this month. */
	readonly cost: readonly Money[];
}

/** Reads amounts, and remembers those that can't be added. */
export class Amounts {
	readonly #wrong: string[] = [];

	/** @param what that it is the amount of */
	read(money: Money | undefined, what: string): Money | undefined {
		if (money === undefined) return undefined;
		const { amount, currency } = money;
		if (isDecimal(amount) && currency !== "") return { amount, currency: currency.toUpperCase() };
		const fault = isDecimal(amount) ? "has no currency" : "isn't a decimal";
		this.#wrong.push(`${what}, ${JSON.stringify(`${amount} ${currency}`.trim())}, ${fault}`);
		return undefined;
	}

	notes(): string[] {
		const [first, ...others] = this.#wrong;
		if (first === undefined) return [];
		return [`${first}: it is left out${others.length === 0 ? "" : `, and ${others.length} more like it`}.`];
	}
}

export function sumOf(amounts: readonly Money[]): Sum {
	const sum = new Sum();
	for (const money of amounts) sum.add(money);
	return sum;
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
