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
export function ownership(claim: Identity, record: Referenced, outs: Values = {}): Ownership {
	if (!claim.kept || record.reference === undefined) return "unknown";
	// An object that was bought but not claimed yet is as this entry left it.
	if (record.reference === null || record.reference === "") return outs.lease === "" ? "ours" : "vacant";
	const reference = parseReference(record.reference);
	if (reference === undefined) return "foreign";
	if (leasesOf(outs).includes(reference.lease)) return "ours";
	// An imported object that its stack has left is this entry's to claim.
	if (reference.lease === leftLease && outs.token !== undefined && outs.lease === undefined) return "vacant";
	// Under the old name of a stack that was renamed, another stack may write by now.
	const isSameStack = reference.stackName === claim.stackName;
	const isSame = reference.token === claim.token || (reference.token === outs.token && isSameStack);
	return isSame && isSameState(claim, reference) ? "superseded" : "foreign";
}

/** The leases that an entry has sent, the last confirmed one first. A late request may still bring another. */
export function leasesOf(outs: Values): readonly string[] {
	const { leases } = openIn(outs);
	return typeof outs.lease === "string" && outs.lease !== "" ? [outs.lease, ...leases] : leases;
}

/** Returns what a read keeps of the state's own writes. The next write claims a vacant object, and rewrites a superseded one. */
export function claimOutputs(outs: Values, state: Ownership): Values {
	const { token } = outs;
	const isVacant = state === "vacant" && outs.lease !== undefined;
	const { leases, isDirty } = openIn(outs);
	return {
		token,
		lease: isVacant ? "" : outs.lease,
		...openOutputs({ leases: isVacant ? leasesOf(outs) : leases, isDirty: isDirty || state === "superseded" }),
	};
}

/** True if an update is to write the claim. `planned` is undefined while some values are unknown. */
export function isToBeClaimed(outs: Values, planned: Identity | undefined): boolean {
	const { token, lease } = outs;
	const isRenamed = planned !== undefined && token !== undefined && token !== planned.token;
	return lease === "" || openIn(outs).isDirty || isRenamed;
}

/** The ways to lose an object outside Pulumi: the code of the warning, and a word for people. */
export const losses = {
	released: { code: "released-outside", word: "released" },
	ported_out: { code: "ported-out", word: "ported out" },
	failed: { code: "number-failed", word: "failed" },
	removed: { code: "removed-outside", word: "removed" },
} as const satisfies Record<string, { readonly code: MessageCode; readonly word: string }>;

/** For the status of a number that is no longer ours. */
export const lossOf = (status: string) =>
	Object.entries(losses).find(([name]) => name === status)?.[1] ?? losses.released;

export const goneBecause = (reason: string): string => `is gone: ${reason} outside Pulumi`;
