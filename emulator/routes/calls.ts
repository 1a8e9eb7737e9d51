import { hangUpCall, placeCall } from "../calls";
import { notFound } from "../errors";
import type { Handlers } from "../handlers";
import { fits, pageOf } from "../pages";
import { checkReady } from "../recordings";
import type { Service } from "../service";
import type { CallRow } from "../store";
import { callRecord, recordingRecord } from "../traffic";
import { wav } from "../wav";

type CallHandlers = Pick<
	Handlers,
	"listCalls" | "placeCall" | "getCall" | "hangUpCall" | "listRecordings" | "getRecordingMedia"
>;

export const callHandlers = (service: Service): CallHandlers => {
	const { calls, recordings } = service.store;
	const answer = (row: CallRow) => callRecord(service, row);
	const findCall = (id: string): CallRow => {
		const row = calls.get(id);
		if (row === undefined) throw notFound("call", id);
		return row;
	};
	return {
		listCalls: ({ query }) => pageOf(service, "calls", calls, query, (row) => fits(row, query), answer),

		placeCall: ({ body }) => answer(placeCall(service, body)),

		getCall: ({ id }) => answer(findCall(id)),

		hangUpCall: ({ id }) => answer(hangUpCall(service, findCall(id))),

		listRecordings: ({ id, query }) => {
			findCall(id);
			const list = "calls/{id}/recordings";
			return pageOf(service, list, recordings, query, ({ call_id }) => call_id === id, recordingRecord);
		},

		getRecordingMedia: ({ id }) => {
			const row = recordings.get(id);
			if (row === undefined) throw notFound("recording", id);
			checkReady(service, row);
			return { type: "audio/wav", bytes: wav(row.duration_seconds) };
		},
	};
};
