import { createHash } from "node:crypto";
import { ServiceError } from "../request/errors";
import type { Service } from "../service/service";
import type { PageTrouble } from "../service/settings";

/** What goes wrong with one page. The same page of the same list has the same trouble each time it is asked for. */
export interface Trouble {
	/** At most so many items. */
	readonly size: number;
	/** No items at all, but a cursor that leads on to them. */
	readonly empty: boolean;
	/** The item before the page's first comes again, and so does its last. */
	readonly repeats: boolean;
	/** The page's first item has moved to one that has been read already. */
	readonly skips: boolean;
}

/** @throws ServiceError for a cursor that expires on the way: the second page's, of every other scan. */
export const troubleAt = (
	service: Service,
	list: string,
	after: number,
	size: number,
	comesEmpty: boolean,
): Trouble => {
	const { settings, scans } = service;
	const has = (trouble: PageTrouble) => settings.pageChaos.includes(trouble);
	const first = after === 0 && !comesEmpty;
	if (first) scans.set(list, (scans.get(list) ?? 0) + 1);
	const odd = (scans.get(list) ?? 0) % 2 === 1;
	if (has("expired") && !first && odd) {
		// So that the scan which begins anew runs through.
		scans.set(list, (scans.get(list) ?? 0) + 2);
		throw new ServiceError("invalid_cursor", "The cursor is no longer valid: start from the first page.");
	}
	const [dice = 0, other = 0] = createHash("sha256").update(`${list} ${after}`).digest();
	return {
		size: has("short") ? 1 + (dice % size) : size,
		empty: has("empty") && !comesEmpty && other % 2 === 1,
		repeats: has("duplicated"),
		skips: has("moved") && after > 0 && odd,
	};
};
