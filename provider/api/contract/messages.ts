import { z } from "zod";
import { callDirections } from "./calls";
import { create, get, list, ofFeature } from "./operation";
import * as s from "./schema";

export const messageStatuses = ["queued", "sending", "sent", "delivered", "undelivered", "failed", "received"] as const;

export const SendMessage = s.request(() => ({
	/** An active number of the account with sms. */
	from: s.e164,
	to: s.e164,
	text: z.string().min(1).max(1600),
	/** Gets the delivery receipts of this message, beside the webhooks of the account. */
	status_webhook_url: s.webhookUrl.nullable().optional(),
	reference: s.reference.optional(),
}));
export type SendMessage = z.infer<typeof SendMessage>;

const PlainMessageRecord = s.response(() => ({
	id: s.id,
	status: s.openEnum(messageStatuses).optional(),
	direction: s.openEnum(callDirections).optional(),
	/** E.164; the sender of an inbound message may be a word. */
	from: s.phone.optional(),
	to: s.phone.optional(),
	/** The number of the account that sends or receives. */
	number_id: z.string().nullable().optional(),
	text: z.string().optional(),
	/** Parts that it is sent in: 160 characters of GSM-7 or 70 of UCS-2, 153 or 67 when there are several. */
	segments: z.number().optional(),
	encoding: s.openEnum(["gsm7", "ucs2"]).optional(),
	/** Why it was not delivered. */
	error: s
		.response(() => ({ code: z.string(), message: z.string() }))
		.nullable()
		.optional(),
	status_webhook_url: z.string().nullable().optional(),
	price: s.money.nullable().optional(),
	sent_at: s.time.nullable().optional(),
	delivered_at: s.time.nullable().optional(),
	reference: s.words.optional(),
	...s.times,
}));
export type MessageRecord = z.infer<typeof PlainMessageRecord>;
export const MessageRecord: s.Schema<MessageRecord> = PlainMessageRecord;

export const messageOperations = ofFeature("messages", {
	listMessages: list("/messages", MessageRecord, () => ({
		status: z.enum(messageStatuses).optional(),
		direction: z.enum(callDirections).optional(),
		number_id: s.id.optional(),
		reference: s.referenceFilter,
	})),
	sendMessage: create("/messages", SendMessage, MessageRecord),
	getMessage: get("/messages/{id}", MessageRecord),
});
