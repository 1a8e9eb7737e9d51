/** What follows from ownership: what a read warns about, an update refuses, and a delete keeps. */
import { nextStep, TelephonyError } from "../api/errors";
import { othersMs, pauses, until } from "../api/until";
import { type Identity, isSameState, ownerName, type Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { type Ownership, ownership } from "../ownership/ownership";
import { parseReference } from "../ownership/reference";
import type { Values } from "../properties/table";
import type { Session } from "../session/session";

/** What a read finds. An imported object that no run has written yet is vacant rightly. */
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

/** An object, and the entry that asks for it. */
export interface Claimed {
	readonly claim: Identity;
	readonly record: Referenced;
	/** The entry's outputs. */
	readonly outs: Values;
	/** The object's name in messages. */
	readonly what: string;
}

/** @throws TelephonyError Claimed */
export function refuseClaimed(memory: Memory, { claim, record, outs, what }: Claimed): void {
	const state = ownership(claim, record, outs);
	const isOwn = state !== "foreign";
	const isWritten = state === "superseded" || !isOwn;
	// If the lease isn't this entry's, the entry's old token in the reference may be that of a new resource of its name.
	const own = state === "superseded" ? [claim.token] : [claim.token, outs.token];
	if (memory.isTaken(record.id, own, isWritten ? parseReference(record.reference)?.token : undefined))
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

/** What an update claims that another stack, or this stack elsewhere, claimed before: it was renamed, or its state was copied. */
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

/**
 * Whether another entry of this state holds it under another name. Only that entry's diff says so, and nothing at the
 * service does: it is waited for until the engine has said nothing new for a second. With `--parallel 1` it comes after
 * this create, and is refused then.
 */
export async function isHeldByAnother(session: Session, memory: Memory, claim: Identity, id: string): Promise<boolean> {
	const look = async () => ![undefined, claim.token].includes(memory.holderOf(id));
	return until(session, look, (isHeld) => isHeld || quietMs(session) >= othersMs.diff, { for: pauses.heard });
}

/** How long the engine has said nothing new, ms. What one create has waited for, the next one needn't. */
export function quietMs({ clock, memory }: Session): number {
	const heard = Object.values(memory).reduce((sum, kind) => sum + kind.heard, 0);
	return memory.number.quietFor(heard, clock.now());
}
