import { z } from "zod";
import {
	type ErrorCode,
	errorCodes,
	type Feature,
	type Operation,
	type OperationName,
} from "../../../provider/api/contract";
import type { ServiceDescription } from "../../../provider/api/description/service-description";
import { bodyExamples } from "./examples";
import { linksOf } from "./links";
import { type Json, namesOf, type Offered, reachable, refTo, schemasOf, withoutUnoffered } from "./schemas";
import { Spoken } from "./spoken";
import { ownErrors, summaries } from "./words";

type Entry = readonly [OperationName, Operation];

const described: Readonly<Record<string, Json>> = {
	cursor: { description: "Where the next page begins: `next_cursor` of the page before. Opaque." },
	limit: { description: "Items of a page, at most 100; a page may be shorter, or empty, while a cursor follows." },
};

/** Filters that belong to a feature; without it they are refused as unknown. */
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

/** Every error code that an operation may answer with. */
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
					"application/json": {
						schema: { $ref: "#/components/schemas/Error" },
						examples: Object.fromEntries(
							codes.map((code) => [
								code,
								{ value: { error: code, message: `What is wrong (${code}).`, request_id: "req_01" } },
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
		content: { "application/json": { schema: { $ref: refTo(names.get(operation.response)) } } },
	};
};

const bodyOf = (
	name: OperationName,
	{ body }: Operation,
	names: ReadonlyMap<z.ZodType, string>,
	offered: Offered,
): Json => {
	if (body === undefined) return {};
	const { reference, ...bare } = (bodyExamples as Readonly<Record<string, Json>>)[name] ?? {};
	const example = offered.reference && reference !== undefined ? { ...bare, reference } : bare;
	return {
		requestBody: {
			required: !body.safeParse({}).success,
			content: {
				"application/json": {
					schema: { $ref: refTo(names.get(body)) },
					example,
				},
			},
		},
	};
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
	...bodyOf(name, operation, names, offered),
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
		"The service as its public description shows it (`x-origin: seed`) and as pulumi-telephony assumes the rest (`x-origin: assumed`). Answers are open: unknown fields and values pass, and enums of answers are listed as `x-known-values`. Requests are closed: unknown fields are refused. In a PATCH, what is omitted stays, `null` clears, unions and arrays are replaced whole. Lists come in pages: ask again with `cursor` set to `next_cursor` until that is null.",
};

/**
 * The contract as an OpenAPI 3.1 document: only these operations, and of them only what the service offers.
 * @param dialect what the service names otherwise
 */
export const openApi = (operations: readonly Entry[], offered: Offered, dialect?: ServiceDescription): Json => {
	const names = namesOf(operations);
	const ours = withoutUnoffered(schemasOf(names), offered) as Json;
	const spoken = dialect && new Spoken(dialect, ours, names, operations);
	const paths: Record<string, Record<string, Json>> = {};
	for (const entry of operations) {
		const [name, operation] = entry;
		const { path, method } = spoken?.place(name) ?? operation;
		const described = describeOperation(entry, operations, names, offered);
		const said = spoken?.operation(name, described) ?? described;
		paths[path] = { ...paths[path], [method.toLowerCase()]: said };
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
					name: dialect?.description.headers?.idempotencyKey ?? "Idempotency-Key",
					in: "header",
					description: "Repeats of a request with the same key and body get the first answer, for 24 hours.",
					"x-origin": "assumed",
					schema: { type: "string", minLength: 1, maxLength: 255 },
				},
			},
			headers: {
				RequestId: { description: "For the service's support.", schema: { type: "string" } },
				RetryAfter: { description: "Seconds, or an HTTP date.", schema: { type: "string" } },
				IdempotentReplayed: {
					description: "`true` where the answer is that of an earlier request with the same Idempotency-Key.",
					schema: { type: "string" },
				},
			},
			schemas: reachable(paths, spoken?.schemas ?? ours),
		},
	};
};
