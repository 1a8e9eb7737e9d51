/** Whose an object is, and what an entry of a state may do with it. */

import type { Values } from "../properties/table";
import { type Claim, parseReference, type Referenced, sameWho } from "./claim";

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
