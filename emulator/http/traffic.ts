/** Calls, recordings and messages as the API shows them. */
import type { z } from "zod";
import { CallRecord, MessageRecord, RecordingRecord, type RouteRecord } from "../../provider/api/contract";
import type { Service } from "../service/service";
import { spellingOf } from "../service/spelling";
import type { CallRow, MessageRow, RecordingRow } from "../store/store";
import { recordOf } from "./record";

export const secondsTalked = ({ answered_at, ended_at }: Pick<CallRow, "answered_at" | "ended_at">): number =>
	answered_at === null || ended_at === null ? 0 : Math.ceil((Date.parse(ended_at) - Date.parse(answered_at)) / 1000);

function spelledParties({ settings }: Service, { from, to }: Pick<CallRow, "from" | "to">) {
	const { phone } = spellingOf(settings);
	return { from: phone(from), to: phone(to) };
}

const ofCall = recordOf(CallRecord);
export const callRecord = (service: Service, row: CallRow): z.input<typeof CallRecord> => ({
	...ofCall(service, row),
	...spelledParties(service, row),
	route: row.route as RouteRecord | null,
	duration_seconds: row.ended_at === null ? null : secondsTalked(row),
});

const ofRecording = recordOf(RecordingRecord);
export const recordingRecord = (service: Service, row: RecordingRow): z.input<typeof RecordingRecord> => ({
	...ofRecording(service, row),
	channels: 1,
	format: "wav",
	url: row.status === "completed" ? `/recordings/${row.id}/media` : null,
});

const ofMessage = recordOf(MessageRecord);
export const messageRecord = (service: Service, row: MessageRow): z.input<typeof MessageRecord> => ({
	...ofMessage(service, row),
	...spelledParties(service, row),
});
