import type { ErrorBody, OperationName } from "../../provider/api/contract";
import { harmless } from "../request/harmless";
import type { Reply } from "./idempotency";

/** A request under `/v1`. */
export interface JournalRow {
	readonly method: string;
	/** With the query: `/v1/numbers?limit=100`. */
	readonly path: string;
	/** Null if no response was sent, or not yet. */
	status: number | null;
	readonly request_id: string;
	readonly at: string;
	error?: string;
	message?: string;
}

/** JSON of a request and its response, without secrets; undefined if there was none. */
export interface Bodies {
	sent?: unknown;
	answered?: unknown;
}

/** Number of latest requests whose bodies are kept. */
export const bodiesKept = 200;

/** Default number of latest requests to keep. */
export const rowsKept = 100_000;

/** Highest number of requests to keep: as many as fit in one response. */
export const mostRowsKept = 1_000_000;

/** A row with its place in the order of arrival, counted from 0 since the last `clear`. */
export type Placed = readonly [place: number, row: JournalRow];

/** The latest requests, in a ring buffer. */
export class Journal {
	/** Each row at its place modulo `keep`. */
	#ring: JournalRow[] = [];
	#total = 0;
	#refused = 0;
	readonly #bodies = new Map<string, Bodies>();
	/** Rows are public, and a service may have other paths than the contract. */
	readonly #operations = new WeakMap<JournalRow, OperationName>();

	/** Number of changes so far. */
	changes = 0;

	constructor(readonly keep = rowsKept) {}

	add(row: JournalRow, operation?: OperationName): JournalRow {
		if (operation !== undefined) this.#operations.set(row, operation);
		this.#ring[this.#total % this.keep] = row;
		this.#total += 1;
		this.changes += 1;
		return row;
	}

	operationOf(row: JournalRow): OperationName | undefined {
		return this.#operations.get(row);
	}

	sent(requestId: string, body: unknown): void {
		this.#bodiesOf(requestId).sent = harmless(body);
	}

	answered(row: JournalRow, { status, body }: Reply): void {
		row.status = status;
		this.#bodiesOf(row.request_id).answered = harmless(body);
		if (status < 400) return;
		this.#refused += 1;
		const { error, message } = (body ?? {}) as Partial<ErrorBody>;
		if (error !== undefined) row.error = error;
		if (message !== undefined) row.message = message;
	}

	bodies(requestId: string): Readonly<Bodies> | undefined {
		return this.#bodies.get(requestId);
	}

	#bodiesOf(requestId: string): Bodies {
		this.changes += 1;
		const bodies = this.#bodies.get(requestId) ?? {};
		this.#bodies.set(requestId, bodies);
		const [oldest] = this.#bodies.keys();
		if (this.#bodies.size > bodiesKept && oldest !== undefined) this.#bodies.delete(oldest);
		return bodies;
	}

	/** The requests from a place, in order of arrival. */
	*from(place = 0): IterableIterator<Placed> {
		for (let at = Math.max(place, this.dropped); at < this.#total; at++) {
			yield [at, this.#ring[at % this.keep] as JournalRow];
		}
	}

	/** The latest requests, in order of arrival. */
	latest(count = Number.POSITIVE_INFINITY): JournalRow[] {
		return Array.from(this.from(this.#total - count), ([, row]) => row);
	}

	get size(): number {
		return this.#ring.length;
	}

	/** Number of requests that are no longer kept. */
	get dropped(): number {
		return this.#total - this.#ring.length;
	}

	get refused(): number {
		return this.#refused;
	}

	clear(): void {
		this.#ring = [];
		this.#total = 0;
		this.#refused = 0;
		this.changes += 1;
		this.#bodies.clear();
	}
}
