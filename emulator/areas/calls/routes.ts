import { pageOf, readsOf } from "../../http/pages";
import { callRecord, recordingRecord } from "../../http/traffic";
import { handlersOf } from "../../request/handlers";
import { findRow, type Service } from "../../service/service";
import { hangUpCall, placeCall } from "./calls";
import { checkReady } from "./recordings";
import { wav } from "./wav";

export const callHandlers = (service: Service) => {
	const { recordings } = service.store;
	const reads = readsOf(service, "calls", callRecord);
	return handlersOf({
		listCalls: reads.list,

		placeCall: ({ body }) => callRecord(service, placeCall(service, body)),

		getCall: reads.get,

		hangUpCall: ({ id }) => callRecord(service, hangUpCall(service, findRow(service, "calls", id))),

		listRecordings: ({ id, query }) => {
			findRow(service, "calls", id);
			return pageOf(service, "calls/{id}/recordings", query, {
				rows: recordings.with("call_id", id),
				render: (row) => recordingRecord(service, row),
			});
		},

		getRecordingMedia: ({ id }) => {
			const row = findRow(service, "recordings", id);
			checkReady(service, row);
			return { type: "audio/wav", bytes: wav(row.duration_seconds) };
		},
	});
};
