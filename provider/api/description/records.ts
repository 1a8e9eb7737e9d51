/** The records of the contract, as a service description names them, and the paths of their fields. */
import { z } from "zod";
import * as contract from "../contract";
import { itemOf, type Operation, type OperationName, operations } from "../contract";

const names = new Map<z.ZodType, string>([
	[contract.NumberRecord, "number"],
	[contract.PurchaseRecord, "number"],
	[contract.TrunkRecord, "trunk"],
	[contract.WebhookRecord, "webhook"],
	[contract.DeliveryRecord, "delivery"],
	[contract.AvailableNumberRecord, "available_number"],
	[contract.PortOrderRecord, "port_order"],
	[contract.KycRequirementsRecord, "kyc_requirements"],
	[contract.KycProfileRecord, "kyc_profile"],
	[contract.KycDocumentRecord, "kyc_document"],
	[contract.CallRecord, "call"],
	[contract.RecordingRecord, "recording"],
	[contract.MessageRecord, "message"],
	[contract.UsageRecord, "usage"],
	[contract.InvoiceRecord, "invoice"],
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

/** Each field that a record's responses or requests may have. */
export function fieldsOf(record: string): FieldKinds {
	const cached = kinds.get(record);
	if (cached !== undefined) return cached;
	const schemas = table.flatMap(([name, { response, body }]) =>
		recordOf(name) !== record || response === undefined ? [] : [body, itemOf(response) ?? response],
	);
	const all = schemas.flatMap((schema) => [...fieldsIn(schema)]);
	const found = new Map(all.map(([path, type]) => [path, holdsOf(type)]));
	kinds.set(record, found);
	return found;
}
