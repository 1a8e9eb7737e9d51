import { keepUnreadable } from "./answer";
import { isTelephonyError, nextStep, TelephonyError } from "./errors";

export interface Page<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
}

/** In a row: a filter may pass over many, but a list that goes on and on with nothing new has no end. */
const mostVainPages = 1000;

/**
 * The pages of a list, until `next_cursor` is null. A page may be short or empty while a cursor remains. Items seen
 * before are dropped (a list that changes while it is read repeats some), a repeated cursor ends the walk instead of
 * going round for ever, and a cursor that expired half-way restarts it once. What can't be read stands beside the items
 * of its page: see `unreadableIn`.
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
		yield keepUnreadable(page.data, fresh);
		if (page.next_cursor === null || cursors.has(page.next_cursor)) return;
		cursor = page.next_cursor;
		cursors.add(cursor);
	}
	const message = `A list does not end: its last ${mostVainPages} pages held nothing new. ${nextStep("ContractMismatch")}`;
	throw new TelephonyError("ContractMismatch", message);
}
