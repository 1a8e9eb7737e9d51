/** Compares the value of a field with ours: its type, and the texts of an enum. */
import type { FieldDescription } from "../../provider/api/description/description";
import { fold } from "../../provider/api/names";
import { mayMean } from "./names";
import type { Shape } from "./shape";

export interface Conversion extends Pick<FieldDescription, "as" | "each"> {
	/** Says why this is a guess. */
	readonly guess?: string | undefined;
}

/** Returns how the service writes the value; undefined if the shapes don't match. @param name theirs */
export function conversionOf(field: string, ours: Shape, name: string, theirs: Shape): Conversion | undefined {
	if (ours.kind === "any" || theirs.kind === "any") return {};
	if (ours.kind === "list") return listConversion(ours, theirs);
	if (ours.kind === theirs.kind) {
		if (!hasSameNature(ours, theirs)) return undefined;
		return field === "number" ? phoneConversion(theirs) : {};
	}
	if (ours.kind === "text" && theirs.kind === "number") return numberConversion(field, ours, name, theirs);
	return theirs.kind === "text" && isTextOf(ours.kind, theirs) ? { as: "string" } : undefined;
}

/** By the texts that were observed, or by the description of the field. */
function phoneConversion({ values, about, isObserved }: Shape): Conversion {
	const texts = values.length > 0 ? values : (about.match(/[+\d][\d ().-]{6,}\d/g) ?? []);
	const isEach = (pattern: RegExp) => texts.length > 0 && texts.every((text) => pattern.test(text.trim()));
	if (isEach(/^00[1-9]/)) return { as: "international" };
	if (isEach(/^[1-9]\d{7,14}$/)) return { as: "digits" };
	if (isEach(/^0\d/)) return { as: "national", guess: "its numbers have no country code" };
	const isWithoutPlus = !isObserved && /(without|no) (the |a )?(leading )?(plus|\+)|digits only/i.test(about);
	return isWithoutPlus ? { as: "digits" } : {};
}

/** An object with fixed fields doesn't match a map with any keys, which an observed object may be. */
const hasSameNature = (ours: Shape, theirs: Shape): boolean =>
	ours.kind !== "object" || theirs.isObserved === true || (ours.fields.size === 0) === (theirs.fields.size === 0);

function isTextOf(kind: Shape["kind"], { isObserved, about }: Shape): boolean {
	if (kind === "number") return !isObserved || (about.trim() !== "" && Number.isFinite(Number(about)));
	return kind === "boolean" && (!isObserved || /^(true|false)$/.test(about));
}

function listConversion(ours: Shape, theirs: Shape): Conversion | undefined {
	const isOfTexts = ours.item?.kind === "text";
	if (theirs.kind === "text") return isOfTexts ? { as: "csv" } : undefined;
	if (theirs.kind !== "list") return undefined;
	if (theirs.item?.kind !== "object" || !isOfTexts) return {};
	const texts = [...theirs.item.fields].filter(([, field]) => field.kind === "text").map(([key]) => key);
	const [first] = texts;
	if (first === undefined) return undefined;
	return texts.length === 1 ? { each: first } : { each: first, guess: `its items have ${texts.join(", ")}` };
}

function numberConversion(field: string, ours: Shape, name: string, theirs: Shape): Conversion {
	const texts = `${name.split(".").at(-1)} ${theirs.about}`;
	if (ours.format === "date-time") {
		if (/milli|ms\b|_ms|Ms\b|\b1\d{12}\b/.test(texts)) return { as: "milliseconds" };
		const isCertain = /second|unix|epoch|\b1\d{9}\b/i.test(texts);
		return { as: "seconds", guess: isCertain ? undefined : "it may also be milliseconds" };
	}
	if (/(^|\.)amount$/.test(field)) return /cent|minor/i.test(texts) ? { as: "cents" } : { as: "number" };
	// The client reads a number as the text of an id. The id of another object is sent as a number, too.
	return field === "id" ? {} : { as: "number" };
}

export interface Words {
	/** Their texts by ours, as the description has them. */
	readonly values?: Record<string, string | string[]>;
	/** Their texts that match none of ours. */
	readonly unmatched: readonly string[];
	readonly guess?: string | undefined;
}

/** A text of ours, and one of theirs. */
type Pair = readonly [string, string];

const textsIn = (shape: Shape): readonly string[] => [...shape.values, ...(shape.item?.values ?? [])];

/** Pairs their texts with ours: by spelling, by meaning, or as the only ones left. @param paired texts that are paired already */
export function pairWords(ours: Shape, theirs: Shape, paired: Readonly<Record<string, unknown>> = {}): Words {
	const pairedTexts = new Set(
		Object.values(paired)
			.flat()
			.map((word) => fold(String(word))),
	);
	const texts = textsIn(ours);
	const all = textsIn(theirs).filter((word) => word !== "" && !pairedTexts.has(fold(word)));
	if (texts.length === 0 || all.length === 0 || theirs.kind === "number") return { unmatched: [] };
	const spellings = new Map(texts.map((word) => [fold(word), word]));
	const missing = texts.filter((text) => !(text in paired) && !all.some((word) => fold(word) === fold(text)));
	const strange = all.filter((word) => !spellings.has(fold(word)));
	// The client reads any case, but sends the service's own.
	const spelled = all
		.map((word): Pair => [spellings.get(fold(word)) ?? word, word])
		.filter(([text, word]) => text !== word);
	const meanings = [...missing, ...texts].filter((text) => !(text in paired));
	const guessed = strange.flatMap((word): Pair[] => {
		const text = meanings.find((meaning) => mayMean(word, meaning));
		if (text === undefined) return [];
		// A value of ours that the service has, too, keeps its meaning.
		const equal = missing.includes(text) ? undefined : all.find((theirWord) => fold(theirWord) === fold(text));
		return equal === undefined
			? [[text, word]]
			: [
					[text, equal],
					[text, word],
				];
	});
	const unmatched = strange.filter((word) => !guessed.some(([, theirWord]) => theirWord === word));
	const open = missing.filter((text) => !guessed.some(([ours]) => ours === text));
	// Observed texts may be incomplete.
	const isLast = theirs.isObserved !== true && unmatched.length === 1 && open.length === 1;
	const last: Pair[] = isLast ? [[open[0] ?? "", unmatched[0] ?? ""]] : [];
	const pairs = [...spelled, ...guessed, ...last];
	if (pairs.length === 0) return { unmatched };
	return {
		values: groupedWords(pairs),
		unmatched: isLast ? [] : unmatched,
		guess: guessed.length + last.length > 0 ? "by the meaning of its values" : undefined,
	};
}

function groupedWords(pairs: readonly Pair[]): Record<string, string | string[]> {
	const groups: Record<string, string[]> = {};
	for (const [ours, theirs] of pairs) {
		const group = groups[ours] ?? [];
		// The client reads any case.
		if (!group.some((word) => word.toLowerCase() === theirs.toLowerCase())) groups[ours] = [...group, theirs];
	}
	return Object.fromEntries(
		Object.entries(groups).map(([ours, words]) => [ours, words.length === 1 ? (words[0] ?? "") : words]),
	);
}
