/** Month, lines and amounts of a bill. */
import type { Money } from "../../provider/api/contract";
import { isDecimal } from "../../provider/api/contract/decimal";

export interface Month {
	/** `2026-07`. */
	readonly name: string;
	/** Ms since 1970, UTC; the end is the first moment of the next month. */
	readonly from: number;
	readonly to: number;
	readonly isOver: boolean;
}

export interface BilledNumber {
	readonly id?: string | undefined;
	readonly e164?: string | undefined;
	/** Name of the resource, if a stack holds it. */
	readonly name?: string | undefined;
	/** Absent if the price is unknown. */
	readonly monthly?: Money | undefined;
	/** Only of a number that was bought in this month. */
	readonly setup?: Money | undefined;
}

export interface Line {
	/** `stack prod`, `no stack`, `calls`. */
	readonly subject: string;
	/** Of a stack, or of none. */
	readonly numbers?: readonly BilledNumber[] | undefined;
	/** Of usage. */
	readonly quantity?: number | undefined;
	readonly unit?: string | undefined;
	/** By currency, as all sums. */
	readonly monthly?: readonly Money[] | undefined;
	readonly setup?: readonly Money[] | undefined;
	/** In this month. */
	readonly cost: readonly Money[];
}

/** Reads amounts, and collects those that can't be added. */
export class Amounts {
	readonly #invalid: string[] = [];

	/** @param subject such as `The monthly price of num_1` */
	read(money: Money | undefined, subject: string): Money | undefined {
		if (money === undefined) return undefined;
		const { amount, currency } = money;
		if (isDecimal(amount) && currency !== "") return { amount, currency: currency.toUpperCase() };
		const fault = isDecimal(amount) ? "has no currency" : "isn't a decimal";
		this.#invalid.push(`${subject}, ${JSON.stringify(`${amount} ${currency}`.trim())}, ${fault}`);
		return undefined;
	}

	notes(): string[] {
		const [first, ...others] = this.#invalid;
		if (first === undefined) return [];
		return [`${first}: it is left out${others.length === 0 ? "" : `, and ${others.length} more like it`}.`];
	}
}
