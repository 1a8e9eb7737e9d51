import { z } from "zod";
import { PlaceCall, RouteRecord } from "../../../provider/api/contract";
import { callRecord, secondsTalked } from "../../http/traffic";
import { ServiceError } from "../../request/errors";
import { validate } from "../../request/validate";
import { checkDestination, receiverOf, senderOf } from "../../service/parties";
import { type Path, pathOf, slotOf } from "../../service/paths";
import { minutePrice, money } from "../../service/prices";
import { edit, newRow, type Service, setTimer, timeOf } from "../../service/service";
import type { CallRow, Route } from "../../store/store";
import { timestamp } from "../../time/clock";
import { type EventName, emit } from "../webhooks/events";
import { createRecording } from "./recordings";

const second = 1000;
const dialling = second;
const pickingUp = 3 * second;
const usualTimeout = { outbound: 60, inbound: 30 } as const;

type End = Exclude<CallRow["status"], "queued" | "ringing" | "in_progress">;

/** For each way a call ends: its cause and SIP response code. */
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
	service.store.calls.put({
		...newRow(service, "call"),
		trunk_id: trunk?.id ?? null,
		route,
		record: false,
		timeout_seconds: usualTimeout[call.direction],
		reference: null,
		status: "queued",
		started_at: null,
		answered_at: null,
		ended_at: null,
		hangup_cause: null,
		sip_code: null,
		price: null,
		next_at: null,
		...call,
	});

const tell = (service: Service, type: EventName, row: CallRow): CallRow => {
	emit(service, type, callRecord(service, row));
	return row;
};

export const placeCall = (service: Service, body: PlaceCall): CallRow => {
	const number = senderOf(service, body.from, "voice");
	checkDestination(service, body.to);
	const path = pathOf(service, body.route ?? number.routing);
	const row = newCall(service, path, {
		direction: "outbound",
		from: body.from,
		to: body.to,
		number_id: number.id,
		record: body.record ?? false,
		timeout_seconds: body.timeout_seconds ?? usualTimeout.outbound,
		reference: body.reference ?? null,
		next_at: timestamp(slotOf(service, path.trunk, service.clock.now() + dialling)),
	});
	scheduleCall(service, row);
	return row;
};

/** Sets the timer for a call's next step. */
export const scheduleCall = (service: Service, { id, next_at }: CallRow): void => {
	if (next_at !== null) setTimer(service, id, Date.parse(next_at), () => goOn(service, id));
};

const goOn = (service: Service, id: string): void => {
	const row = service.store.calls.get(id);
	// The call was hung up in the meantime.
	if (row === undefined || row.next_at === null) return;
	if (row.status === "queued") ring(service, row);
	else if (row.status === "in_progress") endCall(service, row, "completed");
	else decide(service, row);
};

const change = (service: Service, row: CallRow, patch: Partial<CallRow>): CallRow => {
	const changed = edit(service, service.store.calls, row, (draft) => void Object.assign(draft, patch));
	scheduleCall(service, changed);
	return changed;
};

/** How long the call rings under the current settings. */
const ringing = ({ settings }: Service, { timeout_seconds }: CallRow): number =>
	settings.callFate === "no_answer" ? timeout_seconds * second : pickingUp;

const ring = (service: Service, row: CallRow): CallRow => {
	const next_at = timestamp(service.clock.now() + ringing(service, row));
	return tell(
		service,
		"call.initiated",
		change(service, row, { status: "ringing", started_at: timeOf(service), next_at }),
	);
};

const decide = (service: Service, row: CallRow): void => {
	const { callFate, callSeconds } = service.settings;
	const due = Date.parse(row.started_at ?? row.created_at) + ringing(service, row);
	if (due > service.clock.now()) {
		change(service, row, { next_at: timestamp(due) });
	} else if (callFate === "answered") {
		const next_at = timestamp(service.clock.now() + callSeconds * second);
		const answered = change(service, row, { status: "in_progress", answered_at: timeOf(service), next_at });
		tell(service, "call.answered", answered);
	} else {
		endCall(service, row, callFate);
	}
};

const endCall = (service: Service, row: CallRow, status: End, [cause, sipCode] = ends[status]): CallRow => {
	const over = { ...row, ended_at: timeOf(service) };
	const minutes = Math.ceil(secondsTalked(over) / 60);
	const ended = change(service, row, {
		status,
		ended_at: over.ended_at,
		hangup_cause: cause,
		sip_code: sipCode,
		price: money(minutes * minutePrice[row.direction]),
		next_at: null,
	});
	tell(service, "call.completed", ended);
	if (row.record && row.answered_at !== null) createRecording(service, ended);
	return ended;
};

/** Hangs up. A call that has already ended stays as it is. */
export const hangUpCall = (service: Service, row: CallRow): CallRow => {
	if (row.ended_at !== null) return row;
	return endCall(service, row, row.status === "in_progress" ? "completed" : "canceled");
};

const e164 = PlaceCall.shape.to;

const InboundCall = z.strictObject({ to: e164, from: e164 });
export type InboundCall = z.output<typeof InboundCall>;

/** An edit from outside can set any number of seconds here, and a snapshot can set anything. */
const timeoutOf = (route: Route | null): number => {
	const { success, data } = RouteRecord.shape.ring_timeout_seconds.safeParse(route?.ring_timeout_seconds);
	return success && data ? Math.min(Math.max(data, 1), 600) : usualTimeout.inbound;
};

/** A call from outside goes where its number is routed. If nothing there can take it, it fails and says why. */
export const receiveCall = (service: Service, sent: InboundCall): CallRow => {
	const { from, to } = validate(InboundCall, sent);
	const number = receiverOf(service, to, "voice");
	const call = { direction: "inbound", from, to, number_id: number.id } as const;
	const fail = (route: CallRow["route"], cause: string, sipCode: number) =>
		endCall(service, newCall(service, { route, trunk: null }, call), "failed", [cause, sipCode]);
	if (number.routing === null) return fail(null, "no_route_destination", 404);
	try {
		const path = pathOf(service, number.routing);
		const now = service.clock.now();
		if (slotOf(service, path.trunk, now) > now) return fail(path.route, "cps_exceeded", 503);
		return ring(service, newCall(service, path, { ...call, timeout_seconds: timeoutOf(path.route) }));
	} catch (refusal) {
		if (!(refusal instanceof ServiceError)) throw refusal;
		return fail(number.routing, refusal.error, 503);
	}
};
