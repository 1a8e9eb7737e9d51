/** Writes a program in Python and in Go. Both name the types of their SDKs, which schema.json has. */
import { capitalized } from "../../provider/properties/display";
import { snake } from "../../provider/properties/form";
import { escaped } from "../report/yaml";
import { comments, projectFile } from "./languages";
import { type Declared, type Program, Reference } from "./program";

/** A property of schema.json. */
interface Shape {
	readonly type?: string;
	readonly $ref?: string;
	readonly items?: Shape;
	/** A string or a known value: Go's SDK takes a string. */
	readonly oneOf?: readonly Shape[];
	readonly additionalProperties?: Shape;
	readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

type Shapes = Readonly<Record<string, Shape>>;

/** The package's schema.json. */
export interface Schema {
	readonly resources: Readonly<Record<string, { readonly inputProperties: Shapes }>>;
	readonly types: Readonly<Record<string, { readonly type: string; readonly properties?: Shapes }>>;
	readonly language: { readonly go: { readonly importBasePath: string } };
}

interface ObjectType {
	readonly name: string;
	readonly fields: Shapes;
}

const lastPart = (token: string): string => token.split(":").at(-1) ?? "";

/** Returns the type of an object; undefined for a map, and for a kind that the schema doesn't have. */
function objectType(schema: Schema, shape: Shape | undefined, values: object): ObjectType | undefined {
	const { $ref, discriminator } = shape ?? {};
	const kind = discriminator && String((values as Record<string, unknown>)[discriminator.propertyName]);
	const token = (kind === undefined ? $ref : discriminator?.mapping[kind])?.replace("#/types/", "");
	const fields = token === undefined ? undefined : schema.types[token]?.properties;
	return token === undefined || fields === undefined ? undefined : { name: lastPart(token), fields };
}

const inputsOf = (schema: Schema, type: string): Shapes =>
	schema.resources[`telephony:index:${type}`]?.inputProperties ?? {};

/** Returns a string literal of both languages, which escape as JSON does. Go refuses half of a surrogate pair. */
const quoted = (text: string): string => escaped(JSON.stringify(text.toWellFormed()));

const isNested = (value: unknown): value is object =>
	typeof value === "object" && value !== null && !(value instanceof Reference);

// ---- Python -----------------------------------------------------------------------------------------------------------

function pythonScalar(value: unknown): string {
	if (value instanceof Reference) return `${snake(value.name)}.id`;
	if (typeof value === "string") return quoted(value);
	if (typeof value === "boolean") return value ? "True" : "False";
	return value == null ? "None" : String(value);
}

/** Returns files by their names. */
export function pythonFiles(name: string, { resources, notes }: Program, schema: Schema): Record<string, string> {
	const textOf = (value: unknown, shape: Shape | undefined, indent: string): string => {
		if (!isNested(value)) return pythonScalar(value);
		if (Array.isArray(value)) return `[${value.map((item) => textOf(item, shape?.items, indent)).join(", ")}]`;
		const type = objectType(schema, shape, value);
		if (type !== undefined)
			return called(`telephony.${type.name}Args`, argumentsOf(value, type.fields, indent), indent);
		const deeper = `${indent}    `;
		const lines = Object.entries(value).map(
			([key, item]) => `${deeper}${quoted(key)}: ${textOf(item, shape?.additionalProperties, deeper)},\n`,
		);
		return `{\n${lines.join("")}${indent}}`;
	};
	const argumentsOf = (values: object, shapes: Shapes, indent: string) =>
		Object.entries(values).map(([key, item]) => `${snake(key)}=${textOf(item, shapes[key], `${indent}    `)}`);
	const called = (callee: string, args: readonly string[], indent: string) =>
		`${callee}(\n${args.map((text) => `${indent}    ${text},\n`).join("")}${indent})`;
	const created = ({ type, name, inputs }: Declared) => {
		const args = [quoted(name), ...argumentsOf(inputs, inputsOf(schema, type), "")];
		return `${snake(name)} = ${called(`telephony.${type}`, args, "")}\n`;
	};
	return {
		"Pulumi.yaml": projectFile(name, "python"),
		"__main__.py": [`${comments("#", notes)}import pulumi_telephony as telephony\n`, ...resources.map(created)].join(
			"\n",
		),
	};
}

// ---- Go ---------------------------------------------------------------------------------------------------------------

/** Returns `telephony.NumberType` for an enum. */
const goEnum = (shape: Shape | undefined): string | undefined =>
	shape?.$ref === undefined ? undefined : `telephony.${lastPart(shape.$ref)}`;

/** Returns the type of a list or map; `pulumi.Array` or `pulumi.Map` if the schema doesn't have its items. */
function goCollection(item: Shape | undefined, kind: "Array" | "Map"): string {
	const type = item?.type ?? item?.oneOf?.[0]?.type;
	return `${goEnum(item) ?? (type === "string" ? "pulumi.String" : "pulumi.")}${kind}`;
}

function goScalar(value: unknown, shape: Shape | undefined): string {
	if (value instanceof Reference) return `${value.name}.ID()`;
	if (typeof value === "string") return `${goEnum(shape) ?? "pulumi.String"}(${quoted(value)})`;
	if (typeof value === "boolean") return `pulumi.Bool(${value})`;
	return typeof value === "number" ? `pulumi.${Number.isInteger(value) ? "Int" : "Float64"}(${value})` : "nil";
}

function goValue(schema: Schema, value: unknown, shape: Shape | undefined, indent: string): string {
	if (!isNested(value)) return goScalar(value, shape);
	const deeper = `${indent}\t`;
	const body = (lines: readonly string[]) => `{\n${lines.map((line) => `${deeper}${line},\n`).join("")}${indent}}`;
	if (Array.isArray(value)) {
		const items = value.map((item) => goValue(schema, item, shape?.items, deeper));
		return goCollection(shape?.items, "Array") + body(items);
	}
	const type = objectType(schema, shape, value);
	if (type !== undefined) return `telephony.${type.name}Args${goFields(schema, value, type.fields, indent)}`;
	const item = shape?.additionalProperties;
	const entries = Object.entries(value).map(([key, part]) => `${quoted(key)}: ${goValue(schema, part, item, deeper)}`);
	return goCollection(item, "Map") + body(entries);
}

function goFields(schema: Schema, values: object, shapes: Shapes, indent: string): string {
	const lines = Object.entries(values).map(
		([key, item]) => `${indent}\t${capitalized(key)}: ${goValue(schema, item, shapes[key], `${indent}\t`)},\n`,
	);
	return `{\n${lines.join("")}${indent}}`;
}

/** Returns files by their names. */
export function goFiles(name: string, { resources, notes }: Program, schema: Schema): Record<string, string> {
	const used = new Set(resources.flatMap(({ inputs }) => referencesIn(inputs)));
	const failed = "\t\t\treturn err\n\t\t}\n";
	const created = ({ type, name, inputs }: Declared) => {
		const args = `&telephony.${type}Args${goFields(schema, inputs, inputsOf(schema, type), "\t\t")}`;
		const call = `telephony.New${type}(ctx, ${quoted(name)}, ${args})`;
		return used.has(name)
			? `\t\t${name}, err := ${call}\n\t\tif err != nil {\n${failed}`
			: `\t\tif _, err := ${call}; err != nil {\n${failed}`;
	};
	const imports = [
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi",
		...(resources.length > 0 ? [schema.language.go.importBasePath] : []),
	];
	return {
		"Pulumi.yaml": projectFile(name, "go"),
		"main.go": [
			...(notes.length > 0 ? [comments("//", notes), "\n"] : []),
			"package main\n\n",
			`import (\n${imports.map((path) => `\t${quoted(path)}\n`).join("")})\n\n`,
			"func main() {\n\tpulumi.Run(func(ctx *pulumi.Context) error {\n",
			...resources.map(created),
			"\t\treturn nil\n\t})\n}\n",
		].join(""),
	};
}

/** Returns the names of the resources that a value refers to. */
function referencesIn(value: unknown): string[] {
	if (value instanceof Reference) return [value.name];
	return isNested(value) ? Object.values(value).flatMap(referencesIn) : [];
}
