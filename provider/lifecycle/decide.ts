/**
 * The decisions of create, update and delete for every kind of object: pure functions from facts to an action. acquire.ts,
 * lifecycle.ts and end.ts carry the actions out, `telephony plan` prints them, and messages.ts puts them into words.
 */
import {
	type Claims,
	declarationOf,
	findClaims,
	type Identity,
	isSameStack,
	isSameState,
	type Referenced,
} from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { type Ownership, ownership } from "../ownership/ownership";
import { isCutFrom, isRetained, parseReference } from "../ownership/reference";
import { instantOf } from "../properties/canonical";
import type { Values } from "../properties/table";

// ---- Create -----------------------------------------------------------------------------------------------------------

/** The rules of one kind of object that a create depends on. */
export interface CreateRules<R extends Referenced> {
	/** True if `adopt` names the object, although not by its id. */
	isNamed?(record: R, wanted: string): boolean;
	/** True if a list leaves out values that can rule a candidate out. */
	isPartlyListed?(record: R): boolean;
	/** True for an object that no declaration can have any longer. */
	isOver(record: R): boolean;
	/** Returns why the object can't become what the program declares; undefined if it can. */
	contradiction(record: R): string | undefined;
}

export interface CreateFacts<R extends Referenced> {
	readonly claim: Identity;
	/** The value of `adopt`. */
	readonly adopt: string | undefined;
	/** Every live object, as the list shows it. */
	readonly live: readonly R[];
	/** Objects that were read alone since then, by id; undefined for one that the account doesn't have. */
	readonly reads: ReadonlyMap<string, R | undefined>;
	/** True if the service keeps references. */
	readonly isReferenced: boolean;
	/** True if keys and references show what an interrupted run made. */
	readonly isTraceable: boolean;
	/** Objects of which one may be that of a resource that was renamed, and that the engine replaces in the same run. */
	readonly renamed: readonly R[];
	/** Listed objects that nobody claims and that an interrupted run may have made. */
	readonly candidates: readonly R[];
	readonly memory: Pick<Memory, "idOf" | "isOthers" | "isTaken">;
	readonly rules: CreateRules<R>;
}

/** Why a create is refused. */
export type CreateRefusal<R extends Referenced> =
	/** `adopt` names no object of the account, or one that has ended. */
	| { readonly why: "adopt-absent"; readonly wanted: string; readonly record?: R | undefined }
	| { readonly why: "adopt-contradicts"; readonly record: R; readonly contradiction: string }
	/** Another resource of this program has the object. */
	| { readonly why: "adopt-shared"; readonly record: R }
	| { readonly why: "adopt-claimed"; readonly record: R }
	/** Several objects carry this declaration's claim. */
	| { readonly why: "several"; readonly records: readonly R[] }
	/** The state has an object for the resource under another name, and it may be one of these. */
	| { readonly why: "renamed"; readonly records: readonly R[] }
	/** The declaration of this name in another state has claimed the object. */
	| { readonly why: "another-state"; readonly record: R }
	| { readonly why: "resume-contradicts"; readonly record: R; readonly contradiction: string }
	/** One of the objects may be this declaration's. */
	| { readonly why: "uncertain"; readonly records: readonly R[] };

export type CreateAction<R extends Referenced> =
	/** The object has to be read alone before the decision: a list is never enough to claim it. */
	| { readonly do: "read"; readonly id: string; readonly isListed: boolean; readonly isPartial?: boolean }
	| { readonly do: "adopt"; readonly record: R }
	| { readonly do: "resume"; readonly record: R; readonly why: "retained" | "interrupted" }
	/** Nothing on the account belongs to the declaration. */
	| { readonly do: "make" }
	| { readonly do: "refuse"; readonly refusal: CreateRefusal<R> };

export function decideCreate<R extends Referenced>(facts: CreateFacts<R>): CreateAction<R> {
	if (facts.adopt !== undefined) return decideAdoption(facts, facts.adopt.trim());
	const resumed = decideResume(facts);
	if (resumed !== undefined) return resumed;
	if (facts.renamed.length > 0) return refuse({ why: "renamed", records: facts.renamed });
	const { candidates: records, isTraceable, reads, rules } = facts;
	if (records.length === 0 || isTraceable) return { do: "make" };
	const partial = records.find((record) => rules.isPartlyListed?.(record) && !reads.has(record.id));
	return partial
		? { do: "read", id: partial.id, isListed: true, isPartial: true }
		: refuse({ why: "uncertain", records });
}

const refuse = <R extends Referenced>(refusal: CreateRefusal<R>): CreateAction<R> => ({ do: "refuse", refusal });

