import { z } from "zod";
import type { Operation } from "./operation";
import {
	answer,
	country,
	e164,
	id,
	label,
	listQuery,
	metadata,
	money,
	openEnum,
	page,
	reasons,
	reference,
	request,
	seed,
	time,
	webhookUrl,
	words,
} from "./schema";

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

/** What each kind of destination takes. */
export const destinations = {
	trunk: { trunk_id: id },
	sip_uri: { uri: z.string().min(1).max(255) },
	forward: { to: e164 },
	webhook: { url: webhookUrl },
	agent: { agent_id: id },
};
export const routeTypes = Object.keys(destinations) as readonly (keyof typeof destinations)[];

/** Seconds. */
export const ringTimeout = z.number().int().min(5).max(300);

const route = <F extends z.core.$ZodLooseShape>(rest: F) =>
	z.discriminatedUnion("type", [
		request({ type: z.literal("trunk"), ...destinations.trunk, ...rest }),
		request({ type: z.literal("sip_uri"), ...destinations.sip_uri, ...rest }),
		request({ type: z.literal("forward"), ...destinations.forward, ...rest }),
		request({ type: z.literal("webhook"), ...destinations.webhook, ...rest }),
		request({ type: z.literal("agent"), ...destinations.agent, ...rest }),
	]);

const PlainFailover = route({ ring_timeout_seconds: ringTimeout.optional() });
export type FailoverRequest = z.infer<typeof PlainFailover>;
/** Named, as {@link RouteSchema} is. */
export interface FailoverSchema extends z.ZodType<FailoverRequest, FailoverRequest> {}
export const FailoverRequest: FailoverSchema = PlainFailover;

const TaggedRoute = route({
	ring_timeout_seconds: ringTimeout.optional(),
	failover: FailoverRequest.nullable().optional(),
});
export type RouteRequest = z.infer<typeof TaggedRoute>;
/** Named, or the declarations would spell the union out wherever it is part of something. */
export interface RouteSchema extends z.ZodType<RouteRequest, RouteRequest> {}
/** One tagged union, replaced whole: setting a trunk can't leave a forward behind that is stored but ignored. */
export const RouteRequest: RouteSchema = TaggedRoute;

const routeAnswer = {
	type: openEnum(routeTypes),
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
	status: openEnum(kycStatuses),
	profile_id: z.string().nullable().optional(),
	reasons: reasons.optional(),
	deadline: time.nullable().optional(),
});
export type KycRecord = z.infer<typeof KycRecord>;

/** Only `id` is always there: the seed's list shows no fields, so every other one may be missing. */
const PlainNumberRecord = answer({
	id,
	/** E.164; null while the carrier has not assigned one. */
	number: z.string().nullable().optional(),
	country: seed(z.string().optional()),
	area: seed(z.string().nullable().optional()),
	type: seed(z.string().optional()),
	status: openEnum(numberStatuses).optional(),
	/** The seed's prose says "state": read as an alias of `status`. */
	state: openEnum(numberStatuses).optional(),
	kyc_required: seed(z.boolean().optional()),
	kyc: KycRecord.nullable().optional(),
	capabilities: z.array(z.string()).optional(),
	routing: RouteRecord.nullable().optional(),
	sms_webhook_url: z.string().nullable().optional(),
	label: words.optional(),
	reference: words.optional(),
	metadata: z.record(z.string(), z.string()).nullable().optional(),
	release_protection: z.boolean().optional(),
	reconciling: z.boolean().optional(),
	price: answer({ setup: money, monthly: money }).nullable().optional(),
	source: openEnum(["purchase", "port"]).optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
	activated_at: time.nullable().optional(),
	released_at: time.nullable().optional(),
	quarantine_until: time.nullable().optional(),
});
export type NumberRecord = z.infer<typeof PlainNumberRecord>;
/** Named, as {@link RouteSchema} is. */
export interface NumberSchema extends z.ZodType<NumberRecord, NumberRecord> {}
export const NumberRecord: NumberSchema = PlainNumberRecord;

/** What a purchase may answer: the seed shows nothing beyond `kyc_required`, not even an id. */
const PlainPurchaseRecord = PlainNumberRecord.partial({ id: true });
export type PurchaseRecord = z.infer<typeof PlainPurchaseRecord>;
/** Named, as {@link RouteSchema} is. */
export interface PurchaseSchema extends z.ZodType<PurchaseRecord, PurchaseRecord> {}
export const PurchaseRecord: PurchaseSchema = PlainPurchaseRecord;

export const BuyNumber = request({
	country: seed(country),
	area: seed(z.string().min(1).max(20).optional()),
	type: seed(z.enum(numberTypes)),
});
export type BuyNumber = z.infer<typeof BuyNumber>;

export const PatchNumber = request({
	routing: RouteRequest.nullable().optional(),
	sms_webhook_url: webhookUrl.nullable().optional(),
	label: label.optional(),
	reference: reference.optional(),
	metadata: metadata.nullable().optional(),
	release_protection: z.boolean().optional(),
	kyc_profile_id: id.nullable().optional(),
});
export type PatchNumber = z.infer<typeof PatchNumber>;

const ListNumbersQuery = listQuery({
	status: z.enum(numberStatuses).optional(),
	reference: z.string().min(1).max(128).optional(),
});

export const numberOperations = {
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
	restoreNumber: {
		method: "POST",
		path: "/numbers/{id}/restore",
		origin: "assumed",
		feature: "restore",
		status: 200,
		answer: NumberRecord,
	},
} as const satisfies Record<string, Operation>;
