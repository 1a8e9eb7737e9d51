import { keepUnreadable } from "./answer";
import { isTelephonyError, nextStep, TelephonyError } from "./errors";

export interface Page<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
}

/** Pages that no other page follows. */
const last = new WeakSet<object>();

export const isLast = (page: object): boolean => last.has(page);

/** Pages in a row with nothing new. A filter may skip many, but a list that goes on like that has no end. */
const mostVainPages = 1000;

/**
 * The pages of a list, until `next_cursor` is null. A page may be short or empty while a cursor remains. Items seen
 * before are dropped (a list that changes while it is read repeats some). A repeated cursor ends the walk, which would
 * go round for ever, and a cursor that expired half-way restarts it once. Items that can't be read are kept with their
 * page: see `unreadableIn`.
 *
 * @throws TelephonyError ContractMismatch when a thousand pages in a row hold nothing new
 */
export async function* pages<T>(
	fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
	keyOf: (item: T) => string,
): AsyncGenerator<readonly T[], void, undefined> {
	const seen = new Set<string>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	let restarted = false;
	for (let vain = 0; vain < mostVainPages; vain++) {
		let page: Page<T>;
		try {
			page = await fetchPage(cursor);
		} catch (error) {
			if (!isTelephonyError(error) || error.errorCode !== "invalid_cursor" || cursor === undefined || restarted) {
				throw error;
			}
			restarted = true;
			cursor = undefined;
			cursors.clear();
			continue;
		}
		const fresh = page.data.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
		if (fresh.length > 0) vain = 0;
		const kept = keepUnreadable(page.data, fresh);
		if (page.next_cursor === null) last.add(kept);
		yield kept;
		if (page.next_cursor === null || cursors.has(page.next_cursor)) return;
		cursor = page.next_cursor;
		cursors.add(cursor);
	}
	const message = `A list does not end: its last ${mostVainPages} pages had nothing new. ${nextStep("ContractMismatch")}`;
	throw new TelephonyError("ContractMismatch", message);
}
