import { notFound } from "../errors";
import type { Handlers } from "../handlers";
import { sendMessage } from "../messages";
import { fits, pageOf } from "../pages";
import type { Service } from "../service";
import type { MessageRow } from "../store";
import { messageRecord } from "../traffic";

type MessageHandlers = Pick<Handlers, "listMessages" | "sendMessage" | "getMessage">;

export const messageHandlers = (service: Service): MessageHandlers => {
	const { messages } = service.store;
	const answer = (row: MessageRow) => messageRecord(service, row);
	return {
		listMessages: ({ query }) => pageOf(service, "messages", messages, query, (row) => fits(row, query), answer),

		sendMessage: ({ body }) => answer(sendMessage(service, body)),

		getMessage: ({ id }) => {
			const row = messages.get(id);
			if (row === undefined) throw notFound("message", id);
			return answer(row);
		},
	};
};
