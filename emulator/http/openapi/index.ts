import { z } from "zod";
import {
	operations as all,
	type ErrorCode,
	errorCodes,
	type Feature,
	inUseCode,
	kinds,
	type Operation,
	type OperationName,
	usedKinds,
} from "../../../provider/api/contract";
import { ServiceDescription } from "../../../provider/api/description/service-description";
import { idParameter, RenamedParts } from "./renamed";
import { type Json, namesOf, type Offered, reachable, refTo, schemasOf, withoutUnoffered } from "./schemas";
import { ownErrors, summaries } from "./words";

type Entry = readonly [OperationName, Operation];

/** A document in the making. */
interface Described {
	readonly offered: Offered;
	readonly dialect: ServiceDescription;
	readonly names: ReadonlyMap<z.ZodType, string>;
	readonly renamed: RenamedParts;
}

/** The description of a service that uses the contract's names. */
const contractNames = () => new ServiceDescription({}, "the contract");

const json = "application/json";

const described: Readonly<Record<string, Json>> = {
	cursor: { description: "`next_cursor` of the previous page." },
	limit: {
		description:
			"Highest number of items on a page, at most 100. A page may have fewer, or none, and still have a cursor.",
	},
};

/** Filters of optional features. */
export const filterFeatures: Readonly<Record<string, Feature>> = { reference: "reference", status: "statusFilter" };

const isOffered = (offered: Offered, name: string): boolean => {
	const feature = filterFeatures[name];
	return feature === undefined || offered[feature];
};

const queryParameters = ({ query }: Operation, offered: Offered): Json[] => {
	if (query === undefined) return [];
	const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
	const accepted = Object.entries(properties).filter(([name]) => isOffered(offered, name));
	return accepted.map(([name, schema]) => {
		const { "x-origin": origin, ...rest } = schema as Json;
		return {
			name,
			in: "query",
			required: required.includes(name),
			...described[name],
			"x-origin": origin ?? "assumed",
			schema: rest,
		};
	});
};

const parametersOf = ([name, operation]: Entry, { offered, renamed }: Described): Json[] => [
	...renamed.fixedParameters(name),
	...(operation.path.includes("{id}") ? [idParameter] : []),
	...queryParameters(operation, offered).flatMap((parameter) => renamed.parameter(name, parameter)),
	...(offered.idempotencyKey && operation.method === "POST"
		? [{ $ref: "#/components/parameters/IdempotencyKey" }]
		: []),
];

/** Every error code that an operation may return. */
const codesOf = (name: OperationName, operation: Operation, keys: boolean): ErrorCode[] => {
	const { method, path, feature, query } = operation;
	const writes = method === "POST" || method === "PATCH";
	return [
		"validation_failed",
		...(writes ? (["bad_request", "payload_too_large", "unsupported_media_type"] as const) : []),
		...(query !== undefined && "cursor" in query.shape ? (["invalid_cursor"] as const) : []),
		"unauthorized",
		...(path.includes("{id}") ? (["not_found"] as const) : []),
		...(feature === undefined ? [] : (["operation_not_offered"] as const)),
		...(keys && method === "POST" ? (["idempotency_in_progress", "idempotency_key_reused"] as const) : []),
		...usedKinds.filter((kind) => method === "DELETE" && path === `${kinds[kind].path}/{id}`).map(inUseCode),
		...(ownErrors[name] ?? []),
		"rate_limited",
		"internal_error",
		"unavailable",
	];
};

