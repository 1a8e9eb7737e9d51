import { pageOf, readsOf } from "../../http/pages";
import { callRecord, recordingRecord } from "../../http/traffic";
import { handlersOf } from "../../request/handlers";
import { findRow, type Service } from "../../service/service";
import type { CallRow } from "../../store/store";
import { hangUpCall, placeCall } from "./calls";
import { checkReady } from "./recordings";
import { wav } from "./wav";

export const callHandlers = (service: Service) => {
	const { recordings } = service.store;
	const answer = (row: CallRow) => callRecord(service, row);
	const reads = readsOf(service, "calls", "calls", answer);
	return handlersOf({
		listCalls: reads.list,

		placeCall: ({ body }) => answer(placeCall(service, body)),

		getCall: reads.get,

		hangUpCall: ({ id }) => answer(hangUpCall(service, findRow(service, "calls", id))),

		listRecordings: ({ id, query }) => {
			findRow(service, "calls", id);
			return pageOf(service, "calls/{id}/recordings", query, {
				rows: recordings.with("call_id", id),
				answer: (row) => recordingRecord(service, row),
			});
		},

		getRecordingMedia: ({ id }) => {
			const row = findRow(service, "recordings", id);
			checkReady(service, row);
			return { type: "audio/wav", bytes: wav(row.duration_seconds) };
		},
	});
};
