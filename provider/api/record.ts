/** Reads the phase of a number or a port order from its record. */
import { numberStatuses, type PortOrderRecord, type PurchaseRecord, unreadFieldsOf } from "./contract";

/** The phase of a number. Of the status values, the service's public description shows only `pending`. */
export type Phase =
	| "pending" // its KYC has not cleared
	| "active" // any status value without another meaning, or none if no KYC is required
	| "unknown" // its KYC is required, and nothing shows whether it has cleared
	| "stopped" // the service must act
	| "ended"; // the account no longer has it, though the service may still show it

const phases: ReadonlyMap<string, Phase> = new Map([
	["pending", "pending"],
	["suspended", "stopped"],
	["porting_out", "stopped"],
	["released", "ended"],
	["releasing", "ended"],
	["ported_out", "ended"],
	["failed", "ended"],
]);

/** The fields of a record or an output that show the phase. */
interface WithStatus {
	readonly status?: unknown;
	readonly state?: unknown;
	readonly kyc?: unknown;
	readonly kyc_required?: unknown;
}

const unshown = "unknown";

/** Statuses of KYC that keep a number without a status pending. */
const uncleared = new Set<unknown>(["action_required", "in_review", "rejected", "expired"]);
const kycOf = ({ kyc }: WithStatus): unknown => (kyc as PurchaseRecord["kyc"])?.status;

/** The seed's prose calls it "state". */
export const statusOf = (record: WithStatus): string =>
	String(record.status ?? record.state ?? (uncleared.has(kycOf(record)) ? "pending" : unshown));

export const showsStatus = (record: WithStatus): boolean => statusOf(record) !== unshown;

/** True for a status value that the contract doesn't have. */
export const isOwnWord = (record: WithStatus): boolean =>
	showsStatus(record) && !(numberStatuses as readonly string[]).includes(statusOf(record));

export function phaseOf(record: WithStatus): Phase {
	if (showsStatus(record)) return phases.get(statusOf(record)) ?? "active";
	return record.kyc_required === true && kycOf(record) === undefined ? "unknown" : "active";
}

/** True for a number that the account no longer has, though the service may still show it. */
export const isReleasedOrFailed = (record: PurchaseRecord): boolean => phaseOf(record) === "ended";

/** True for a trunk, webhook or profile that the account no longer has, though the service may still show it. */
export const isDeleted = ({ status }: { readonly status?: unknown }): boolean =>
	status === "deleted" || status === "deleting";

/** True for a number that must not be released. A value that can't be read may mean so. */
export const isReleaseProtected = (record: PurchaseRecord): boolean =>
	record.release_protection === true || unreadFieldsOf(record).has("release_protection");

/** `+31201234567 (num_01)`, as people and support know it. */
export const nameOf = (record: PurchaseRecord): string =>
	record.number == null ? `${record.id ?? "number without id"}` : `${record.number} (${record.id ?? "without id"})`;

/** Returns the digits without the zeros before a national number. */
const significantDigits = (text: string): string => text.replace(/\D/g, "").replace(/^0+/, "");

/** Countries have codes of one to three digits. */
const longestCountryCode = 3;

/**
 * True for a text that only repeats the object's id or phone number, such as `(415) 555-0101`. A service names new numbers
 * so, and the name claims nothing. The last digits alone may be an extension or a customer's number.
 */
export function repeatsName(text: string, { id, number }: Pick<PurchaseRecord, "id" | "number">): boolean {
	if (text.trim() === id) return true;
	if (/\p{L}/u.test(text)) return false;
	const [short = "", long = ""] = [significantDigits(text), significantDigits(number ?? "")].sort(
		(a, b) => a.length - b.length,
	);
	return short.length >= 6 && long.endsWith(short) && long.length - short.length <= longestCountryCode;
}

export type PortPhase =
	| "draft" // it must be submitted
	| "exception" // the user must correct it
	| "under way" // the carriers must act: any status value without another meaning
	| "completed"
	| "cancelled";

const portPhases: readonly PortPhase[] = ["draft", "exception", "completed", "cancelled"];

/** Takes a record or an output. */
export const portPhaseOf = ({ status }: { readonly status?: unknown }): PortPhase =>
	portPhases.find((phase) => phase === status) ?? "under way";

/** True for an order that is cancelled, or will be. */
export const isCancelled = ({ status }: PortOrderRecord): boolean =>
	status === "cancelled" || status === "cancel_pending";

/** True if the order may still bring its numbers. */
export const isOpenPort = (record: { readonly status?: unknown }): boolean =>
	!["completed", "cancelled"].includes(portPhaseOf(record));
