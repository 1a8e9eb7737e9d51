/** Converts a field's value between the contract and a service that writes it in another form. */
import { decimalOf } from "../contract/decimal";
import { isObject, type Json } from "../json";
import { fromMinorUnits, toMinorUnits } from "../money";
import { phoneForms, phoneIn, phoneOut } from "./phones";
import type { Holds } from "./records";

export const writings = ["string", "number", "seconds", "milliseconds", "cents", "csv", ...phoneForms] as const;

/** A value of the service that stands for one of the contract. */
export type Word = string | number | boolean;
export type Words = Readonly<Record<string, Word | readonly Word[]>>;

export interface Writing {
	readonly as?: (typeof writings)[number] | undefined;
	/** Values of the contract with those of the service. Of several, the first is sent, and all are read. */
	readonly values?: Words | undefined;
	/** The service's list holds objects, and this field of each holds the value; `net/mask` for a CIDR in two fields. */
	readonly each?: string | undefined;
	/** The value of a field that the service doesn't show. */
	readonly is?: string | undefined;
}

/**
 * Null and absent values stay as they are. The form of a phone number depends on the record's country, and that of an
 * amount on its currency: `scope` is the one or the other.
 */
export interface Conversion {
	toTheirs(ours: unknown, scope?: string): unknown;
	toOurs(theirs: unknown, scope?: string): unknown;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isWord = (value: unknown): value is Word =>
	isText(value) || typeof value === "boolean" || typeof value === "number";
export const fold = (word: Word): string => String(word).trim().toLowerCase();

/** Applies a conversion to a value, or to each item of a list. */
const ofEach = (convert: (value: unknown) => unknown) => (value: unknown) =>
	Array.isArray(value) ? value.map(convert) : convert(value);

function wordsOf(values: Words, holds: Holds): Conversion {
	const pairs = Object.entries(values).flatMap(([ours, theirs]) =>
		[theirs].flat().map((word) => [ours, word] as const),
	);
	const sent = new Map(pairs.toReversed());
	const received = new Map(pairs.map(([ours, word]) => [fold(word), ours]));
	return {
		toTheirs: ofEach((ours) => (isWord(ours) ? (sent.get(String(ours)) ?? ours) : ours)),
		toOurs: ofEach((theirs) => {
			const ours = isWord(theirs) ? received.get(fold(theirs)) : undefined;
			return ours === undefined ? theirs : plainIn(ours, holds);
		}),
	};
}

/** A CIDR whose address and prefix length are two fields, such as `net/mask`. */
const cidrOf = (address: string, length: string): Conversion => ({
	toTheirs: ofEach((ours) => {
		const [net = "", prefix = net.includes(":") ? "128" : "32"] = String(ours).split("/");
		return { [address]: net, [length]: Number(prefix) };
	}),
	toOurs: ofEach((theirs) => (isObject(theirs) && address in theirs ? cidrIn(theirs, address, length) : theirs)),
});

const cidrIn = (theirs: Json, address: string, length: string): string =>
	theirs[length] == null ? String(theirs[address]) : `${theirs[address]}/${theirs[length]}`;

const eachOf = (field: string): Conversion => ({
	toTheirs: (ours) => (Array.isArray(ours) ? ours.map((item) => ({ [field]: item })) : ours),
	toOurs: (theirs) =>
		Array.isArray(theirs) ? theirs.map((item) => (isObject(item) && field in item ? item[field] : item)) : theirs,
});

/** An id such as 007, or one that JavaScript would round, would become another object's. */
const isWritten = (text: string) =>
	!/^[+-]?0\d/.test(text) && !(/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(Number(text)));

const numberOut = (value: unknown): unknown => (isText(value) && !isWritten(value.trim()) ? value : numberIn(value));

const numberIn = (value: unknown): unknown =>
	isText(value) && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;

/** Reads a text as the type of the contract. A text of another kind stays, and fails the contract. */
function plainIn(value: unknown, holds: Holds): unknown {
	if (holds === "number") return numberIn(value);
	if (holds === "boolean" && (value === "true" || value === "false")) return value === "true";
	return typeof value === "number" && holds === "text" ? String(value) : value;
}

const moment = (unit: number): Conversion => ({
	toTheirs: (ours) => (isText(ours) && !Number.isNaN(Date.parse(ours)) ? Date.parse(ours) / unit : ours),
	toOurs: (theirs) => {
		const value = numberIn(theirs);
		// A binary fraction of a second may be a hair short of its millisecond.
		const ms = typeof value === "number" ? Math.round(value * unit) : Number.NaN;
		return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : theirs;
	},
});

const phone = (form: (typeof phoneForms)[number]): Conversion => ({
	toTheirs: (ours, country) => ofEach((text) => (isText(text) ? phoneOut(text, form, country) : text))(ours),
	toOurs: (theirs, country) =>
		ofEach((text) => (isText(text) || typeof text === "number" ? phoneIn(String(text), form, country) : text))(theirs),
});

/** An amount in minor units. It stays as it is without a currency whose digits are known. */
const minorUnits: Conversion = {
	toTheirs: (ours, currency = "") => {
		const amount = isText(ours) ? decimalOf(ours) : undefined;
		return amount === undefined ? ours : (toMinorUnits({ amount, currency }) ?? ours);
	},
	toOurs: (theirs, currency = "") => {
		const count = isText(theirs) || typeof theirs === "number" ? decimalOf(theirs) : undefined;
		return count === undefined ? theirs : (fromMinorUnits(count, currency) ?? count);
	},
};

function writingOf(as: NonNullable<Writing["as"]>, holds: Holds): Conversion {
	const plain = (theirs: unknown) => plainIn(theirs, holds);
	const conversions: Record<typeof as, Conversion> = {
		string: { toTheirs: (ours) => (typeof ours === "object" ? ours : String(ours)), toOurs: plain },
		number: { toTheirs: numberOut, toOurs: plain },
		seconds: moment(1_000),
		milliseconds: moment(1),
		cents: minorUnits,
		csv: {
			toTheirs: (ours) => (Array.isArray(ours) ? ours.join(",") : ours),
			toOurs: (theirs) => (isText(theirs) ? theirs.split(",").flatMap((item) => item.trim() || []) : theirs),
		},
		digits: phone("digits"),
		international: phone("international"),
		national: phone("national"),
	};
	return conversions[as];
}

/** First the values are translated. Then a list becomes one of objects, or the value gets another type. */
export function conversionOf({ as, values, each }: Writing, holds: Holds): Conversion {
	const [address = "", length] = each?.split("/") ?? [];
	const items = length === undefined ? eachOf(address) : cidrOf(address, length);
	const steps = [values && wordsOf(values, holds), each && items, as && writingOf(as, holds)].filter(
		(step) => step !== undefined && step !== "",
	);
	const isNothing = (value: unknown) => value === null || value === undefined;
	return {
		toTheirs: (ours, scope) =>
			isNothing(ours) ? ours : steps.reduce<unknown>((value, step) => step.toTheirs(value, scope), ours),
		toOurs: (theirs, scope) =>
			isNothing(theirs) ? theirs : steps.reduceRight<unknown>((value, step) => step.toOurs(value, scope), theirs),
	};
}
