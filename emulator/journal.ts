import type { ErrorBody } from "../provider/api/contract";
import type { Reply } from "./idempotency";

/** Every call under `/v1`, refused ones too, in order of arrival. */
export interface JournalRow {
	readonly method: string;
	/** With its query, as it came: `/v1/numbers?limit=100`. */
	readonly path: string;
	/** Null while, or if, no answer was sent. */
	status: number | null;
	readonly request_id: string;
	readonly at: string;
	/** Code and message of a refusal. */
	error?: string;
	message?: string;
}

/** What came of a request, for whoever looks at the journal. */
export const recordAnswer = (row: JournalRow, { status, body }: Reply): void => {
	row.status = status;
	if (status < 400) return;
	const { error, message } = (body ?? {}) as Partial<ErrorBody>;
	if (error !== undefined) row.error = error;
	if (message !== undefined) row.message = message;
};

export class Journal {
	#rows: JournalRow[] = [];

	add(row: JournalRow): JournalRow {
		this.#rows.push(row);
		return row;
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
	}
}
