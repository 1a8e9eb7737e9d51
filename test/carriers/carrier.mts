/** A carrier as tests see it. */

/** `now` returns milliseconds since 1970 and defaults to `Date.now`. */
export interface CarrierOptions extends Partial<Pick<DateConstructor, "now">> {
	/** First serial of the phone numbers, and the base of all keys and secrets. Defaults to 1. */
	readonly seed?: number;
	/** Value of `Retry-After` in the responses of the fault `busy`. Defaults to 1. */
	readonly retryAfterSeconds?: number;
	/** Defaults to any free port. */
	readonly port?: number;
}

export type Kind = "number" | "trunk" | "webhook";
export type Row = Record<string, unknown>;

export interface LogEntry {
	readonly at: number;
	readonly account: string;
	readonly what: "purchase" | "release" | "create" | "remove" | "change";
	readonly kind: Kind;
	readonly id: string;
	/** E.164. */
	readonly number?: string;
}

export interface Fault {
	readonly method: string;
	/** Tested on the path below the base URL, with its query, as in `/numbers?limit=20`. */
	readonly path: RegExp;
	/**
	 * - `lost-response`: carries the request out, then cuts the connection.
	 * - `cut`: cuts the connection without carrying the request out.
	 * - `slow`: carries the request out, and responds after `release()`.
	 * - `busy`: responds 429 with `Retry-After` without carrying the request out.
	 * - `error`: responds 500 with the error object without carrying the request out.
	 */
	readonly kind: "lost-response" | "cut" | "slow" | "busy" | "error";
	/** Requests that fail. Without it, the fault lasts until `clear()`. */
	readonly times?: number;
}

export interface FaultHandle {
	readonly fired: number;
	/** Sends the responses that a slow fault holds back. Later responses no longer wait. */
	release(): void;
	/** Ends the fault, and sends the responses that it holds back. */
	clear(): void;
}

export interface RequestEntry {
	readonly method: string;
	/** Path below the base URL, with its query. */
	readonly path: string;
	/** Zero if the connection was cut. */
	readonly status: number;
	readonly account?: string;
}

export interface Carrier {
	/** Base URL, with `/v1`. */
	readonly url: string;
	/** Two accounts whose objects have the same ids. */
	readonly accounts: readonly { readonly name: string; readonly key: string }[];
	/** Changes that requests really made; edits and KYC decisions of the dashboard aren't listed. */
	readonly log: readonly LogEntry[];
	readonly requests: readonly RequestEntry[];
	/** Rows as stored, in the carrier's names, with the secrets that no response shows. */
	numbers(account: string): readonly Row[];
	trunks(account: string): readonly Row[];
	webhooks(account: string): readonly Row[];
	/** Edits top-level fields of a stored row, as a user does in the dashboard. */
	edit(account: string, kind: Kind, id: string, change: Row): void;
	approve(account: string, id: string): void;
	reject(account: string, id: string, reason: string): void;
	fault(fault: Fault): FaultHandle;
	close(): Promise<void>;
}
