/** Finds out how the service pages its lists. */
import { at, type Json } from "../../provider/api/json";
import type { Checkup } from "./checkup";
import { type Exchange, isBusy, isOk } from "./exchange";
import { about } from "./finding";
import { cursors } from "./names";

/** Reads two pages: of one number each, if the list takes a limit. A cursor under a wrong name shows the first page again. */
export async function readPages(checkup: Checkup, list: Exchange): Promise<void> {
	const { description, items } = checkup.known;
	const limit = description.lists?.limit ?? "limit";
	const hasPages = limit !== false && items(list).length > 1;
	const first = hasPages ? await checkup.ask("listNumbers", { query: { limit: 1 } }) : list;
	if (limit !== false) {
		const finding = about("size of a page", `${limit}=100`);
		const { length } = items(first);
		// A page of another size doesn't show that the list is complete.
		const isIgnored = hasPages && !isBusy(first) && length > 1;
		const seen = `ignored: ${length} items for a page of 1`;
		checkup.add(isIgnored ? finding.state(seen, { lists: { limit: false } }) : finding.holds());
	}
	const cursor = at(first.json, description.lists?.next ?? "next_cursor");
	if (!isOk(first) || typeof cursor !== "string" || cursor === "") return;
	const query = hasPages ? { limit: 1, cursor } : { cursor };
	await readSecondPage(checkup, items(first)[0], query);
}

async function readSecondPage(
	checkup: Checkup,
	firstItem: Json | undefined,
	query: Readonly<Record<string, string | number>>,
): Promise<void> {
	const stated = checkup.known.description.lists?.cursor;
	const assumed = stated ?? "cursor";
	const finding = about("parameter for the next page", assumed);
	let isTested = false;
	// A document's `page` is the number of a page. Here the second page shows if it is a cursor.
	for (const name of stated === undefined ? [assumed, ...cursors, "page"] : [stated]) {
		const words = { lists: { cursor: name } };
		const page = await checkup.ask("listNumbers", { query, instead: name, words });
		const [item] = checkup.known.items(page);
		if (isOk(page) && item !== undefined && JSON.stringify(item) !== JSON.stringify(firstItem))
			return checkup.add(name === assumed ? finding.holds() : finding.state(name, words));
		isTested ||= !isBusy(page);
	}
	if (isTested)
		checkup.add(
			finding.decide("the first page again", "set lists.cursor: an incomplete list stops purchases and creations"),
		);
}
