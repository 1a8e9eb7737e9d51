import { deflateRawSync, inflateRawSync } from "node:zlib";
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

/** So many rows are packed together: as objects they would take ten times the memory. */
export const packedAtOnce = 4096;

/** A row with its place in the order of arrival, counted from 0 since the last clearing. */
export type Placed = readonly [place: number, row: JournalRow];

export class Journal {
	/** Each has as many rows; undefined once they are dropped. */
	#packs: (Buffer | undefined)[] = [];
	/** Rows of packs that had no answer when they were packed. */
	readonly #late = new Map<number, JournalRow>();
	#recent: JournalRow[] = [];
	#dropped = 0;
	#refused = 0;
	readonly #bodies = new Map<string, Bodies>();

	/** @param keep how many of the latest rows; undefined is all */
	constructor(readonly keep?: number) {}

	add(row: JournalRow): JournalRow {
		this.#recent.push(row);
		if (this.#recent.length >= 2 * packedAtOnce) this.#pack();
		return row;
	}

	#pack(): void {
		const rows = this.#recent.splice(0, packedAtOnce);
		const first = this.#packs.length * packedAtOnce;
		for (const [index, row] of rows.entries()) if (row.status === null) this.#late.set(first + index, row);
		this.#packs.push(deflateRawSync(JSON.stringify(rows), { level: 1 }));
		if (this.keep === undefined) return;
		while ((this.#dropped + 1) * packedAtOnce <= this.#total - this.keep) {
			this.#packs[this.#dropped] = undefined;
			this.#dropped += 1;
			for (const place of this.#late.keys()) if (place < this.#dropped * packedAtOnce) this.#late.delete(place);
		}
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

	/** From that place on. One pack after the other is unpacked: nobody holds all of them at once. */
	*from(place = 0): IterableIterator<Placed> {
		const first = Math.max(place, this.#first);
		const packed = this.#packs.length * packedAtOnce;
		for (let pack = Math.floor(first / packedAtOnce); pack * packedAtOnce < packed; pack++) {
			const bytes = this.#packs[pack];
			if (bytes === undefined) continue;
			const rows = JSON.parse(inflateRawSync(bytes).toString()) as JournalRow[];
			for (const [index, row] of rows.entries()) {
				const at = pack * packedAtOnce + index;
				if (at >= first) yield [at, this.#late.get(at) ?? row];
			}
		}
		for (let at = Math.max(first, packed); at - packed < this.#recent.length; at++) {
			const row = this.#recent[at - packed];
			if (row !== undefined) yield [at, row];
		}
	}

	/** All that is kept. */
	rows(): JournalRow[] {
		return [...this].map((row) => ({ ...row }));
	}

	/** The latest rows, as many as are at hand. */
	get recent(): readonly Readonly<JournalRow>[] {
		return this.#recent.slice(-(this.keep ?? packedAtOnce));
	}

	get #total(): number {
		return this.#packs.length * packedAtOnce + this.#recent.length;
	}

	/** The place of the first row that is kept. */
	get #first(): number {
		return this.keep === undefined ? 0 : Math.max(this.#total - this.keep, 0);
	}

	get size(): number {
		return this.#total - this.#first;
	}

	/** How many were refused since the last clearing. */
	get refused(): number {
		return this.#refused;
	}

	*[Symbol.iterator](): IterableIterator<Readonly<JournalRow>> {
		for (const [, row] of this.from()) yield row;
	}

	clear(): void {
		this.#packs = [];
		this.#late.clear();
		this.#recent = [];
		this.#dropped = 0;
		this.#refused = 0;
		this.#bodies.clear();
	}
}
