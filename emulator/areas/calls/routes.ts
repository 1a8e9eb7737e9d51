import { pageOf, readsOf } from "../../http/pages";
import { callRecord, recordingRecord } from "../../http/traffic";
import { found } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import type { Service } from "../../service/service";
import type { CallRow } from "../../store/store";
import { hangUpCall, placeCall } from "./calls";
import { checkReady } from "./recordings";
import { wav } from "./wav";

export const callHandlers = (service: Service) => {
	const { calls, recordings } = service.store;
	const answer = (row: CallRow) => callRecord(service, row);
	const findCall = (id: string): CallRow => found(calls.get(id), "call", id);
	const reads = readsOf(service, "calls", "call", calls, answer);
	return handlersOf({
		listCalls: reads.list,

		placeCall: ({ body }) => answer(placeCall(service, body)),

		getCall: reads.get,

		hangUpCall: ({ id }) => answer(hangUpCall(service, findCall(id))),

		listRecordings: ({ id, query }) => {
			findCall(id);
			return pageOf(service, "calls/{id}/recordings", query, {
				rows: recordings.with("call_id", id),
				answer: (row) => recordingRecord(service, row),
			});
		},

		getRecordingMedia: ({ id }) => {
			const row = found(recordings.get(id), "recording", id);
			checkReady(service, row);
			return { type: "audio/wav", bytes: wav(row.duration_seconds) };
		},
	});
};
