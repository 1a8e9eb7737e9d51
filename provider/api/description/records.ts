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

/** A variant of a union, such as `forward` of `routing.type`. */
interface Variant {
	/** The path of the field that decides. */
	readonly tag: string;
	readonly value: string;
}

/** The fields of a schema by their paths, such as `routing` and `routing.type`. A list is one field. */
export function* fieldsIn(
	schema: unknown,
	path = "",
	variant?: Variant,
): Generator<readonly [path: string, type: unknown, variant: Variant | undefined]> {
	const type = unwrapped(schema);
	const inside = (name: string) => (path === "" ? name : `${path}.${name}`);
	if (type instanceof z.ZodDiscriminatedUnion)
		for (const option of type.options as readonly z.ZodObject[]) {
			const { discriminator } = type.def;
			const tag: unknown = option.shape[discriminator];
			const value = tag instanceof z.ZodLiteral ? String(tag.value) : "";
			yield* fieldsIn(option, path, { tag: inside(discriminator), value });
		}
	if (!(type instanceof z.ZodObject)) return;
	for (const [name, field] of Object.entries(type.shape)) {
		yield [inside(name), unwrapped(field), variant];
		yield* fieldsIn(field, inside(name));
	}
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

/** The variants of a union that have a field, such as `forward` for `routing.to`. */
interface FieldVariants {
	/** The path of the field that decides, such as `routing.type`. */
	readonly tag: string;
	readonly values: ReadonlySet<string>;
}

/** The fields that a record's responses or requests may have, by their paths. */
export interface RecordFields {
	readonly kinds: FieldKinds;
	/** Those that only some variants of a union have. */
	readonly variants: ReadonlyMap<string, FieldVariants>;
}

const cached = new Map<string, RecordFields>();

export function recordFields(record: string): RecordFields {
	const fields = cached.get(record) ?? findFields(record);
	cached.set(record, fields);
	return fields;
}

/** Each field that a record's responses or requests may have. */
export const fieldsOf = (record: string): FieldKinds => recordFields(record).kinds;

function findFields(record: string): RecordFields {
	const schemas = table
		.filter(([name, { response }]) => recordOf(name) === record && response !== undefined)
		.flatMap(([, { response, body }]) => [body, response && (itemOf(response) ?? response)]);
	const kinds = new Map<string, Holds>();
	const variants = new Map<string, { tag: string; values: Set<string> }>();
	for (const [path, type, variant] of schemas.flatMap((schema) => [...fieldsIn(schema)])) {
		kinds.set(path, holdsOf(type));
		if (variant === undefined) continue;
		const ofPath = variants.get(path) ?? { tag: variant.tag, values: new Set() };
		ofPath.values.add(variant.value);
		variants.set(path, ofPath);
	}
	for (const [path, { tag, values }] of variants) {
		const isOfAll = [...variants.values()].every(
			(sibling) => sibling.tag !== tag || [...sibling.values].every((value) => values.has(value)),
		);
		if (isOfAll) variants.delete(path);
	}
	return { kinds, variants };
}