function decideAdoption<R extends Referenced>(facts: CreateFacts<R>, wanted: string): CreateAction<R> {
	const { claim, live, reads, memory, rules } = facts;
	const isWanted = (record: R) => record.id === wanted || rules.isNamed?.(record, wanted) === true;
	const listed = live.find(isWanted);
	const id = listed?.id ?? wanted;
	if (!reads.has(id)) return { do: "read", id, isListed: listed !== undefined };
	const record = reads.get(id);
	if (record === undefined || rules.isOver(record) || !isWanted(record))
		return refuse({ why: "adopt-absent", wanted, record });
	const contradiction = rules.contradiction(record);
	if (contradiction !== undefined) return refuse({ why: "adopt-contradicts", record, contradiction });
	if (memory.isTaken(record.id, [claim.token])) return refuse({ why: "adopt-shared", record });
	return isFree(claim, record) ? { do: "adopt", record } : refuse({ why: "adopt-claimed", record });
}

/** True if the object is unclaimed, retained, or claimed by this very declaration, perhaps on another machine. */
export function isFree(claim: Identity, { reference: text }: Referenced): boolean {
	if (!text || isRetained(text) || isCutFrom(text, claim)) return true;
	const reference = parseReference(text);
	const declarations = [claim, claim.earlier].map((identity) => identity && declarationOf(identity));
	return reference !== undefined && declarations.includes(declarationOf(reference));
}

/** Returns the action for an object that already belongs to this declaration; undefined if there is none. */
function decideResume<R extends Referenced>(facts: CreateFacts<R>): CreateAction<R> | undefined {
	const { claim, reads, memory, rules } = facts;
	const found = facts.isReferenced ? findReferenced(facts) : findHeld(facts);
	// After a rename, another resource holds an object of this claim, and the old name is declared again.
	const claimed = found.claimed.filter(({ id }) => !memory.isOthers(claim.token, id));
	const [listed, ...more] = claimed;
	if (more.length > 0) return refuse({ why: "several", records: claimed });
	if (found.claimed.length === 0 && found.foreign !== undefined)
		return refuse({ why: "another-state", record: found.foreign });
	if (listed === undefined) return undefined;
	if (!reads.has(listed.id)) return { do: "read", id: listed.id, isListed: true };
	const record = reads.get(listed.id);
	if (record === undefined || rules.isOver(record) || isClaimedSince(record, listed)) return undefined;
	const contradiction = rules.contradiction(record);
	if (contradiction !== undefined) return refuse({ why: "resume-contradicts", record, contradiction });
	return { do: "resume", record, why: isRetained(record.reference) ? "retained" : "interrupted" };
}

/** A resource that was renamed and is replaced in one run still has its object under the old name. */
function findReferenced<R extends Referenced>({ claim, live, memory }: CreateFacts<R>): Claims<R> {
	const found = findClaims(claim, live);
	if (found.claimed.length > 0 || found.foreign !== undefined) return found;
	const id = memory.idOf(claim.token);
	const isOwn = ({ reference: text }: R) => {
		const reference = parseReference(text);
		return reference !== undefined && isSameState(claim, reference);
	};
	return { claimed: live.filter((record) => record.id === id && isOwn(record)) };
}

/** The objects of this stack with the criteria of a declaration that no resource of this run has. */
export function undeclaredLike<R extends Referenced>(
	claim: Identity,
	live: readonly R[],
	memory: Pick<Memory, "declares" | "holderOf">,
): readonly R[] {
	const criteria = criteriaOf(claim.token);
	return live.filter(({ id, reference: text }) => {
		const reference = parseReference(text);
		if (reference === undefined || isRetained(text) || criteriaOf(reference.token) !== criteria) return false;
		const isDeclared = [reference.token, memory.holderOf(id)].some((token) => token && memory.declares(token));
		return !isDeclared && isSameState(claim, reference) && isSameStack(claim, reference);
	});
}

/** Returns the second part of a token. */
const criteriaOf = (token: string): string => token.split(".")[1] ?? "";

/**
 * Without references, only this state shows which object is the declaration's. Claims from before the program declared that
 * the service keeps none still count, perhaps cut.
 */
function findHeld<R extends Referenced>({ claim, live, memory }: CreateFacts<R>): Claims<R> {
	const id = memory.idOf(claim.token);
	const { claimed } = findClaims(claim, live);
	return { claimed: live.filter((record) => record.id === id || claimed.includes(record)) };
}

