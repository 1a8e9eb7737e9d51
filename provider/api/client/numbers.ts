import type { AvailableNumberRecord, BuyNumber, NumberRecord, PatchNumber, PurchaseRecord } from "../contract";
import { isTelephonyError, TelephonyError, unlisted } from "../errors";
import { type ServiceResponse, unreadableIn } from "../response";
import {
	type Body,
	type CallOptions,
	Collection,
	type CreateOptions,
	creation,
	items,
	type ListOptions,
	listing,
	type ReadOptions,
	type Removal,
} from "./collection";

export interface ListNumbersOptions extends ReadOptions {
	/** Released numbers are hidden by default. */
	readonly status?: string;
	readonly reference?: string;
}

export interface SearchNumbersOptions extends Omit<ListOptions<"searchNumbers">, "capabilities"> {
	/** Capabilities that the number must have: of `voice`, `sms`, `mms`, `fax`. */
	readonly capabilities?: readonly string[];
}

export class Numbers extends Collection<NumberRecord, ListNumbersOptions> {
	protected readonly reads = { list: "listNumbers", get: "getNumber" } as const;

	/**
	 * Available numbers, the next purchase first. Others may buy a number at any time: to buy, give criteria, and use the
	 * number in the response.
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
		capabilities,
		...options
	}: SearchNumbersOptions): AsyncGenerator<readonly AvailableNumberRecord[], void, undefined> {
		const filters = { ...options, capabilities: capabilities?.join(",") };
		return listing(
			(call) => this.transport.list("searchNumbers", call),
			filters,
			({ number }) => number,
		);
	}

	/** Buys a number. The response may lack all fields, even the id. Costs money: repeated only under a key. */
	buy(body: Body<BuyNumber>, options: CreateOptions = {}): Promise<ServiceResponse<PurchaseRecord>> {
		return this.transport.send("buyNumber", creation(body, options));
	}

	/** One number; from the list if the service has no single read. @throws TelephonyError NotFound, Unlisted */
	override async get(id: string, options: ReadOptions = {}): Promise<NumberRecord> {
		try {
			return await this.getById(id, options);
		} catch (error) {
			if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		for await (const page of this.pages(options)) {
			const found = page.find((number) => number.id === id);
			if (found !== undefined) return found;
			const unreadable = unreadableIn(page).find((item) => item.id === id);
			if (unreadable !== undefined) throw unreadable.error;
		}
		throw unlisted(id);
	}

	/** One number by the service's single read. @throws TelephonyError NotFound, NotOffered */
	async getById(id: string, options: ReadOptions = {}): Promise<NumberRecord> {
		if (this.transport.offers("getById")) return super.get(id, options);
		const message = "The service can't read a single number (feature getById), only the list of numbers.";
		throw new TelephonyError("NotOffered", message, { operation: "getNumber", feature: "getById" });
	}

	/** Omitted = unchanged, null = cleared; unions and arrays are replaced whole. */
	patch(id: string, body: Body<PatchNumber>, options: CallOptions = {}): Promise<NumberRecord> {
		return this.patched(id, body, options, "patchNumber");
	}

	/** Releases it. After the service's quarantine it may be lost. @throws TelephonyError NotFound if it isn't there */
	release(id: string, options: CallOptions = {}): Promise<Removal> {
		return this.removed(id, options, "releaseNumber");
	}

	/** Undoes a release within the service's quarantine. @throws TelephonyError NotFound after it */
	restore(id: string, options: CreateOptions = {}): Promise<NumberRecord> {
		return this.acted(id, options, "restoreNumber");
	}
}
