import { z } from "zod";
import { RouteRecord, RouteRequest } from "./numbers";
import { act, create, get, list, type Operation } from "./operation";
import {
	e164,
	id,
	money,
	openEnum,
	reference,
	referenceFilter,
	request,
	response,
	type Schema,
	time,
	words,
} from "./schema";

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

export const PlaceCall = request({
	/** An active number of the account. */
	from: e164,
	to: e164,
	/** The destination of the call after it is answered. Default: the routing of the number `from`. */
	route: RouteRequest.nullable().optional(),
	/** Default false. */
	record: z.boolean().optional(),
	/** The longest ringing; default 60. */
	timeout_seconds: z.number().int().min(5).max(600).optional(),
	reference: reference.optional(),
});
export type PlaceCall = z.infer<typeof PlaceCall>;

const PlainCallRecord = response({
	id,
	status: openEnum(callStatuses).optional(),
	direction: openEnum(callDirections).optional(),
	/** E.164. */
	from: z.string().optional(),
	to: z.string().optional(),
	/** The number of the account that calls or is called. */
	number_id: z.string().nullable().optional(),
	/** The trunk whose channel it takes. */
	trunk_id: z.string().nullable().optional(),
	route: RouteRecord.nullable().optional(),
	record: z.boolean().optional(),
	timeout_seconds: z.number().optional(),
	started_at: time.nullable().optional(),
	answered_at: time.nullable().optional(),
	/** Who picked up: a person, or a voicemail box. */
	answered_by: openEnum(["human", "machine"]).nullable().optional(),
	ended_at: time.nullable().optional(),
	/** From response to end. */
	duration_seconds: z.number().nullable().optional(),
	hangup_cause: z.string().nullable().optional(),
	sip_code: z.number().nullable().optional(),
	/** Known once the call has ended. */
	price: money.nullable().optional(),
	reference: words.optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type CallRecord = z.infer<typeof PlainCallRecord>;
export const CallRecord: Schema<CallRecord> = PlainCallRecord;

export const recordingStatuses = ["processing", "completed", "failed"] as const;

const PlainRecordingRecord = response({
	id,
	call_id: z.string().optional(),
	status: openEnum(recordingStatuses).optional(),
	duration_seconds: z.number().nullable().optional(),
	channels: z.number().optional(),
	format: openEnum(["wav", "mp3"]).optional(),
	/** The address of the sound: absolute, or relative to the base URL. Null until it is completed. */
	url: z.string().nullable().optional(),
	url_expires_at: time.nullable().optional(),
	price: money.nullable().optional(),
	created_at: time.nullable().optional(),
	updated_at: time.nullable().optional(),
});
export type RecordingRecord = z.infer<typeof PlainRecordingRecord>;
export const RecordingRecord: Schema<RecordingRecord> = PlainRecordingRecord;

const area = { origin: "assumed", feature: "calls" } as const;

export const callOperations = {
	listCalls: {
		...area,
		...list("/calls", CallRecord, {
			status: z.enum(callStatuses).optional(),
			direction: z.enum(callDirections).optional(),
			number_id: id.optional(),
			reference: referenceFilter,
		}),
	},
	placeCall: { ...area, ...create("/calls", PlaceCall, CallRecord) },
	getCall: { ...area, ...get("/calls/{id}", CallRecord) },
	/** Cancels an unanswered call. Changes nothing about a call that has ended. */
	hangUpCall: { ...area, ...act("/calls/{id}/hangup", CallRecord) },
	listRecordings: { ...area, ...list("/calls/{id}/recordings", RecordingRecord) },
	getRecordingMedia: { ...area, method: "GET", path: "/recordings/{id}/media", status: 200, media: "audio/wav" },
} as const satisfies Record<string, Operation>;
