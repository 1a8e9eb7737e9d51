/** The owner of an object, by its reference and a resource state. */
import type { MessageCode } from "../api/message-codes";
import { openIn, openOutputs } from "../properties/open";
import type { Values } from "../properties/table";
import { type Identity, isSameStack, isSameState, type Referenced } from "./claim";
import { isCutFrom, parseReference, type Reference, retainedLease } from "./reference";

/** docs/guarantees.md has the behavior of create, update, read, delete and drift in each case. */
export type Ownership =
	/** The reference has a lease that this state has sent. */
	| "ours"
	/** The reference is empty. */
	| "vacant"
	/** The reference names this declaration and owner, with the lease of a run that this state doesn't know. */
	| "superseded"
	/** Any other reference, readable or not. */
	| "foreign"
	/** The service keeps no references. */
	| "unknown";

/** @param outs the saved outputs; none for a declaration without a state */
export function ownership(claim: Identity, record: Referenced, outs: Values = {}): Ownership {
	if (!claim.kept || record.reference === undefined) return "unknown";
	// An object that was bought but not claimed yet is as this state left it.
	if (isUnclaimed(record, outs)) return outs.lease === "" ? "ours" : "vacant";
	const reference = wholeReference(record, claim, outs);
	if (reference === undefined) return ownershipOfCut(claim, record, outs);
	const isRetained = reference.lease === retainedLease;
	if (hasSent(outs, reference)) return "ours";
	// An imported object that its stack has retained can be claimed.
	if (isRetained && outs.token !== undefined && outs.lease === undefined) return "vacant";
	// Another stack may have taken the old name of a renamed or moved state. It no longer wants the object that it has retained.
	const isFree = isSameStack(claim, reference) || isRetained;
	const isSame = reference.token === claim.token || (reference.token === outs.token && isFree);
	return isSame && isSameState(claim, reference) ? "superseded" : "foreign";
}

/** True if the reference is empty, or the one that the service gave the object when this state bought it. */
const isUnclaimed = ({ reference }: Referenced, outs: Values): boolean =>
	!reference || (outs.lease === "" && reference === openIn(outs).given);

/** Returns undefined also if the service shows a token of this declaration with other letters or blanks. */
function wholeReference(record: Referenced, claim: Identity, outs: Values): Reference | undefined {
	const reference = parseReference(record.reference);
	const token = reference?.token ?? "";
	const isRespelled = [claim.token, outs.token].some(
		(sent) => typeof sent === "string" && sent !== token && sent.toLowerCase() === token.trim().toLowerCase(),
	);
	return isRespelled ? undefined : reference;
}

/** Returns the owner of an object whose reference isn't as it was sent: the service may have cut or respelled it. */
function ownershipOfCut(claim: Identity, { reference }: Referenced, { token }: Values): Ownership {
	const tokens = typeof token === "string" ? [claim.token, token] : [claim.token];
	if (!tokens.some((candidate) => isCutFrom(reference, { token: candidate, state: claim.state }))) return "foreign";
	return token === undefined ? "superseded" : "ours";
}

/** True if the state has sent the reference. Every stack retains objects under one lease, so that one needs the token too. */
const hasSent = (outs: Values, { lease, token }: Reference): boolean =>
	leasesOf(outs).includes(lease) && (lease !== retainedLease || token === outs.token);

/** Returns the leases that a state has sent, the last confirmed one first. A late request may still bring another. */
function leasesOf(outs: Values): readonly string[] {
	const { leases } = openIn(outs);
	return typeof outs.lease === "string" && outs.lease !== "" ? [outs.lease, ...leases] : leases;
}

/** Returns what a read keeps of the state's own writes. The next write claims a vacant object, and rewrites a superseded one. */
export function claimOutputs(outs: Values, state: Ownership): Values {
	const { token, lease } = outs;
	const isVacant = state === "vacant" && lease !== undefined;
	const { leases, isDirty, unapplied, given } = openIn(outs);
	return {
		token,
		lease: isVacant ? "" : lease,
		...openOutputs({
			leases: isVacant ? leasesOf(outs) : leases,
			isDirty: isDirty || state === "superseded",
			unapplied,
			...(lease === "" && state === "ours" && { given }),
		}),
	};
}

/** True if an update is to write the claim. `planned` is undefined while some values are unknown. */
export function isToBeClaimed(outs: Values, planned: Identity | undefined): boolean {
	const { token, lease } = outs;
	const isRenamed = planned !== undefined && token !== undefined && token !== planned.token;
	return lease === "" || openIn(outs).isDirty || isRenamed;
}

/** The ways to lose an object outside Pulumi: the code of the warning, and the word for people. */
export const losses = {
	released: { code: "released-outside", word: "released" },
	ported_out: { code: "ported-out", word: "ported out" },
	failed: { code: "number-failed", word: "failed" },
	removed: { code: "removed-outside", word: "removed" },
} as const satisfies Record<string, { readonly code: MessageCode; readonly word: string }>;

/** Returns the loss that a number's status shows. */
export const lossOf = (status: string) =>
	Object.entries(losses).find(([name]) => name === status)?.[1] ?? losses.released;

export const lossText = (word: string): string =>
	word === "failed" ? "failed at the service" : `was ${word} outside Pulumi`;
