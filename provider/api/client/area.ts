/** What the areas of the client share: options, lists, creates. */
import type { z } from "zod";
import type { OperationName, operations } from "../contract";
import { defined } from "../dialect/json";
import { isAbsent } from "../errors";
import { type Page, pages } from "../pages";
import { phaseOf } from "../record";
import type { Transport } from "../transport";
import { pauses, until } from "../until";
import type { Call } from "../wire";

export interface CallOptions {
	readonly signal?: AbortSignal;
}

export interface ReadOptions extends CallOptions {
	/** One of many looks at whether something has changed: other requests get their turn before it. */
	readonly isPoll?: boolean;
}

export interface CreateOptions extends CallOptions {
	/** At most 255 characters. The same key and body return the same object for 24 h, if the service honours keys. */
	readonly idempotencyKey?: string;
}

/** A body, or a function that makes it again for each try of the request. */
export type Body<T> = T | (() => T);

/** The filters of a list, in the service's names. */
export type ListOptions<Name extends OperationName> = CallOptions &
	((typeof operations)[Name] extends { readonly query: infer Query extends z.ZodType }
		? Omit<z.input<Query>, "limit" | "cursor">
		: unknown);

interface ListCall<Item> {
	readonly segment?: string;
	readonly query?: object;
	readonly signal?: AbortSignal | undefined;
	readonly isPoll?: boolean | undefined;
	/** What identifies an item. @default its id */
	readonly keyOf?: (item: Item) => string;
}

export abstract class Area {
	protected readonly transport: Transport;

	constructor(transport: Transport) {
		this.transport = transport;
	}

	/** All pages of a list, each an array; `items` flattens them. */
	protected listing<Item>(
		operation: OperationName,
		{ query, signal, isPoll, segment, keyOf = (item) => (item as { id: string }).id }: ListCall<Item>,
	): AsyncGenerator<readonly Item[], void, undefined> {
		const call: Call = { signal, isPoll, ...defined({ segment }) };
		return pages<Item>(async (cursor) => {
			const { data } = await this.transport.list(operation, { ...call, query: { ...query, cursor } });
			return data as unknown as Page<Item>;
		}, keyOf);
	}

	/** The object after a PATCH. Without a body in the answer it is read back, for a while if it shows old values. */
	protected async patched<R extends object>(
		operation: OperationName,
		{ segment, body, signal }: Pick<Call, "segment" | "body" | "signal">,
		get: () => Promise<R>,
	): Promise<R> {
		let sent: object = {};
		const remembered = () => {
			sent = (typeof body === "function" ? body() : body) as object;
			return sent;
		};
		const { data, doubt } = await this.transport.send(operation, {
			...defined({ segment }),
			body: remembered,
			signal,
		});
		if (data !== undefined) return data as unknown as R;
		const isWritten = (record: R) => shows(record as Record<string, unknown>, sent);
		const record = await until(this.transport.run(signal), get, isWritten, { for: pauses.written, passes: isAbsent });
		if (doubt !== undefined && !isWritten(record)) throw doubt;
		return record;
	}

	/** Releases or deletes an object. A 2xx response is enough, unless it may come from a gateway: then `get` decides. */
	protected async removed(
		operation: OperationName,
		{ segment, signal }: Pick<Call, "segment" | "signal">,
		get: () => Promise<{ readonly status?: unknown }>,
	): Promise<void> {
		const { doubt } = await this.transport.send(operation, { ...defined({ segment }), signal });
		if (doubt === undefined) return;
		const isOver = (record: { readonly status?: unknown }) => phaseOf(record) === "gone";
		try {
			if (isOver(await until(this.transport.run(signal), get, isOver, { for: pauses.written }))) return;
		} catch (error) {
			if (isAbsent(error)) return;
			throw error;
		}
		throw doubt;
	}

	/** The object after an action such as a cancellation. If the response doesn't show it, `get` does. */
	protected async acted<R>(operation: OperationName, call: Call, get: () => Promise<R>): Promise<R> {
		const { data } = await this.transport.send(operation, call);
		return data === undefined ? get() : (data as unknown as R);
	}
}

/** Whether a record has what was sent, as far as it shows it and it can be compared. */
const shows = (record: Readonly<Record<string, unknown>>, sent: object): boolean =>
	Object.entries(sent).every(
		([key, value]) =>
			record[key] === undefined || record[key] === value || (typeof value === "object" && value !== null),
	);

export async function* items<T>(list: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
	for await (const page of list) yield* page;
}

export const create = (body: unknown, { idempotencyKey, signal }: CreateOptions): Call => ({
	body,
	signal,
	...defined({ idempotencyKey }),
});
