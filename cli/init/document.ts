/** The operations of an OpenAPI document, and the shapes of their requests and answers. */
import $RefParser from "@apidevtools/json-schema-ref-parser";
import { openApi } from "../../emulator/http/openapi";
import { features, type OperationName, operations } from "../../provider/api/contract";
import { isObject, type Json } from "../../provider/api/json";
import { UsageError } from "../usage";

export interface Shape {
	readonly kind: "any" | "text" | "number" | "boolean" | "list" | "object";
	/** The values of an enum, or known ones. */
	readonly words: readonly string[];
	readonly format: string;
	/** Title, description and example. */
	readonly about: string;
	readonly item?: Shape | undefined;
	readonly fields: ReadonlyMap<string, Shape>;
	readonly required: readonly string[];
}

export interface Parameter {
	readonly name: string;
	readonly in: string;
	readonly isRequired: boolean;
	readonly shape: Shape;
}

export interface Refusal {
	readonly status: number;
	readonly shape: Shape;
	readonly examples: readonly unknown[];
}

export interface Offered {
	readonly method: string;
	readonly path: string;
	readonly parameters: readonly Parameter[];
	readonly body: Shape | undefined;
	readonly answer: Shape | undefined;
	/** Of the answer. */
	readonly headers: readonly string[];
	readonly refusals: readonly Refusal[];
}

const objectAt = (value: unknown, key: string): Json => {
	const inner = isObject(value) ? value[key] : undefined;
	return isObject(inner) ? inner : {};
};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

const kinds: Readonly<Record<string, Shape["kind"]>> = {
	string: "text",
	number: "number",
	integer: "number",
	boolean: "boolean",
	array: "list",
	object: "object",
};

function kindOf(schema: Json): Shape["kind"] {
	const said = [schema.type].flat().find((type) => type !== "null");
	if (typeof said === "string") return kinds[said] ?? "any";
	if (schema.properties !== undefined) return "object";
	if (schema.items !== undefined) return "list";
	return typeof schema.const === "string" || list(schema.enum).some((word) => typeof word === "string")
		? "text"
		: "any";
}

/** Computed on first use: a document may be large, and a schema may contain itself. */
function lazy<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

const nothing: Shape = {
	kind: "any",
	words: [],
	format: "",
	about: "",
	item: undefined,
	fields: new Map(),
	required: [],
};
const known = new WeakMap<object, Shape>();

export function shapeOf(schema: unknown): Shape {
	if (!isObject(schema)) return nothing;
	const there = known.get(schema);
	if (there !== undefined) return there;
	// A schema that is made of itself adds nothing the second time.
	known.set(schema, nothing);
	const parts = list(schema.allOf).map((each) => shapeOf(each));
	// Any of the alternatives may apply, so none requires its fields.
	const options = [...list(schema.anyOf), ...list(schema.oneOf)].map((each) => withoutNeeds(shapeOf(each)));
	const shape = [...parts, ...options].reduce((one, other) => joined(one, other), ownShape(schema));
	known.set(schema, shape);
	return shape;
}

function ownShape(own: Json): Shape {
	const named = [own.const, ...list(own.enum), ...list(own["x-known-values"]), ...list(own["x-extensible-enum"])];
	const example = own.example ?? list(own.examples)[0];
	const item = lazy(() => (own.items === undefined ? undefined : shapeOf(own.items)));
	const fields = lazy(
		() => new Map(Object.entries(objectAt(own, "properties")).map(([key, each]) => [key, shapeOf(each)])),
	);
	return {
		kind: kindOf(own),
		words: [...new Set(named.filter((word) => typeof word === "string"))],
		format: text(own.format),
		about: [text(own.title), text(own.description), typeof example === "object" ? "" : String(example ?? "")]
			.join(" ")
			.trim(),
		get item() {
			return item();
		},
		get fields() {
			return fields();
		},
		required: list(own.required).map(String),
	};
}

/** Not a copy: that would compute everything at once. */
const withoutNeeds = (shape: Shape): Shape => Object.create(shape, { required: { value: [] } }) as Shape;

/** Both shapes as one. */
export function joined(one: Shape, other: Shape): Shape {
	const fields = lazy(() => bothFields(one, other));
	const item = lazy(() => (one.item && other.item ? joined(one.item, other.item) : (one.item ?? other.item)));
	return {
		kind: one.kind === "any" ? other.kind : one.kind,
		words: [...new Set([...one.words, ...other.words])],
		format: one.format || other.format,
		about: one.about || other.about,
		get item() {
			return item();
		},
		get fields() {
			return fields();
		},
		required: [...new Set([...one.required, ...other.required])],
	};
}

