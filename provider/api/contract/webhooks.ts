import { z } from "zod";
import { create, get, list, ofFeature, patch, post, remove } from "./operation";
import * as s from "./schema";

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

export const CreateWebhook = s.request(() => ({
	url: s.webhookUrl,
	/** A set; `*` stands for all. */
	events: z
		.array(z.enum([...eventNames, "*"]))
		.min(1)
		.max(eventNames.length + 1),
	description: z.string().max(200).nullable().optional(),
	enabled: z.boolean().optional(),
	reference: s.reference.optional(),
}));
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const PatchWebhook = s.request(() => CreateWebhook.partial().shape);
export type PatchWebhook = z.infer<typeof PatchWebhook>;

const PlainWebhookRecord = s.response(() => ({
	id: s.id,
	url: z.string().optional(),
	events: z.array(s.openEnum(["*", ...eventNames])).optional(),
	description: z.string().nullable().optional(),
	enabled: z.boolean().optional(),
	status: s.openEnum(["enabled", "disabled"]).optional(),
	disabled_reason: s.openEnum(["user", "failures", "gone"]).nullable().optional(),
	/** Only in the response that generated it; `whsec_` and base64. */
	secret: s.secret(z.string().optional()),
	secret_hint: z.string().nullable().optional(),
	secret_version: z.number().optional(),
	previous_secret_expires_at: s.time.nullable().optional(),
	reference: s.words.optional(),
	...s.times,
}));
export type WebhookRecord = z.infer<typeof PlainWebhookRecord>;
export const WebhookRecord: s.Schema<WebhookRecord> = PlainWebhookRecord;

export const RotateSecret = s.request(() => ({
	/** Seconds for which the previous secret stays valid. */
	previous_expires_in: z.number().int().min(0).max(604_800).optional(),
}));

export const deliveryStatuses = ["pending", "delivered", "failed", "refused"] as const;

/** The event of a test; nothing is subscribed to it. */
export const testEvent = "webhook.test";

/** One event on its way to one webhook: a Standard Webhooks message and its attempts. */
const PlainDeliveryRecord = s.response(() => ({
	id: s.id,
	webhook_id: z.string().optional(),
	/** The header `webhook-id`: the same on each attempt and each resend. */
	event_id: z.string().optional(),
	event: s.openEnum([...eventNames, testEvent]).optional(),
	/** `refused` was never sent: the address is one that the service may not call. */
	status: s.openEnum(deliveryStatuses).optional(),
	attempts: z
		.array(
			s.response(() => ({
				at: s.time,
				/** HTTP status; null where no response came. */
				status: z.number().nullable().optional(),
				error: z.string().nullable().optional(),
				duration_ms: z.number().optional(),
			})),
		)
		.optional(),
	next_attempt_at: s.time.nullable().optional(),
	/** The delivery that this one sends again. */
	resend_of: z.string().nullable().optional(),
	/** `{type, timestamp, data}`, as sent. */
	payload: z.unknown().optional(),
	...s.times,
}));
export type DeliveryRecord = z.infer<typeof PlainDeliveryRecord>;
export const DeliveryRecord: s.Schema<DeliveryRecord> = PlainDeliveryRecord;

export const webhookOperations = ofFeature("webhooks", {
	listWebhooks: list("/webhooks", WebhookRecord),
	createWebhook: create("/webhooks", CreateWebhook, WebhookRecord),
	getWebhook: get("/webhooks/{id}", WebhookRecord),
	patchWebhook: patch("/webhooks/{id}", PatchWebhook, WebhookRecord),
	deleteWebhook: remove("/webhooks/{id}"),
	rotateSecret: { ...post("/webhooks/{id}/rotate_secret", WebhookRecord), body: RotateSecret },
	/** Sends a `webhook.test` to the address, regardless of the webhook's events. */
	testWebhook: { ...post("/webhooks/{id}/test", DeliveryRecord), status: 202 },
	listDeliveries: list("/webhooks/{id}/deliveries", DeliveryRecord, () => ({
		status: z.enum(deliveryStatuses).optional(),
		event: z.enum([...eventNames, testEvent]).optional(),
	})),
	getDelivery: get("/webhook_deliveries/{id}", DeliveryRecord),
	/** Sends the same event again, at once, as a delivery of its own. */
	resendDelivery: { ...post("/webhook_deliveries/{id}/resend", DeliveryRecord), status: 202 },
});
