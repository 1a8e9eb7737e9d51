import { z } from "zod";
import { act, create, get, list, type Operation, patch, remove } from "./operation";
import {
	country,
	e164,
	id,
	label,
	metadata,
	money,
	openEnum,
	reasons,
	reference,
	referenceFilter,
	request,
	response,
	type Schema,
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

/** The field of each kind of destination. */
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
export const FailoverRequest: Schema<FailoverRequest> = PlainFailover;

const TaggedRoute = route({
	ring_timeout_seconds: ringTimeout.optional(),
	failover: FailoverRequest.nullable().optional(),
});
export type RouteRequest = z.infer<typeof TaggedRoute>;
/** One tagged union, replaced whole: setting a trunk can't leave a forward behind that is stored but ignored. */
export const RouteRequest: Schema<RouteRequest> = TaggedRoute;

const routeResponse = {
	type: openEnum(routeTypes),
	trunk_id: z.string().optional(),
	uri: z.string().optional(),
	to: z.string().optional(),
	url: z.string().optional(),
	agent_id: z.string().optional(),
	ring_timeout_seconds: z.number().nullable().optional(),
};
export const RouteRecord = response({ ...routeResponse, failover: response(routeResponse).nullable().optional() });
export type RouteRecord = z.infer<typeof RouteRecord>;

export const KycRecord = response({
	status: openEnum(kycStatuses),
	profile_id: z.string().nullable().optional(),
	reasons: reasons.optional(),
	deadline: time.nullable().optional(),
});
export type KycRecord = z.infer<typeof KycRecord>;

/** Only `id` is always there: the seed's list shows no fields, so every other one may be missing. */
const PlainNumberRecord = response({
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
	price: response({ setup: money, monthly: money }).nullable().optional(),
	source: openEnum(["purchase", "port"]).optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
	activated_at: time.nullable().optional(),
	released_at: time.nullable().optional(),
	quarantine_until: time.nullable().optional(),
});
export type NumberRecord = z.infer<typeof PlainNumberRecord>;
export const NumberRecord: Schema<NumberRecord> = PlainNumberRecord;

/** A purchased number. The seed shows nothing beyond `kyc_required`, not even an id. */
const PlainPurchaseRecord = PlainNumberRecord.partial({ id: true });
export type PurchaseRecord = z.infer<typeof PlainPurchaseRecord>;
export const PurchaseRecord: Schema<PurchaseRecord> = PlainPurchaseRecord;

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

export const numberOperations = {
	listNumbers: {
		origin: "seed",
		...list("/numbers", NumberRecord, { status: z.enum(numberStatuses).optional(), reference: referenceFilter }),
	},
	buyNumber: { origin: "seed", ...create("/numbers", BuyNumber, PurchaseRecord) },
	getNumber: { origin: "assumed", feature: "getById", ...get("/numbers/{id}", NumberRecord) },
	patchNumber: { origin: "assumed", feature: "patchNumber", ...patch("/numbers/{id}", PatchNumber, NumberRecord) },
	releaseNumber: {
		origin: "assumed",
		feature: "release",
		...remove("/numbers/{id}"),
		status: 200,
		response: NumberRecord,
	},
	restoreNumber: { origin: "assumed", feature: "restore", ...act("/numbers/{id}/restore", NumberRecord) },
} as const satisfies Record<string, Operation>;