function bothFields(one: Shape, other: Shape): ReadonlyMap<string, Shape> {
	const fields = new Map(one.fields);
	for (const [name, field] of other.fields) {
		const there = fields.get(name);
		fields.set(name, there === undefined ? field : joined(there, field));
	}
	return fields;
}

/** Its fields by their paths, as deep as any record of ours; a list is one field. */
export function pathsIn(shape: Shape, depth = 4, path = ""): ReadonlyMap<string, Shape> {
	const all = [...shape.fields].flatMap(([name, field]) => {
		const own = path === "" ? name : `${path}.${name}`;
		return [[own, field] as const, ...(depth > 1 ? pathsIn(field, depth - 1, own) : [])];
	});
	return new Map(all);
}

export const shapeAt = (shape: Shape | undefined, path: string): Shape | undefined =>
	path === "" ? shape : path.split(".").reduce<Shape | undefined>((inner, key) => inner?.fields.get(key), shape);

/** The JSON content of a body or a response. */
function contentOf(value: unknown): Json | undefined {
	const [, content] = Object.entries(objectAt(value, "content")).find(([media]) => /json/i.test(media)) ?? [];
	return isObject(content) ? content : undefined;
}

const schemaOf = (content: Json | undefined): Shape | undefined =>
	content?.schema === undefined ? undefined : shapeOf(content.schema);

function offered(method: string, path: string, item: Json, said: Json): Offered {
	const responses = Object.entries(objectAt(said, "responses"));
	const [, good] = responses.find(([status]) => /^2/.test(status)) ?? [];
	const refusals = responses.flatMap(([status, response]): Refusal[] => {
		const content = contentOf(response);
		const shape = schemaOf(content);
		if (shape === undefined || !/^([45]|default)/.test(status)) return [];
		const examples = [
			content?.example,
			...Object.values(objectAt(content, "examples")).map((each) => objectAt(each, "value")),
		];
		return [{ status: Number(status) || 0, shape, examples: examples.filter(isObject) }];
	});
	return {
		method: method.toUpperCase(),
		path,
		parameters: [...list(item.parameters), ...list(said.parameters)].filter(isObject).map((each) => ({
			name: text(each.name),
			in: text(each.in),
			isRequired: each.required === true,
			shape: shapeOf(each.schema),
		})),
		body: schemaOf(contentOf(said.requestBody)),
		answer: schemaOf(contentOf(good)),
		headers: Object.keys(objectAt(good, "headers")),
		refusals,
	};
}

const methods = ["get", "post", "put", "patch", "delete"];

export const offeredIn = (document: Json): readonly Offered[] =>
	Object.entries(objectAt(document, "paths")).flatMap(([path, item]) =>
		methods.flatMap((method) => {
			const said = objectAt(item, method);
			return Object.keys(said).length === 0 ? [] : [offered(method, path, item as Json, said)];
		}),
	);

/** @param source a file or a URL. @throws UsageError */
export async function readDocument(source: string): Promise<Json> {
	const isUrl = /^https?:\/\//.test(source);
	const document: unknown = await $RefParser
		.dereference(source, {
			// The user has named the address; a document from there must not read files of this machine.
			resolve: { http: { safeUrlResolver: !isUrl }, ...(isUrl ? { file: false as const } : {}) },
		})
		.catch((error: unknown) => {
			const why = (error as Error).message.split("\n")[0];
			throw new UsageError("usage", `${source} can't be read as an OpenAPI document: ${why}`);
		});
	const version = isObject(document) ? text(document.openapi) : "";
	if (!/^3\.[01]\./.test(version) || !isObject(document))
		throw new UsageError(
			"usage",
			`${source} isn't an OpenAPI 3.0 or 3.1 document: its \`openapi\` is ${JSON.stringify(version)}.`,
		);
	return document;
}

/** The contract's own document, so that two documents are compared. */
export async function ownOperations(): Promise<ReadonlyMap<OperationName, Offered>> {
	const table = Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][];
	const all = Object.fromEntries(features.map((feature) => [feature, true])) as Record<(typeof features)[number], true>;
	const document = await $RefParser.dereference(structuredClone(openApi(table, all)) as object);
	const ours = offeredIn(document as Json);
	return new Map(
		table.map(([name, { method, path }]) => [
			name,
			ours.find((each) => each.method === method && each.path === path) as Offered,
		]),
	);
}
