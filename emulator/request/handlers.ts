import type { z } from "zod";
import type { OperationName, operations } from "../../provider/api/contract";

type Part<Name extends OperationName, Key extends "query" | "body"> =
	(typeof operations)[Name] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** A request that has passed the contract. */
export interface Call<Name extends OperationName> {
	readonly id: string;
	readonly query: Part<Name, "query">;
	readonly body: Part<Name, "body">;
	readonly requestId: string;
	readonly key: string | null;
}

/** A response that isn't JSON. */
export interface Media {
	readonly type: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

export type ResponseBody<Name extends OperationName> = (typeof operations)[Name] extends {
	readonly response: infer Schema extends z.ZodType;
}
	? z.input<Schema>
	: (typeof operations)[Name] extends { readonly media: string }
		? Media
		: undefined;

/** One handler for each operation of the contract. */
export type Handlers = { readonly [Name in OperationName]: (call: Call<Name>) => ResponseBody<Name> };

export const handlersOf = <Name extends OperationName>(handlers: Pick<Handlers, Name>): Pick<Handlers, Name> =>
	handlers;
