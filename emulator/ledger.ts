/**
 * What happened to money: each purchase, release, refused release, restored number
 * and number ported here. The oracle of tests.
 */
export interface LedgerRow {
	readonly kind: "purchase" | "release" | "refusal" | "restore" | "port";
	readonly number_id: string;
	/** The Idempotency-Key sent with the request; null without one and for edits from outside the API. */
	readonly key: string | null;
	readonly request_id: string;
	readonly at: string;
}

export class Ledger {
	#rows: LedgerRow[] = [];

	add(row: LedgerRow): void {
		this.#rows.push(row);
	}

	rows(): LedgerRow[] {
		return structuredClone(this.#rows);
	}

	clear(): void {
		this.#rows = [];
	}
}