const errorResponses = ([name, operation]: Entry, { offered, renamed }: Described): Json => {
	const byStatus = new Map<number, ErrorCode[]>();
	for (const code of codesOf(name, operation, offered.idempotencyKey)) {
		byStatus.set(errorCodes[code], [...(byStatus.get(errorCodes[code]) ?? []), code]);
	}
	const exampleOf = (code: ErrorCode) =>
		renamed.error({ error: code, message: `Explanation of ${code}.`, request_id: "req_01" });
	const refusal = ([status, codes]: [number, ErrorCode[]]): [number, Json] => {
		const names = codes.flatMap((code) => renamed.codes(code));
		const described = {
			description: names.map((code) => `\`${code}\``).join(", "),
			"x-error-codes": names,
			headers: {
				"X-Request-Id": { $ref: "#/components/headers/RequestId" },
				...(status === 429 ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
			},
			content: {
				[json]: {
					schema: { $ref: "#/components/schemas/Error" },
					examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
				},
			},
		};
		return [status, described];
	};
	return Object.fromEntries([...byStatus].map(refusal));
};

const contentOf = ([name, operation]: Entry, { names, renamed }: Described): Json => {
	const { media } = operation;
	if (media !== undefined) {
		// Older generators know what isn't text by its format, newer ones by its media type.
		const bytes = media.startsWith("text/") ? {} : { format: "binary", contentMediaType: media };
		return { content: { [media]: { schema: { type: "string", ...bytes } } } };
	}
	if (operation.response === undefined) return {};
	const schema = renamed.response(name, { $ref: refTo(names.get(operation.response)) });
	return { content: { [json]: { schema } } };
};

const bodyOf = ([name, { body }]: Entry, { names, renamed }: Described): Json => {
	if (body === undefined) return {};
	const schema = renamed.request(name, { $ref: refTo(names.get(body)) });
	return { requestBody: { required: !body.safeParse({}).success, content: { [json]: { schema } } } };
};

const describeOperation = (entry: Entry, described: Described): Json => {
	const [name, operation] = entry;
	const { offered, dialect } = described;
	const replayed = dialect.description.headers?.replayed ?? "Idempotent-Replayed";
	return {
		operationId: name,
		summary: summaries[name],
		tags: [operation.path.split("/")[1]],
		"x-origin": operation.origin,
		...(operation.feature === undefined ? {} : { "x-feature": operation.feature }),
		parameters: parametersOf(entry, described),
		...bodyOf(entry, described),
		responses: {
			[operation.status]: {
				description: summaries[name],
				headers: {
					"X-Request-Id": { $ref: "#/components/headers/RequestId" },
					...(offered.idempotencyKey && operation.method === "POST"
						? { [replayed]: { $ref: "#/components/headers/IdempotentReplayed" } }
						: {}),
				},
				...contentOf(entry, described),
			},
			...errorResponses(entry, described),
		},
	};
};

const info = {
	title: "Virtual numbers and telephony",
	version: "0.1.0-assumed",
	description:
		"The public description of the service (`x-origin: seed`), and what pulumi-telephony assumes in addition (`x-origin: assumed`). Responses may have unknown fields and values; known values are listed in `x-known-values`. Requests with unknown fields are refused. A PATCH keeps omitted fields, clears a field with `null`, and replaces unions and arrays whole. Lists have pages: repeat the request with `cursor` set to `next_cursor` until `next_cursor` is null.",
};

/** The contract as an OpenAPI 3.1 document: these operations, without features that are not offered. */
export const openApi = (operations: readonly Entry[], offered: Offered, dialect = contractNames()): Json => {
	const names = namesOf(operations);
	const ours = withoutUnoffered(schemasOf(names), offered) as Json;
	const renamed = new RenamedParts(dialect, ours, names, operations);
	const paths: Record<string, Record<string, Json>> = {};
	for (const entry of operations) {
		const { path, method } = dialect.offeredTarget(entry[0]);
		const described = describeOperation(entry, { offered, dialect, names, renamed });
		paths[path] = { ...paths[path], [method.toLowerCase()]: described };
	}
	for (const [path, method, operation, part] of renamed.ownPaths()) {
		const errors = part && errorResponses([part, all[part]], { offered, dialect, names, renamed });
		paths[path] = {
			...paths[path],
			[method]: { ...operation, responses: { ...(operation.responses as Json), ...errors } },
		};
	}
	return {
		openapi: "3.1.0",
		info,
		servers: [{ url: "/v1" }],
		security: [{ apiKey: [] }],
		paths,
		components: {
			securitySchemes: { apiKey: { type: "http", scheme: "bearer", "x-origin": "seed" } },
			parameters: {
				IdempotencyKey: {
					name: dialect.description.headers?.idempotencyKey ?? "Idempotency-Key",
					in: "header",
					description: "A repeated request with the same key and body returns the first response, for 24 hours.",
					"x-origin": "assumed",
					schema: { type: "string", minLength: 1, maxLength: 255 },
				},
			},
			headers: {
				RequestId: { description: "Names the request to support.", schema: { type: "string" } },
				RetryAfter: { description: "Seconds, or an HTTP date.", schema: { type: "string" } },
				IdempotentReplayed: {
					description: "`true` if the response repeats that of an earlier request with the same Idempotency-Key.",
					schema: { type: "string" },
				},
			},
			schemas: reachable(paths, renamed.schemas),
		},
	};
};
