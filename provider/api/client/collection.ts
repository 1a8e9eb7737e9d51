/** The methods that the areas of the client share. */
import type { z } from "zod";
import type { OperationName, operations } from "../contract";
import { isAbsent, nextStep, TelephonyError } from "../errors";
import { defined } from "../json";
import { type Page, pages } from "../pages";
import type { ServiceResponse } from "../response";
import type { OperationOf, Transport } from "../transport";
import { pauses, until } from "../until";
import type { Call } from "../wire";

export interface CallOptions {
	readonly signal?: AbortSignal;
}

export interface ReadOptions extends CallOptions {
	/** One of many reads that look for a change: other requests go first. */
	readonly isPoll?: boolean;
}

export interface CreateOptions extends CallOptions {
	/** At most 255 characters. For 24 h, a request with the same key and body returns the same object, if the service honors keys. */
	readonly idempotencyKey?: string;
}

/** A body, or a function that makes it for each try of the request. */
export type Body<T> = T | (() => T);

export interface Removal {
	/** False if the response doesn't show that the object is removed: then only a read does. */
	readonly isConfirmed: boolean;
}

/** The filters of a list, in the service's names. */
export type ListOptions<Name extends OperationName> = ReadOptions &
	((typeof operations)[Name] extends { readonly query: infer Query extends z.ZodType }
		? Omit<z.input<Query>, "limit" | "cursor">
		: unknown);

/** All pages of a list, each an array. @param keyOf identifies an item */
export function listing<Item>(
	send: (call: Call) => Promise<ServiceResponse<Page<Item>>>,
	{ signal, isPoll, segment, ...query }: ReadOptions & { readonly segment?: string },
	keyOf: (item: Item) => string,
): AsyncGenerator<readonly Item[], void, undefined> {
	const call: Call = { signal, isPoll, ...defined({ segment }) };
	return pages(async (cursor) => (await send({ ...call, query: { ...query, cursor } })).data, keyOf);
}

/** A service may show an id in another letter case. */
const isSameId = (first: string, second: string): boolean => first.toLowerCase() === second.toLowerCase();

export const idOf = ({ id }: { readonly id: string }): string => id;

export async function* items<T>(list: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
	for await (const page of list) yield* page;
}

export const creation = (body: unknown, { idempotencyKey, signal }: CreateOptions): Call => ({
	body,
	signal,
	...defined({ idempotencyKey }),
});

/** An area of the service. */
export abstract class Area {
	protected readonly transport: Transport;

	constructor(transport: Transport) {
		this.transport = transport;
	}
}

/** All objects of one kind. */
export abstract class Collection<
	R extends { readonly id: string; readonly status?: unknown },
	L extends object,
> extends Area {
	protected abstract readonly reads: { readonly list: OperationOf<Page<R>>; readonly get: OperationOf<R> };

	/** The pages of the list, each an array; `list` flattens them. */
	pages(options?: L & ReadOptions): AsyncGenerator<readonly R[], void, undefined> {
		return listing((call) => this.transport.list<R>(this.reads.list, call), options ?? {}, idOf);
	}

	list(options?: L & ReadOptions): AsyncGenerator<R, void, undefined> {
		return items(this.pages(options));
	}

	/** @throws TelephonyError Unavailable if the service shows another object */
	async get(id: string, options: ReadOptions = {}): Promise<R> {
		const { data } = await this.transport.send<R>(this.reads.get, { segment: id, ...options });
		if (isSameId(data.id, id) || (await this.#isRenamed(id, data.id, options))) return data;
		throw new TelephonyError("Unavailable", `The service shows ${data.id} in place of ${id}.`, {
			nextStep: nextStep("Unavailable"),
		});
	}

	/** True if the list has the object under its new id only. Otherwise a cache may have shown another object. */
	async #isRenamed(id: string, newId: string, options: ReadOptions): Promise<boolean> {
		let isListed = false;
		for await (const page of this.pages(options as L & ReadOptions)) {
			if (page.some((record) => isSameId(record.id, id))) return false;
			isListed ||= page.some((record) => isSameId(record.id, newId));
		}
		return isListed;
	}

	/** The object after a PATCH. If the response doesn't show it, it is read, and may still show old values. */
	protected async patched(
		id: string,
		body: object | (() => object),
		options: CallOptions,
		operation: OperationOf<R | undefined>,
	): Promise<R> {
		const { data } = await this.transport.send<R | undefined>(operation, { segment: id, body, ...options });
		if (data !== undefined) return data;
		const patience = { for: pauses.written, passes: isAbsent };
		return until(
			this.transport.run(options.signal),
			() => this.get(id, options),
			() => true,
			patience,
		);
	}

	/** The object after an action such as a cancellation. If the response doesn't show it, it is read. */
	protected async acted(id: string, options: CreateOptions, operation: OperationOf<R | undefined>): Promise<R> {
		const call = { segment: id, ...creation(undefined, options) };
		const { data } = await this.transport.send<R | undefined>(operation, call);
		return data ?? this.get(id, options);
	}

	/** Ends the object. */
	protected async removed(id: string, call: Call, operation: OperationName): Promise<Removal> {
		const { isConfirmed } = await this.transport.send(operation, { ...call, segment: id });
		return { isConfirmed };
	}
}
