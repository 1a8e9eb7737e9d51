import { z } from "zod";
import { SendMessage } from "../../../provider/api/contract";
import { messageRecord } from "../../http/traffic";
import { ServiceError } from "../../request/errors";
import { validate } from "../../request/validate";
import { numberOf } from "../../service/limits";
import { checkDestination, receiverOf, senderOf } from "../../service/parties";
import { money, segmentPrice } from "../../service/prices";
import { edit, newRow, put, type Service, timeOf } from "../../service/service";
import type { MessageRow, NumberRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { emit } from "../webhooks/events";
import { segmentsOf } from "./segments";

const second = 1000;

/** Duration of each state. */
const waits: Readonly<Record<string, number>> = { queued: second, sending: second, sent: 3 * second };

const slowReceipt = 600 * second;

type Fated = Pick<MessageRow, "script">;

const fateOf = ({ settings }: Service, { script }: Fated): string => script?.fate ?? settings.messageFate;

/** Returns when a message leaves a new state. */
const dueAfter = (service: Service, status: string, row: Fated): string | null => {
	const wait = waits[status];
	if (wait === undefined) return null;
	const scripted = row.script?.after_seconds;
	const receipt = scripted == null ? (fateOf(service, row) === "slow" ? slowReceipt : wait) : scripted * second;
	return timestamp(service.clock.now() + (status === "sent" ? receipt : wait));
};

const undelivered = { code: "unreachable", message: "The receiver can't be reached." };
const refused = { code: "rejected_by_carrier", message: "The receiver's carrier rejected this message." };

const newMessage = (
	service: Service,
	message: Pick<MessageRow, "direction" | "from" | "to" | "number_id" | "text" | "status"> & Partial<MessageRow>,
): MessageRow =>
	put(service, "messages", {
		...newRow(service, "messages"),
		...segmentsOf(message.text),
		script: null,
		next_at: null,
		...message,
	});

export const sendMessage = (service: Service, body: SendMessage): MessageRow => {
	const number = senderOf(service, body.from, "sms");
	checkDestination(service, body.to);
	checkOptIn(service, number, body.to);
	const script = service.script.decide("message", body);
	return newMessage(service, {
		direction: "outbound",
		from: body.from,
		to: body.to,
		number_id: number.id,
		text: body.text,
		status_webhook_url: body.status_webhook_url ?? null,
		reference: body.reference ?? null,
		status: "queued",
		script,
		next_at: dueAfter(service, "queued", { script }),
	});
};

/** Returns the next status under the current settings; undefined at the end. */
const nextOf = (row: MessageRow, service: Service): MessageRow["status"] | undefined => {
	const { status } = row;
	const fate = fateOf(service, row);
	if (status === "queued") return "sending";
	if (status === "sending") return fate === "failed" ? "failed" : "sent";
	if (status !== "sent" || fate === "unconfirmed") return undefined;
	return fate === "undelivered" ? "undelivered" : "delivered";
};

/** Takes the next step of a message. */
export const advanceMessage = (service: Service, row: MessageRow): void => {
	const next = nextOf(row, service);
	const at = timeOf(service);
	const moved = edit(service, "messages", row, (draft) => {
		draft.status = next ?? row.status;
		draft.next_at = next === undefined ? null : dueAfter(service, next, row);
		if (next === "sent") {
			draft.sent_at = at;
			draft.price = money(row.segments * segmentPrice.outbound);
		}
		if (next === "delivered") draft.delivered_at = at;
		if (next === "undelivered") draft.error = undelivered;
		if (next === "failed") draft.error = refused;
	});
	if (next === undefined || next === "sending") return;
	const urls = row.status_webhook_url === null ? [] : [row.status_webhook_url];
	emit(service, "message.status", messageRecord(service, moved), urls);
	if (next === "delivered") arrive(service, moved);
};

const e164 = SendMessage.shape.to;

const InboundMessage = z.strictObject({
	to: e164,
	/** A number, or the name of a sender without one. */
	from: z.union([e164, z.string().regex(/^[A-Za-z0-9 ]{1,11}$/)], "must be E.164, or at most 11 letters and digits"),
	text: z.string().min(1).max(1600),
});
export type InboundMessage = z.output<typeof InboundMessage>;

/** Receives a sent message if its receiver is a number of the account. */
const arrive = (service: Service, { from, to, text }: MessageRow): void => {
	const number = numberOf(service, to);
	if (number?.status === "active" && number.capabilities.includes("sms")) receiveMessage(service, { from, to, text });
};

const stopWords = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "STOPP"];
const startWords = ["START", "UNSTOP", "YES"];

/** Records STOP and START. */
const noteOptOut = ({ optOuts }: Service, { number_id, from, text, created_at }: MessageRow): void => {
	const word = text.trim().toUpperCase();
	const key = `${number_id} ${from}`;
	if (stopWords.includes(word)) optOuts.set(key, created_at);
	else if (startWords.includes(word)) optOuts.delete(key);
};

const checkOptIn = ({ optOuts }: Service, { id, number }: NumberRow, to: string): void => {
	const since = optOuts.get(`${id} ${to}`);
	if (since === undefined) return;
	throw new ServiceError(
		"recipient_opted_out",
		`${to} opted out of SMS from ${number} (STOP, ${since}). Wait until it sends START.`,
		{ since },
	);
};

/** Stores an SMS from outside, and sends it to the webhooks and the number's URL. */
export const receiveMessage = (service: Service, sent: InboundMessage): MessageRow => {
	const { from, to, text } = validate(InboundMessage, sent);
	const number = receiverOf(service, to, "sms");
	const row = newMessage(service, {
		...{ direction: "inbound", from, to, number_id: number.id, text, status: "received" },
		price: money(segmentsOf(text).segments * segmentPrice.inbound),
	});
	noteOptOut(service, row);
	const urls = number.sms_webhook_url === null ? [] : [number.sms_webhook_url];
	emit(service, "message.received", messageRecord(service, row), urls);
	return row;
};
