import type { MessageRecord, SendMessage } from "../contract";
import type { ServiceResponse } from "../response";
import { type Body, Collection, type CreateOptions, creation, type ListOptions } from "./collection";

export class Messages extends Collection<MessageRecord, ListOptions<"listMessages">> {
	protected readonly reads = { list: "listMessages", get: "getMessage" } as const;

	/** Sends an SMS. Costs money: repeated only under a key. */
	send(body: Body<SendMessage>, options: CreateOptions = {}): Promise<ServiceResponse<MessageRecord>> {
		return this.transport.send("sendMessage", creation(body, options));
	}
}
