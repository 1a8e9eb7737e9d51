import { createHash } from "node:crypto";
import { ServiceError } from "../request/errors";
import type { Service } from "../service/service";
import type { PageTrouble } from "../service/settings";

/** The faults of one page; the same each time for the same page of a list. */
export interface Trouble {
	/** Highest number of items. */
	readonly size: number;
	/** True if the page has no items, but a cursor that leads to them. */
	readonly empty: boolean;
	/** True if the page repeats the item before it and its own last item. */
	readonly repeats: boolean;
	/** True if the first item has moved to a page already read. */
	readonly skips: boolean;
}

/** @throws ServiceError for an expired cursor: on the second page of every other scan */
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
		// The scan that starts again reaches its end.
		scans.set(list, (scans.get(list) ?? 0) + 2);
		throw new ServiceError("invalid_cursor", "The cursor has expired: start from the first page.");
	}
	const [dice = 0, secondDice = 0] = createHash("sha256").update(`${list} ${after}`).digest();
	return {
		size: has("short") ? 1 + (dice % size) : size,
		empty: has("empty") && !comesEmpty && secondDice % 2 === 1,
		repeats: has("duplicated"),
		skips: has("moved") && after > 0 && odd,
	};
};
