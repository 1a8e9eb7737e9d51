/** Calls, recordings and messages as the wire shows them. */
import type { z } from "zod";
import type { CallRecord, MessageRecord, RecordingRecord, RouteRecord } from "../../provider/api/contract";
import type { Service } from "../service/service";
import type { CallRow, MessageRow, RecordingRow } from "../store/store";

const referenceOf = ({ settings }: Service, { reference }: { reference: string | null }) =>
	settings.features.reference ? { reference } : {};

export const secondsTalked = ({ answered_at, ended_at }: CallRow): number =>
	answered_at === null || ended_at === null
		? 0
		: // The clock may have been turned back in the middle of the call.
			Math.max(Math.ceil((Date.parse(ended_at) - Date.parse(answered_at)) / 1000), 0);

export const callRecord = (service: Service, row: CallRow): z.input<typeof CallRecord> => ({
	id: row.id,
	status: row.status,
	direction: row.direction,
	from: row.from,
	to: row.to,
	number_id: row.number_id,
	trunk_id: row.trunk_id,
	route: row.route as RouteRecord | null,
	record: row.record,
	timeout_seconds: row.timeout_seconds,
	started_at: row.started_at,
	answered_at: row.answered_at,
	answered_by: row.answered_by,
	ended_at: row.ended_at,
	duration_seconds: row.ended_at === null ? null : secondsTalked(row),
	hangup_cause: row.hangup_cause,
	sip_code: row.sip_code,
	price: row.price,
	...referenceOf(service, row),
	created_at: row.created_at,
	updated_at: row.updated_at,
});

export const recordingRecord = (row: RecordingRow): z.input<typeof RecordingRecord> => ({
	id: row.id,
	call_id: row.call_id,
	status: row.status,
	duration_seconds: row.duration_seconds,
	channels: 1,
	format: "wav",
	url: row.status === "completed" ? `/recordings/${row.id}/media` : null,
	url_expires_at: row.url_expires_at,
	price: row.price,
	created_at: row.created_at,
	updated_at: row.updated_at,
});

export const messageRecord = (service: Service, row: MessageRow): z.input<typeof MessageRecord> => ({
	id: row.id,
	status: row.status,
	direction: row.direction,
	from: row.from,
	to: row.to,
	number_id: row.number_id,
	text: row.text,
	segments: row.segments,
	encoding: row.encoding,
	error: row.error,
	status_webhook_url: row.status_webhook_url,
	price: row.price,
	sent_at: row.sent_at,
	delivered_at: row.delivered_at,
	...referenceOf(service, row),
	created_at: row.created_at,
	updated_at: row.updated_at,
});
