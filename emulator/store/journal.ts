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

/** What was sent and answered, without what is secret; undefined if there was no JSON. */
export interface Bodies {
	sent?: unknown;
	answered?: unknown;
}

/** Rows are kept forever, bodies only for this many of the latest requests. */
export const bodiesKept = 200;

export class Journal {
	#rows: JournalRow[] = [];
	readonly #bodies = new Map<string, Bodies>();

	add(row: JournalRow): JournalRow {
		this.#rows.push(row);
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

	rows(): JournalRow[] {
		return structuredClone(this.#rows);
	}

	get size(): number {
		return this.#rows.length;
	}

	[Symbol.iterator](): IterableIterator<Readonly<JournalRow>> {
		return this.#rows.values();
	}

	clear(): void {
		this.#rows = [];
		this.#bodies.clear();
	}
}
