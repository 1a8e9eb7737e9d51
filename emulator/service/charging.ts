import type { NumberRow } from "../store/store";
import { isLive } from "./limits";
import { type Service, timeOf } from "./service";

/** Records the periods in which a number costs its monthly price. */
export const countMonths = (service: Service, row: NumberRow): NumberRow => {
	const last = row.billed.at(-1);
	const runs = last?.to === null;
	const costs = row.activated_at !== null && isLive(row);
	if (runs === costs) return row;
	const at = timeOf(service);
	const billed = runs ? row.billed.with(-1, { from: last.from, to: at }) : [...row.billed, { from: at, to: null }];
	return service.store.numbers.put({ ...row, billed });
};
