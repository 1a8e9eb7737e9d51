import type { Clock } from "../time/clock";
import { Past } from "./past";
import { Table } from "./table";

/** Rows use the names of the API and internal ones. Unset options are null. */
export interface Stored {
	readonly id: string;
	readonly seq: number;
	readonly created_at: string;
	updated_at: string;
	/** Time of the next step. The API doesn't show it. */
	next_at?: string | null;
}

/** Indexed fields: an account may have a hundred thousand rows. */
const indexed = ["reference", "number", "number_id", "trunk_id", "webhook_id", "call_id"] as const;
export type Indexed = (typeof indexed)[number];

const keyOf = (row: object | undefined, field: string): string | undefined => {
	const value = (row as Readonly<Record<string, unknown>> | undefined)?.[field];
	return typeof value === "string" ? value : undefined;
};

/** Rows in order of creation. A row is replaced, never changed. */
export class Collection<Row extends Stored> extends Table<Row> {
	/** Serves reads that lag. */
	readonly past = new Past<Row>();
	readonly #clock: Clock;
	readonly #indexes = new Map<string, Map<string, Set<string>>>(indexed.map((field) => [field, new Map()]));

	constructor(clock: Clock) {
		super();
		this.#clock = clock;
	}

	put(row: Row): Row {
		this.set(row.id, row);
		return row;
	}

	/** The rows with that value, in order of creation, found by the index. */
	with(field: Indexed, value: string): Row[] {
		const ids = [...(this.#indexes.get(field)?.get(value) ?? [])];
		return ids.flatMap((id) => this.get(id) ?? []).sort((a, b) => a.seq - b.seq);
	}

	#index(id: string, before: Row | undefined, after: Row | undefined): void {
		for (const [field, index] of this.#indexes) {
			const [old, current] = [keyOf(before, field), keyOf(after, field)];
			if (old === current) continue;
			if (old !== undefined) {
				const ids = index.get(old);
				ids?.delete(id);
				if (ids?.size === 0) index.delete(old);
			}
			if (current === undefined) continue;
			const ids = index.get(current);
			if (ids) ids.add(id);
			else index.set(current, new Set([id]));
		}
	}

	override set(id: string, row: Row): void {
		const before = this.get(id);
		this.#index(id, before, row);
		super.set(id, row);
		// A row from a folder or a snapshot has no known versions but existed since its creation.
		this.past.note(id, Date.parse(before === undefined ? row.created_at : row.updated_at), row);
	}

	override delete(id: string): void {
		if (this.has(id)) this.past.note(id, this.#clock.now(), undefined);
		this.#index(id, this.get(id), undefined);
		super.delete(id);
	}

	override clear(): void {
		super.clear();
		for (const index of this.#indexes.values()) index.clear();
		this.past.clear();
	}

	[Symbol.iterator](): IterableIterator<Row> {
		return this.values();
	}
}
