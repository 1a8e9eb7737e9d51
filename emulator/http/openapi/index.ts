import { z } from "zod";
import {
	type ErrorCode,
	errorCodes,
	type Feature,
	type Operation,
	type OperationName,
} from "../../../provider/api/contract";
import type { ServiceDescription } from "../../../provider/api/description/service-description";
import { linksOf } from "./links";
import { RenamedDocument } from "./renamed";
import { type Json, namesOf, type Offered, reachable, refTo, schemasOf, withoutUnoffered } from "./schemas";

import { ownErrors, summaries } from "./words";

type Entry = readonly [OperationName, Operation];

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

const parametersOf = (operation: Operation, offered: Offered): Json[] => [
	...(operation.path.includes("{id}")
		? [{ name: "id", in: "path", required: true, "x-origin": "assumed", schema: { type: "string", minLength: 1 } }]
		: []),
	...queryParameters(operation, offered),
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
		...(ownErrors[name] ?? []),
		"rate_limited",
		"internal_error",
		"unavailable",
	];
};

const errorResponses = (name: OperationName, operation: Operation, keys: boolean): Json => {
	const byStatus = new Map<number, ErrorCode[]>();
	for (const code of codesOf(name, operation, keys)) {
		byStatus.set(errorCodes[code], [...(byStatus.get(errorCodes[code]) ?? []), code]);
	}
	return Object.fromEntries(
		[...byStatus].map(([status, codes]) => [
			status,
			{
				description: codes.map((code) => `\`${code}\``).join(", "),
				"x-error-codes": codes,
				headers: {
					"X-Request-Id": { $ref: "#/components/headers/RequestId" },
					...(status === 429 ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } } : {}),
				},
				content: {
					[json]: {
						schema: { $ref: "#/components/schemas/Error" },
						examples: Object.fromEntries(
							codes.map((code) => [
								code,
								{ value: { error: code, message: `Explanation of ${code}.`, request_id: "req_01" } },
							]),
						),
					},
				},
			},
		]),
	);
};

const contentOf = (operation: Operation, names: ReadonlyMap<z.ZodType, string>): Json => {
	const { media } = operation;
	if (media !== undefined) {
		// Older generators know what isn't text by its format, newer ones by its media type.
		const bytes = media.startsWith("text/") ? {} : { format: "binary", contentMediaType: media };
		return { content: { [media]: { schema: { type: "string", ...bytes } } } };
	}
	if (operation.response === undefined) return {};
	return {
		content: { [json]: { schema: { $ref: refTo(names.get(operation.response)) } } },
	};
};

const bodyOf = ({ body }: Operation, names: ReadonlyMap<z.ZodType, string>): Json =>
	body === undefined
		? {}
		: {
				requestBody: {
					required: !body.safeParse({}).success,
					content: { [json]: { schema: { $ref: refTo(names.get(body)) } } },
				},
			};

const describeOperation = (
	[name, operation]: Entry,
	operations: readonly Entry[],
	names: ReadonlyMap<z.ZodType, string>,
	offered: Offered,
): Json => ({
	operationId: name,
	summary: summaries[name],
	tags: [operation.path.split("/")[1]],
	"x-origin": operation.origin,
	...(operation.feature === undefined ? {} : { "x-feature": operation.feature }),
	parameters: parametersOf(operation, offered),
	...bodyOf(operation, names),
	responses: {
		[operation.status]: {
			description: summaries[name],
			headers: {
				"X-Request-Id": { $ref: "#/components/headers/RequestId" },
				...(offered.idempotencyKey && operation.method === "POST"
					? { "Idempotent-Replayed": { $ref: "#/components/headers/IdempotentReplayed" } }
					: {}),
			},
			...contentOf(operation, names),
			...linksOf(name, operation, operations),
		},
		...errorResponses(name, operation, offered.idempotencyKey),
	},
});

const info = {
	title: "Virtual numbers and telephony",
	version: "0.1.0-assumed",
	description:
		"The public description of the service (`x-origin: seed`), and what pulumi-telephony assumes in addition (`x-origin: assumed`). Responses may have unknown fields and values; known values are listed in `x-known-values`. Requests with unknown fields are refused. A PATCH keeps omitted fields, clears a field with `null`, and replaces unions and arrays whole. Lists have pages: repeat the request with `cursor` set to `next_cursor` until `next_cursor` is null.",
};

/**
 * The contract as an OpenAPI 3.1 document: these operations, without features that are not offered.
 * @param dialect the service description, if the service uses other names
 */
export const openApi = (operations: readonly Entry[], offered: Offered, dialect?: ServiceDescription): Json => {
	const names = namesOf(operations);
	const ours = withoutUnoffered(schemasOf(names), offered) as Json;
	const renamed = dialect && new RenamedDocument(dialect, ours, names, operations);
	const paths: Record<string, Record<string, Json>> = {};
	for (const entry of operations) {
		const [name, operation] = entry;
		const { path, method } = renamed?.target(name) ?? operation;
		const described = describeOperation(entry, operations, names, offered);
		paths[path] = { ...paths[path], [method.toLowerCase()]: renamed?.operation(name, described) ?? described };
	}
	for (const [path, method, described] of renamed?.ownPaths() ?? [])
		paths[path] = { ...paths[path], [method]: described };
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
					name: dialect?.description.headers?.idempotencyKey ?? "Idempotency-Key",
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
			schemas: reachable(paths, renamed?.schemas ?? ours),
		},
	};
};
