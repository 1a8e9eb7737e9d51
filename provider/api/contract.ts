/**
 * The service as its description shows it, and as we assume the rest: every wire shape, operation, error code and
 * feature in one place. The client parses answers with it, the emulator validates requests and its own answers with it.
 *
 * Each property and operation carries `x-origin`: `seed` (the public description shows it) or `assumed` (our choice, to
 * be replaced when the real description comes). Answers are open (unknown fields and enum values pass), requests closed.
 */
import { z } from "zod";

export type Origin = "seed" | "assumed";

const origin = (type: z.ZodType, value: Origin) => type.meta({ ...type.meta(), "x-origin": value });

/** Marks what the public description shows. Whatever is not marked is assumed. */
const seed = <T extends z.ZodType>(type: T): T => origin(type, "seed") as T;

const marked = <S extends z.core.$ZodLooseShape>(shape: S): S =>
	Object.fromEntries(
		Object.entries(shape).map(([name, type]) => [
			name,
			origin(type as z.ZodType, (type as z.ZodType).meta()?.["x-origin"] === "seed" ? "seed" : "assumed"),
		]),
	) as S;

/** Part of an answer: unknown fields are kept. */
const answer = <S extends z.core.$ZodLooseShape>(shape: S) => z.looseObject(marked(shape));

/** Part of a request: unknown fields are refused. */
const request = <S extends z.core.$ZodLooseShape>(shape: S) => z.strictObject(marked(shape));

/** An enum of an answer: any string passes, the known ones are documented. */
const open = (values: readonly string[]) => z.string().meta({ "x-known-values": values });

// ---- Words ----------------------------------------------------------------------------------------------------------

export const numberTypes = ["geographic", "mobile", "toll_free", "national"] as const;

export const numberStatuses = [
	"pending",
	"active",
	"suspended",
	"porting_out",
	"ported_out",
	"releasing",
	"released",
	"failed",
] as const;

export const kycStatuses = ["not_required", "action_required", "in_review", "approved", "rejected", "expired"] as const;

export const routeTypes = ["trunk", "sip_uri", "forward", "webhook", "agent"] as const;

export const codecs = ["PCMU", "PCMA", "G729", "G722", "opus"] as const;

export const eventNames = [
	"number.activated",
	"number.kyc_updated",
	"number.suspended",
	"number.released",
	"port_order.updated",
	"trunk.updated",
	"call.initiated",
	"call.answered",
	"call.completed",
	"recording.completed",
	"message.received",
	"message.status",
	"invoice.created",
] as const;

/** What a service may or may not offer. The seed shows none of them: it lists numbers and buys them. */
export const features = [
	"getById",
	"patchNumber",
	"release",
	"trunks",
	"webhooks",
	"idempotencyKey",
	"reference",
	"statusFilter",
] as const;
export type Feature = (typeof features)[number];

/** Header in which a service may say what it offers (comma-separated features). Absent: learnt by trying. Assumed. */
export const featuresHeader = "telephony-features";

/** Header that marks an answer replayed for an Idempotency-Key seen before. Assumed. */
export const replayedHeader = "idempotent-replayed";

// ---- Shared shapes --------------------------------------------------------------------------------------------------

