import { createHash } from "node:crypto";
import { ServiceError } from "../request/errors";
import type { Media } from "../request/handlers";
import type { Clock } from "../time/clock";
import { Table } from "./table";

export interface Reply {
	readonly status: number;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent instead of a body if the answer isn't JSON. */
	readonly media?: Media;
	/** The page that a proxy in front of the service sends instead, without the service's headers. */
	readonly html?: string;
	/** Sends the answer, but not in full or not all at once. */
	readonly cut?: (answer: Sent) => Promise<void>;
}

/** An answer as it is sent. */
export interface Sent {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

interface Kept {
	readonly fingerprint: string;
	readonly at: number;
	readonly reply: Reply;
}

const keptFor = 24 * 3_600_000;

/** A failure that a retry may cure is not kept, so that the retry is carried out. */
const isKept = ({ status }: Reply): boolean => status < 500 && ![400, 401, 429].includes(status);

/** The first answer to each Idempotency-Key, for 24 hours. */
export class IdempotencyKeys {
	readonly table = new Table<Kept>();
	/** Fingerprints of the requests that have not been answered yet. */
	readonly #running = new Map<string, string>();

	constructor(readonly clock: Clock) {}

	/** The answer to replay; undefined for the first request with its key, which then holds the key until `end`. */
	begin(key: string, fingerprint: string): Reply | undefined {
		this.#forgetOld();
		const kept = this.#fresh(key);
		const running = this.#running.get(key);
		if ((kept?.fingerprint ?? running ?? fingerprint) !== fingerprint) {
			throw new ServiceError("idempotency_key_reused", "This Idempotency-Key was used for another request.");
		}
		if (running !== undefined) {
			throw new ServiceError("idempotency_in_progress", "A request with this Idempotency-Key is still running.");
		}
		if (kept === undefined) this.#running.set(key, fingerprint);
		return kept?.reply;
	}

	/** Call it together with the request's changes: after a crash between both, a repeat would make them twice. */
	keep(key: string, fingerprint: string, reply: Reply): void {
		if (!isKept(reply)) return;
		this.table.set(key, { fingerprint, at: this.clock.now(), reply: structuredClone(reply) });
	}

	/** The request has been answered; if nothing was kept, the key is free again. */
	end(key: string): void {
		this.#running.delete(key);
	}

	clear(): void {
		this.table.clear();
		this.#running.clear();
	}

	/** Stops at the first fresh one: the oldest come first, unless the clock was turned back. */
	#forgetOld(): void {
		for (const key of this.table.keys()) if (this.#fresh(key)) return;
	}

	/** The answer that is kept under a key; deleted if it is too old. */
	#fresh(key: string): Kept | undefined {
		const kept = this.table.get(key);
		if (kept === undefined || kept.at + keptFor > this.clock.now()) return kept;
		this.table.delete(key);
		return undefined;
	}
}

const sorted = (value: unknown): unknown => {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([one], [other]) => (one < other ? -1 : 1))
			.map(([name, part]) => [name, sorted(part)]),
	);
};

/** The same for requests that ask for the same, in any order of their properties. */
export const fingerprint = (method: string, path: string, body: unknown): string =>
	// A document is megabytes long, and a body may hold a password: neither is kept for a day.
	createHash("sha256")
		.update(JSON.stringify([method, path, sorted(body)]))
		.digest("base64url");
