/** Forms whose inputs follow from a schema: the same schema renders an input and reads what the browser sends. */
import { html } from "hono/html";
import { z } from "zod";
import { invalid } from "../request/errors";
import { area, button, check, form, type Html, input, more, same, select } from "./html";

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

interface FieldOptions {
	readonly hint?: string | undefined;
	/** Suggested values. */
	readonly list?: readonly string[] | undefined;
}

/** The input that fits a schema. */
export const fieldOf = (name: string, schema: z.ZodType, value: unknown, { hint = "", list }: FieldOptions): Html => {
	const inner = unwrap(schema);
	const label = labelOf(name);
	if (inner instanceof z.ZodBoolean) return check(label, name, value === true, hint);
	if (inner instanceof z.ZodEnum && list === undefined)
		return select(label, name, { value: String(value), options: same(inner.options.map(String)), hint });
	if (inner instanceof z.ZodNumber) {
		const placeholder = schema.safeParse(null).success ? "no limit" : "";
		return input(label, name, value === null ? "" : Number(value), { type: "number", placeholder, hint });
	}
	if (inner instanceof z.ZodArray)
		return input(label, name, (value as string[]).join(", "), { wide: true, placeholder: "none", hint });
	return input(label, name, String(value ?? ""), { wide: /url$|description/.test(name), list, hint });
};

/** Text that isn't a number stays text, so the control API refuses it. */
export const numberOf = (text: string | undefined): number | undefined => {
	if (text === undefined || text.trim() === "") return undefined;
	return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
};

export const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The value of a field in the type of its schema. An empty field is null where the schema allows it. */
const parseField = (schema: z.ZodType, text: string): unknown => {
	const inner = unwrap(schema);
	if (text.trim() === "" && schema.safeParse(null).success) return null;
	if (inner instanceof z.ZodBoolean) return text === "true";
	if (inner instanceof z.ZodNumber) return numberOf(text);
	return inner instanceof z.ZodArray ? listOf(text) : text;
};

/** The values of all fields. Names that the schema lacks pass unchanged, so the control API refuses them. */
export const valuesOf = (shape: Shape, fields: Fields): Record<string, unknown> =>
	Object.fromEntries(
		Object.entries(fields).map(([name, text]) => [name, shape[name] ? parseField(shape[name], text) : text]),
	);

/** The values that differ from the row: a form sends all its fields, and an unchanged one is not an edit. */
export const changesOf = (values: Readonly<Record<string, unknown>>, row: object): object =>
	Object.fromEntries(
		Object.entries(values).filter(
			([name, value]) =>
				value !== undefined && JSON.stringify(value) !== JSON.stringify((row as Record<string, unknown>)[name]),
		),
	);

export const jsonOf = ({ json = "" }: Fields): unknown => {
	try {
		return JSON.parse(json);
	} catch {
		throw invalid([{ field: "json", message: "is not valid JSON" }]);
	}
};

/** A form for any edit that the control API accepts. */
export const jsonForm = (path: string, example = '{"metadata": {"team": "sales"}}'): Html =>
	more(
		"Edit as JSON",
		form(
			`${path}/json`,
			html`${area("PATCH", "json", "", `For example ${example}. See PATCH in the control API.`)}<div class="actions">${button("Send the JSON")}</div>`,
			"grid",
		),
	);
