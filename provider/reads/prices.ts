/** Prices in the inventory, from one request for each criteria. */
import type { Client } from "../api/client";
import type { BuyNumber, Money } from "../api/contract";
import { isDecimal } from "../api/contract/decimal";
import { isTelephonyError } from "../api/errors";
import { pickBy } from "../api/json";
import { findIncomparable, formatMoney, Sum } from "../api/money";
import { isLast } from "../api/pages";

export interface Price {
	readonly setup: Money;
	readonly monthly: Money;
}

/** The prices of free numbers, or why they are unknown, in words. `isNone`: the inventory has no such number. */
export type Priced =
	| { readonly unknown: string; readonly isNone?: true }
	/**
	 * `next` is the price of the next purchase. `least` and `most` are the bounds on the first page. `free` is the number of
	 * matches, if the first page shows all of them. `incomparable` says why a price can't be compared with a limit, in words.
	 */
	| {
			readonly next: Price;
			readonly least: Price;
			readonly most: Price;
			readonly free?: number;
			readonly incomparable?: Readonly<Partial<Record<keyof Price, string>>>;
	  };

export const soldOut = "the inventory has no matching number now";

export class Prices {
	readonly #client: Client;
	readonly #known = new Map<string, Promise<Priced>>();

	constructor(client: Client) {
		this.#client = client;
	}

	/** Never fails. A price that couldn't be read is read again by the next call. */
	of({ country, type, area }: BuyNumber): Promise<Priced> {
		const key = JSON.stringify([country, type, area]);
		const reading = this.#known.get(key) ?? this.#read(key, { country, type, ...(area && { area }) });
		this.#known.set(key, reading);
		return reading;
	}

	async #read(key: string, criteria: BuyNumber): Promise<Priced> {
		try {
			return await this.#ask(criteria);
		} catch (error) {
			if (isTelephonyError(error) && error.errorCode === "unsupported_market")
				return { unknown: `the service sells no numbers in ${criteria.country}`, isNone: true };
			this.#known.delete(key);
			const why = isTelephonyError(error) ? error.text : String(error);
			return { unknown: `the inventory can't be read: ${why.replace(/\.$/, "")}` };
		}
	}

	async #ask(criteria: BuyNumber): Promise<Priced> {
		if (!this.#client.offers("inventory")) return { unknown: "the service has no inventory (feature inventory)" };
		for await (const page of this.#client.numbers.searchPages(criteria)) {
			if (page.length === 0) continue;
			const prices = page.flatMap(({ price }) => price ?? []);
			const [next] = prices;
			if (next === undefined || prices.length < page.length) return { unknown: "the inventory shows no price" };
			const wrong = prices.flatMap(({ setup, monthly }) => [setup, monthly]).find(({ amount }) => !isDecimal(amount));
			if (wrong !== undefined)
				return { unknown: `the inventory's price ${JSON.stringify(wrong.amount)} isn't a decimal` };
			const free = isLast(page) ? { free: page.length } : {};
			const reasons = { setup: incomparableIn(prices, "setup"), monthly: incomparableIn(prices, "monthly") };
			const incomparable = pickBy(reasons, (reason) => reason !== undefined);
			return {
				...{ next, least: bound(prices, -1), most: bound(prices, 1), ...free },
				...(Object.keys(incomparable).length > 0 && { incomparable }),
			};
		}
		return { unknown: soldOut, isNone: true };
	}
}

/** Returns why these prices can't be compared with a limit. Another buyer may take the first number. */
function incomparableIn(prices: readonly Price[], kind: keyof Price): string | undefined {
	const all = prices.map((price) => price[kind]);
	const wrong = all.find((money) => findIncomparable(money) !== undefined);
	if (wrong !== undefined)
		return `the inventory's ${kind} price ${JSON.stringify(formatMoney(wrong).trim())} ${findIncomparable(wrong)}`;
	const currencies = new Set(all.map(({ currency }) => currency));
	return currencies.size === 1 ? undefined : `the inventory has ${kind} prices in ${[...currencies].join(" and ")}`;
}

/** Returns the lowest or the highest price of each kind. Of several currencies, the first one counts. */
function bound(prices: readonly Price[], sign: 1 | -1): Price {
	const of = (kind: keyof Price): Money =>
		prices
			.map((price) => price[kind])
			.reduce((extreme, price) => {
				const sum = new Sum();
				sum.add(price);
				const isMore = sum.isOver(extreme);
				return price.currency === extreme.currency && isMore === (sign === 1) ? price : extreme;
			});
	return { setup: of("setup"), monthly: of("monthly") };
}
