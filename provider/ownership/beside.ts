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

/** A state holds so many marks at most. */
const mostMarks = 64;

/** The marks of these numbers, together with those that their buyer takes over from another. Of too many, one for all. */
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

/** What is known of a number that nothing declares any more. */
export interface ReleaseFacts {
	/** `telephony:release` names it. */
	readonly isNamed: boolean;
	/** What remembers it: bought while it had no declaration of its own. */
	readonly remembered: readonly {
		/** It was bought for the same resource, which asks for something else now, and allows that. */
		readonly isAllowed: boolean;
		/** This run gives it up as well. */
		readonly isLeaving: boolean;
	}[];
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

export type Verdict = "release" | "remembered" | "protected" | "unasked" | "duplicate";

/** What becomes of a number that is this entry's own and isn't kept. */
export function releaseVerdict({ isNamed, remembered, successor, isProtected }: ReleaseFacts): Verdict {
	if (isNamed) return "release";
	if (remembered.some(({ isAllowed, isLeaving }) => !isAllowed && !isLeaving)) return "remembered";
	if (isProtected) return "protected";
	if (successor === undefined) return "release";
	if (successor.isSame) return "duplicate";
	return successor.isAsked ? "release" : "unasked";
}
