/** The records of the contract, as a service description names them, and the paths of their fields. */
import { z } from "zod";
import * as contract from "../contract";
import { itemOf, type Operation, type OperationName, operations } from "../contract";

const names = new Map<z.ZodType, string>([
	...Object.values(contract.kinds).map(({ record, name }) => [record, name] as const),
	[contract.PurchaseRecord, "number"],
	[contract.AvailableNumberRecord, "available_number"],
	[contract.KycRequirementsRecord, "kyc_requirements"],
	[contract.UsageRecord, "usage"],
	[contract.AccountRecord, "account"],
]);

export const recordNames: readonly string[] = [...new Set(names.values())];

const table = Object.entries(operations) as readonly (readonly [OperationName, Operation])[];

/** Returns the name of the record in an operation's response, if there is one. */
export function recordOf(name: OperationName): string | undefined {
	const { response }: Operation = operations[name];
	return response === undefined ? undefined : names.get(itemOf(response) ?? response);
}

export const singleReadOf = (record: string): OperationName | undefined =>
	table.find(
		([name, { method, path }]) => method === "GET" && /\/\{id\}$/.test(path) && recordOf(name) === record,
	)?.[0];

/** The operation that creates an object of a kind. */
export const creationOf = (record: string): OperationName | undefined => {
	const kind = Object.values(contract.kinds).find(({ name }) => name === record);
	return table.find(([, { method, path }]) => method === "POST" && path === kind?.path)?.[0];
};

/** The operation that changes a record. */
export const changeOf = (record: string): OperationName | undefined =>
	table.find(([name, { method }]) => method === "PATCH" && recordOf(name) === record)?.[0];

const unwrapped = (type: unknown): unknown =>
	type instanceof z.ZodOptional || type instanceof z.ZodNullable ? unwrapped(type.unwrap()) : type;

/** The fields of a schema by their paths, such as `routing` and `routing.type`. A list is one field. */
export function* fieldsIn(schema: unknown, path = ""): Generator<readonly [string, unknown]> {
	const type = unwrapped(schema);
	if (type instanceof z.ZodDiscriminatedUnion)
		for (const option of type.options as unknown[]) yield* fieldsIn(option, path);
	if (!(type instanceof z.ZodObject)) return;
	for (const [name, field] of Object.entries(type.shape)) {
		const inner = path === "" ? name : `${path}.${name}`;
		yield [inner, unwrapped(field)];
		yield* fieldsIn(field, inner);
	}
}

/** The variants of a union that have a field, such as `forward` for `routing.to`. */
export interface FieldVariants {
	/** The path of the field that decides, such as `routing.type`. */
	readonly tag: string;
	readonly values: ReadonlySet<string>;
}

function* variantsIn(schema: unknown, path = ""): Generator<readonly [path: string, tag: string, value: string]> {
	const type = unwrapped(schema);
	const inside = (name: string) => (path === "" ? name : `${path}.${name}`);
	if (type instanceof z.ZodDiscriminatedUnion)
		for (const option of type.options as readonly z.ZodObject[]) {
			yield* variantsIn(option, path);
			yield* fieldsOfVariant(option, type.def.discriminator, inside);
		}
	if (!(type instanceof z.ZodObject)) return;
	for (const [name, field] of Object.entries(type.shape)) yield* variantsIn(field, inside(name));
}

function* fieldsOfVariant({ shape }: z.ZodObject, discriminator: string, inside: (name: string) => string) {
	const tag: unknown = shape[discriminator];
	const value = tag instanceof z.ZodLiteral ? String(tag.value) : "";
	for (const name of Object.keys(shape))
		if (name !== discriminator) yield [inside(name), inside(discriminator), value] as const;
}

/** The kind of a field's value, as far as it decides how the value is converted. */
export type Holds = "text" | "number" | "boolean" | "list" | "objects" | "object";

function holdsOf(type: unknown): Holds {
	if (type instanceof z.ZodNumber) return "number";
	if (type instanceof z.ZodBoolean) return "boolean";
	if (type instanceof z.ZodArray) return holdsOf(type.element) === "object" ? "objects" : "list";
	return type instanceof z.ZodObject || type instanceof z.ZodDiscriminatedUnion || type instanceof z.ZodRecord
		? "object"
		: "text";
}

export type FieldKinds = ReadonlyMap<string, Holds>;

const kinds = new Map<string, FieldKinds>();
const variants = new Map<string, ReadonlyMap<string, FieldVariants>>();

const schemasOf = (record: string): readonly unknown[] =>
	table.flatMap(([name, { response, body }]) =>
		recordOf(name) !== record || response === undefined ? [] : [body, itemOf(response) ?? response],
	);

/** Each field that a record's responses or requests may have. */
export function fieldsOf(record: string): FieldKinds {
	const cached = kinds.get(record);
	if (cached !== undefined) return cached;
	const all = schemasOf(record).flatMap((schema) => [...fieldsIn(schema)]);
	const found = new Map(all.map(([path, type]) => [path, holdsOf(type)]));
	kinds.set(record, found);
	return found;
}

/** The fields of a record that only some variants of a union have, by their paths. */
export function variantsOf(record: string): ReadonlyMap<string, FieldVariants> {
	const cached = variants.get(record);
	if (cached !== undefined) return cached;
	const found = new Map<string, { tag: string; values: Set<string> }>();
	for (const schema of schemasOf(record))
		for (const [path, tag, value] of variantsIn(schema)) {
			const ofPath = found.get(path) ?? { tag, values: new Set() };
			ofPath.values.add(value);
			found.set(path, ofPath);
		}
	for (const [path, { tag, values }] of found) {
		const isOfAll = [...found.values()].every(
			(sibling) => sibling.tag !== tag || [...sibling.values].every((value) => values.has(value)),
		);
		if (isOfAll) found.delete(path);
	}
	variants.set(record, found);
	return found;
}
