/** Shapes of requests and responses: of schemas in a document, or of values that the service sent. */
import { isObject, type Json } from "../../provider/api/json";

export interface Shape {
	readonly kind: "any" | "text" | "number" | "boolean" | "list" | "object";
	/** Values of an enum, or observed texts. */
	readonly values: readonly string[];
	readonly format: string;
	/** The longest text, in characters. */
	readonly most?: number | undefined;
	/** Title, description and example. */
	readonly about: string;
	readonly item?: Shape | undefined;
	readonly fields: ReadonlyMap<string, Shape>;
	readonly required: readonly string[];
	/** True for the shape of a value that the service sent. */
	readonly isObserved?: boolean | undefined;
}

export type Shapes = ReadonlyMap<string, Shape>;

const anything: Shape = { kind: "any", values: [], format: "", about: "", fields: new Map(), required: [] };

export const objectAt = (value: unknown, key: string): Json => {
	const inner = isObject(value) ? value[key] : undefined;
	return isObject(inner) ? inner : {};
};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

// ---- Values -------------------------------------------------------------------------------------------------------------

export function shapeOfValue(value: unknown): Shape {
	const observed = { ...anything, isObserved: true };
	if (Array.isArray(value)) return { ...observed, kind: "list", item: joinedAll(value.map(shapeOfValue)) };
	if (isObject(value)) {
		const fields = new Map(Object.entries(value).map(([key, field]) => [key, shapeOfValue(field)]));
		return { ...observed, kind: "object", fields };
	}
	if (typeof value === "string") return { ...observed, kind: "text", values: [value], about: value };
	if (typeof value === "number") return { ...observed, kind: "number", about: String(value) };
	return typeof value === "boolean" ? { ...observed, kind: "boolean" } : observed;
}

// ---- Schemas ------------------------------------------------------------------------------------------------------------

const kinds: Readonly<Record<string, Shape["kind"]>> = {
	string: "text",
	number: "number",
	integer: "number",
	boolean: "boolean",
	array: "list",
	object: "object",
};

function kindOf(schema: Json): Shape["kind"] {
	const type = [schema.type].flat().find((name) => name !== "null");
	if (typeof type === "string") return kinds[type] ?? "any";
	if (schema.properties !== undefined) return "object";
	if (schema.items !== undefined) return "list";
	const hasText = [schema.const, ...listOf(schema.enum)].some((value) => typeof value === "string");
	return hasText ? "text" : "any";
}

const cache = new WeakMap<object, Shape>();

export function shapeOfSchema(schema: unknown): Shape {
	if (!isObject(schema)) return anything;
	const cached = cache.get(schema);
	if (cached !== undefined) return cached;
	// A schema that contains itself adds nothing the second time.
	cache.set(schema, anything);
	const parts = listOf(schema.allOf).map(shapeOfSchema);
	// Any of the alternatives may apply, so none requires its fields.
	const options = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map((option) =>
		withoutRequired(shapeOfSchema(option)),
	);
	const shape = [...parts, ...options].reduce(joined, directShape(schema));
	cache.set(schema, shape);
	return shape;
}

function directShape(schema: Json): Shape {
	const values = [
		schema.const,
		...["enum", "x-known-values", "x-extensible-enum"].flatMap((key) => listOf(schema[key])),
	];
	const example = schema.example ?? listOf(schema.examples)[0];
	const texts = [schema.title, schema.description].map(textOf);
	return lazyShape(
		{
			kind: kindOf(schema),
			values: [...new Set(values.filter((value) => typeof value === "string"))],
			format: textOf(schema.format),
			most: typeof schema.maxLength === "number" ? schema.maxLength : undefined,
			about: [...texts, typeof example === "object" ? "" : String(example ?? "")].join(" ").trim(),
			required: listOf(schema.required).map(String),
		},
		() => (schema.items === undefined ? undefined : shapeOfSchema(schema.items)),
		() => new Map(Object.entries(objectAt(schema, "properties")).map(([key, field]) => [key, shapeOfSchema(field)])),
	);
}

/** Computes item and fields on first use: a document may be large, and a schema may contain itself. */
function lazyShape(
	shape: Omit<Shape, "item" | "fields">,
	makeItem: () => Shape | undefined,
	makeFields: () => Shapes,
): Shape {
	const item = once(makeItem);
	const fields = once(makeFields);
	return {
		...shape,
		get item() {
			return item();
		},
		get fields() {
			return fields();
		},
	};
}

function once<T>(make: () => T): () => T {
	let made: { readonly value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

/** A copy would compute item and fields at once. */
const withoutRequired = (shape: Shape): Shape => Object.create(shape, { required: { value: [] } }) as Shape;

// ---- Joining ------------------------------------------------------------------------------------------------------------

/** Returns a shape with the fields and values of both. */
export const joined = (a: Shape, b: Shape): Shape =>
	lazyShape(
		{
			kind: a.kind === "any" ? b.kind : a.kind,
			values: [...new Set([...a.values, ...b.values])],
			format: a.format || b.format,
			about: a.about || b.about,
			required: [...new Set([...a.required, ...b.required])],
			isObserved: a.isObserved || b.isObserved,
			most: a.most ?? b.most,
		},
		() => joinedAll([a.item, b.item]),
		() => {
			const fields = new Map(a.fields);
			for (const [name, field] of b.fields) {
				const before = fields.get(name);
				fields.set(name, before === undefined ? field : joined(before, field));
			}
			return fields;
		},
	);

export function joinedAll(shapes: readonly (Shape | undefined)[]): Shape | undefined {
	const [first, ...rest] = shapes.filter((shape) => shape !== undefined);
	return first && rest.reduce(joined, first);
}

// ---- Paths --------------------------------------------------------------------------------------------------------------

/** Returns the fields by their paths, as deep as any record of ours; a list is one field. */
export function shapesIn(shape: Shape, depth = 4, path = ""): Shapes {
	const all = new Map<string, Shape>();
	for (const [name, field] of shape.fields) {
		const fieldPath = path === "" ? name : `${path}.${name}`;
		all.set(fieldPath, field);
		if (depth <= 1) continue;
		for (const [innerPath, inner] of shapesIn(field, depth - 1, fieldPath)) all.set(innerPath, inner);
	}
	return all;
}

export const shapeAt = (shape: Shape | undefined, path: string): Shape | undefined =>
	path === "" ? shape : path.split(".").reduce<Shape | undefined>((inner, key) => inner?.fields.get(key), shape);
