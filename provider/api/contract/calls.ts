import { z } from "zod";
import { RouteRecord, RouteRequest } from "./numbers";
import { act, create, get, list, ofFeature } from "./operation";
import * as s from "./schema";

export const callStatuses = [
	"queued",
	"ringing",
	"in_progress",
	"completed",
	"busy",
	"failed",
	"no_answer",
	"canceled",
] as const;

export const callDirections = ["inbound", "outbound"] as const;

export const PlaceCall = s.request(() => ({
	/** An active number of the account. */
	from: s.e164,
	to: s.e164,
	/** The destination of the call after it is answered. Default: the routing of the number `from`. */
	route: RouteRequest.nullable().optional(),
	/** Default false. */
	record: z.boolean().optional(),
	/** The longest ringing; default 60. */
	timeout_seconds: z.number().int().min(5).max(600).optional(),
	reference: s.reference.optional(),
}));
export type PlaceCall = z.infer<typeof PlaceCall>;

const PlainCallRecord = s.response(() => ({
	id: s.id,
	status: s.openEnum(callStatuses).optional(),
	direction: s.openEnum(callDirections).optional(),
	/** E.164. */
	from: s.phone.optional(),
	to: s.phone.optional(),
	/** The number of the account that calls or is called. */
	number_id: z.string().nullable().optional(),
	/** The trunk whose channel it takes. */
	trunk_id: z.string().nullable().optional(),
	route: RouteRecord.nullable().optional(),
	record: z.boolean().optional(),
	timeout_seconds: z.number().optional(),
	started_at: s.time.nullable().optional(),
	answered_at: s.time.nullable().optional(),
	/** Who picked up: a person, or a voicemail box. */
	answered_by: s.openEnum(["human", "machine"]).nullable().optional(),
	ended_at: s.time.nullable().optional(),
	/** From response to end. */
	duration_seconds: z.number().nullable().optional(),
	hangup_cause: z.string().nullable().optional(),
	sip_code: z.number().nullable().optional(),
	/** Known once the call has ended. */
	price: s.money.nullable().optional(),
	reference: s.words.optional(),
	...s.times,
}));
export type CallRecord = z.infer<typeof PlainCallRecord>;
export const CallRecord: s.Schema<CallRecord> = PlainCallRecord;

export const recordingStatuses = ["processing", "completed", "failed"] as const;

const PlainRecordingRecord = s.response(() => ({
	id: s.id,
	call_id: z.string().optional(),
	status: s.openEnum(recordingStatuses).optional(),
	duration_seconds: z.number().nullable().optional(),
	channels: z.number().optional(),
	format: s.openEnum(["wav", "mp3"]).optional(),
	/** The address of the sound: absolute, or relative to the base URL. Null until it is completed. */
	url: z.string().nullable().optional(),
	url_expires_at: s.time.nullable().optional(),
	price: s.money.nullable().optional(),
	...s.times,
}));
export type RecordingRecord = z.infer<typeof PlainRecordingRecord>;
export const RecordingRecord: s.Schema<RecordingRecord> = PlainRecordingRecord;

export const callOperations = ofFeature("calls", {
	listCalls: list("/calls", CallRecord, () => ({
		status: z.enum(callStatuses).optional(),
		direction: z.enum(callDirections).optional(),
		number_id: s.id.optional(),
		reference: s.referenceFilter,
	})),
	placeCall: create("/calls", PlaceCall, CallRecord),
	getCall: get("/calls/{id}", CallRecord),
	/** Cancels an unanswered call. Changes nothing about a call that has ended. */
	hangUpCall: act("/calls/{id}/hangup", CallRecord),
	listRecordings: list("/calls/{id}/recordings", RecordingRecord),
	getRecordingMedia: { method: "GET", path: "/recordings/{id}/media", status: 200, media: "audio/wav" },
});
