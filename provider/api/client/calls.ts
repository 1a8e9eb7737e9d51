import type { CallRecord, PlaceCall, RecordingRecord } from "../contract";
import type { Media, ServiceResponse } from "../response";
import {
	type Body,
	type CallOptions,
	Collection,
	type CreateOptions,
	creation,
	idOf,
	items,
	type ListOptions,
	listing,
} from "./collection";

export class Calls extends Collection<CallRecord, ListOptions<"listCalls">> {
	protected readonly reads = { list: "listCalls", get: "getCall" } as const;

	/** Calls from a number of the account. Costs money: repeated only under a key. */
	place(body: Body<PlaceCall>, options: CreateOptions = {}): Promise<ServiceResponse<CallRecord>> {
		return this.transport.send("placeCall", creation(body, options));
	}

	/** Ends a call, or cancels an unanswered one. The record of a call that has ended stays as it is. */
	hangUp(id: string, options: CreateOptions = {}): Promise<CallRecord> {
		return this.acted(id, options, "hangUpCall");
	}

	recordings(id: string, options: CallOptions = {}): AsyncGenerator<RecordingRecord, void, undefined> {
		const send = (call: object) => this.transport.list<RecordingRecord>("listRecordings", call);
		return items(listing(send, { segment: id, ...options }, idOf));
	}

	/** The sound of a completed recording. */
	async recordingMedia(recordingId: string, { signal }: CallOptions = {}): Promise<Media> {
		return (await this.transport.send("getRecordingMedia", { segment: recordingId, signal })).data;
	}
}
