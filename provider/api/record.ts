/** What can be read from any record of a number. */
import type { PurchaseRecord } from "./contract";

const unusable = new Set(["released", "releasing", "ported_out", "failed"]);

/** The seed's prose calls it "state". */
export const statusOf = (record: PurchaseRecord): string => record.status ?? record.state ?? "unknown";

/** True for a number that is no longer ours, though the service may still show it. */
export const isReleasedOrFailed = (record: PurchaseRecord): boolean => unusable.has(statusOf(record));

/** `+31201234567 (num_01)`, as people and support know it. */
export const nameOf = (record: PurchaseRecord): string =>
	record.number == null ? `${record.id ?? "number without id"}` : `${record.number} (${record.id ?? "without id"})`;
