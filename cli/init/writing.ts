/** How a service writes a value of ours, by the shapes of both, and which words it uses. */

import { fold, mayMean } from "../service-names";
import type { Shape } from "./document";

export interface Written {
	readonly as?: "string" | "number" | "seconds" | "milliseconds" | "cents" | "csv";
	readonly each?: string;
	readonly guess?: string | undefined;
}

/** Undefined where the shapes don't fit. @param name theirs */
export function writtenAs(ours: string, own: Shape, name: string, theirs: Shape): Written | undefined {
	if (own.kind === "any" || theirs.kind === "any") return {};
	if (own.kind === "list") return listAs(own, theirs);
	if (own.kind === theirs.kind) return sameKind(own, theirs);
	if (own.kind === "text" && theirs.kind === "number") return numberAs(ours, own, name, theirs);
	if ((own.kind === "number" || own.kind === "boolean") && theirs.kind === "text") return { as: "string" };
	return undefined;
}

/** An object with fixed fields and a map with any keys don't fit each other. */
const sameKind = (own: Shape, theirs: Shape): Written | undefined =>
	own.kind !== "object" || (own.fields.size === 0) === (theirs.fields.size === 0) ? {} : undefined;

function listAs(own: Shape, theirs: Shape): Written | undefined {
	const ofTexts = own.item?.kind === "text";
	if (theirs.kind === "text") return ofTexts ? { as: "csv" } : undefined;
	if (theirs.kind !== "list") return undefined;
	if (theirs.item?.kind !== "object" || !ofTexts) return {};
	const texts = [...theirs.item.fields].filter(([, field]) => field.kind === "text").map(([key]) => key);
	const [only] = texts;
	if (only === undefined) return undefined;
	return texts.length === 1 ? { each: only } : { each: only, guess: `its items have ${texts.join(", ")}` };
}

function numberAs(ours: string, own: Shape, name: string, theirs: Shape): Written | undefined {
	const said = `${name.split(".").at(-1)} ${theirs.about}`;
	if (own.format === "date-time") {
		if (/milli|ms\b|_ms|Ms\b|\b1\d{12}\b/.test(said)) return { as: "milliseconds" };
		const isSaid = /second|unix|epoch|\b1\d{9}\b/i.test(said);
		return {
			as: "seconds",
			guess: isSaid ? undefined : "the document doesn't say whether it is seconds or milliseconds",
		};
	}
	if (/(^|\.)amount$/.test(ours)) return /cent|minor/i.test(said) ? { as: "cents" } : { as: "number" };
	// Ids may be numbers.
	return /(^|[._])id$/.test(ours) ? {} : { as: "number" };
}

interface Words {
	readonly words?: Readonly<Record<string, string | readonly string[]>>;
	/** Words of the service that stand for none of ours. */
	readonly unknown: readonly string[];
	readonly guess?: string;
}

const wordsIn = (shape: Shape | undefined): readonly string[] => [
	...(shape?.words ?? []),
	...(shape?.item?.words ?? []),
];

/** Pairs their words with ours: the same in any spelling, one of the table, or the only one left. */
export function wordsOf(own: Shape | undefined, other: Shape | undefined): Words {
	const [ours, theirs] = [wordsIn(own), wordsIn(other)];
	if (ours.length === 0 || theirs.length === 0 || other?.kind === "number") return { unknown: [] };
	const byFold = new Map(ours.map((word) => [fold(word), word]));
	const strange = theirs.filter((word) => !byFold.has(fold(word)));
	const missing = ours.filter((word) => !theirs.some((each) => fold(each) === fold(word)));
	const spelled = theirs.flatMap((word) => {
		const mine = byFold.get(fold(word));
		// Any case is read, but only the service's own is sent.
		return mine === undefined || mine === word ? [] : [[mine, word] as const];
	});
	const guessed = strange.flatMap((word) => {
		const mine = missing.find((each) => mayMean(word, each));
		return mine === undefined ? [] : [[mine, word] as const];
	});
	const [word, ...others] = strange.filter((each) => !guessed.some(([, known]) => known === each));
	const [left, ...more] = missing.filter((each) => !guessed.some(([mine]) => mine === each));
	const isLast = word !== undefined && left !== undefined && others.length === 0 && more.length === 0;
	const pairs = [...spelled, ...guessed, ...(isLast ? [[left, word] as const] : [])];
	const unknown = isLast || word === undefined ? [] : [word, ...others];
	if (pairs.length === 0) return { unknown };
	const why = guessed.length > 0 || isLast ? { guess: "by the meaning of its words" } : {};
	return { words: grouped(pairs), unknown, ...why };
}

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string | string[]> {
	const all: Record<string, string[]> = {};
	for (const [ours, theirs] of pairs) {
		const there = all[ours] ?? [];
		// Words are read in any case.
		if (!there.some((word) => word.toLowerCase() === theirs.toLowerCase())) all[ours] = [...there, theirs];
	}
	return Object.fromEntries(
		Object.entries(all).map(([ours, [only = "", ...more]]) => [ours, more.length === 0 ? only : [only, ...more]]),
	);
}
