/** The parts of the document in the names of a service description. */
import type { z } from "zod";
import { errorCodes, itemOf, type Operation, type OperationName } from "../../../provider/api/contract";
import { changeOf, recordNames, recordOf, singleReadOf } from "../../../provider/api/description/records";
import { isList, type ServiceDescription } from "../../../provider/api/description/service-description";
import { errorOut } from "../words";
import { clearable, moved, valued } from "./moved";
import { type Json, pascal, refTo } from "./schemas";

type Entry = readonly [OperationName, Operation];
type Names = ReadonlyMap<z.ZodType, string>;

export const idParameter: Json = {
	name: "id",
	in: "path",
	required: true,
	"x-origin": "assumed",
	schema: { type: "string", minLength: 1 },
};

const child = (parent: unknown, name: string): Json => ((parent as Json | undefined)?.[name] ?? {}) as Json;
const json = "application/json";

/** A schema inside the objects on its path. */
function enveloped(schema: Json, path: string | undefined): Json {
	const wrap = (inner: Json, name: string): Json => ({
		type: "object",
		properties: { [name]: inner },
		required: [name],
	});
	return path?.split(".").reduceRight(wrap, schema) ?? schema;
}

export class RenamedParts {
	/** The service's schemas, by the contract's names. */
	readonly schemas: Json;
	readonly #dialect: ServiceDescription;

