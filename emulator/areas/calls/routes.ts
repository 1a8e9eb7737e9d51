import { fits, pageOf } from "../../http/pages";
import { callRecord, recordingRecord } from "../../http/traffic";
import { notFound } from "../../request/errors";
import type { Handlers } from "../../request/handlers";
import type { Service } from "../../service/service";
import type { CallRow } from "../../store/store";
import { hangUpCall, placeCall } from "./calls";
import { checkReady } from "./recordings";
import { wav } from "./wav";

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
		listCalls: ({ query }) => pageOf(service, "calls", query, { rows: calls, keep: (row) => fits(row, query), answer }),

		placeCall: ({ body }) => answer(placeCall(service, body)),

		getCall: ({ id }) => answer(findCall(id)),

		hangUpCall: ({ id }) => answer(hangUpCall(service, findCall(id))),

		listRecordings: ({ id, query }) => {
			findCall(id);
			const list = "calls/{id}/recordings";
			return pageOf(service, list, query, {
				rows: recordings.with("call_id", id),
				answer: recordingRecord,
			});
		},

		getRecordingMedia: ({ id }) => {
			const row = recordings.get(id);
			if (row === undefined) throw notFound("recording", id);
			checkReady(service, row);
			return { type: "audio/wav", bytes: wav(row.duration_seconds) };
		},
	};
};
