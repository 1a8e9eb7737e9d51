import { keepUnreadable, unreadableIn } from "./answer";
import { isTelephonyError, type TelephonyError } from "./errors";
import { incomplete, ListRead } from "./paging";

export interface Page<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
}

/** Pages that no other page follows. */
const last = new WeakSet<object>();

export const isLast = (page: object): boolean => last.has(page);

/** Pages in a row with nothing new. A filter may skip many, but such a list has no end. */
const mostVainPages = 1000;

/**
 * Reads the pages of a list, until `next_cursor` is null and nothing else shows that more follows. A page may be short
 * or empty while a cursor remains. Items seen before are dropped (a list that changes while it is read repeats some). A
 * cursor that expires half-way restarts the scan once. Items that can't be read are kept with their page: see
 * `unreadableIn`.
 *
 * @throws TelephonyError `list-incomplete` after the last page that could be read, if it isn't the list's last; also
 * for a repeated cursor, and after a thousand pages in a row with nothing new
 */
export async function* pages<T>(
	fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
	keyOf: (item: T) => string,
): AsyncGenerator<readonly T[], void, undefined> {
	const seen = new Set<string>();
	let scan = new Scan();
	let hasRestarted = false;
	for (;;) {
		let page: Page<T>;
		try {
			page = await fetchPage(scan.cursor);
		} catch (error) {
			const isExpired = isTelephonyError(error) && error.errorCode === "invalid_cursor" && scan.cursor !== undefined;
			if (!isExpired || hasRestarted) throw error;
			hasRestarted = true;
			scan = new Scan();
			continue;
		}
		const fresh = page.data.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
		const kept = keepUnreadable(page.data, fresh);
		const problem = scan.findProblem(page, fresh.length);
		if (page.next_cursor === null && problem === undefined) last.add(kept);
		yield kept;
		if (problem !== undefined) throw problem;
		if (scan.hasEnded) return;
	}
}

/** One scan of a list from its first page. */
class Scan {
	cursor: string | undefined;
	hasEnded = false;
	readonly #cursors = new Set<string>();
	readonly #read = new ListRead();
	/** Pages in a row with nothing new. */
	#vain = 0;

	/** Goes on to the next page. Returns the error if the list has more that can't be read. */
	findProblem({ data, next_cursor }: Page<unknown>, fresh: number): TelephonyError | undefined {
		const count = data.length + unreadableIn(data).length;
		this.#read.add(data, count);
		this.#vain = fresh > 0 ? 0 : this.#vain + 1;
		// After the end, some services repeat the cursor that led there.
		this.hasEnded = next_cursor === null || (count === 0 && next_cursor === this.cursor);
		if (next_cursor === null) return this.#read.findMoreAfter(data);
		if (this.hasEnded) return undefined;
		if (this.#cursors.has(next_cursor)) return incomplete(data, "its cursor repeats an earlier one");
		if (this.#vain >= mostVainPages) return incomplete(data, `its last ${mostVainPages} pages repeat earlier items`);
		this.cursor = next_cursor;
		this.#cursors.add(next_cursor);
		return undefined;
	}
}
