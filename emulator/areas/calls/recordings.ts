import { recordingRecord, secondsTalked } from "../../http/traffic";
import { ServiceError } from "../../request/errors";
import { money, recordingPrice } from "../../service/prices";
import { edit, newRow, put, type Service } from "../../service/service";
import type { CallRow, RecordingRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { emit } from "../webhooks/events";

const processing = 2000;
const urlLife = 24 * 3_600_000;

export const createRecording = (service: Service, call: CallRow): RecordingRow => {
	const seconds = secondsTalked(call);
	return put(service, "recordings", {
		...newRow(service, "recordings"),
		call_id: call.id,
		duration_seconds: seconds,
		status: "processing",
		price: money(Math.ceil(seconds / 60) * recordingPrice),
		next_at: timestamp(service.clock.now() + processing),
	});
};

export const completeRecording = (service: Service, row: RecordingRow): void => {
	const completed = edit(service, "recordings", row, (draft) => {
		draft.status = "completed";
		draft.url_expires_at = timestamp(service.clock.now() + urlLife);
		draft.next_at = null;
	});
	emit(service, "recording.completed", recordingRecord(service, completed));
};

export const checkReady = (service: Service, { id, url_expires_at }: RecordingRow): void => {
	if (url_expires_at === null) {
		throw new ServiceError("recording_not_ready", `Recording ${id} is being processed: try again later.`);
	}
	if (Date.parse(url_expires_at) > service.clock.now()) return;
	throw new ServiceError("gone", `Recording ${id} expired at ${url_expires_at}.`);
};
