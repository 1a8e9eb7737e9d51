import { Table } from "./table";

/** An event that costs or saves money. */
export interface LedgerRow {
	readonly kind: "purchase" | "release" | "refusal" | "restore" | "port";
	readonly number_id: string;
	/** The request's Idempotency-Key; null without one, and for edits outside the API. */
	readonly key: string | null;
	readonly request_id: string;
	readonly at: string;
}

export class Ledger {
	readonly table = new Table<LedgerRow>();

	add(row: LedgerRow): void {
		this.table.set(String(this.table.size + 1), row);
	}

	rows(): LedgerRow[] {
		return structuredClone([...this.table.values()]);
	}

	get size(): number {
		return this.table.size;
	}

	[Symbol.iterator](): IterableIterator<LedgerRow> {
		return this.table.values();
	}

	clear(): void {
		this.table.clear();
	}
}