/** True if another declaration has claimed the object since the list was read. An older response shows no such claim. */
function isClaimedSince(record: Referenced, listed: Referenced): boolean {
	const current = parseReference(record.reference)?.token;
	const before = parseReference(listed.reference)?.token;
	const isOlder = instantOf(record.updated_at) < instantOf(listed.updated_at);
	return Boolean(record.reference) && current !== before && !isOlder;
}

// ---- Update -----------------------------------------------------------------------------------------------------------

export interface UpdateFacts {
	readonly claim: Identity;
	/** The object as it was just read. */
	readonly record: Referenced;
	/** The saved outputs. */
	readonly outs: Values;
	readonly memory: Pick<Memory, "isTaken">;
}

export type UpdateAction =
	/** `isMove`: the claim names another stack or state, so the stack was renamed or its state was copied. */
	| { readonly do: "write"; readonly isMove: boolean }
	/** `shared`: another resource of this program has the object. `claimed`: another stack or program has it. */
	| { readonly do: "refuse"; readonly why: "shared" | "claimed" };

export function decideUpdate({ claim, record, outs, memory }: UpdateFacts): UpdateAction {
	const owner = ownership(claim, record, outs);
	const reference = parseReference(record.reference);
	const isWrittenElsewhere = owner === "superseded" || owner === "foreign";
	// With another lease, the state's old token in the reference may be the one of a new resource with the old name.
	const ownTokens = owner === "superseded" ? [claim.token] : [claim.token, outs.token];
	if (memory.isTaken(record.id, ownTokens, isWrittenElsewhere ? reference?.token : undefined))
		return { do: "refuse", why: "shared" };
	if (owner === "foreign") return { do: "refuse", why: "claimed" };
	if (reference === undefined || outs.lease === undefined || owner !== "ours") return { do: "write", isMove: false };
	const isSame = [claim, claim.earlier].some((identity) => identity !== undefined && isSameState(identity, reference));
	return { do: "write", isMove: !isSameStack(claim, reference) || !isSame };
}

// ---- Delete -----------------------------------------------------------------------------------------------------------

export interface DeleteFacts {
	readonly claim: Identity;
	/** The object as it was just read. */
	readonly record: Referenced;
	/** The saved outputs. */
	readonly outs: Values;
	readonly memory: Pick<Memory, "declares" | "declaredLike" | "holderOf" | "idOf" | "isUnreplaced">;
	/** The value of `onDelete` that ends the object. */
	readonly ending: string;
	/** True if the program or the service protects the object from removal. */
	readonly isProtected: boolean;
	/** Why the service can no longer end the object, as a sentence; undefined if it can. */
	readonly stays: string | undefined;
}

export type DeleteAction =
	/** Another declaration, another owner or a newer write has claimed it. Only the state forgets it. */
	| { readonly do: "forget" }
	/** A resource of this run declares it. Only the state forgets it. */
	| { readonly do: "keep" }
	/** It stays on the account, for any stack to adopt. */
	| { readonly do: "retain"; readonly why: "declared" | "protected" | "replaced" | "stays" }
	| { readonly do: "end" }
	/** The object that replaces it isn't ready, so a later run ends it: with `--continue-on-error`, deletes follow a failed create. */
	| { readonly do: "refuse" };

export function decideDelete(facts: DeleteFacts): DeleteAction {
	const { claim, record, outs, memory } = facts;
	if (isDeclared(memory, record.id, outs)) return { do: "keep" };
	const owner: Ownership = ownership(claim, record, outs);
	if (owner === "foreign" || owner === "superseded") return { do: "forget" };
	if (facts.stays !== undefined) return { do: "retain", why: "stays" };
	if (outs.onDelete !== facts.ending) return { do: "retain", why: "declared" };
	if (facts.isProtected) return { do: "retain", why: "protected" };
	if (isReplaced(memory, record.id, outs)) return { do: "retain", why: "replaced" };
	return { do: memory.isUnreplaced(outs.token) ? "refuse" : "end" };
}

/** True if a resource of this run has the object, or will resume it. */
function isDeclared(memory: DeleteFacts["memory"], id: string, { token }: Values): boolean {
	return [memory.holderOf(id), token].some(
		(owner) => typeof owner === "string" && memory.declares(owner) && (memory.idOf(owner) ?? id) === id,
	);
}

/**
 * True if a create of this run should have resumed the object, but got another one: the reference was cleared, or the
 * service keeps none. With `adopt`, the other object is intended.
 */
function isReplaced(memory: DeleteFacts["memory"], id: string, { token }: Values): boolean {
	const declared = typeof token === "string" && memory.declares(token) ? memory.declaredLike(token) : undefined;
	if (declared === undefined || declared.inputs.adopt != null) return false;
	return ![undefined, id].includes(memory.idOf(declared.token));
}
