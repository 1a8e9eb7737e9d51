import { z } from "zod";
import type { Operation } from "./operation";
import {
	answer,
	id,
	ListQuery,
	listQuery,
	openEnum,
	page,
	reference,
	request,
	secret,
	time,
	webhookUrl,
	words,
} from "./schema";

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
export type EventName = (typeof eventNames)[number];

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

const PlainWebhookRecord = answer({
	id,
	url: z.string().optional(),
	events: z.array(openEnum(["*", ...eventNames])).optional(),
	description: z.string().nullable().optional(),
	enabled: z.boolean().optional(),
	status: openEnum(["enabled", "disabled"]).optional(),
	disabled_reason: openEnum(["user", "failures", "gone"]).nullable().optional(),
	/** Only in the answer that generated it; `whsec_` and base64. */
	secret: secret(z.string().optional()),
	secret_hint: z.string().nullable().optional(),
	secret_version: z.number().optional(),
	previous_secret_expires_at: time.nullable().optional(),
	reference: words.optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type WebhookRecord = z.infer<typeof PlainWebhookRecord>;
/** Named, as {@link RouteSchema} is. */
export interface WebhookSchema extends z.ZodType<WebhookRecord, WebhookRecord> {}
export const WebhookRecord: WebhookSchema = PlainWebhookRecord;

export const RotateSecret = request({
	/** Seconds for which the previous secret stays valid. */
	previous_expires_in: z.number().int().min(0).max(604_800).optional(),
});

export const deliveryStatuses = ["pending", "delivered", "failed", "refused"] as const;

/** What a test sends; nothing is subscribed to it. */
export const testEvent = "webhook.test";

/** One event on its way to one webhook: a Standard Webhooks message and its attempts. */
const PlainDeliveryRecord = answer({
	id,
	webhook_id: z.string().optional(),
	/** The header `webhook-id`: the same on each attempt and each resend. */
	event_id: z.string().optional(),
	event: openEnum([...eventNames, testEvent]).optional(),
	/** `refused` was never sent: the address is one that the service may not call. */
	status: openEnum(deliveryStatuses).optional(),
	attempts: z
		.array(
			answer({
				at: time,
				/** HTTP status; null where no answer came. */
				status: z.number().nullable().optional(),
				error: z.string().nullable().optional(),
				duration_ms: z.number().optional(),
			}),
		)
		.optional(),
	next_attempt_at: time.nullable().optional(),
	/** The delivery that this one sends again. */
	resend_of: z.string().nullable().optional(),
	/** `{type, timestamp, data}`, as sent. */
	payload: z.unknown().optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type DeliveryRecord = z.infer<typeof PlainDeliveryRecord>;
/** Named, as {@link RouteSchema} is. */
export interface DeliverySchema extends z.ZodType<DeliveryRecord, DeliveryRecord> {}
export const DeliveryRecord: DeliverySchema = PlainDeliveryRecord;

export const webhookOperations = {
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
	/** Sends a `webhook.test` to the address, regardless of the webhook's events. */
	testWebhook: {
		method: "POST",
		path: "/webhooks/{id}/test",
		origin: "assumed",
		feature: "webhooks",
		status: 202,
		answer: DeliveryRecord,
	},
	listDeliveries: {
		method: "GET",
		path: "/webhooks/{id}/deliveries",
		origin: "assumed",
		feature: "webhooks",
		query: listQuery({
			status: z.enum(deliveryStatuses).optional(),
			event: z.enum([...eventNames, testEvent]).optional(),
		}),
		status: 200,
		answer: page(DeliveryRecord),
	},
	getDelivery: {
		method: "GET",
		path: "/webhook_deliveries/{id}",
		origin: "assumed",
		feature: "webhooks",
		status: 200,
		answer: DeliveryRecord,
	},
	/** The same event again, at once, as a delivery of its own. */
	resendDelivery: {
		method: "POST",
		path: "/webhook_deliveries/{id}/resend",
		origin: "assumed",
		feature: "webhooks",
		status: 202,
		answer: DeliveryRecord,
	},
} as const satisfies Record<string, Operation>;
