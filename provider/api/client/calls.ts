import type { Answer, Media } from "../answer";
import type { CallRecord, PlaceCall, RecordingRecord } from "../contract";
import { Area, type Body, type CallOptions, type CreateOptions, create, items, type ListOptions } from "./area";

export class Calls extends Area {
	pages({ signal, ...query }: ListOptions<"listCalls"> = {}): AsyncGenerator<readonly CallRecord[]> {
		return this.listing<CallRecord>("listCalls", { query, signal });
	}

	list(options: ListOptions<"listCalls"> = {}): AsyncGenerator<CallRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** Calls from a number of the account. Costs money: repeated only under a key. */
	place(body: Body<PlaceCall>, options: CreateOptions = {}): Promise<Answer<CallRecord>> {
		return this.transport.send("placeCall", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<CallRecord> {
		return (await this.transport.send("getCall", { segment: id, signal })).data;
	}

	/** Ends a call, or cancels one that has not been answered; the record of a call that has ended stays as it is. */
	async hangUp(id: string, options: CreateOptions = {}): Promise<CallRecord> {
		return this.acted("hangUpCall", { segment: id, ...create(undefined, options) }, () => this.get(id, options));
	}

	recordings(id: string, { signal }: CallOptions = {}): AsyncGenerator<RecordingRecord, void, undefined> {
		return items(this.listing<RecordingRecord>("listRecordings", { segment: id, signal }));
	}

	/** The sound of a recording that is completed. */
	async recordingMedia(recordingId: string, { signal }: CallOptions = {}): Promise<Media> {
		return (await this.transport.send("getRecordingMedia", { segment: recordingId, signal })).data;
	}
}
