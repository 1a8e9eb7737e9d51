/** What can be read from any record of a number, and where a port order stands. */
import { numberStatuses, type PortOrderRecord, type PurchaseRecord } from "./contract";

/** Where a number stands. Of the words for that, the service's description shows only `pending`. */
export type Phase =
	| "pending" // its KYC has not cleared
	| "active" // any word that isn't known to mean something else, or no word where no KYC is required
	| "untold" // its KYC is required, and nothing shows whether it has cleared
	| "stopped" // the service has to act
	| "gone"; // no longer ours, though the service may still show it

const phases: ReadonlyMap<string, Phase> = new Map([
	["pending", "pending"],
	["suspended", "stopped"],
	["porting_out", "stopped"],
	["released", "gone"],
	["releasing", "gone"],
	["ported_out", "gone"],
	["failed", "gone"],
]);

/** As an answer or an output shows it. */
interface Standing {
	readonly status?: unknown;
	readonly state?: unknown;
	readonly kyc?: unknown;
	readonly kyc_required?: unknown;
}

/** In the place of a status that isn't shown. */
const unshown = "unknown";

/** How KYC stands where it has not cleared, in a record that shows nothing else. */
const uncleared = new Set<unknown>(["action_required", "in_review", "rejected", "expired"]);
const kycOf = ({ kyc }: Standing): unknown => (kyc as PurchaseRecord["kyc"])?.status;

/** The seed's prose calls it "state". */
export const statusOf = (record: Standing): string =>
	String(record.status ?? record.state ?? (uncleared.has(kycOf(record)) ? "pending" : unshown));

export const showsStatus = (record: Standing): boolean => statusOf(record) !== unshown;

/** Whether the service has a word for where it stands that this version doesn't know. */
export const isOwnWord = (record: Standing): boolean =>
	showsStatus(record) && !(numberStatuses as readonly string[]).includes(statusOf(record));

export function phaseOf(record: Standing): Phase {
	if (showsStatus(record)) return phases.get(statusOf(record)) ?? "active";
	return record.kyc_required === true && kycOf(record) === undefined ? "untold" : "active";
}

/** True for a number that is no longer ours, though the service may still show it. */
export const isReleasedOrFailed = (record: PurchaseRecord): boolean => phaseOf(record) === "gone";

/** `+31201234567 (num_01)`, as people and support know it. */
export const nameOf = (record: PurchaseRecord): string =>
	record.number == null ? `${record.id ?? "number without id"}` : `${record.number} (${record.id ?? "without id"})`;

/** Where a port order stands. */
export type PortPhase =
	| "draft" // it is to be submitted
	| "exception" // somebody has to correct it
	| "under way" // the carriers have to act: any word that isn't known to mean something else
	| "completed"
	| "cancelled";

const portPhases: readonly PortPhase[] = ["draft", "exception", "completed", "cancelled"];

/** As an answer or an output shows it. */
export const portPhaseOf = ({ status }: { readonly status?: unknown }): PortPhase =>
	portPhases.find((phase) => phase === status) ?? "under way";

/** Whether it may still bring its numbers. */
export const isOpenPort = (record: PortOrderRecord): boolean =>
	!["completed", "cancelled"].includes(portPhaseOf(record));
