import { z } from "zod";
import { PlaceCall, RouteRecord } from "../../../provider/api/contract";
import { callRecord, secondsTalked } from "../../http/traffic";
import { ServiceError } from "../../request/errors";
import { validate } from "../../request/validate";
import { numberOf } from "../../service/limits";
import { checkDestination, receiverOf, senderOf } from "../../service/parties";
import { type Path, pathOf, slotOf } from "../../service/paths";
import { minutePrice, money } from "../../service/prices";
import { edit, newRow, put, type Service, timeOf } from "../../service/service";
import type { CallRow, NumberRow, Route } from "../../store/store";
import { timestamp } from "../../time/clock";
import { type EventName, emit } from "../webhooks/events";
import { createRecording } from "./recordings";
import { askWebhook, type CallInstruction } from "./webhook";

const second = 1000;
const dialling = second;
const pickingUp = 3 * second;
/** Seconds of `play`. */
const playing = 5;
const usualTimeout = { outbound: 60, inbound: 30 } as const;

type End = Exclude<CallRow["status"], "queued" | "ringing" | "in_progress">;

/** Cause and SIP response code of each end. */
const ends: Readonly<Record<End, readonly [cause: string, sipCode: number]>> = {
	completed: ["normal_clearing", 200],
	busy: ["user_busy", 486],
	no_answer: ["no_answer", 480],
	failed: ["network_out_of_order", 503],
	canceled: ["originator_cancel", 487],
};

const newCall = (
	service: Service,
	{ route, trunk }: Path,
	call: Pick<CallRow, "direction" | "from" | "to" | "number_id"> & Partial<CallRow>,
): CallRow =>
	put(service, "calls", {
		...newRow(service, "calls"),
		trunk_id: trunk?.id ?? null,
		route,
		record: false,
		timeout_seconds: usualTimeout[call.direction],
		status: "queued",
		script: null,
		peer_id: null,
		waits_for: null,
		next_at: null,
		...call,
	});

const announce = (service: Service, type: EventName, row: CallRow): CallRow => {
	emit(service, type, callRecord(service, row));
	return row;
};

export const placeCall = (service: Service, body: PlaceCall): CallRow => {
	const number = senderOf(service, body.from, "voice");
	checkDestination(service, body.to);
	const path = pathOf(service, body.route ?? number.routing);
	return newCall(service, path, {
		direction: "outbound",
		from: body.from,
		to: body.to,
		number_id: number.id,
		record: body.record ?? false,
		timeout_seconds: body.timeout_seconds ?? usualTimeout.outbound,
		reference: body.reference ?? null,
		script: service.script.decide("call", body),
		next_at: timestamp(slotOf(service, path.trunk, service.clock.now() + dialling)),
	});
};

/** Takes the next step of a call. */
export const advanceCall = (service: Service, row: CallRow): void => {
	if (row.status === "queued") ring(service, row);
	else if (row.status === "in_progress") endCall(service, row, "completed");
	else decide(service, row);
};

const change = (service: Service, row: CallRow, patch: Partial<CallRow>): CallRow =>
	edit(service, "calls", row, (draft) => void Object.assign(draft, patch));

const fateOf = ({ settings }: Service, { script }: CallRow): string => script?.fate ?? settings.callFate;

/** Milliseconds that the call rings under the current settings. */
const ringing = (service: Service, row: CallRow): number => {
	const after = row.script?.after_seconds;
	if (!row.waits_for && after != null) return after * second;
	return row.waits_for || fateOf(service, row) === "no_answer" ? row.timeout_seconds * second : pickingUp;
};

const ring = (service: Service, row: CallRow): CallRow => {
	const called = row.direction === "outbound" && !row.script ? numberOf(service, row.to) : undefined;
	const asked = row.direction === "inbound" && !row.script && row.route?.type === "webhook";
	const waits_for = called ? "peer" : asked ? "webhook" : null;
	const begun = { status: "ringing", started_at: timeOf(service), waits_for } as const;
	const next_at = timestamp(service.clock.now() + ringing(service, { ...row, ...begun }));
	const rings = announce(service, "call.initiated", change(service, row, { ...begun, next_at }));
	if (called) reach(service, rings, called);
	if (asked) ask(service, rings);
	return service.store.calls.get(row.id) ?? rings;
};

