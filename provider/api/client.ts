/**
 * A typed method for each operation of the service, with pages, idempotency and errors. Wire names: the client is the
 * service as it is, camelCase begins in the resources.
 *
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:4010/v1", apiKey: "emulator-key" });
 * for await (const number of client.numbers.list()) console.log(number.id, number.number);
 */
import "../../node-version";
import type {
	BuyNumber,
	CreateTrunk,
	CreateWebhook,
	Feature,
	NumberRecord,
	OperationName,
	PatchNumber,
	PatchTrunk,
	PatchWebhook,
	PurchaseRecord,
	TrunkRecord,
	WebhookRecord,
} from "./contract";
import { isTelephonyError, nextStep, TelephonyError } from "./errors";
import { type Page, pages } from "./pages";
import { type Answer, type Call, Transport, type TransportOptions } from "./transport";

export type { Clock } from "./clock";
export * from "./contract";
export { type ErrorKind, isGone, isTelephonyError, TelephonyError } from "./errors";
export type { RetryPolicy } from "./retry";
export type { Answer, TransportOptions as ClientOptions } from "./transport";

export interface CallOptions {
	readonly signal?: AbortSignal;
}

export interface CreateOptions extends CallOptions {
	/** At most 255 characters; the same key and body answer the same object for 24 h, where the service honours keys. */
	readonly idempotencyKey?: string;
}

/** A body, or what makes it anew for each try of the request. */
export type Body<T> = T | (() => T);

const pageSize = 100;

export class Client {
	readonly #transport: Transport;
	readonly numbers: Numbers;
	readonly trunks: Trunks;
	readonly webhooks: Webhooks;

