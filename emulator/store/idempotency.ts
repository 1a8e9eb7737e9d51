import { createHash } from "node:crypto";
import { ServiceError } from "../request/errors";
import type { Media } from "../request/handlers";
import type { Clock } from "../time/clock";
import { Table } from "./table";

export interface Reply {
	readonly status: number;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** The body of a response that isn't JSON. */
	readonly media?: Media;
	/** The page of a proxy, without the service's headers. */
	readonly html?: string;
	/** Sends only a part of the response. */
	readonly cut?: (answer: Sent) => Promise<void>;
}

/** A response as it is sent. */
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

/** Failures that a retry may cure are not kept. */
const isKept = ({ status }: Reply): boolean => status < 500 && ![400, 401, 429].includes(status);

/** The first response to each Idempotency-Key, for 24 hours. */
export class IdempotencyKeys {
	readonly table = new Table<Kept>();
	/** Fingerprints of running requests. */
	readonly #running = new Map<string, string>();

	constructor(readonly clock: Clock) {}

	/** The response to replay; undefined for the first request with its key, which holds the key until `end`. */
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

	/** Belongs in the same transaction as the request's changes. */
	keep(key: string, fingerprint: string, reply: Reply): void {
		if (!isKept(reply)) return;
		this.table.set(key, { fingerprint, at: this.clock.now(), reply: structuredClone(reply) });
	}

	/** Frees the key if no response was kept. */
	end(key: string): void {
		this.#running.delete(key);
	}

	clear(): void {
		this.table.clear();
		this.#running.clear();
	}

	/** The oldest responses come first. */
	#forgetOld(): void {
		for (const key of this.table.keys()) if (this.#fresh(key)) return;
	}

	/** The response under a key; deletes an old one. */
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
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, part]) => [name, sorted(part)]),
	);
};

/** Equal for requests with equal bodies, in any order of their properties. */
export const fingerprint = (method: string, path: string, body: unknown): string =>
	// A hash, because bodies may be large and hold passwords.
	createHash("sha256")
		.update(JSON.stringify([method, path, sorted(body)]))
		.digest("base64url");
