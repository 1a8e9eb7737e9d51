import { isTelephonyError, type TelephonyError } from "./errors";
import { incomplete, type PageSigns, pagingOf } from "./paging";
import { phaseOf } from "./record";
import { keepUnreadable, unreadableIn } from "./response";

export interface Page<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
}

const lastPages = new WeakSet<object>();

/** True for the last page of a list that was read to its end. */
export const isLast = (page: object): boolean => lastPages.has(page);

/** Pages in a row without a new item. A filter may skip many, but such a list has no end. */
const mostVainPages = 1000;

/**
 * Reads the pages of a list until `next_cursor` is null and nothing shows that more follows. A page may be short or
 * empty while a cursor remains. Repeated items are dropped: a list that changes during the scan repeats some. A cursor
 * that expires restarts the scan once. Items that can't be read are kept with their page: see `unreadableIn`.
 *
 * @throws TelephonyError `list-incomplete` after the last readable page, if the list has more. It is also thrown for a
 * repeated cursor, and after a thousand pages in a row without a new item.
 */
export async function* pages<T>(
	fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
	keyOf: (item: T) => string,
): AsyncGenerator<readonly T[], void, undefined> {
	/** True for the keys of items that have ended: a list with its history may show a later object with the same id. */
	const seen = new Map<string, boolean>();
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
		const unseen = page.data.filter((item) => {
			const isShown = seen.has(keyOf(item)) && (hasEnded(item) || seen.get(keyOf(item)) === false);
			if (!isShown) seen.set(keyOf(item), hasEnded(item));
			return !isShown;
		});
		const fresh = unseen.filter((item) => !hasEnded(item) || seen.get(keyOf(item)) === true);
		const kept = keepUnreadable(page.data, fresh);
		const problem = scan.findProblem(page, fresh.length);
		if (page.next_cursor === null && problem === undefined) lastPages.add(kept);
		yield kept;
		if (problem !== undefined) throw problem;
		if (scan.hasEnded) return;
	}
}

const hasEnded = (item: unknown): boolean => phaseOf(item as object) === "ended";

/** One scan of a list from its first page. */
class Scan {
	cursor: string | undefined;
	hasEnded = false;
	readonly #cursors = new Set<string>();
	readonly #read = { items: 0, pages: 0 };
	/** The least value of each total: objects that are created during the scan may be on pages that were read before. */
	readonly #totals = new Map<string, { readonly count: number; readonly of: "items" | "pages" }>();
	/** Pages in a row without a new item. */
	#vain = 0;

	/** Moves on to the next page. Returns the error if the list has more that can't be read. */
	findProblem({ data, next_cursor }: Page<unknown>, fresh: number): TelephonyError | undefined {
		const count = data.length + unreadableIn(data).length;
		const paging = pagingOf(data);
		this.#read.items += count;
		this.#read.pages += 1;
		for (const [name, total] of paging?.signs.totals ?? [])
			if (total.count < (this.#totals.get(name)?.count ?? Number.POSITIVE_INFINITY)) this.#totals.set(name, total);
		this.#vain = fresh > 0 ? 0 : this.#vain + 1;
		// After the end, some services repeat the cursor that led there.
		this.hasEnded = next_cursor === null || (count === 0 && next_cursor === this.cursor);
		if (next_cursor === null) return paging && this.#findMore(data, paging);
		if (this.hasEnded) return undefined;
		if (this.#cursors.has(next_cursor)) return incomplete(data, "its cursor repeats an earlier one");
		if (this.#vain >= mostVainPages) return incomplete(data, `its last ${mostVainPages} pages repeat earlier items`);
		this.cursor = next_cursor;
		this.#cursors.add(next_cursor);
		return undefined;
	}

	/** The error for a page without a cursor that isn't the last one. */
	#findMore(data: readonly unknown[], { signs, isPaged, cursor }: PageSigns): TelephonyError | undefined {
		if (signs.more !== undefined) return incomplete(data, signs.more);
		const sign = isPaged && cursor !== "described" ? this.#missingItems(signs, cursor) : undefined;
		if (sign === undefined) return undefined;
		return incomplete(data, sign, `lists: { ${cursor === "assumed" ? "next: next_cursor" : "paged: false"} }`);
	}

	#missingItems({ isFull, isLast }: PageSigns["signs"], cursor: PageSigns["cursor"]): string | undefined {
		const over = [...this.#totals].find(([, { count, of }]) => count > this.#read[of]);
		if (over !== undefined) {
			const [name, { count, of }] = over;
			return `${name} is ${count}, but the provider read ${this.#read[of]} ${of}`;
		}
		// `count` may count the items of the page.
		const hasTotal = [...this.#totals.keys()].some((name) => !/(^|\.)count$/i.test(name));
		if (!isFull || this.#read.pages > 1 || cursor !== "absent" || isLast || hasTotal) return undefined;
		return `it has ${this.#read.items} items, a full page, and no cursor`;
	}
}
