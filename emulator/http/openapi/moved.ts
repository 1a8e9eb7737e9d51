/** JSON Schemas of the contract with fields moved and written as a service description says. */
import type { MappedField } from "../../../provider/api/description/mapping";
import type { Json } from "./schemas";

/** An object whose fields move, or any other schema as it is. */
interface Part {
	readonly schema: Json;
	isNullable: boolean;
	readonly parts?: Map<string, Part>;
	readonly required: Set<string>;
}

type FindSchema = (ref: string) => Json;
type Path = readonly string[];
type Moving = Pick<MappedField, "ours" | "theirs"> & Partial<Pick<MappedField, "way">>;

const nothing: Json = { type: "null" };
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const isNull = ({ type }: Json) => type === "null";

/** A schema without null and references. */
function bare(schema: Json, findSchema: FindSchema): { inner: Json; isNullable: boolean } {
	const named = typeof schema.$ref === "string" ? findSchema(schema.$ref) : schema;
	const options = list(named.anyOf);
	const [only, ...others] = options.filter((option) => !isNull(option));
	if (only === undefined || others.length > 0) return { inner: named, isNullable: false };
	return { ...bare(only, findSchema), isNullable: takesNull(named) };
}

/** The variants of a union as one object: once its fields are apart, nothing distinguishes the variants. */
function oneOf(schema: Json, findSchema: FindSchema): Json {
	const variants = list(schema.oneOf).map((variant) => bare(variant, findSchema).inner);
	if (variants.length === 0) return schema;
	const properties: Record<string, Json> = {};
	const words = new Map<string, string[]>();
	for (const variant of variants)
		for (const [name, field] of Object.entries((variant.properties ?? {}) as Record<string, Json>)) {
			properties[name] = field;
			if (typeof field.const === "string") words.set(name, [...(words.get(name) ?? []), field.const]);
		}
	for (const [name, values] of words) {
		const { const: _, ...rest } = properties[name] ?? {};
		properties[name] = { ...rest, enum: values };
	}
	return { type: "object", properties, additionalProperties: variants[0]?.additionalProperties !== false };
}

/** Opens the objects with fields that move. */
function opened(schema: Json, path: string, isOpened: (path: string) => boolean, findSchema: FindSchema): Part {
	if (!isOpened(path)) return { schema, isNullable: false, required: new Set() };
	const { inner, isNullable } = bare(schema, findSchema);
	const {
		properties = {},
		required = [],
		examples: _,
		...rest
	} = oneOf(inner, findSchema) as Json & { required?: string[] };
	const parts = Object.entries(properties as Record<string, Json>).map(
		([name, field]) => [name, opened(field, path === "" ? name : `${path}.${name}`, isOpened, findSchema)] as const,
	);
	// In a union, the fields of other variants may be null.
	for (const [, part] of parts) if (inner.oneOf !== undefined) part.isNullable = true;
	return { schema: rest, isNullable, parts: new Map(parts), required: new Set(required) };
}

function take(from: Part, [key = "", ...rest]: Path): { part?: Part; isRequired: boolean } {
	const inner = from.parts?.get(key);
	if (inner === undefined) return { isRequired: false };
	if (rest.length === 0) {
		const isRequired = from.required.delete(key);
		from.parts?.delete(key);
		return { part: inner, isRequired };
	}
	const { part } = take(inner, rest);
	if (part === undefined) return { isRequired: false };
	// The rest of the object may be empty.
	from.required.delete(key);
	if (inner.parts?.size === 0) from.parts?.delete(key);
	if (inner.isNullable) part.isNullable = true;
	return { part, isRequired: false };
}

function put(into: Part, [key = "", ...rest]: Path, part: Part, isRequired: boolean): void {
	if (isRequired) into.required.add(key);
	const there = into.parts?.get(key);
	if (rest.length === 0) {
		for (const [name, inner] of there?.parts ?? []) if (!part.parts?.has(name)) part.parts?.set(name, inner);
		into.parts?.set(key, part);
		return;
	}
	const inner = there?.parts === undefined ? empty(!isRequired) : there;
	into.parts?.set(key, inner);
	put(inner, rest, part, isRequired);
}

const empty = (isNullable: boolean): Part => ({
	schema: { type: "object" },
	isNullable,
	parts: new Map(),
	required: new Set(),
});

