import type { Answer } from "../answer";
import type { MessageRecord, SendMessage } from "../contract";
import { Area, type Body, type CallOptions, type CreateOptions, create, items, type ListOptions } from "./area";

export class Messages extends Area {
	pages({ signal, ...query }: ListOptions<"listMessages"> = {}): AsyncGenerator<readonly MessageRecord[]> {
		return this.listing<MessageRecord>("listMessages", { query, signal });
	}

	list(options: ListOptions<"listMessages"> = {}): AsyncGenerator<MessageRecord, void, undefined> {
		return items(this.pages(options));
	}

	/** Sends an SMS. Costs money: repeated only under a key. */
	send(body: Body<SendMessage>, options: CreateOptions = {}): Promise<Answer<MessageRecord>> {
		return this.transport.send("sendMessage", create(body, options));
	}

	async get(id: string, { signal }: CallOptions = {}): Promise<MessageRecord> {
		return (await this.transport.send("getMessage", { segment: id, signal })).data;
	}
}
