/** Who owns an object, and what an entry of a state may do with it. */

import type { MessageCode } from "../api/message-codes";
import { openIn, openOutputs } from "../properties/open";
import type { Values } from "../properties/table";
import { type Identity, isSameState, type Referenced } from "./claim";
import { leftLease, parseReference } from "./reference";

/**
 * The complete set. docs/guarantees.md says what create, update, read, delete and drift do in each case. A
 * verdict in a state doesn't change that.
 */
export type Ownership =
	/** It carries a lease that this entry has sent. */
	| "ours"
	/** Its reference is empty. */
	| "vacant"
	/** Same declaration and state, but written by a run that this entry doesn't know. */
	| "superseded"
	/** Any other reference, readable or not. */
	| "foreign"
	/** The service keeps no references. */
	| "unknown";

/** @param entry the outputs of the entry; none for a declaration that has no entry yet */
export function ownership(claim: Identity, record: Referenced, entry: Values = {}): Ownership {
	if (!claim.kept || record.reference === undefined) return "unknown";
	// An object that was bought but not claimed yet is as this entry left it.
	if (record.reference === null || record.reference === "") return entry.lease === "" ? "ours" : "vacant";
	const reference = parseReference(record.reference);
	if (reference === undefined) return "foreign";
	if (leasesOf(entry).includes(reference.lease)) return "ours";
	// An imported object that its stack has left is this entry's to claim.
	if (reference.lease === leftLease && entry.token !== undefined && entry.lease === undefined) return "vacant";
	// Under the old name of a stack that was renamed, another stack may write by now.
	const isHome = reference.home === claim.home;
	const isSame = reference.token === claim.token || (reference.token === entry.token && isHome);
	return isSame && isSameState(claim, reference) ? "superseded" : "foreign";
}

/** The leases that an entry has sent, the last confirmed one first. A late request may still bring another. */
export function leasesOf(entry: Values): readonly string[] {
	const { leases } = openIn(entry);
	return typeof entry.lease === "string" && entry.lease !== "" ? [entry.lease, ...leases] : leases;
}

/** Returns what a read keeps of the state's own writes. The next write claims a vacant object, and rewrites a superseded one. */
export function claimOutputs(entry: Values, state: Ownership): Values {
	const { token } = entry;
	const isVacant = state === "vacant" && entry.lease !== undefined;
	const { leases, isDirty } = openIn(entry);
	return {
		token,
		lease: isVacant ? "" : entry.lease,
		...openOutputs({ leases: isVacant ? leasesOf(entry) : leases, isDirty: isDirty || state === "superseded" }),
	};
}

/** True if an update is to write the claim. `planned` is undefined while some values are unknown. */
export function isToBeClaimed(entry: Values, planned: Identity | undefined): boolean {
	const { token, lease } = entry;
	const isRenamed = planned !== undefined && token !== undefined && token !== planned.token;
	return lease === "" || openIn(entry).isDirty || isRenamed;
}

/** The ways to lose an object outside Pulumi: the code of the warning, and the word for people. */
export const losses = {
	released: { code: "released-outside", word: "released" },
	ported_out: { code: "ported-out", word: "ported out" },
	failed: { code: "number-failed", word: "failed" },
	removed: { code: "removed-outside", word: "removed" },
} as const satisfies Record<string, { readonly code: MessageCode; readonly word: string }>;

/** For the status of a number that is no longer ours. */
export const lossOf = (status: string) =>
	Object.entries(losses).find(([name]) => name === status)?.[1] ?? losses.released;

export const lossText = (word: string): string =>
	word === "failed" ? "failed at the service" : `was ${word} outside Pulumi`;
