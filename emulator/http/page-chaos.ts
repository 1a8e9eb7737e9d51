import { createHash } from "node:crypto";
import { ServiceError } from "../request/errors";
import type { Service } from "../service/service";
import type { PageTrouble } from "../service/settings";

/** The trouble of one page: the same page of the same list has the same each time. */
export interface Trouble {
	/** Most items on the page. */
	readonly size: number;
	/** No items, but a cursor that leads to them. */
	readonly empty: boolean;
	/** The item before the page's first is repeated, and so is its last. */
	readonly repeats: boolean;
	/** The page's first item has moved to a page that was already read. */
	readonly skips: boolean;
}

/** @throws ServiceError for an expired cursor: that of the second page, in every other scan */
export const troubleAt = (
	service: Service,
	list: string,
	{ after, size, comesEmpty }: { readonly after: number; readonly size: number; readonly comesEmpty: boolean },
): Trouble => {
	const { settings, scans } = service;
	const has = (trouble: PageTrouble) => settings.pageChaos.includes(trouble);
	const first = after === 0 && !comesEmpty;
	if (first) scans.set(list, (scans.get(list) ?? 0) + 1);
	const odd = (scans.get(list) ?? 0) % 2 === 1;
	if (has("expired") && !first && odd) {
		// So that the scan that starts over gets to the end.
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
