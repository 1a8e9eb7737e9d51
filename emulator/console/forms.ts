/** Forms whose inputs follow from a schema: the same schema renders an input and reads what the browser sends. */
import { isDeepStrictEqual } from "node:util";
import { html } from "hono/html";
import { z } from "zod";
import { invalid } from "../request/errors";
import { hidden, withoutSecrets } from "../request/harmless";
import { area, check, type Html, input, same, select } from "./html";

/** The fields of a form as sent. Of several with one name, the last counts, so a ticked box overrides its `false`. */
export type Fields = Readonly<Record<string, string>>;
export type Shape = Readonly<Record<string, z.ZodType>>;

const abbreviations = /\b(cidr|cps|id|kyc|sip|sms|url)\b/gi;

/** `shuffleArrays` and `sms_webhook_url` as people write them. */
export const labelOf = (name: string): string =>
	name
		.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
		.replaceAll("_", " ")
		.replace(/^./, (letter) => letter.toUpperCase())
		.replace(abbreviations, (word) => word.toUpperCase());

const unwrap = (schema: z.ZodType): z.ZodType =>
	schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrap(schema.unwrap() as z.ZodType) : schema;

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The input that fits a schema. Objects are edited as JSON. */
export const fieldOf = (name: string, schema: z.ZodType, value: unknown, hint = ""): Html => {
	const inner = unwrap(schema);
	const label = labelOf(name);
	if (inner instanceof z.ZodBoolean) return check(label, name, value === true, hint);
	if (inner instanceof z.ZodEnum)
		return select(label, name, { value: String(value), options: same(inner.options.map(String)), hint });
	if (inner instanceof z.ZodNumber) {
		const placeholder = schema.safeParse(null).success ? "no limit" : "";
		return input(label, name, value === null ? "" : Number(value), { type: "number", placeholder, hint });
	}
	if (isList(inner))
		return input(label, name, ((value ?? []) as string[]).join(", "), { wide: true, placeholder: "none", hint });
	if (!(inner instanceof z.ZodString))
		return area(label, name, isObject(value) ? JSON.stringify(value) : "", hint || "JSON.");
	return input(label, name, String(value ?? ""), { wide: /url$|description/.test(name), hint });
};

/** True for a list of words, which are separated by commas. */
const isList = (schema: z.ZodType): boolean =>
	schema instanceof z.ZodArray && [z.ZodString, z.ZodEnum].some((type) => schema.element instanceof type);

/** Text that isn't a number stays text, so the control API refuses it. */
export const numberOf = (text: string | undefined): number | undefined => {
	if (text === undefined || text.trim() === "") return undefined;
	return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
};

/** The value of a field in the type of its schema. An empty field is null where the schema allows it. */
const parseField = (name: string, schema: z.ZodType, text: string): unknown => {
	const inner = unwrap(schema);
	if (text.trim() === "")
		return schema.safeParse(null).success ? null : inner instanceof z.ZodString ? text : undefined;
	if (inner instanceof z.ZodBoolean) return text === "true";
	if (inner instanceof z.ZodNumber) return numberOf(text);
	if (isList(inner)) return text.split(/[\s,]+/).filter(Boolean);
	if (inner instanceof z.ZodString || inner instanceof z.ZodEnum) return text;
	try {
		return JSON.parse(text);
	} catch {
		throw invalid([{ field: name, message: "is not valid JSON" }]);
	}
};

/** The values of all fields. Names that the schema lacks pass unchanged, so the control API refuses them. */
export const valuesOf = (shape: Shape, fields: Fields): Record<string, unknown> =>
	Object.fromEntries(
		Object.entries(fields).map(([name, text]) => [name, shape[name] ? parseField(name, shape[name], text) : text]),
	);

type Values = Readonly<Record<string, unknown>>;

/** Without what an edit can't have: a stored object has more fields than a request. */
const accepted = (schema: z.ZodType, value: unknown): unknown => {
	const extra = (schema.safeParse(value).error?.issues ?? []).flatMap((issue) =>
		issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
	);
	if (extra.length === 0) return value;
	return Object.fromEntries(Object.entries(value as object).filter(([name]) => !extra.includes(name)));
};

/** The stored values that can be edited. A secret inside a value is masked. */
const shownOf = (shape: Shape, row: object): Values => {
	const values = withoutSecrets(row);
	const names = Object.keys(shape).filter((name) => name in values && values[name] !== hidden);
	return Object.fromEntries(names.map((name) => [name, accepted(shape[name] as z.ZodType, values[name])]));
};

const isPlain = (value: unknown): value is Values => isObject(value) && !Array.isArray(value);

/** Puts back what a form masks: a part as it was shown is the stored one. */
const completed = (edited: unknown, masked: unknown, stored: unknown): unknown => {
	if (isDeepStrictEqual(edited, masked)) return stored;
	if (!isPlain(edited) || !isPlain(masked) || !isPlain(stored)) return edited;
	return Object.fromEntries(
		Object.entries(edited).map(([name, value]) => [name, completed(value, masked[name], stored[name])]),
	);
};

/** Inputs for all properties of a row that can be edited and shown. */
export const inputsOf = (shape: Shape, row: object): Html => {
	const values = shownOf(shape, row);
	return html`${Object.keys(values).map((name) => fieldOf(name, shape[name] as z.ZodType, values[name]))}`;
};

/** The values that differ from those shown: a form sends all its fields, and an unchanged one is not an edit. */
export const editOf = (shape: Shape, row: object, fields: Fields): object => {
	const values = shownOf(shape, row);
	const masked = withoutSecrets(row);
	const changed = Object.entries(valuesOf(shape, fields)).filter(
		([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(values[name]),
	);
	return Object.fromEntries(
		changed.map(([name, value]) => [name, completed(value, masked[name], (row as Values)[name])]),
	);
};
