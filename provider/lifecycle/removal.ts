/** The delete of an object: it is removed, left or kept. */
import { z } from "zod";
import { isTelephonyError } from "../api/errors";
import { ownerName, type Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { type Ownership, ownership } from "../ownership/ownership";
import { formatReference, leftLease } from "../ownership/reference";
import type { Property, Values } from "../properties/table";
import type { SharedReads } from "../reads/reads";
import type { Session } from "../session/session";
import type { Claimed } from "./claimed";

/** The property `onDelete` of objects that cost nothing. */
export const onDeleteProperty = (noun: string): Property => ({
	type: z.enum(["delete", "retain"], "must be delete or retain"),
	description: `Decides what happens to the ${noun} when the resource is deleted: it is deleted, or stays on the account.`,
	otherwise: "`delete`; with `adopt`, `retain`",
	filled: true,
});

/**
 * Writes the resolved `onDelete` into the inputs, so that preview shows it and a later delete finds it in the state.
 * `isCharged` is true if the object costs money, so that the default is the stack's.
 */
export async function resolveOnDelete(
	session: Session,
	inputs: Values,
	{ isAdopted, isCharged }: { readonly isAdopted: boolean; readonly isCharged: boolean },
): Promise<void> {
	if (inputs.onDelete !== undefined) return;
	if (isAdopted) inputs.onDelete = "retain";
	else if (!isCharged) inputs.onDelete = "delete";
	else inputs.onDelete = (await session.config().catch(() => undefined))?.onDelete ?? "retain";
}

/** The outcome of a delete for an object. */
export type Removal =
	/** Another declaration, another owner or a newer write has claimed it. Only the state forgets it. */
	| "claimed"
	/** A resource of this run still declares it. Only the state forgets it. */
	| "declared"
	/** It stays on the account, for any stack to adopt. */
	| "left"
	/** It is released or deleted. */
	| "removed";

/** Decides what a delete does with the object, and warns if only the state forgets it. */
export function removalOf({ progress }: Session, memory: Memory, target: Claimed, isRetained: boolean): Removal {
	const { claim, record, outs, what } = target;
	const removal = expectedRemoval(memory, target, isRetained);
	const urn = String(outs.resourceUrn ?? "");
	if (removal === "declared") {
		// The create that follows finds the object, even without a reference.
		if (memory.holderOf(record.id) === undefined) memory.setHolder(String(outs.token), record.id);
		progress.warn(urn, "kept", `Kept ${what}: this program still declares it. The resource resumes it.`);
	}
	if (removal === "claimed")
		progress.warn(
			urn,
			"claimed",
			`Kept ${what}: ${ownerName(record.reference, claim)} claimed it after the last \`pulumi up\`. It was removed from this state.`,
		);
	return removal;
}

export const expectedRemoval = (
	memory: Memory,
	{ claim, record, outs }: Omit<Claimed, "what">,
	isRetained: boolean,
): Removal =>
	decideRemoval(ownership(claim, record, outs), { isDeclared: isDeclared(memory, record.id, outs), isRetained });

/** `isDeclared`: a resource of this run declares it. `isRetained`: the saved `onDelete` or `releaseProtection` keeps it. */
export function decideRemoval(
	owner: Ownership,
	{ isDeclared, isRetained }: { readonly isDeclared: boolean; readonly isRetained: boolean },
): Removal {
	if (isDeclared) return "declared";
	if (owner === "foreign" || owner === "superseded") return "claimed";
	return isRetained ? "left" : "removed";
}

/** Returns true if a resource of this run has the object, or will resume it. */
function isDeclared(memory: Memory, id: string, { token }: Values): boolean {
	return [memory.holderOf(id), token].some(
		(each) => typeof each === "string" && memory.declares(each) && (memory.idOf(each) ?? id) === id,
	);
}

/**
 * Returns true if a create of this run should have resumed the object, but got another one: the reference was cleared, or
 * the service keeps none. With `adopt`, the other object is intended.
 */
export function isMissed(memory: Memory, id: string, { token }: Values): boolean {
	const declared = typeof token === "string" && memory.declares(token) ? memory.declaredLike(token) : undefined;
	if (declared === undefined || declared.inputs.adopt != null) return false;
	return ![undefined, id].includes(memory.idOf(declared.token));
}

/** Thrown if the service can't remove the object, so that it is left. The message is the warning. */
export class MustStay extends Error {}

interface Leaving extends Claimed {
	readonly reads: Pick<SharedReads<Referenced>, "readCurrent" | "wrote">;
	patch(body: { readonly reference: string }): Promise<unknown>;
}

/** Leaves the object on the account, and marks its reference. Any stack may adopt it. */
export async function leave(memory: Memory, { claim, record, reads, patch }: Leaving): Promise<void> {
	const { id } = record;
	const reference = formatReference(claim, leftLease);
	if (claim.kept && record.reference !== undefined && record.reference !== reference)
		try {
			await patch({ reference });
		} catch (error) {
			reads.wrote(id);
			// The service may refuse a write and carry it out all the same.
			const latest = await reads.readCurrent(id).catch(() => undefined);
			if (latest?.reference !== reference && !isTelephonyError(error, "NotOffered")) throw error;
		}
	reads.wrote(id);
	memory.forget(id);
}
