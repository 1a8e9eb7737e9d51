/** Every call under `/v1`, refused ones too, in order of arrival. */
export interface JournalRow {
	readonly method: string;
	/** With its query, as it came: `/v1/numbers?limit=100`. */
	readonly path: string;
	/** Null while, or if, no answer was sent. */
	status: number | null;
	readonly request_id: string;
	readonly at: string;
}

export class Journal {
	#rows: JournalRow[] = [];

	add(row: JournalRow): JournalRow {
		this.#rows.push(row);
		return row;
	}

	rows(): JournalRow[] {
		return structuredClone(this.#rows);
	}

	clear(): void {
		this.#rows = [];
	}
}
