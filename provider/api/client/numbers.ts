import { type Answer, unreadableIn } from "../answer";
import type { AvailableNumberRecord, BuyNumber, NumberRecord, PatchNumber, PurchaseRecord } from "../contract";
import { isTelephonyError, TelephonyError, unlisted } from "../errors";
import {
	Area,
	type Body,
	type CallOptions,
	type CreateOptions,
	create,
	items,
	type ListOptions,
	type ReadOptions,
} from "./area";

export interface ListNumbersOptions extends ReadOptions {
	/** Released numbers are hidden unless asked for. */
	readonly status?: string;
	readonly reference?: string;
}

export interface SearchNumbersOptions extends Omit<ListOptions<"searchNumbers">, "capabilities"> {
	/** What the number must be able to do: of `voice`, `sms`, `mms`, `fax`. */
	readonly capabilities?: readonly string[];
}

export class Numbers extends Area {
	/** Writes that were asked for, and those of them that have no answer yet. */
	readonly writes = { all: 0, underWay: 0 };

	pages({
		status,
		reference,
		...options
	}: ListNumbersOptions = {}): AsyncGenerator<readonly NumberRecord[], void, undefined> {
		return this.listing<NumberRecord>("listNumbers", { query: { status, reference }, ...options });
	}

	list(options: ListNumbersOptions = {}): AsyncGenerator<NumberRecord, void, undefined> {
		return items(this.pages(options));
	}

	/**
	 * What is free now, the next purchase first. It may be gone a moment later: to buy, give criteria, and take what the
	 * purchase answers.
	 *
	 * @example
	 * for await (const { number, price } of client.numbers.search({ country: "NL", type: "geographic" })) {
	 * 	console.log(number, price?.monthly);
	 * 	break;
	 * }
	 */
	search(options: SearchNumbersOptions): AsyncGenerator<AvailableNumberRecord> {
		return items(this.searchPages(options));
	}

	searchPages({
		signal,
		capabilities,
		...query
	}: SearchNumbersOptions): AsyncGenerator<readonly AvailableNumberRecord[], void, undefined> {
		return this.listing<AvailableNumberRecord>("searchNumbers", {
			query: { ...query, capabilities: capabilities?.join(",") },
			signal,
			keyOf: ({ number }) => number,
		});
	}

	/** Buys a number; the answer may lack everything, even the id. Costs money: repeated only under a key. */
	buy(body: Body<BuyNumber>, options: CreateOptions = {}): Promise<Answer<PurchaseRecord>> {
		return this.#counted(this.transport.send("buyNumber", create(body, options)));
	}

	/** One number; where the service has no single read, found in its list. @throws TelephonyError NotFound, Unlisted */
	async get(id: string, options: ReadOptions = {}): Promise<NumberRecord> {
		try {
			return await this.getById(id, options);
		} catch (error) {
			if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		for await (const page of this.pages(options)) {
			const found = page.find((number) => number.id === id);
			if (found !== undefined) return found;
			const odd = unreadableIn(page).find((each) => each.id === id);
			if (odd !== undefined) throw odd.error;
		}
		throw unlisted(id);
	}

	/** One number by the service's single read. @throws TelephonyError NotFound, NotOffered */
	async getById(id: string, options: ReadOptions = {}): Promise<NumberRecord> {
		if (!this.transport.offers("getById")) {
			const message = "The service can't read a single number (feature getById), only the list of numbers.";
			throw new TelephonyError("NotOffered", message, { operation: "getNumber", feature: "getById" });
		}
		return (await this.transport.send("getNumber", { segment: id, ...options })).data;
	}

	/** Omitted = unchanged, null = cleared, unions and arrays replaced whole. */
	patch(id: string, body: Body<PatchNumber>, options: CallOptions = {}): Promise<NumberRecord> {
		const call = { segment: id, body, signal: options.signal };
		return this.#counted(this.patched("patchNumber", call, () => this.get(id, options)));
	}

	/** Releases it. After the service's quarantine it may be gone for ever. @throws TelephonyError NotFound if gone */
	release(id: string, options: CallOptions = {}): Promise<void> {
		return this.#counted(this.removed("releaseNumber", { segment: id, ...options }, () => this.get(id, options)));
	}

	/** Undoes a release within the service's quarantine. @throws TelephonyError NotFound after it */
	async restore(id: string, options: CreateOptions = {}): Promise<NumberRecord> {
		return this.acted("restoreNumber", { segment: id, ...create(undefined, options) }, () => this.get(id, options));
	}

	async #counted<T>(write: Promise<T>): Promise<T> {
		this.writes.all += 1;
		this.writes.underWay += 1;
		try {
			return await write;
		} finally {
			this.writes.underWay -= 1;
		}
	}
}
