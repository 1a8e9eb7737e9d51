/** The schemas of the document. Each has a name, also each variant of a union. */
import { z } from "zod";
import type { Feature, Operation, OperationName } from "../../../provider/api/contract";
import * as contract from "../../../provider/api/contract";

export type Json = { readonly [name: string]: unknown };
export type Offered = Readonly<Record<Feature, boolean>>;

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Some generators fail at a class Number with a property number. */
const nameOf = (exported: string): string =>
	exported === "NumberRecord" ? "PhoneNumber" : capital(exported.replace(/(Record|Body)$/, ""));

export const pascal = (word: string): string => word.split("_").map(capital).join("");

/** The discriminator of a union, and the word of each variant. */
const variantsOf = (union: z.ZodDiscriminatedUnion) => {
	const { discriminator, options } = union.def;
	return {
		discriminator,
		variants: (options as z.ZodObject[]).map((variant) => {
			const [word] = (variant.shape[discriminator] as z.ZodLiteral<string>).values;
			return { word: String(word), variant };
		}),
	};
};

/**
 * Names for all schemas: those of the contract, a name for each variant of a union, because generators need one, and
 * otherwise the operation's name.
 */
export const namesOf = (operations: readonly (readonly [OperationName, Operation])[]): Map<z.ZodType, string> => {
	const names = new Map<z.ZodType, string>();
	for (const [name, value] of Object.entries(contract)) {
		if (value instanceof z.ZodType) names.set(value, nameOf(name));
		if (!(value instanceof z.ZodDiscriminatedUnion)) continue;
		for (const { word, variant } of variantsOf(value).variants) names.set(variant, pascal(word) + name);
	}
	for (const [name, { body, response }] of operations) {
		if (body !== undefined && !names.has(body)) names.set(body, `${capital(name)}Body`);
		if (response !== undefined && !names.has(response)) names.set(response, `${capital(name)}Answer`);
	}
	return names;
};

const withoutIds = ({ $schema, $id, ...schema }: Json): Json => schema;

/** Marks properties without an origin as assumed. */
function withOrigins(part: unknown): unknown {
	if (Array.isArray(part)) return part.map(withOrigins);
	if (typeof part !== "object" || part === null) return part;
	const { properties, ...rest } = part as Json;
	const entries = Object.entries(rest).map(([word, value]) => [word, withOrigins(value)]);
	if (properties === undefined) return Object.fromEntries(entries);
	const marked = Object.entries(properties as Json).map(([name, property]) => {
		const inner = withOrigins(property) as Json;
		return [name, { ...inner, "x-origin": inner["x-origin"] ?? "assumed" }];
	});
	return { ...Object.fromEntries(entries), properties: Object.fromEntries(marked) };
}

export const refTo = (name: string | undefined): string => `#/components/schemas/${name}`;

export const schemasOf = (names: ReadonlyMap<z.ZodType, string>): Json => {
	const registry = z.registry<{ id: string }>();
	for (const [type, id] of names) registry.add(type, { id });
	const { schemas } = z.toJSONSchema(registry, {
		io: "input",
		uri: refTo,
		override: ({ zodSchema, jsonSchema }) => {
			if (!(zodSchema instanceof z.ZodDiscriminatedUnion) || jsonSchema.oneOf === undefined) return;
			const { discriminator: propertyName, variants } = variantsOf(zodSchema);
			const mapping = Object.fromEntries(variants.map(({ word, variant }) => [word, refTo(names.get(variant))]));
			jsonSchema.discriminator = { propertyName, mapping };
		},
	});
	return Object.fromEntries(
		Object.entries(schemas).map(([name, schema]) => [name, withOrigins(withoutIds(schema)) as Json]),
	);
};

const withoutReference = (named: Json): Json =>
	Object.fromEntries(Object.entries(named).filter(([name]) => name !== "reference"));

/** Removes the property `reference` at any depth if the service does not offer it. */
export const withoutUnoffered = (schema: unknown, offered: Offered): unknown => {
	if (offered.reference || typeof schema !== "object" || schema === null) return schema;
	if (Array.isArray(schema)) return schema.map((part) => withoutUnoffered(part, offered));
	return Object.fromEntries(
		Object.entries(schema).map(([word, part]) => {
			return [word, withoutUnoffered(word === "properties" ? withoutReference(part) : part, offered)];
		}),
	);
};

/** The schemas that the paths refer to, directly or indirectly. */
export const reachable = (from: unknown, schemas: Json): Json => {
	const found = new Set<string>();
	const walk = (part: unknown): void => {
		if (typeof part !== "object" || part === null) return;
		for (const [word, value] of Object.entries(part)) {
			const name = word === "$ref" ? /^#\/components\/schemas\/(.+)$/.exec(String(value))?.[1] : undefined;
			if (name === undefined) walk(value);
			else if (!found.has(name)) {
				found.add(name);
				walk(schemas[name]);
			}
		}
	};
	walk(from);
	return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
};
