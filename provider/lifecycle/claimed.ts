/** Consequences of a claim: warnings of a read, and refusals of an update. */
import { nextStep, TelephonyError } from "../api/errors";
import { type Identity, isSameState, ownerName, type Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { type Ownership, ownership } from "../ownership/ownership";
import { parseReference } from "../ownership/reference";
import type { Values } from "../properties/table";
import type { Session } from "../session/session";

/** Returns the owner for a read. An imported object that no run has written yet may have no reference. */
export function ownershipRead(claim: Identity, record: Referenced, outs: Values): Ownership {
	const state = ownership(claim, record, outs);
	return state === "vacant" && outs.lease === undefined ? "unknown" : state;
}

export function warnOfClaim({ progress }: Session, { claim, record, outs, what }: Claimed, state: Ownership): void {
	const urn = String(outs.resourceUrn ?? "");
	if (state === "vacant")
		progress.warn(
			urn,
			"reference-cleared",
			`The reference of ${what} was cleared outside Pulumi. Run \`pulumi up --refresh\` to write it again.`,
		);
	if (state === "superseded")
		progress.warn(
			urn,
			"another-attempt",
			`${what} was last written by a run missing from this state: an interrupted one, or one with a newer state. Run \`pulumi up --refresh\` to write what the program declares.`,
		);
	if (state === "foreign")
		progress.warn(
			urn,
			"claimed",
			`${what} was claimed by ${ownerName(record.reference, claim)}. ${nextStep("Claimed")}`,
		);
}

/** An object, and the resource that wants it. */
export interface Claimed {
	readonly claim: Identity;
	readonly record: Referenced;
	/** Outputs in the resource state. */
	readonly outs: Values;
	/** The object's name in messages. */
	readonly what: string;
}

/** Refuses an object that belongs to another resource or stack. @throws TelephonyError Claimed */
export function refuseClaimed(memory: Memory, { claim, record, outs, what }: Claimed): void {
	const state = ownership(claim, record, outs);
	const isOwn = state !== "foreign";
	const isWritten = state === "superseded" || !isOwn;
	// With another lease, the state's old token in the reference may be the one of a new resource with the old name.
	const ownTokens = state === "superseded" ? [claim.token] : [claim.token, outs.token];
	if (memory.isTaken(record.id, ownTokens, isWritten ? parseReference(record.reference)?.token : undefined))
		throw new TelephonyError(
			"Claimed",
			`Another resource of this program also has ${what}. Nothing was changed. Remove one of the two resources. To keep the object, use \`pulumi state delete\`.`,
			{ messageCode: "shared-object" },
		);
	if (!isOwn)
		throw new TelephonyError(
			"Claimed",
			`${what} was claimed by ${ownerName(record.reference, claim)} after the last \`pulumi up\`. Nothing was changed. ${nextStep("Claimed")}`,
		);
}

/** Warns of an update that claims an object of another stack or state: the stack was renamed, or its state was copied. */
export function warnOfMove({ progress }: Session, { claim, record, outs, what }: Claimed): void {
	const reference = parseReference(record.reference);
	if (reference === undefined || outs.lease === undefined || ownership(claim, record, outs) !== "ours") return;
	const isSame = [claim, claim.earlier].some((each) => each !== undefined && isSameState(each, reference));
	if (reference.stackName === claim.stackName && isSame) return;
	progress.warn(
		String(outs.resourceUrn ?? ""),
		"rename",
		`Claimed ${what} for this stack. ${capitalized(ownerName(record.reference, claim))} owned it before. This is expected after a rename. If this state is a copy, remove the resource from one of the two states with \`pulumi state delete\`.`,
	);
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
