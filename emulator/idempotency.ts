import { createHash } from "node:crypto";
import type { Clock } from "./clock";
import { ServiceError } from "./errors";
import type { Media } from "./handlers";

export interface Reply {
	readonly status: number;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Instead of a body, where the answer isn't JSON. */
	readonly media?: Media;
	/** What a proxy in front of the service sends instead; it knows nothing of the service's headers. */
	readonly html?: string;
	/** Sends the answer, but not as a whole and at once. */
	readonly cut?: (answer: Response) => Promise<void>;
}

interface Kept {
	readonly fingerprint: string;
	readonly at: number;
	/** Undefined while the first request is still being worked on. */
	reply?: Reply;
}

const keptFor = 24 * 3_600_000;

/** What a repeat may cure is not kept, so that the repeat is tried afresh. */
const isKept = ({ status }: Reply): boolean => status < 500 && ![400, 401, 429].includes(status);

/** The first answer to each Idempotency-Key, for 24 hours. */
export class IdempotencyKeys {
	readonly #kept = new Map<string, Kept>();

	constructor(readonly clock: Clock) {}

	/** The answer to replay; undefined if the request is the first with its key, which is then taken. */
	begin(key: string, fingerprint: string): Reply | undefined {
		const kept = this.#kept.get(key);
		if (kept === undefined || kept.at + keptFor <= this.clock.now()) {
			this.#kept.set(key, { fingerprint, at: this.clock.now() });
			return undefined;
		}
		if (kept.fingerprint !== fingerprint) {
			throw new ServiceError("idempotency_key_reused", "This Idempotency-Key was used for another request.");
		}
		if (kept.reply === undefined) {
			throw new ServiceError("idempotency_in_progress", "A request with this Idempotency-Key is still running.");
		}
		return kept.reply;
	}

	/** Without a reply the request was not carried out, and the key is free again. */
	finish(key: string, reply?: Reply): void {
		const kept = this.#kept.get(key);
		if (kept === undefined) return;
		if (reply !== undefined && isKept(reply)) kept.reply = structuredClone(reply);
		else this.#kept.delete(key);
	}

	clear(): void {
		this.#kept.clear();
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

/** The same for requests that ask the same, whatever the order of their properties. */
export const fingerprint = (method: string, path: string, body: unknown): string =>
	// A document is megabytes long, and a body may hold a password: neither is kept for a day.
	createHash("sha256")
		.update(JSON.stringify([method, path, sorted(body)]))
		.digest("base64url");
