/** How one field's value is written at a service that writes it otherwise. */
import type { Holds } from "./records";

export const writings = ["string", "number", "seconds", "milliseconds", "cents", "csv"] as const;

export interface Writing {
	readonly as?: (typeof writings)[number] | undefined;
	/** Ours to theirs. Of several, the first is sent, and all are read. */
	readonly words?: Readonly<Record<string, string | readonly string[]>> | undefined;
	/** Theirs is a list of objects, and this field of each is ours. */
	readonly each?: string | undefined;
}

/** Both ways of one value. Null and an absent value stay what they are. */
export interface Conversion {
	toTheirs(ours: unknown): unknown;
	toOurs(theirs: unknown): unknown;
}

const isText = (value: unknown): value is string => typeof value === "string";
const fold = (word: string) => word.trim().toLowerCase();

function wordsOf(words: NonNullable<Writing["words"]>): Conversion {
	const sent = new Map(Object.entries(words).map(([ours, theirs]) => [ours, [theirs].flat()[0] ?? ours]));
	const known = new Map(
		Object.entries(words).flatMap(([ours, theirs]) => [theirs].flat().map((word) => [fold(word), ours])),
	);
	return {
		toTheirs: (ours) => (isText(ours) ? (sent.get(ours) ?? ours) : ours),
		toOurs: (theirs) => (isText(theirs) ? (known.get(fold(theirs)) ?? theirs) : theirs),
	};
}

const numberIn = (value: unknown): unknown =>
	isText(value) && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;

/** What a text says, if ours isn't one. A text that says nothing of the kind stays, and fails as it would anyway. */
function plainIn(value: unknown, holds: Holds): unknown {
	if (holds === "number") return numberIn(value);
	if (holds === "boolean" && (value === "true" || value === "false")) return value === "true";
	return typeof value === "number" && holds === "text" ? String(value) : value;
}

const momentOf = (ms: number): string => new Date(ms).toISOString();

const moment = (unit: number): Conversion => ({
	toTheirs: (ours) => (isText(ours) && !Number.isNaN(Date.parse(ours)) ? Date.parse(ours) / unit : ours),
	toOurs: (theirs) => {
		const value = numberIn(theirs);
		// A binary fraction of a second may be a hair short of its millisecond.
		const ms = typeof value === "number" ? Math.round(value * unit) : Number.NaN;
		return Math.abs(ms) <= 8.64e15 ? momentOf(ms) : theirs;
	},
});

/** A decimal of two places, so that no sum is off by a binary fraction. */
const cents: Conversion = {
	toTheirs: (ours) => (isText(ours) && /^-?\d+(\.\d{1,2})?$/.test(ours) ? Math.round(Number(ours) * 100) : ours),
	toOurs: (theirs) => {
		const value = numberIn(theirs);
		return typeof value === "number" && Number.isInteger(value) ? (value / 100).toFixed(2) : theirs;
	},
};

const csv: Conversion = {
	toTheirs: (ours) => (Array.isArray(ours) ? ours.join(",") : ours),
	toOurs: (theirs) => {
		if (!isText(theirs)) return theirs;
		return theirs.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
	},
};

function writingOf(as: NonNullable<Writing["as"]>, holds: Holds): Conversion {
	const plain = (theirs: unknown) => plainIn(theirs, holds);
	const kinds: Record<typeof as, Conversion> = {
		string: { toTheirs: (ours) => (typeof ours === "object" ? ours : String(ours)), toOurs: plain },
		number: { toTheirs: numberIn, toOurs: plain },
		seconds: moment(1_000),
		milliseconds: moment(1),
		cents,
		csv,
	};
	return kinds[as];
}

const each = (field: string): Conversion => ({
	toTheirs: (ours) => (Array.isArray(ours) ? ours.map((item) => ({ [field]: item })) : ours),
	toOurs: (theirs) =>
		Array.isArray(theirs)
			? theirs.map((item: unknown) =>
					typeof item === "object" && item !== null && field in item ? (item as Record<string, unknown>)[field] : item,
				)
			: theirs,
});

/** Of a list, each item. */
const ofEach = (one: Conversion): Conversion => ({
	toTheirs: (ours) => (Array.isArray(ours) ? ours.map((item) => one.toTheirs(item)) : one.toTheirs(ours)),
	toOurs: (theirs) => (Array.isArray(theirs) ? theirs.map((item) => one.toOurs(item)) : one.toOurs(theirs)),
});

/** Words are ours; then the list becomes one of objects, or the value is written as another type. */
export function conversionOf({ as, words, each: field }: Writing, holds: Holds): Conversion {
	const steps = [
		...(words === undefined ? [] : [ofEach(wordsOf(words))]),
		...(field === undefined ? [] : [each(field)]),
		...(as === undefined ? [] : [writingOf(as, holds)]),
	];
	const isNothing = (value: unknown) => value === null || value === undefined;
	return {
		toTheirs: (ours) => (isNothing(ours) ? ours : steps.reduce<unknown>((value, step) => step.toTheirs(value), ours)),
		toOurs: (theirs) =>
			isNothing(theirs) ? theirs : steps.reduceRight<unknown>((value, step) => step.toOurs(value), theirs),
	};
}
