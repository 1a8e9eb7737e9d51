/** The document of a service that uses other names: the contract's, renamed with the service description. */
import type { z } from "zod";
import { errorCodes, itemOf, type Operation, type OperationName } from "../../../provider/api/contract";
import { recordNames, recordOf } from "../../../provider/api/description/records";
import { isList, type ServiceDescription } from "../../../provider/api/description/service-description";
import { errorOut } from "../words";
import { clearable, moved, valued } from "./moved";
import { type Json, pascal, refTo } from "./schemas";

type Entry = readonly [OperationName, Operation];
type Names = ReadonlyMap<z.ZodType, string>;

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

export class RenamedDocument {
	/** The service's schemas, by the contract's names. */
	readonly schemas: Json;
	readonly #dialect: ServiceDescription;

	constructor(dialect: ServiceDescription, schemas: Json, names: Names, entries: readonly Entry[]) {
		this.#dialect = dialect;
		const look = (ref: string) => child(schemas, ref.slice(refTo("").length));
		const renamed: Record<string, unknown> = { ...schemas, Error: this.#error(child(schemas, "Error"), look) };
		const rename = (type: z.ZodType | undefined, change: (schema: Json) => Json) => {
			const name = type && names.get(type);
			if (name !== undefined) renamed[name] = change(child(schemas, name));
		};
		for (const [name, { response: answer, body }] of entries) {
			const item = answer && itemOf(answer);
			if (item) rename(answer, (schema) => this.#page(name, schema, look));
			rename(item ?? answer, (schema) => this.#record(name, schema, look, "theirs"));
			// The public description fixes the body of a purchase.
			if (name !== "buyNumber") rename(body, (schema) => this.#record(name, schema, look, "sent"));
		}
		this.schemas = renamed;
	}

	#record(name: OperationName, schema: Json, look: (ref: string) => Json, side: "theirs" | "sent"): Json {
		const mapping = this.#dialect.mapping(recordOf(name), side);
		if (mapping === undefined || mapping.fields.length === 0) return schema;
		const fields = mapping.fields.map((field) => ({ ...field, theirs: field[side] }));
		return moved(schema, fields, look);
	}

	#page(name: OperationName, schema: Json, look: (ref: string) => Json): Json {
		const { next = "next_cursor" } = this.#dialect.description.lists ?? {};
		const items = this.#dialect.itemsOf(name);
		if (items === "data" && next === "next_cursor") return schema;
		const fields = [
			{ ours: "data", theirs: items },
			{ ours: "next_cursor", theirs: next },
		];
		return moved(schema, fields, look);
	}

	#error(schema: Json, look: (ref: string) => Json): Json {
		const { code = "error", message = "message", requestId = "request_id" } = this.#dialect.description.errors ?? {};
		const withCodes = { ...(child(schema, "properties").error as Json), "x-known-values": Object.keys(errorCodes) };
		const fields = [
			{ ours: "error", theirs: code, way: { words: this.#dialect.description.errors?.codes } },
			{ ours: "message", theirs: message },
			{ ours: "request_id", theirs: requestId },
		];
		return moved({ ...schema, properties: { ...child(schema, "properties"), error: withCodes } }, fields, look);
	}

	target(name: OperationName): { method: string; path: string } | undefined {
		return this.#dialect.target(name);
	}

	/** Renames an operation of the contract's document. */
	operation(name: OperationName, described: Json): Json {
		const { parameters, requestBody, responses } = described;
		return {
			...described,
			parameters: this.#parameters(name, parameters as Json[]),
			...(requestBody === undefined ? {} : { requestBody: this.#body(name, requestBody as Json) }),
			responses: Object.fromEntries(
				Object.entries(responses as Record<string, Json>).map(([status, response]) => [
					status,
					Number(status) < 400 ? this.#answer(name, response) : this.#refusal(response),
				]),
			),
		};
	}

	#parameters(name: OperationName, parameters: readonly Json[]): Json[] {
		const { cursor = "cursor", limit = "limit" } = this.#dialect.description.lists ?? {};
		const mapping = this.#dialect.mapping(recordOf(name), "sent");
		const fixed = Object.entries(this.#dialect.target(name)?.query ?? {});
		const accepted = parameters.flatMap((parameter): Json[] => {
			if (parameter.in !== "query") return [parameter];
			if (parameter.name === "limit") return limit === false ? [] : [{ ...parameter, name: limit }];
			if (parameter.name === "cursor") return [{ ...parameter, name: cursor }];
			const field = mapping?.field(String(parameter.name));
			if (field === undefined) return [parameter];
			const schema = valued(parameter.schema as Json, field.way);
			return field.sent === undefined ? [] : [{ ...parameter, name: field.sent, schema }];
		});
		const always = ([key, value]: [string, string]): Json => ({
			name: key,
			in: "query",
			required: true,
			"x-origin": "assumed",
			schema: { type: "string", enum: [value] },
		});
		return [...fixed.map(always), ...accepted];
	}

	/** The requests of single properties, by path and method. */
	ownPaths(): readonly (readonly [path: string, method: string, described: Json])[] {
		const id = {
			name: "id",
			in: "path",
			required: true,
			"x-origin": "assumed",
			schema: { type: "string", minLength: 1 },
		};
		const content = { [json]: { schema: { type: "object" } } };
		return recordNames.flatMap((record) => {
			const { reads = [], writes = [], clears = [] } = this.#dialect.ownOperations(record) ?? {};
			return [...reads, ...writes, ...clears].map(({ method, path, properties }) => {
				const names = properties.map(({ ours }) => ours).join(", ");
				const described = {
					summary: `${method === "GET" ? "Shows" : "Sets"} of a ${record.replaceAll("_", " ")}: ${names}.`,
					tags: [path.split("/")[1]],
					"x-origin": "assumed",
					parameters: [id],
					...(method === "PUT" || method === "PATCH" || method === "POST" ? { requestBody: { content } } : {}),
					responses: { 200: { description: names, content } },
				};
				return [path, method.toLowerCase(), described] as const;
			});
		});
	}

	#body(name: OperationName, requestBody: Json): Json {
		const { schema: ours } = child(child(requestBody, "content"), json) as { schema: Json };
		return { ...requestBody, content: { [json]: { schema: this.#sent(name, ours) } } };
	}

	/** Adds the fields that are always sent, and the envelope. */
	#sent(name: OperationName, ref: Json): Json {
		const { send } = this.#dialect.description;
		const record = recordOf(name);
		const fixed = Object.entries(send?.[name] ?? {});
		const base = this.#dialect.target(name)?.whole ? this.#whole(record, ref) : ref;
		const all = fixed.length === 0 ? base : withFixed(base.$ref === undefined ? base : this.#named(ref), fixed);
		return enveloped(all, this.#dialect.envelopeOf(name).request);
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

	#answer(name: OperationName, response: Json): Json {
		const { schema } = child(child(response, "content"), json) as { schema?: Json };
		const envelope = isList(name) ? undefined : this.#dialect.envelopeOf(name).answer;
		const headers = Object.entries(child(response, "headers")).map(([header, described]) => [
			header === "Idempotent-Replayed" ? (this.#dialect.description.headers?.replayed ?? header) : header,
			described,
		]);
		return {
			...response,
			headers: Object.fromEntries(headers),
			...(schema === undefined || envelope === false
				? {}
				: { content: { [json]: { schema: enveloped(schema, envelope) } } }),
			...(response.links === undefined ? {} : { links: this.#links(name, response.links as Record<string, Json>) }),
		};
	}

	/** Links with the service's path of the id. */
	#links(name: OperationName, links: Readonly<Record<string, Json>>): Json {
		const id = this.#dialect.mapping(recordOf(name))?.field("id")?.theirs ?? "id";
		const envelope = this.#dialect.envelopeOf(name).answer || undefined;
		const items = this.#dialect.itemsOf(name);
		const pointer = (path: string) => path.replaceAll(".", "/");
		const pathOf = (given: unknown) =>
			String(given).includes("/data/0/")
				? `$response.body#/${pointer(`${items}.0.${id}`)}`
				: `$response.body#/${pointer(envelope === undefined ? id : `${envelope}.${id}`)}`;
		return Object.fromEntries(
			Object.entries(links).map(([name, link]) => [
				name,
				{ ...link, parameters: { id: pathOf(child(link, "parameters").id) } },
			]),
		);
	}

	#refusal(response: Json): Json {
		const codes = (response["x-error-codes"] as string[]).flatMap((code) => this.#code(code));
		const { schema, examples } = child(child(response, "content"), json) as { schema: Json; examples: Json };
		const renamed = Object.values(examples).map((each) => errorOut(this.#dialect, (each as Json).value) as Json);
		return {
			...response,
			description: codes.map((code) => `\`${code}\``).join(", "),
			"x-error-codes": codes,
			content: {
				[json]: {
					schema,
					examples: Object.fromEntries(Object.keys(examples).map((name, index) => [name, { value: renamed[index] }])),
				},
			},
		};
	}

	#code(ours: string): string[] {
		return [this.#dialect.description.errors?.codes?.[ours] ?? ours].flat();
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
