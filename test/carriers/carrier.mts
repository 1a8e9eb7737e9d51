/** A carrier as tests see it. */

/** `now` returns milliseconds since 1970 and defaults to `Date.now`. */
export type CarrierOptions = Partial<Pick<DateConstructor, "now">>;

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
	 * - `busy`: responds 429 with `Retry-After` without carrying the request out.
	 */
	readonly kind: "lost-response" | "busy";
	/** Requests that fail. Default: all. */
	readonly times?: number;
}

export interface Carrier {
	/** Base URL, with `/v1`. */
	readonly url: string;
	/** Two accounts whose objects have the same ids. */
	readonly accounts: readonly { readonly name: string; readonly key: string }[];
	/** Changes that requests really made; edits and KYC decisions of the dashboard aren't listed. */
	readonly log: readonly LogEntry[];
	/** Rows as stored, in the carrier's names, with the secrets that no response shows. */
	rows(account: string, kind: Kind): readonly Row[];
	/** Edits top-level fields of a stored row, as a user does in the dashboard. */
	edit(account: string, kind: Kind, id: string, change: Row): void;
	approve(account: string, id: string): void;
	fault(fault: Fault): void;
	close(): Promise<void>;
}
