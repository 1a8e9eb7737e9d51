import { fits, pageOf } from "../../http/pages";
import { messageRecord } from "../../http/traffic";
import { found } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import type { Service } from "../../service/service";
import type { MessageRow } from "../../store/store";
import { sendMessage } from "./messages";

export const messageHandlers = (service: Service) => {
	const { messages } = service.store;
	const answer = (row: MessageRow) => messageRecord(service, row);
	return handlersOf({
		listMessages: ({ query }) =>
			pageOf(service, "messages", query, { rows: messages, keep: (row) => fits(row, query), answer }),

		sendMessage: ({ body }) => answer(sendMessage(service, body)),

		getMessage: ({ id }) => answer(found(messages.get(id), "message", id)),
	});
};
