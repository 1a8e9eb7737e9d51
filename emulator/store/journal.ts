import type { ErrorBody } from "../../provider/api/contract";
import { harmless } from "../request/harmless";
import type { Reply } from "./idempotency";

/** Every call under `/v1`, including refused ones, in order of arrival. */
export interface JournalRow {
	readonly method: string;
	/** With its query, as received: `/v1/numbers?limit=100`. */
	readonly path: string;
	/** Null if no answer was sent, or not yet. */
	status: number | null;
	readonly request_id: string;
	readonly at: string;
	/** Code and message of a refusal. */
	error?: string;
	message?: string;
}

/** JSON that was sent and answered, without secrets; undefined if there was none. */
export interface Bodies {
	sent?: unknown;
	answered?: unknown;
}

/** Bodies are kept of this many of the latest requests. */
export const bodiesKept = 200;

/** Rows are kept of this many of the latest requests, unless another number is asked for. */
export const rowsKept = 100_000;

/** As many as can be shown in one answer. */
export const mostRowsKept = 1_000_000;

/** A row with its place in the order of arrival, counted from 0 since the last clearing. */
export type Placed = readonly [place: number, row: JournalRow];

/** The latest requests, in a ring. */
export class Journal {
	/** Each at its place modulo `keep`. */
	#ring: JournalRow[] = [];
	#total = 0;
	#refused = 0;
	readonly #bodies = new Map<string, Bodies>();

	constructor(readonly keep = rowsKept) {}

	add(row: JournalRow): JournalRow {
		this.#ring[this.#total % this.keep] = row;
		this.#total += 1;
		return row;
	}

	sent(requestId: string, body: unknown): void {
		this.#bodiesOf(requestId).sent = harmless(body);
	}

	/** Records the answer to a request. */
	answered(row: JournalRow, { status, body }: Reply): void {
		row.status = status;
		this.#bodiesOf(row.request_id).answered = harmless(body);
		if (status < 400) return;
		this.#refused += 1;
		const { error, message } = (body ?? {}) as Partial<ErrorBody>;
		if (error !== undefined) row.error = error;
		if (message !== undefined) row.message = message;
	}

	/** Undefined once they are no longer kept. */
	bodies(requestId: string): Readonly<Bodies> | undefined {
		return this.#bodies.get(requestId);
	}

	#bodiesOf(requestId: string): Bodies {
		const bodies = this.#bodies.get(requestId) ?? {};
		this.#bodies.set(requestId, bodies);
		const [oldest] = this.#bodies.keys();
		if (this.#bodies.size > bodiesKept && oldest !== undefined) this.#bodies.delete(oldest);
		return bodies;
	}

	/** From that place on, in order of arrival. */
	*from(place = 0): IterableIterator<Placed> {
		for (let at = Math.max(place, this.dropped); at < this.#total; at++) {
			yield [at, this.#ring[at % this.keep] as JournalRow];
		}
	}

	/** The latest ones: at most this many, or all that are kept. */
	latest(count = Number.POSITIVE_INFINITY): JournalRow[] {
		return Array.from(this.from(this.#total - count), ([, row]) => row);
	}

	get size(): number {
		return this.#ring.length;
	}

	/** How many are no longer kept. */
	get dropped(): number {
		return this.#total - this.#ring.length;
	}

	/** How many were refused since the last clearing. */
	get refused(): number {
		return this.#refused;
	}

	clear(): void {
		this.#ring = [];
		this.#total = 0;
		this.#refused = 0;
		this.#bodies.clear();
	}
}
