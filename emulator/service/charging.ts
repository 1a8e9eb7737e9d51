import type { NumberRow } from "../store/store";
import { timestamp } from "../time/clock";
import { isLive } from "./limits";
import type { Service } from "./service";

/**
 * Returns when a cost counts: now, or at the end of the last invoice if the clock was turned back. So invoices never
 * change.
 */
export const chargedAt = ({ clock, billedUntil }: Service): string => timestamp(Math.max(clock.now(), billedUntil));

/** Records the periods in which a number costs its monthly price. */
export const countMonths = (service: Service, row: NumberRow): NumberRow => {
	const last = row.billed.at(-1);
	const runs = last?.to === null;
	const costs = row.activated_at !== null && isLive(row);
	if (runs === costs) return row;
	const at = chargedAt(service);
	const billed = runs ? row.billed.with(-1, { from: last.from, to: at }) : [...row.billed, { from: at, to: null }];
	return service.store.numbers.put({ ...row, billed });
};
