/**
 * Rule 2a: a release needs a reason that is written down. What is bought while another live number of the same stack has
 * no declaration of its own remembers that number: its own reference carries a mark of it, from its first write on. No
 * delete releases a marked number, in this run or a later one, unless the program or the configuration says why.
 */
import { everyMark, hash, markLength, type Reference } from "./reference";

/** A number, and the lease of its last write: a write of its own declaration ends what others remember of it. */
export interface Marked {
	readonly id: string;
	readonly lease?: string | undefined;
}

const markOf = ({ id, lease }: Marked): string => hash(markLength, id, lease ?? "");

/** Which marks a text holds. */
const marksIn = (text: string): string[] => text.match(new RegExp(`.{${markLength}}`, "g")) ?? [];

/** The most marks that a state holds. */
const mostMarks = 64;

/** The marks of these numbers and the ones that their buyer takes over from another. Too many become one for all. */
export function marksOf(numbers: readonly Marked[], others: readonly string[] = []): string {
	if (others.includes(everyMark)) return everyMark;
	const marks = new Set([...others.flatMap(marksIn), ...numbers.map(markOf)]);
	return marks.size > mostMarks ? everyMark : [...marks].join("");
}

/** What an object remembers: its reference, unless that is lost; the entry's copy where the reference has no room. */
export const marksSaid = (said: Reference | undefined, copy: string | undefined): string =>
	said?.home && !(said.beside === everyMark && copy) ? said.beside : (copy ?? "");

/** Whether the marks name it. `isOlderLike`: it is of the buyer's kind and stack, and was bought before. */
export const isMarked = (marks: string, number: Marked, isOlderLike: boolean): boolean =>
	marks === everyMark ? isOlderLike : marksIn(marks).includes(markOf(number));

/** What is known of a number whose entry is to go. */
export interface ReleaseFacts {
	/** Which number a declaration of this run has that held this one, if there is such a declaration. */
	readonly declared?: "it" | "another" | undefined;
	/** `onDelete: "retain"`. */
	readonly isRetained: boolean;
	/** Nobody but this entry has claimed it, as far as the service shows. */
	readonly isOurs: boolean;
	/** Another resource of this program names it in `adopt`. */
	readonly isAdopted: boolean;
	/** `telephony:release` names it. */
	readonly isNamed: boolean;
	/** What remembers it. Undefined until that has been looked for. */
	readonly remembered?: Remembered | undefined;
	/** What its own resource declares now; absent if the program has no such resource. */
	readonly successor?:
		| {
				/** `generation` differs, or `allowReplacement` is set. */
				readonly isAsked: boolean;
				/** It asks for the same country, type, area and generation. */
				readonly isSame: boolean;
		  }
		| undefined;
	readonly isProtected: boolean;
}

/** The numbers that were bought while this one had no declaration of its own. */
export type Remembered = readonly {
	/** It was bought for the same resource, which asks for something else now, and allows that. */
	readonly isAllowed: boolean;
	/** This run gives it up as well. */
	readonly isLeaving: boolean;
}[];

/** Why a number is not released: rule 2a. */
export type Refused = "remembered" | "protected" | "unasked" | "duplicate";

export type Verdict =
	/** This program still declares it. */
	| "kept"
	/** This program still declares it, and has another one in its place. */
	| "replaced"
	| "retained"
	| "not ours"
	| "adopted"
	| "release"
	| Refused;

/** What becomes of a number whose entry is to go; "look": that depends on what remembers it. */
export function decideRelease(facts: ReleaseFacts & { readonly remembered: Remembered }): Verdict;
export function decideRelease(facts: ReleaseFacts): Verdict | "look";
export function decideRelease(facts: ReleaseFacts): Verdict | "look" {
	if (facts.declared === "it") return "kept";
	if (facts.declared === "another" && !facts.isNamed) return "replaced";
	if (facts.isRetained) return "retained";
	if (!facts.isOurs) return "not ours";
	if (facts.isAdopted) return "adopted";
	if (facts.isNamed) return "release";
	return byReason(facts);
}

/** Rule 2a. */
function byReason({ remembered, successor, isProtected }: ReleaseFacts): Verdict | "look" {
	if (remembered === undefined) return "look";
	if (remembered.some(({ isAllowed, isLeaving }) => !isAllowed && !isLeaving)) return "remembered";
	if (isProtected) return "protected";
	if (successor === undefined) return "release";
	if (successor.isSame) return "duplicate";
	return successor.isAsked ? "release" : "unasked";
}