/** Starts the other end of a call between two numbers of the account. */
const reach = (service: Service, row: CallRow, number: NumberRow): void => {
	const reached = number.status === "active" && number.capabilities.includes("voice");
	if (!reached) {
		endCall(service, row, "failed", ["number_not_active", 480]);
		return;
	}
	const peer = arrive(service, number, { from: row.from, to: row.to, peer_id: row.id });
	const current = service.store.calls.get(row.id) ?? row;
	if (current.ended_at === null) change(service, current, { peer_id: peer.id });
};

/** Asks the webhook that the number is routed to. */
const ask = (service: Service, row: CallRow): void =>
	askWebhook(service, row, (instruction) => {
		const asking = service.store.calls.get(row.id);
		if (asking?.status !== "ringing" || asking.waits_for !== "webhook") return;
		if (instruction === "none") follow(service, asking, { waits_for: null });
		else if (instruction === "failed") failOver(service, asking);
		else obey(service, asking, instruction);
	});

/** Lets the call ring on at another route. */
const follow = (service: Service, row: CallRow, patch: Partial<CallRow>): CallRow =>
	change(service, row, {
		...patch,
		waits_for: null,
		next_at: timestamp(service.clock.now() + ringing(service, { ...row, ...patch, waits_for: null })),
	});

const failOver = (service: Service, row: CallRow): void => {
	const failover = (row.route?.failover ?? null) as Route | null;
	const fail = (cause: string) => endCall(service, row, "failed", [cause, 503]);
	if (failover === null) {
		fail("webhook_failed");
		return;
	}
	try {
		const { route, trunk } = pathOf(service, failover);
		const next = { route, trunk_id: trunk?.id ?? null };
		if (route?.type === "webhook") ask(service, change(service, row, next));
		else follow(service, row, next);
	} catch (refusal) {
		if (!(refusal instanceof ServiceError)) throw refusal;
		fail(refusal.error);
	}
};

const obey = (service: Service, row: CallRow, instruction: CallInstruction): void => {
	const record = row.record || ("record" in instruction && instruction.record === true);
	const { action } = instruction;
	if (action === "answer") pickUp(service, change(service, row, { record }), instruction.talk_seconds);
	else if (action === "play") pickUp(service, change(service, row, { record }), instruction.seconds ?? playing);
	else if (action === "hang_up") endCall(service, row, "completed");
	else if (action === "forward") {
		const script = service.script.decide("call", { from: row.to, to: instruction.to });
		follow(service, row, { record, script, route: { type: "forward", to: instruction.to } });
	} else if (instruction.reason === "busy") endCall(service, row, "busy");
	else endCall(service, row, "failed", ["call_rejected", 603]);
};

const pickUp = (service: Service, row: CallRow, talkSeconds?: number): void => {
	const seconds = talkSeconds ?? row.script?.talk_seconds ?? service.settings.callSeconds;
	const answered = change(service, row, {
		status: "in_progress",
		answered_at: timeOf(service),
		answered_by: fateOf(service, row) === "voicemail" ? "machine" : "human",
		waits_for: null,
		next_at: timestamp(service.clock.now() + seconds * second),
	});
	announce(service, "call.answered", answered);
	const peer = service.store.calls.get(row.peer_id ?? "");
	if (peer?.status === "ringing") pickUp(service, peer, seconds);
};

const decide = (service: Service, row: CallRow): void => {
	const due = Date.parse(row.started_at ?? row.created_at) + ringing(service, row);
	const fate = fateOf(service, row);
	// The settings may have changed.
	if (due > service.clock.now()) change(service, row, { next_at: timestamp(due) });
	else if (row.waits_for) endCall(service, row, "no_answer");
	else if (fate === "answered" || fate === "voicemail") pickUp(service, row);
	else endCall(service, row, fate as End);
};