	constructor(options: TransportOptions) {
		this.#transport = new Transport(options);
		this.numbers = new Numbers(this.#transport);
		this.trunks = new Trunks(this.#transport);
		this.webhooks = new Webhooks(this.#transport);
	}

	/** Whether the service offers the feature; undefined while nothing has shown it. */
	offers(feature: Feature): boolean | undefined {
		return this.#transport.offers(feature);
	}

	/** Ends open connections. */
	close(): Promise<void> {
		return this.#transport.close();
	}
}

export const createClient = (options: TransportOptions): Client => new Client(options);

/** All pages of a list, each an array; `items` flattens them. */
function listing<T extends { readonly id: string }>(
	transport: Transport,
	operation: OperationName,
	query: Record<string, string | undefined>,
	signal?: AbortSignal,
) {
	return pages<T>(async (cursor) => {
		const { data } = await transport.send(operation, { query: { ...query, limit: pageSize, cursor }, signal });
		return data as unknown as Page<T>;
	});
}

async function* items<T>(list: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
	for await (const page of list) yield* page;
}

const create = (body: unknown, { idempotencyKey, signal }: CreateOptions): Call => ({
	body,
	signal,
	...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});

export interface ListNumbersOptions extends CallOptions {
	/** Released numbers are hidden unless asked for. */
	readonly status?: string;
	readonly reference?: string;
}

class Numbers {
	readonly #transport: Transport;
	constructor(transport: Transport) {
		this.#transport = transport;
	}

	pages({
		status,
		reference,
		signal,
	}: ListNumbersOptions = {}): AsyncGenerator<readonly NumberRecord[], void, undefined> {
		return listing<NumberRecord>(this.#transport, "listNumbers", { status, reference }, signal);
	}

	list(options: ListNumbersOptions = {}): AsyncGenerator<NumberRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** Buys a number; the answer may lack everything, even the id. Costs money: repeated only under a key. */
	buy(body: BuyNumber, options: CreateOptions = {}): Promise<Answer<PurchaseRecord>> {
		return this.#transport.send("buyNumber", create(body, options));
	}

	/** One number; where the service has no single read, found in its list. @throws TelephonyError NotFound */
	async get(id: string, { signal }: CallOptions = {}): Promise<NumberRecord> {
		if (this.#transport.offers("getById") !== false) {
			try {
				return (await this.#transport.send("getNumber", { segment: id, signal })).data;
			} catch (error) {
				if (!isTelephonyError(error, "NotOffered")) throw error;
			}
		}
		for await (const number of this.list(signal === undefined ? {} : { signal })) if (number.id === id) return number;
		throw new TelephonyError("NotFound", `The number ${id} is not in the account's list. ${nextStep("NotFound")}`, {
			operation: "listNumbers",
		});
	}

	/** Omitted = unchanged, null = cleared, unions and arrays replaced whole. */
	async patch(id: string, body: Body<PatchNumber>, { signal }: CallOptions = {}): Promise<NumberRecord> {
		return (await this.#transport.send("patchNumber", { segment: id, body, signal })).data;
	}

	/** Releases it; after the service's quarantine it may be gone for ever. @throws TelephonyError NotFound when it is already */
	async release(id: string, { signal }: CallOptions = {}): Promise<void> {
		await this.#transport.send("releaseNumber", { segment: id, signal });
	}

	/** Learns, without changing anything, whether numbers can be configured here. */
	async canPatch(): Promise<boolean> {
		const known = this.#transport.offers("patchNumber");
		if (known !== undefined) return known;
		try {
			await this.patch("num_none", {});
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) return false;
			if (!isTelephonyError(error, "NotFound")) throw error;
		}
		return true;
	}
}

class Trunks {
	readonly #transport: Transport;
	constructor(transport: Transport) {
		this.#transport = transport;
	}

	pages({ signal }: CallOptions = {}): AsyncGenerator<readonly TrunkRecord[], void, undefined> {
		return listing<TrunkRecord>(this.#transport, "listTrunks", {}, signal);
	}

	list(options: CallOptions = {}): AsyncGenerator<TrunkRecord, void, undefined> {
		return items(this.pages(options));
	}

	create(body: Body<CreateTrunk>, options: CreateOptions = {}): Promise<Answer<TrunkRecord>> {
		return this.#transport.send("createTrunk", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<TrunkRecord> {
		return (await this.#transport.send("getTrunk", { segment: id, signal })).data;
	}

	async patch(id: string, body: Body<PatchTrunk>, { signal }: CallOptions = {}): Promise<TrunkRecord> {
		return (await this.#transport.send("patchTrunk", { segment: id, body, signal })).data;
	}

	async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
		await this.#transport.send("deleteTrunk", { segment: id, signal });
	}

	/** The answer is the only one that shows the new password. */
	async rotatePassword(id: string, options: CreateOptions = {}): Promise<TrunkRecord> {
		return (await this.#transport.send("rotatePassword", { segment: id, ...create(undefined, options) })).data;
	}
}

class Webhooks {
	readonly #transport: Transport;
	constructor(transport: Transport) {
		this.#transport = transport;
	}

	pages({ signal }: CallOptions = {}): AsyncGenerator<readonly WebhookRecord[], void, undefined> {
		return listing<WebhookRecord>(this.#transport, "listWebhooks", {}, signal);
	}

	list(options: CallOptions = {}): AsyncGenerator<WebhookRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** The answer is the only one that shows the secret. */
	create(body: Body<CreateWebhook>, options: CreateOptions = {}): Promise<Answer<WebhookRecord>> {
		return this.#transport.send("createWebhook", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<WebhookRecord> {
		return (await this.#transport.send("getWebhook", { segment: id, signal })).data;
	}

	async patch(id: string, body: Body<PatchWebhook>, { signal }: CallOptions = {}): Promise<WebhookRecord> {
		return (await this.#transport.send("patchWebhook", { segment: id, body, signal })).data;
	}

	async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
		await this.#transport.send("deleteWebhook", { segment: id, signal });
	}

	/** The answer is the only one that shows the new secret; the previous one stays valid for a day. */
	async rotateSecret(id: string, options: CreateOptions = {}): Promise<WebhookRecord> {
		return (await this.#transport.send("rotateSecret", { segment: id, ...create({}, options) })).data;
	}
}