const time = z.string().meta({ format: "date-time" });
const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be E.164, such as +49301234567");
const httpsUrl = z
	.string()
	.max(2048)
	.regex(/^https:\/\/[^/?#@\s]+(?=[/?#]|$)/, "must be an https URL without credentials");
const label = z.string().max(64).nullable();
const reference = z.string().max(128).nullable();
const metadata = z
	.record(z.string().min(1).max(40), z.string().max(500))
	.refine((map) => Object.keys(map).length <= 20, "must have at most 20 keys");
const money = answer({ amount: z.string(), currency: z.string() });

export const ErrorBody = answer({
	error: seed(z.string()),
	message: seed(z.string()),
	request_id: seed(z.string()),
	details: z.unknown().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const page = <T extends z.ZodType>(item: T) =>
	answer({ data: seed(z.array(item)), next_cursor: seed(z.string().nullable()) });

/** Reads only: the client always asks for `limit=100`, the largest page. */
const ListQuery = request({
	limit: z.coerce.number().int().min(1).optional(),
	cursor: z.string().min(1).max(500).optional(),
});

// ---- Numbers --------------------------------------------------------------------------------------------------------

const ringTimeout = z.number().int().min(5).max(300);

const route = <F extends z.core.$ZodLooseShape>(rest: F) =>
	z.discriminatedUnion("type", [
		request({ type: z.literal("trunk"), trunk_id: z.string().min(1).max(64), ...rest }),
		request({ type: z.literal("sip_uri"), uri: z.string().min(1).max(255), ...rest }),
		request({ type: z.literal("forward"), to: e164, ...rest }),
		request({ type: z.literal("webhook"), url: httpsUrl, ...rest }),
		request({ type: z.literal("agent"), agent_id: z.string().min(1).max(64), ...rest }),
	]);

const FailoverRequest = route({ ring_timeout_seconds: ringTimeout.optional() });

/** One tagged union, replaced whole: setting a trunk can't leave a forward behind that is stored but ignored. */
export const RouteRequest = route({
	ring_timeout_seconds: ringTimeout.optional(),
	failover: FailoverRequest.nullable().optional(),
});
export type RouteRequest = z.infer<typeof RouteRequest>;

const routeAnswer = {
	type: open(routeTypes),
	trunk_id: z.string().optional(),
	uri: z.string().optional(),
	to: z.string().optional(),
	url: z.string().optional(),
	agent_id: z.string().optional(),
	ring_timeout_seconds: z.number().nullable().optional(),
};
export const RouteRecord = answer({ ...routeAnswer, failover: answer(routeAnswer).nullable().optional() });
export type RouteRecord = z.infer<typeof RouteRecord>;

export const KycRecord = answer({
	status: open(kycStatuses),
	profile_id: z.string().nullable().optional(),
	reasons: z.array(answer({ code: z.string(), message: z.string() })).optional(),
	deadline: time.nullable().optional(),
});
export type KycRecord = z.infer<typeof KycRecord>;

/** Only `id` is always there: the seed's list shows no fields, so every other one may be missing. */
export const NumberRecord = answer({
	id: z.string().min(1).max(64),
	/** E.164; null while the carrier has not assigned one. */
	number: z.string().nullable().optional(),
	country: seed(z.string().optional()),
	area: seed(z.string().nullable().optional()),
	type: seed(z.string().optional()),
	status: open(numberStatuses).optional(),
	/** The seed's prose says "state": read as an alias of `status`. */
	state: open(numberStatuses).optional(),
	kyc_required: seed(z.boolean().optional()),
	kyc: KycRecord.nullable().optional(),
	capabilities: z.array(z.string()).optional(),
	routing: RouteRecord.nullable().optional(),
	sms_webhook_url: z.string().nullable().optional(),
	label: label.optional(),
	reference: reference.optional(),
	metadata: z.record(z.string(), z.string()).nullable().optional(),
	release_protection: z.boolean().optional(),
	reconciling: z.boolean().optional(),
	price: answer({ setup: money, monthly: money }).nullable().optional(),
	source: open(["purchase", "port"]).optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
	activated_at: time.nullable().optional(),
	released_at: time.nullable().optional(),
	quarantine_until: time.nullable().optional(),
});
export type NumberRecord = z.infer<typeof NumberRecord>;

/** What a purchase may answer: the seed shows nothing beyond `kyc_required`, not even an id. */
export const PurchaseRecord = NumberRecord.partial({ id: true });
export type PurchaseRecord = z.infer<typeof PurchaseRecord>;

export const BuyNumber = request({
	country: seed(z.string().regex(/^[A-Z]{2}$/, "must be a two-letter country code in upper case")),
	area: seed(z.string().min(1).max(20).optional()),
	type: seed(z.enum(numberTypes)),
});
export type BuyNumber = z.infer<typeof BuyNumber>;

export const PatchNumber = request({
	routing: RouteRequest.nullable().optional(),
	sms_webhook_url: httpsUrl.nullable().optional(),
	label: label.optional(),
	reference: reference.optional(),
	metadata: metadata.nullable().optional(),
	release_protection: z.boolean().optional(),
	kyc_profile_id: z.string().min(1).max(64).nullable().optional(),
});
export type PatchNumber = z.infer<typeof PatchNumber>;

const ListNumbersQuery = ListQuery.extend(
	marked({ status: z.enum(numberStatuses).optional(), reference: z.string().min(1).max(128).optional() }),
);

// ---- SIP trunks -----------------------------------------------------------------------------------------------------

const cidr = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], { error: "must be an IP address or CIDR" });
const password = z.string().min(12).max(128);

const AuthRequest = z.discriminatedUnion("mode", [
	request({ mode: z.literal("ip_acl"), allowed_cidrs: z.array(cidr).min(1).max(100) }),
	request({
		mode: z.literal("digest"),
		username: z
			.string()
			.regex(/^[A-Za-z0-9._-]{4,32}$/, "must be 4 to 32 letters, digits, dots, dashes or underscores"),
		password: password.optional(),
	}),
]);
export type AuthRequest = z.infer<typeof AuthRequest>;

const TargetRequest = request({
	host: z.string().min(1).max(253),
	port: z.number().int().min(1).max(65535).optional(),
	transport: z.enum(["udp", "tcp", "tls"]).optional(),
	priority: z.number().int().min(0).max(65535).optional(),
	weight: z.number().int().min(1).max(65535).optional(),
});
export type TargetRequest = z.infer<typeof TargetRequest>;

const trunkRequest = {
	name: z.string().min(1).max(64),
	auth: AuthRequest,
	/** Concurrent channels, both directions. */
	capacity: z.number().int().min(1).max(10_000),
	/** New calls per second; null = the account's limit. */
	cps: z.number().int().min(1).max(100).nullable().optional(),
	targets: z.array(TargetRequest).max(20).optional(),
	media_encryption: z.enum(["none", "srtp"]).optional(),
	/** In order of preference. */
	codecs: z.array(z.enum(codecs)).min(1).max(codecs.length).optional(),
	enabled: z.boolean().optional(),
	label: label.optional(),
	reference: reference.optional(),
	metadata: metadata.nullable().optional(),
};
export const CreateTrunk = request(trunkRequest);
export type CreateTrunk = z.infer<typeof CreateTrunk>;

export const PatchTrunk = CreateTrunk.extend({
	targets: trunkRequest.targets.unwrap().nullable().optional(),
	media_encryption: trunkRequest.media_encryption.unwrap().nullable().optional(),
	codecs: trunkRequest.codecs.unwrap().nullable().optional(),
}).partial();
export type PatchTrunk = z.infer<typeof PatchTrunk>;

export const TrunkRecord = answer({
	id: z.string().min(1).max(64),
	name: z.string().optional(),
	auth: answer({
		mode: open(["ip_acl", "digest"]),
		allowed_cidrs: z.array(z.string()).optional(),
		username: z.string().optional(),
		/** Only in the answer that generated it. */
		password: z.string().optional(),
		password_set: z.boolean().optional(),
		password_updated_at: time.nullable().optional(),
	}).optional(),
	capacity: z.number().optional(),
	cps: z.number().nullable().optional(),
	targets: z
		.array(
			answer({
				host: z.string(),
				port: z.number().optional(),
				transport: z.string().optional(),
				priority: z.number().optional(),
				weight: z.number().optional(),
			}),
		)
		.nullable()
		.optional(),
	media_encryption: z.string().nullable().optional(),
	codecs: z.array(z.string()).nullable().optional(),
	enabled: z.boolean().optional(),
	label: label.optional(),
	reference: reference.optional(),
	metadata: z.record(z.string(), z.string()).nullable().optional(),
	sip_domain: z.string().optional(),
	status: open(["provisioning", "active", "disabled", "failed"]).optional(),
	reconciling: z.boolean().optional(),
	numbers_count: z.number().optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type TrunkRecord = z.infer<typeof TrunkRecord>;

// ---- Webhooks -------------------------------------------------------------------------------------------------------

/** https only; plain http is allowed for loopback, so that a laptop can receive what its emulator sends. */
const webhookUrl = z
	.string()
	.max(2048)
	.regex(
		/^(https:\/\/[^/?#@\s]+|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?)(?=[/?]|$)[^#\s]*$/,
		"must be an https URL without credentials or fragment (http only for loopback)",
	);

const webhookRequest = {
	url: webhookUrl,
	/** A set; `*` stands for all. */
	events: z
		.array(z.enum([...eventNames, "*"]))
		.min(1)
		.max(eventNames.length + 1),
	description: z.string().max(200).nullable().optional(),
	enabled: z.boolean().optional(),
	reference: reference.optional(),
};
export const CreateWebhook = request(webhookRequest);
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const PatchWebhook = CreateWebhook.partial();
export type PatchWebhook = z.infer<typeof PatchWebhook>;

export const WebhookRecord = answer({
	id: z.string().min(1).max(64),
	url: z.string().optional(),
	events: z.array(z.string()).optional(),
	description: z.string().nullable().optional(),
	enabled: z.boolean().optional(),
	status: open(["enabled", "disabled"]).optional(),
	disabled_reason: open(["user", "failures", "gone"]).nullable().optional(),
	/** Only in the answer that generated it; `whsec_` and base64. */
	secret: z.string().optional(),
	secret_hint: z.string().nullable().optional(),
	secret_version: z.number().optional(),
	previous_secret_expires_at: time.nullable().optional(),
	reference: reference.optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type WebhookRecord = z.infer<typeof WebhookRecord>;

export const RotateSecret = request({
	/** Seconds for which the previous secret stays valid. */
	previous_expires_in: z.number().int().min(0).max(604_800).optional(),
});

// ---- Operations -----------------------------------------------------------------------------------------------------

export interface Operation {
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** Relative to the base URL; `{id}` stands for one path segment. */
	readonly path: string;
	readonly origin: Origin;
	/** The feature without which the service doesn't offer this operation; none for the seed's two. */
	readonly feature?: Feature;
	readonly query?: z.ZodObject;
	readonly body?: z.ZodType;
	readonly status: number;
	/** Absent where the answer has no body. */
	readonly answer?: z.ZodType;
}

export const operations = {
	listNumbers: {
		method: "GET",
		path: "/numbers",
		origin: "seed",
		query: ListNumbersQuery,
		status: 200,
		answer: page(NumberRecord),
	},
	buyNumber: {
		method: "POST",
		path: "/numbers",
		origin: "seed",
		body: BuyNumber,
		status: 201,
		answer: PurchaseRecord,
	},
	getNumber: {
		method: "GET",
		path: "/numbers/{id}",
		origin: "assumed",
		feature: "getById",
		status: 200,
		answer: NumberRecord,
	},
	patchNumber: {
		method: "PATCH",
		path: "/numbers/{id}",
		origin: "assumed",
		feature: "patchNumber",
		body: PatchNumber,
		status: 200,
		answer: NumberRecord,
	},
	releaseNumber: {
		method: "DELETE",
		path: "/numbers/{id}",
		origin: "assumed",
		feature: "release",
		status: 200,
		answer: NumberRecord,
	},
	listTrunks: {
		method: "GET",
		path: "/trunks",
		origin: "assumed",
		feature: "trunks",
		query: ListQuery,
		status: 200,
		answer: page(TrunkRecord),
	},
	createTrunk: {
		method: "POST",
		path: "/trunks",
		origin: "assumed",
		feature: "trunks",
		body: CreateTrunk,
		status: 201,
		answer: TrunkRecord,
	},
	getTrunk: {
		method: "GET",
		path: "/trunks/{id}",
		origin: "assumed",
		feature: "trunks",
		status: 200,
		answer: TrunkRecord,
	},
	patchTrunk: {
		method: "PATCH",
		path: "/trunks/{id}",
		origin: "assumed",
		feature: "trunks",
		body: PatchTrunk,
		status: 200,
		answer: TrunkRecord,
	},
	deleteTrunk: { method: "DELETE", path: "/trunks/{id}", origin: "assumed", feature: "trunks", status: 204 },
	rotatePassword: {
		method: "POST",
		path: "/trunks/{id}/rotate_password",
		origin: "assumed",
		feature: "trunks",
		status: 200,
		answer: TrunkRecord,
	},
	listWebhooks: {
		method: "GET",
		path: "/webhooks",
		origin: "assumed",
		feature: "webhooks",
		query: ListQuery,
		status: 200,
		answer: page(WebhookRecord),
	},
	createWebhook: {
		method: "POST",
		path: "/webhooks",
		origin: "assumed",
		feature: "webhooks",
		body: CreateWebhook,
		status: 201,
		answer: WebhookRecord,
	},
	getWebhook: {
		method: "GET",
		path: "/webhooks/{id}",
		origin: "assumed",
		feature: "webhooks",
		status: 200,
		answer: WebhookRecord,
	},
	patchWebhook: {
		method: "PATCH",
		path: "/webhooks/{id}",
		origin: "assumed",
		feature: "webhooks",
		body: PatchWebhook,
		status: 200,
		answer: WebhookRecord,
	},
	deleteWebhook: { method: "DELETE", path: "/webhooks/{id}", origin: "assumed", feature: "webhooks", status: 204 },
	rotateSecret: {
		method: "POST",
		path: "/webhooks/{id}/rotate_secret",
		origin: "assumed",
		feature: "webhooks",
		body: RotateSecret,
		status: 200,
		answer: WebhookRecord,
	},
} as const satisfies Record<string, Operation>;
export type OperationName = keyof typeof operations;

// ---- Errors ---------------------------------------------------------------------------------------------------------

/** Every error code we know, with its status. The envelope is seed; codes and statuses are assumed but for 400. */
export const errorCodes = {
	bad_request: 400,
	validation_failed: 400,
	immutable_field: 400,
	invalid_reference: 400,
	invalid_cursor: 400,
	capability_missing: 400,
	unsupported_market: 400,
	unauthorized: 401,
	insufficient_balance: 402,
	forbidden: 403,
	account_suspended: 403,
	account_unverified: 403,
	not_found: 404,
	operation_not_offered: 404,
	method_not_allowed: 405,
	no_inventory: 409,
	number_in_use: 409,
	number_not_active: 409,
	release_protected: 409,
	trunk_in_use: 409,
	capacity_exceeded: 409,
	limit_exceeded: 409,
	port_in_progress: 409,
	rotation_in_progress: 409,
	resource_busy: 409,
	idempotency_in_progress: 409,
	gone: 410,
	precondition_failed: 412,
	payload_too_large: 413,
	unsupported_media_type: 415,
	idempotency_key_reused: 422,
	rate_limited: 429,
	internal_error: 500,
	upstream_error: 502,
	unavailable: 503,
	timeout: 504,
} as const;
export type ErrorCode = keyof typeof errorCodes;
