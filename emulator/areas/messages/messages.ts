import { z } from "zod";
import { SendMessage } from "../../../provider/api/contract";
import { messageRecord } from "../../http/traffic";
import { validate } from "../../request/validate";

import { checkDestination, receiverOf, senderOf } from "../../service/parties";
import { money, segmentPrice } from "../../service/prices";
import { edit, newRow, type Service, setTimer, timeOf } from "../../service/service";
import type { MessageRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { emit } from "../webhooks/events";
import { segmentsOf } from "./segments";

const second = 1000;

/** How long a message stays in a state before the next one. */
const waits: Readonly<Record<string, number>> = { queued: second, sending: second, sent: 3 * second };

const dueAfter = (service: Service, status: string, at = service.clock.now()): string | null => {
	const wait = waits[status];
	return wait === undefined ? null : timestamp(at + wait);
};

const undelivered = { code: "unreachable", message: "The receiver can't be reached." };
const refused = { code: "rejected_by_carrier", message: "The receiver's network does not take this message." };

export const sendMessage = (service: Service, body: SendMessage): MessageRow => {
	const number = senderOf(service, body.from, "sms");
	checkDestination(service, body.to);
	const row = service.store.messages.put({
		...newRow(service, "msg"),
		direction: "outbound",
		from: body.from,
		to: body.to,
		number_id: number.id,
		text: body.text,
		...segmentsOf(body.text),
		status_webhook_url: body.status_webhook_url ?? null,
		reference: body.reference ?? null,
		status: "queued",
		error: null,
		price: null,
		sent_at: null,
		delivered_at: null,
		next_at: dueAfter(service, "queued"),
	});
	scheduleMessage(service, row);
	return row;
};

/** Sets the timer for a message's next step. */
export const scheduleMessage = (service: Service, { id, next_at }: MessageRow): void => {
	if (next_at !== null) setTimer(service, id, Date.parse(next_at), () => moveOn(service, id));
};

/** A message's next status under the current settings; undefined if there is none. */
const nextOf = ({ status }: MessageRow, { settings }: Service): MessageRow["status"] | undefined => {
	const fate = settings.messageFate;
	if (status === "queued") return "sending";
	if (status === "sending") return fate === "failed" ? "failed" : "sent";
	if (status !== "sent" || fate === "unconfirmed") return undefined;
	return fate === "undelivered" ? "undelivered" : "delivered";
};

const moveOn = (service: Service, id: string): void => {
	const { messages } = service.store;
	const row = messages.get(id);
	if (row === undefined) return;
	const next = nextOf(row, service);
	const at = timeOf(service);
	const moved = edit(service, messages, row, (draft) => {
		draft.status = next ?? row.status;
		draft.next_at = next === undefined ? null : dueAfter(service, next);
		if (next === "sent") {
			draft.sent_at = at;
			draft.price = money(row.segments * segmentPrice.outbound);
		}
		if (next === "delivered") draft.delivered_at = at;
		if (next === "undelivered") draft.error = undelivered;
		if (next === "failed") draft.error = refused;
	});
	scheduleMessage(service, moved);
	if (next === undefined || next === "sending") return;
	const urls = row.status_webhook_url === null ? [] : [row.status_webhook_url];
	emit(service, "message.status", messageRecord(service, moved), urls);
};

const e164 = SendMessage.shape.to;

const InboundMessage = z.strictObject({
	to: e164,
	/** A number, or a word if the sender has no number. */
	from: z.union([e164, z.string().regex(/^[A-Za-z0-9 ]{1,11}$/)], "must be E.164, or at most 11 letters and digits"),
	text: z.string().min(1).max(1600),
});
export type InboundMessage = z.output<typeof InboundMessage>;

/** Stores an SMS from outside, and sends it to the webhooks and to the number's own address. */
export const receiveMessage = (service: Service, sent: InboundMessage): MessageRow => {
	const { from, to, text } = validate(InboundMessage, sent);
	const number = receiverOf(service, to, "sms");
	const { encoding, segments } = segmentsOf(text);
	const row = service.store.messages.put({
		...newRow(service, "msg"),
		direction: "inbound",
		from,
		to,
		number_id: number.id,
		text,
		encoding,
		segments,
		status_webhook_url: null,
		reference: null,
		status: "received",
		error: null,
		price: money(segments * segmentPrice.inbound),
		sent_at: null,
		delivered_at: null,
		next_at: null,
	});
	const urls = number.sms_webhook_url === null ? [] : [number.sms_webhook_url];
	emit(service, "message.received", messageRecord(service, row), urls);
	return row;
};
