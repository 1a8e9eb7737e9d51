/** A value of the property tables in words: kind, limits, default, effect of a change. */
import { z } from "zod";
import type { Field, Form } from "../../provider/properties/form.ts";
import type { Property } from "../../provider/properties/table.ts";
import { typeOf } from "./tables.mts";

type Value = Pick<Field, "type" | "form">;

interface Limits {
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly maxProperties?: number;
	readonly propertyNames?: Limits;
	readonly additionalProperties?: Limits;
}

const between = (least: number | undefined, most: number | undefined, unit = ""): string => {
	const [from, to] = [least, most].map((n) =>
		n === undefined || Math.abs(n) >= Number.MAX_SAFE_INTEGER ? undefined : n,
	);
	if (to !== undefined) return `${from === undefined || from === to ? "at most" : `${from} to`} ${to}${unit}`;
	return from === undefined ? "" : `at least ${from}${unit}`;
};

/** `1 to 10000`, `at most 64 characters`; empty if there are none. */
export function limitsOf(value: Value): string {
	const { form } = value;
	if (form?.kind === "object") return "";
	const schema = z.toJSONSchema(typeOf(value), { unrepresentable: "any" }) as Limits;
	if (form?.kind === "map") {
		const { maxProperties, propertyNames, additionalProperties } = schema;
		const keys = between(undefined, maxProperties, " keys");
		const names = between(propertyNames?.minLength, propertyNames?.maxLength, " characters");
		return `${keys} of ${names}, values of ${between(undefined, additionalProperties?.maxLength)}`;
	}
	if (form?.kind === "set" || form?.kind === "list") return between(schema.minItems, schema.maxItems);
	if (schema.maxLength !== undefined) return between(schema.minLength, schema.maxLength, " characters");
	const { minimum, maximum } = schema;
	// Zero is the natural minimum.
	return between(minimum === 0 && maximum === Number.MAX_SAFE_INTEGER ? undefined : minimum, maximum);
}

/** The known words of a choice that takes others too. */
export const knownWordsOf = (type: z.ZodType): readonly string[] | undefined =>
	type.meta()?.["x-known-values"] as readonly string[] | undefined;

/** The words of a choice. */
export const wordsOf = (type: z.ZodType): readonly string[] | undefined =>
	type.def.type === "enum" ? Object.values((type as z.ZodEnum).def.entries).map(String) : knownWordsOf(type);

export const itemOf = (value: Value): Value => ({
	type: () => (typeOf(value) as z.ZodArray<z.ZodType>).def.element,
	form: (value.form as { readonly item: Form }).item,
});

const plain: Readonly<Record<string, string>> = {
	string: "string",
	number: "number",
	boolean: "true or false",
};

/** `set of strings`, `` `udp`, `tcp`, `tls` ``. */
export function kindOf(value: Value): string {
	const { form } = value;
	if (form?.kind === "map") return "map of strings";
	if (form?.kind === "object") return form.tag === undefined ? "object" : `object, by its \`${form.tag}\``;
	if (form?.kind === "set" || form?.kind === "list") {
		const item = kindOf(itemOf(value));
		return `${form.kind} of ${/^\w+$/.test(item) ? `${item}s` : item}`;
	}
	const type = typeOf(value);
	const words = wordsOf(type);
	const more = knownWordsOf(type) === undefined ? "" : ", or another value that the service accepts";
	if (words !== undefined) return words.map((word) => `\`${word}\``).join(", ") + more;
	if (type.def.type === "union")
		return (type as z.ZodUnion<readonly z.ZodType[]>).def.options
			.map((option) => kindOf({ type: () => option }))
			.join(", ");
	if (type.def.type === "number" && (z.toJSONSchema(type) as { type?: string }).type === "integer")
		return "whole number";
	return plain[type.def.type] ?? type.def.type;
}

/** Undefined if there is no default. */
export const defaultOf = ({
	default: value,
	otherwise,
}: Pick<Property, "default" | "otherwise">): string | undefined =>
	value === undefined ? otherwise : `\`${JSON.stringify(value)}\``;

export const paragraphs = (description: string): readonly string[] => description.split("\n\n");
export const summary = (description: string): string => paragraphs(description)[0] ?? "";

/** The name of a resource's page and file: `sip-trunk`. */
export const kebab = (type: string): string => type.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase();

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The effect of a change in the program, in words. */
export function changeWords({ wire, change, form }: Property): string {
	if (change !== undefined) return change.words;
	if (wire === undefined) return "nothing at the service";
	const isWhole = form?.kind === "map" || (form?.kind === "object" && form.tag !== undefined);
	return isWhole ? "in place, as a whole" : "in place";
}
