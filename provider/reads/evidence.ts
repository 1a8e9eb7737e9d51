/** The objects of a state that a run has found on the account, and those that it hasn't found. */
import { type Identity, isSameStack, isSameState, type Referenced } from "../ownership/claim";
import { type Comparison, identify, isReferenced, type Verdict } from "../ownership/identity";
import { parseReference } from "../ownership/reference";
import { compareTimes } from "../properties/canonical";
import type { Values } from "../properties/table";

/** An object that the account shows. `saved` is undefined if the state has none with its id, as far as this run knows. */
export interface Sighting extends Omit<Comparison, "saved"> {
	readonly saved: Values | undefined;
}

export class Evidence {
	/** Objects that prove the account. */
	readonly #found = new Set<string>();
	/** Objects with ids of the state that prove nothing: claimed by another stack, or without anything to compare. */
	readonly #unproven = new Set<string>();
	readonly #missing = new Set<string>();
	/** Objects that a single read has denied. */
	readonly #denied = new Set<string>();
	/** The earliest time of creation of the objects found. */
	#oldest: unknown;

	get found(): number {
		return this.#found.size;
	}

	get missing(): number {
		return this.#missing.size;
	}

	/** True if at least as many objects are found as are missing. */
	get isMostlyFound(): boolean {
		return this.#found.size > 0 && this.#found.size >= this.#missing.size;
	}

	/** True if an object is found that was created before this time, or at it. */
	hasAsOldAs(time: unknown): boolean {
		return compareTimes(this.#oldest, time) <= 0;
	}

	/** True if the object is found, or a single read has denied it. A list may show too little of any other. */
	isSettled(kind: string, id: string): boolean {
		const key = keyOf(kind, id);
		return this.#found.has(key) || this.#denied.has(key);
	}

	noteDenied(kind: string, id: string): void {
		this.#denied.add(keyOf(kind, id));
		this.noteUnlisted(kind, id);
	}

	noteUnlisted(kind: string, id: string): void {
		const key = keyOf(kind, id);
		if (!this.#found.has(key) && !this.#unproven.has(key)) this.#missing.add(key);
	}

	/** Returns the verdict about an object that the account shows. */
	noteShown(claim: Identity, sighting: Sighting): Verdict {
		const { kind, record, saved } = sighting;
		const key = keyOf(kind, record.id);
		const verdict = saved === undefined ? "unknown" : identify(claim, { kind, record, saved });
		if (isProof(claim, sighting, verdict)) {
			this.#found.add(key);
			this.#missing.delete(key);
			this.#noteAge(record.created_at ?? saved?.createdAt);
		} else if (verdict === "other") this.noteUnlisted(kind, record.id);
		else if (saved !== undefined) {
			this.#unproven.add(key);
			this.#missing.delete(key);
		}
		return verdict;
	}

	#noteAge(time: unknown): void {
		const isTime = compareTimes(time, time) === 0;
		if (isTime && (this.#oldest === undefined || compareTimes(time, this.#oldest) < 0)) this.#oldest = time;
	}
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;

/** Ids may be small numbers that every account has, so an object that carries another claim proves nothing. */
function isProof(claim: Identity, { record, saved }: Sighting, verdict: Verdict): boolean {
	if (!record.reference || (!claim.kept && verdict === "same")) return verdict === "same";
	if (saved !== undefined && isReferenced(claim, { record, saved })) return true;
	return isOfStack(claim, record, verdict === "same");
}

/** Returns true if the reference names this stack and its owner, or only the owner if `isSame`. */
export function isOfStack(claim: Identity, { reference: text }: Referenced, isSame = false): boolean {
	const reference = parseReference(text);
	if (reference === undefined) return false;
	const isOwn = [claim, claim.earlier].some((identity) => identity !== undefined && isSameState(identity, reference));
	return isOwn && (isSame || isSameStack(claim, reference));
}