function written({ schema, isNullable, parts, required }: Part): Json {
	const properties = parts && Object.fromEntries([...parts].map(([name, part]) => [name, written(part)]));
	const nonNull: Json = {
		...schema,
		...(properties === undefined ? {} : { properties }),
		...(required.size === 0 ? {} : { required: [...required] }),
	};
	return isNullable ? orNull(nonNull) : nonNull;
}

const takesNull = ({ anyOf }: Json): boolean => list(anyOf).some(isNull);
const orNull = (schema: Json): Json => (takesNull(schema) ? schema : { anyOf: [schema, nothing] });

/** In a record that is sent whole, a field that a change may clear may be null. */
export const clearable = (read: Json, change: Json | undefined): Json =>
	change !== undefined && takesNull(change) ? orNull(read) : read;

/** @param findSchema finds the schema of a reference */
export function moved(schema: Json, fields: readonly Moving[], findSchema: FindSchema): Json {
	if (fields.length === 0) return schema;
	const top = opened(
		schema,
		"",
		(path) => path === "" || fields.some(({ ours }) => ours.startsWith(`${path}.`)),
		findSchema,
	);
	const taken = fields.map((field) => ({ field, ...take(top, field.ours.split(".")) }));
	for (const { field, part, isRequired } of taken) {
		if (part === undefined || field.theirs === undefined) continue;
		// Fields of different variants may share a place.
		const same = taken.filter((sibling) => sibling.field.theirs === field.theirs && sibling.part?.parts === undefined);
		const schemas = same.flatMap((sibling) =>
			sibling.part ? [valued(sibling.part.schema, sibling.field.way ?? {})] : [],
		);
		const [schema = {}, ...others] = schemas;
		const value =
			part.parts === undefined ? { ...part, schema: others.length === 0 ? schema : { anyOf: schemas } } : part;
		put(top, field.theirs.split("."), value, isRequired);
	}
	return written(top);
}

/** The schema of one value in the service's form. */
export function valued(schema: Json, way: MappedField["way"]): Json {
	if (schema.anyOf !== undefined) {
		const { anyOf, ...rest } = schema;
		return { ...rest, anyOf: list(anyOf).map((option) => (isNull(option) ? option : valued(option, way))) };
	}
	const named = inWords(schema, way.values ?? {});
	const itemized: Json =
		way.each === undefined ? named : { ...named, items: { type: "object", properties: { [way.each]: named.items } } };
	return way.as === undefined ? itemized : { ...writings[way.as](itemized), ...originOf(schema) };
}

const originOf = (schema: Json): Json => ("x-origin" in schema ? { "x-origin": schema["x-origin"] } : {});

function inWords(schema: Json, words: NonNullable<MappedField["way"]["values"]>): Json {
	const theirs = (ours: unknown): unknown[] => [words[String(ours)] ?? ours].flat();
	const renamed: Record<string, unknown> = { ...schema };
	for (const key of ["enum", "x-known-values"])
		if (Array.isArray(schema[key])) renamed[key] = [...new Set((schema[key] as unknown[]).flatMap(theirs))];
	if (typeof schema.const === "string") {
		delete renamed.const;
		renamed.enum = theirs(schema.const);
	}
	if (typeof schema.items === "object") renamed.items = inWords(schema.items as Json, words);
	return renamed;
}

const phone = ({ type, items }: Json, description: string): Json =>
	type === "array" ? { type, items: phone(items as Json, description) } : { type: "string", description };

const writings: Readonly<Record<NonNullable<MappedField["way"]["as"]>, (schema: Json) => Json>> = {
	string: ({ type }) =>
		type === "boolean"
			? { type: "string", enum: ["true", "false"] }
			: { type: "string", pattern: "^-?\\d+(\\.\\d+)?$" },
	number: () => ({ type: "number" }),
	seconds: () => ({ type: "number", description: "Seconds since 1970." }),
	milliseconds: () => ({ type: "number", description: "Milliseconds since 1970." }),
	cents: () => ({ type: "number", description: "In minor units of the currency." }),
	csv: () => ({ type: "string", description: "Separated by commas." }),
	digits: (schema) => phone(schema, "E.164 without the plus."),
	international: (schema) => phone(schema, "With 00 and the country code."),
	national: (schema) => phone(schema, "Without the country code."),
};
