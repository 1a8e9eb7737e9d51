import { isTelephonyError } from "./errors";

export interface Page<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
}

/**
 * The pages of a list, until `next_cursor` is null. A page may be short or empty while a cursor remains. Items seen
 * before are dropped (a list that changes while it is read repeats some), a repeated cursor ends the walk instead of
 * going round for ever, and a cursor that expired half-way restarts it once.
 */
export async function* pages<T>(
	fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
	keyOf: (item: T) => string,
): AsyncGenerator<readonly T[], void, undefined> {
	const seen = new Set<string>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	let restarted = false;
	for (;;) {
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
		yield page.data.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
		if (page.next_cursor === null || cursors.has(page.next_cursor)) return;
		cursor = page.next_cursor;
		cursors.add(cursor);
	}
}
