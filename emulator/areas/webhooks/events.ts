import { isDeepStrictEqual } from "node:util";
import type { eventNames } from "../../../provider/api/contract";
import { numberRecord } from "../../http/normalise";
import { isLive } from "../../service/limits";
import { type Service, timeOf } from "../../service/service";
import type { NumberRow } from "../../store/store";
import { deliver, parcel } from "./deliveries";

export type EventName = (typeof eventNames)[number];

/**
 * Sends an event to every webhook that subscribes to it, and to the URLs of a number or message. `data` is the record as
 * the API shows it.
 */
export const emit = (service: Service, type: EventName, data: unknown, urls: readonly string[] = []): void => {
	const webhooks = [...service.store.webhooks].filter(
		({ status, events }) => status === "enabled" && (events.includes(type) || events.includes("*")),
	);
	const receivers = [...webhooks, ...urls.map((url) => ({ url }))];
	if (receivers.length === 0) return;
	const sent = parcel(service, type, data);
	for (const receiver of receivers) deliver(service, receiver, sent);
};

/** Records the periods in which a number costs its monthly price. */
const countMonths = (service: Service, row: NumberRow): NumberRow => {
	const last = row.billed.at(-1);
	const runs = last?.to === null;
	const costs = row.activated_at !== null && isLive(row);
	if (runs === costs) return row;
	const at = timeOf(service);
	const billed = runs ? row.billed.with(-1, { from: last.from, to: at }) : [...row.billed, { from: at, to: null }];
	return service.store.numbers.put({ ...row, billed });
};

/** Records billing and sends the events of a change. `before` is undefined for a new number. */
export const numberChanged = (service: Service, before: NumberRow | undefined, changed: NumberRow): NumberRow => {
	const after = countMonths(service, changed);
	const became = (status: string) => after.status === status && before?.status !== status;
	const happened: readonly (readonly [EventName, boolean])[] = [
		["number.kyc_updated", before !== undefined && !isDeepStrictEqual(before.kyc, after.kyc)],
		["number.activated", became("active")],
		["number.suspended", became("suspended")],
		["number.released", became("released")],
	];
	const types = happened.flatMap(([type, did]) => (did ? [type] : []));
	if (types.length === 0 || service.store.webhooks.size === 0) return after;
	const data = numberRecord(service, after);
	for (const type of types) emit(service, type, data);
	return after;
};
