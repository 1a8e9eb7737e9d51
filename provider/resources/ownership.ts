/** Whose an object is, and what an entry of a state may do with it. */
import { nextStep, TelephonyError } from "../api/errors";
import type { Memory } from "../memory";
import type { Session } from "../session";
import { type Claim, parseReference, type Referenced, sameWho } from "./claim";
import type { Values } from "./properties";

/**
 * The whole set. docs/guarantees.md says what create, update, read, delete and drift do in each case: one that stands in
 * a state changes nothing of it.
 */
export type Ownership =
	/** It carries a lease that this entry has sent. */
	| "ours"
	/** Its reference is empty. */
	| "unclaimed"
	/** Of the same declaration and state, by a run that this entry knows nothing of. */
	| "another attempt's"
	/** Any other reference, readable or not. */
	| "somebody else's"
	/** The service keeps none. */
	| "unknown";

/** @param entry the outputs of the entry; none for a declaration that has no entry yet */
export function ownership(claim: Claim, record: Referenced, entry: Values = {}): Ownership {
	if (!claim.kept || record.reference === undefined) return "unknown";
	// What was bought and never claimed yet is as this entry left it.
	if (record.reference === null || record.reference === "") return entry.lease === "" ? "ours" : "unclaimed";
	const reference = parseReference(record.reference);
	if (reference === undefined) return "somebody else's";
	if (leasesOf(entry).includes(reference.lease)) return "ours";
	const isSame = reference.token === claim.token || reference.token === entry.token;
	return isSame && sameWho(claim, reference) ? "another attempt's" : "somebody else's";
}

/** The leases that an entry has sent, the last one that was answered first: a request that is late may still bring another. */
export const leasesOf = ({ lease, attempts }: Values): string[] =>
	[lease, ...(Array.isArray(attempts) ? attempts : [])].filter((each) => typeof each === "string" && each !== "");

/** What a read keeps of an entry's own writes; `claim` says what the next update mends, and nothing else. */
export const claimOutputs = ({ token, lease, attempts }: Values, state: Ownership): Values => ({
	token,
	lease,
	attempts,
	...(state === "unclaimed" || state === "another attempt's" ? { claim: state } : {}),
});

/** Whether an update is due for it; `planned` is undefined while not all of the program's values are known. Pure. */
export const isToBeClaimed = ({ token, lease, claim }: Values, planned: Claim | undefined): boolean =>
	lease === "" || claim !== undefined || (planned !== undefined && token !== undefined && token !== planned.token);

/** How a message says so; `telephony drift` tells by it. */
export const claimedByAnother = "has been claimed by another stack";

/** How a message says what became of an object; `telephony drift` tells by it. */
export const goneBecause = (reason: string): string => `is gone: ${reason} outside Pulumi`;

export function warnOfClaim({ progress }: Session, props: Values, state: Ownership, what: string): void {
	const urn = String(props.resourceUrn ?? "");
	if (state === "unclaimed")
		progress.warn(urn, `The reference of ${what} was cleared outside Pulumi. The next \`pulumi up\` writes it anew.`);
	if (state === "another attempt's")
		progress.warn(
			urn,
			`${what} was written by a run that this state knows nothing of: a run that was cut short, or one with a newer state. The next \`pulumi up\` writes all that the program declares.`,
		);
	if (state === "somebody else's") progress.warn(urn, `${what} ${claimedByAnother}. ${nextStep("Claimed")}`);
}

/** @throws TelephonyError Claimed */
export function refuseClaimed(claim: Claim, record: Referenced, entry: Values, what: string, memory: Memory): void {
	const isOwn = ownership(claim, record, entry) !== "somebody else's";
	const reference = isOwn ? undefined : parseReference(record.reference);
	if (memory.isTaken(record.id, [claim.token, entry.token], reference?.token))
		throw new TelephonyError(
			"Claimed",
			`${what} belongs to another resource of this program too, which adopted it. Nothing was changed. Remove one of the two; use \`pulumi state delete\` if the object is to stay.`,
		);
	if (!isOwn)
		throw new TelephonyError(
			"Claimed",
			`${what} ${claimedByAnother} since this one wrote it last. Nothing was changed. ${nextStep("Claimed")}`,
		);
}

/**
 * Whether a delete may remove the object; false where somebody else has claimed it, and the entry is only forgotten.
 * @throws TelephonyError Claimed where the object would be left behind, and is this program's
 */
export function mayRemove(session: Session, claim: Claim, props: Values, record: Referenced, what: string): boolean {
	const urn = String(props.resourceUrn ?? "");
	const state = ownership(claim, record, props);
	if (state === "ours" || state === "unknown") return true;
	if (state === "somebody else's") {
		session.progress.warn(
			urn,
			`Kept ${what} and only forgot this entry: its \`reference\` says that somebody else has claimed it. If nobody needs it, remove it in the service's dashboard.`,
		);
		return false;
	}
	const why =
		state === "unclaimed"
			? "its `reference` was cleared outside Pulumi"
			: "a run that this state knows nothing of has written it: a write of this program whose answer was lost, a run that was cut short, or one with a newer state";
	throw new TelephonyError(
		"Claimed",
		`Kept ${what}: ${why}. To remove it, run \`pulumi up --refresh\` while the program declares it, which takes it back, and then remove it again; or remove it in the service's dashboard and run this again. To keep it and only forget the entry, run \`pulumi state delete '${urn}'\`.`,
	);
}
