import { fits, pageOf } from "../../http/pages";
import { messageRecord } from "../../http/traffic";
import { notFound } from "../../request/errors";
import type { Handlers } from "../../request/handlers";
import type { Service } from "../../service/service";
import type { MessageRow } from "../../store/store";
import { sendMessage } from "./messages";

type MessageHandlers = Pick<Handlers, "listMessages" | "sendMessage" | "getMessage">;

export const messageHandlers = (service: Service): MessageHandlers => {
	const { messages } = service.store;
	const answer = (row: MessageRow) => messageRecord(service, row);
	return {
		listMessages: ({ query }) =>
			pageOf(service, "messages", query, { rows: messages, keep: (row) => fits(row, query), answer }),

		sendMessage: ({ body }) => answer(sendMessage(service, body)),

		getMessage: ({ id }) => {
			const row = messages.get(id);
			if (row === undefined) throw notFound("message", id);
			return answer(row);
		},
	};
};
