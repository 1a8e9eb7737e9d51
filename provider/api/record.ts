/** What is read off a number's record, wherever it comes from. */
import type { PurchaseRecord } from "./contract";

const unusable = new Set(["released", "releasing", "ported_out", "failed"]);

/** The seed's prose calls it "state". */
export const statusOf = (record: PurchaseRecord): string => record.status ?? record.state ?? "unknown";

/** True for what no longer is a number of ours, though the service may still show it. */
export const isReleasedOrFailed = (record: PurchaseRecord): boolean => unusable.has(statusOf(record));

/** `+31201234567 (num_01)`, as people and support know it. */
export const nameOf = (record: PurchaseRecord): string =>
	record.number == null ? `${record.id ?? "number without id"}` : `${record.number} (${record.id ?? "without id"})`;