/** Now, or the end that was due: nothing ends a call on time while the emulator is stopped or its machine sleeps. */
const endOf = ({ clock }: Service, { status, next_at }: CallRow): string =>
	timestamp(Math.min(clock.now(), status === "in_progress" && next_at !== null ? Date.parse(next_at) : clock.now()));

const endCall = (service: Service, row: CallRow, status: End, [cause, sipCode] = ends[status]): CallRow => {
	const over = { ...row, ended_at: endOf(service, row) };
	const minutes = Math.ceil(secondsTalked(over) / 60);
	const ended = change(service, row, {
		status,
		ended_at: over.ended_at,
		hangup_cause: cause,
		sip_code: sipCode,
		price: money(minutes * minutePrice[row.direction]),
		waits_for: null,
		charged_at: timeOf(service),
		next_at: null,
	});
	announce(service, "call.completed", ended);
	if (row.record && row.answered_at !== null) createRecording(service, ended);
	const peer = service.store.calls.get(row.peer_id ?? "");
	if (peer?.ended_at === null) endCall(service, peer, ...endOfPeer(peer, ended));
	return ended;
};

/** The end of a call whose other end has ended. */
const endOfPeer = (peer: CallRow, { status, hangup_cause, sip_code }: CallRow): [End, (readonly [string, number])?] => {
	if (peer.answered_at !== null) return ["completed"];
	if (peer.direction === "inbound") return ["canceled"];
	if (status === "canceled") return ["busy"];
	return [status as End, [hangup_cause ?? status, sip_code ?? 480]];
};

/** Ends a call, unless it has ended. */
export const hangUpCall = (service: Service, row: CallRow): CallRow => {
	if (row.ended_at !== null) return row;
	return endCall(service, row, row.status === "in_progress" ? "completed" : "canceled");
};

const e164 = PlaceCall.shape.to;

const InboundCall = z.strictObject({
	to: e164,
	from: e164,
	/** True to record an answered call. @default the setting `recordInbound` */
	record: z.boolean().optional(),
});
export type InboundCall = z.input<typeof InboundCall>;

/** Limits the value, which an edit or a snapshot may set to anything. */
const timeoutOf = (route: Route | null): number => {
	const { success, data } = RouteRecord.shape.ring_timeout_seconds.safeParse(route?.ring_timeout_seconds);
	return success && data ? Math.min(Math.max(data, 1), 600) : usualTimeout.inbound;
};

/** Starts a call from outside. It follows the number's routing, or fails with the reason. */
export const receiveCall = (service: Service, sent: InboundCall): CallRow => {
	const { from, to, record } = validate(InboundCall, sent);
	return arrive(service, receiverOf(service, to, "voice"), { from, to, record });
};

interface Arriving {
	readonly from: string;
	readonly to: string;
	readonly record?: boolean | undefined;
	readonly peer_id?: string;
}

const arrive = (service: Service, number: NumberRow, { from, to, record, peer_id = "" }: Arriving): CallRow => {
	const call = {
		direction: "inbound",
		from,
		to,
		number_id: number.id,
		record: record ?? service.settings.recordInbound,
		peer_id: peer_id || null,
		script: peer_id ? null : service.script.decide("call", { from, to }),
	} as const;
	const fail = (route: CallRow["route"], cause: string, sipCode: number) =>
		endCall(service, newCall(service, { route, trunk: null }, call), "failed", [cause, sipCode]);
	if (number.routing === null) return fail(null, "no_route_destination", 404);
	try {
		const path = pathOf(service, number.routing);
		const currentTime = service.clock.now();
		if (slotOf(service, path.trunk, currentTime) > currentTime) return fail(path.route, "cps_exceeded", 503);
		return ring(service, newCall(service, path, { ...call, timeout_seconds: timeoutOf(path.route) }));
	} catch (refusal) {
		if (!(refusal instanceof ServiceError)) throw refusal;
		return fail(number.routing, refusal.error, 503);
	}
};