	constructor(dialect: ServiceDescription, schemas: Json, names: Names, entries: readonly Entry[]) {
		this.#dialect = dialect;
		const findSchema = (ref: string) => child(schemas, ref.slice(refTo("").length));
		const renamed: Record<string, unknown> = { ...schemas, Error: this.#error(child(schemas, "Error"), findSchema) };
		const rename = (type: z.ZodType | undefined, change: (schema: Json) => Json) => {
			const name = type && names.get(type);
			if (name !== undefined) renamed[name] = change(child(schemas, name));
		};
		for (const [name, { response, body }] of entries) {
			const item = response && itemOf(response);
			if (item) rename(response, (schema) => this.#page(name, schema, findSchema));
			rename(item ?? response, (schema) => this.#record(name, schema, findSchema, "theirs"));
			// The public description fixes the body of a purchase.
			if (name !== "buyNumber") rename(body, (schema) => this.#record(name, schema, findSchema, "sent"));
		}
		this.schemas = renamed;
	}

	#record(name: OperationName, schema: Json, findSchema: (ref: string) => Json, side: "theirs" | "sent"): Json {
		const mapping = this.#dialect.mapping(recordOf(name), side);
		if (mapping === undefined || mapping.fields.length === 0) return schema;
		const fields = mapping.fields.map((field) => ({ ...field, theirs: field[side] }));
		return moved(schema, fields, findSchema);
	}

	#page(name: OperationName, schema: Json, findSchema: (ref: string) => Json): Json {
		const { next = "next_cursor" } = this.#dialect.description.lists ?? {};
		const items = this.#dialect.itemsOf(name);
		if (items === "data" && next === "next_cursor") return schema;
		const fields = [
			{ ours: "data", theirs: items },
			{ ours: "next_cursor", theirs: next },
		];
		return moved(schema, fields, findSchema);
	}

	#error(schema: Json, findSchema: (ref: string) => Json): Json {
		const { code = "error", message = "message", requestId = "request_id" } = this.#dialect.description.errors ?? {};
		const withCodes = { ...(child(schema, "properties").error as Json), "x-known-values": Object.keys(errorCodes) };
		const fields = [
			{ ours: "error", theirs: code, way: { values: this.#dialect.description.errors?.codes } },
			{ ours: "message", theirs: message },
			{ ours: "request_id", theirs: requestId },
		];
		return moved({ ...schema, properties: { ...child(schema, "properties"), error: withCodes } }, fields, findSchema);
	}

	/** Returns a query parameter, if the service has it. */
	parameter(name: OperationName, parameter: Json): Json[] {
		const { cursor = "cursor", limit = "limit" } = this.#dialect.description.lists ?? {};
		if (parameter.name === "limit") return limit === false ? [] : [{ ...parameter, name: limit }];
		if (parameter.name === "cursor") return [{ ...parameter, name: cursor }];
		const field = this.#dialect.mapping(recordOf(name), "sent")?.field(String(parameter.name));
		if (field === undefined) return [parameter];
		const schema = valued(parameter.schema as Json, field.way);
		return field.sent === undefined ? [] : [{ ...parameter, name: field.sent, schema }];
	}

	/** The parameters that each request has, with one value. */
	fixedParameters(name: OperationName): Json[] {
		return Object.entries(this.#dialect.target(name)?.query ?? {}).map(([key, value]) => ({
			name: key,
			in: "query",
			required: true,
			"x-origin": "assumed",
			schema: { type: "string", enum: [value] },
		}));
	}

	/** The requests of single properties, by path and method, each with the operation that it is a part of. */
	ownPaths(): readonly (readonly [path: string, method: string, described: Json, part: OperationName | undefined])[] {
		const content = { [json]: { schema: { type: "object" } } };
		return recordNames.flatMap((record) => {
			const { reads = [], writes = [], clears = [] } = this.#dialect.ownOperations(record) ?? {};
			return [...reads, ...writes, ...clears].map(({ method, path, properties }) => {
				const names = properties.map(({ ours }) => ours).join(", ");
				const described = {
					summary: `${method === "GET" ? "Shows" : "Sets"} of a ${record.replaceAll("_", " ")}: ${names}.`,
					tags: [path.split("/")[1]],
					"x-origin": "assumed",
					parameters: [idParameter],
					...(method === "PUT" || method === "PATCH" || method === "POST" ? { requestBody: { content } } : {}),
					responses: { 200: { description: names, content } },
				};
				const part = method === "GET" ? singleReadOf(record) : changeOf(record);
				return [path, method.toLowerCase(), described, part] as const;
			});
		});
	}

	/** The schema of a body, with the fields that are always sent and the envelope. */
	request(name: OperationName, ref: Json): Json {
		const { send } = this.#dialect.description;
		const fixed = Object.entries(send?.[name] ?? {});
		const base = this.#dialect.target(name)?.whole ? this.#whole(recordOf(name), ref) : ref;
		const all = fixed.length === 0 ? base : withFixed(base.$ref === undefined ? base : this.#named(ref), fixed);
		return enveloped(all, this.#dialect.envelopeOf(name).request);
	}

	/** The schema of a response, with its envelope. */
	response(name: OperationName, ref: Json): Json {
		return enveloped(ref, (!isList(name) && this.#dialect.envelopeOf(name).response) || undefined);
	}

	codes(ours: string): string[] {
		return [this.#dialect.description.errors?.codes?.[ours] ?? ours].flat();
	}

	error(body: object): unknown {
		return errorOut(this.#dialect, body);
	}

	#named(ref: Json): Json {
		return child(this.schemas, String(ref.$ref).slice(refTo("").length));
	}

	/** The record as it is read, with the fields that only a change has. */
	#whole(record: string | undefined, ref: Json): Json {
		const read = this.#named({ $ref: refTo(record === "number" ? "PhoneNumber" : pascal(record ?? "")) });
		const change = child(this.#named(ref), "properties") as Record<string, Json>;
		const all = Object.entries(child(read, "properties") as Record<string, Json>).map(
			([name, field]) => [name, clearable(field, change[name])] as const,
		);
		return { ...read, properties: { ...change, ...Object.fromEntries(all) } };
	}
}

/** Adds fields with one value. */
function withFixed(schema: Json, fixed: readonly (readonly [string, unknown])[]): Json {
	const always = Object.fromEntries(
		fixed.map(([name, value]) => [name, { type: typeof value, enum: [value], "x-origin": "assumed" }]),
	);
	return {
		...schema,
		properties: { ...child(schema, "properties"), ...always },
		required: [...((schema.required as string[] | undefined) ?? []), ...fixed.map(([name]) => name)],
	};
}
