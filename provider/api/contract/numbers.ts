import { z } from "zod";
import { act, create, get, list, type Operation, patch, remove } from "./operation";
import * as s from "./schema";

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
	trunk: { trunk_id: s.id },
	sip_uri: { uri: z.string().min(1).max(255) },
	forward: { to: s.e164 },
	webhook: { url: s.webhookUrl },
	agent: { agent_id: s.id },
};
export const routeTypes = Object.keys(destinations) as readonly (keyof typeof destinations)[];

/** Seconds. */
export const ringTimeout = () => z.number().int().min(5).max(300);

const route = <F extends z.core.$ZodLooseShape>(rest: () => F) =>
	z.discriminatedUnion("type", [
		s.request(() => ({ type: z.literal("trunk"), ...destinations.trunk, ...rest() })),
		s.request(() => ({ type: z.literal("sip_uri"), ...destinations.sip_uri, ...rest() })),
		s.request(() => ({ type: z.literal("forward"), ...destinations.forward, ...rest() })),
		s.request(() => ({ type: z.literal("webhook"), ...destinations.webhook, ...rest() })),
		s.request(() => ({ type: z.literal("agent"), ...destinations.agent, ...rest() })),
	]);

const PlainFailover = route(() => ({ ring_timeout_seconds: ringTimeout().optional() }));
export type FailoverRequest = z.infer<typeof PlainFailover>;
export const FailoverRequest: s.Schema<FailoverRequest> = PlainFailover;

const TaggedRoute = route(() => ({
	ring_timeout_seconds: ringTimeout().optional(),
	failover: FailoverRequest.nullable().optional(),
}));
export type RouteRequest = z.infer<typeof TaggedRoute>;
/** One tagged union, replaced whole: setting a trunk can't leave a forward behind that is stored but ignored. */
export const RouteRequest: s.Schema<RouteRequest> = TaggedRoute;

const routeResponse = {
	type: s.openEnum(routeTypes),
	trunk_id: z.string().optional(),
	uri: z.string().optional(),
	to: s.phone.optional(),
	url: z.string().optional(),
	agent_id: z.string().optional(),
	ring_timeout_seconds: z.number().nullable().optional(),
};
export const RouteRecord = s.response(() => ({
	...routeResponse,
	failover: s
		.response(() => routeResponse)
		.nullable()
		.optional(),
}));
export type RouteRecord = z.infer<typeof RouteRecord>;

export const KycRecord = s.response(() => ({
	status: s.openEnum(kycStatuses),
	profile_id: z.string().nullable().optional(),
	reasons: s.reasons.optional(),
	deadline: s.time.nullable().optional(),
}));
export type KycRecord = z.infer<typeof KycRecord>;

/** Only `id` is always there: the seed's list shows no fields, so every other one may be missing. */
const PlainNumberRecord = s.response(() => ({
	id: s.id,
	/** E.164; null while the carrier has not assigned one. */
	number: s.phone.nullable().optional(),
	country: s.seed(z.string().optional()),
	area: s.seed(z.string().nullable().optional()),
	type: s.seed(z.string().optional()),
	status: s.openEnum(numberStatuses).optional(),
	/** The seed's prose says "state": read as an alias of `status`. */
	state: s.openEnum(numberStatuses).optional(),
	kyc_required: s.seed(z.boolean().optional()),
	kyc: KycRecord.nullable().optional(),
	capabilities: z.array(z.string()).optional(),
	routing: RouteRecord.nullable().optional(),
	sms_webhook_url: z.string().nullable().optional(),
	label: s.words.optional(),
	reference: s.words.optional(),
	metadata: z.record(z.string(), z.string()).nullable().optional(),
	release_protection: z.boolean().optional(),
	reconciling: z.boolean().optional(),
	price: s
		.response(() => ({ setup: s.money, monthly: s.money }))
		.nullable()
		.optional(),
	source: s.openEnum(["purchase", "port"]).optional(),
	...s.times,
	activated_at: s.time.nullable().optional(),
	released_at: s.time.nullable().optional(),
	quarantine_until: s.time.nullable().optional(),
}));
export type NumberRecord = z.infer<typeof PlainNumberRecord>;
export const NumberRecord: s.Schema<NumberRecord> = PlainNumberRecord;

/** A purchased number. The seed shows nothing beyond `kyc_required`, not even an id. */
const PlainPurchaseRecord = s.response(() => PlainNumberRecord.partial({ id: true }).shape);
export type PurchaseRecord = z.infer<typeof PlainPurchaseRecord>;
export const PurchaseRecord: s.Schema<PurchaseRecord> = PlainPurchaseRecord;

export const BuyNumber = s.request(() => ({
	country: s.seed(s.country),
	area: s.seed(z.string().min(1).max(20).optional()),
	type: s.seed(z.enum(numberTypes)),
}));
export type BuyNumber = z.infer<typeof BuyNumber>;

export const PatchNumber = s.request(() => ({
	routing: RouteRequest.nullable().optional(),
	sms_webhook_url: s.webhookUrl.nullable().optional(),
	label: s.label.optional(),
	reference: s.reference.optional(),
	metadata: s.metadata.nullable().optional(),
	release_protection: z.boolean().optional(),
	kyc_profile_id: s.id.nullable().optional(),
}));
export type PatchNumber = z.infer<typeof PatchNumber>;

export const numberOperations = {
	listNumbers: {
		origin: "seed",
		...list("/numbers", NumberRecord, () => ({
			status: z.enum(numberStatuses).optional(),
			reference: s.referenceFilter,
		})),
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
