/** The contract's records by the names that a service description uses, and the paths of their fields. */
import { z } from "zod";
import * as contract from "../contract";
import { itemOf, type Operation, type OperationName, operations } from "../contract";

/** By the schema of an answer. A purchase answers with a number. */
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

/** Which record an operation answers with; undefined for one that answers with none. */
export function recordOf(name: OperationName): string | undefined {
	const { answer }: Operation = operations[name];
	return answer === undefined ? undefined : names.get(itemOf(answer) ?? answer);
}

/** The operation that reads one such record by its id. */
export const singleReadOf = (record: string): OperationName | undefined =>
	table.find(
		([name, { method, path }]) => method === "GET" && /\/\{id\}$/.test(path) && recordOf(name) === record,
	)?.[0];

const unwrapped = (type: unknown): unknown =>
	type instanceof z.ZodOptional || type instanceof z.ZodNullable ? unwrapped(type.unwrap()) : type;

/** The fields of a schema by their paths, such as `routing` and `routing.type`. A list is one field. */
function* fieldsIn(schema: unknown, path = ""): Generator<readonly [string, unknown]> {
	const type = unwrapped(schema);
	const shapes = type instanceof z.ZodObject ? [type.shape] : [];
	const options = type instanceof z.ZodDiscriminatedUnion ? (type.options as unknown[]) : [];
	for (const option of options) yield* fieldsIn(option, path);
	for (const shape of shapes)
		for (const [name, field] of Object.entries(shape)) {
			const own = path === "" ? name : `${path}.${name}`;
			yield [own, unwrapped(field)];
			yield* fieldsIn(field, own);
		}
}

/** What a field holds, as far as it decides how its value is written otherwise. */
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

/** Each field that a record's answers or requests may have. */
export const fieldsOf: (record: string) => FieldKinds = (() => {
	const known = new Map<string, FieldKinds>();
	return (record: string): FieldKinds => {
		const fields = known.get(record) ?? collect(record);
		known.set(record, fields);
		return fields;
	};
})();

function collect(record: string): FieldKinds {
	const schemas = table.flatMap(([name, { answer, body }]) =>
		recordOf(name) !== record || answer === undefined ? [] : [body, itemOf(answer) ?? answer],
	);
	const all = schemas.flatMap((schema) => [...fieldsIn(schema)]);
	return new Map(all.map(([path, type]) => [path, holdsOf(type)]));
}

/** Takes out of a value what a schema doesn't know, at any depth: a record that is sent back whole has more than a change may. */
export function fitting(schema: unknown, value: unknown): unknown {
	const known = new Set([...fieldsIn(schema)].map(([path]) => path));
	const walk = (each: unknown, path: string): unknown => {
		if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
		const inside = [...known].some((other) => other.startsWith(`${path}.`)) || path === "";
		if (!inside) return each;
		return Object.fromEntries(
			Object.entries(each).flatMap(([key, field]) => {
				const own = path === "" ? key : `${path}.${key}`;
				return known.has(own) ? [[key, walk(field, own)]] : [];
			}),
		);
	};
	return walk(value, "");
}
