import { readsOf } from "../../http/pages";
import { messageRecord } from "../../http/traffic";
import { handlersOf } from "../../request/handlers";
import type { Service } from "../../service/service";
import type { MessageRow } from "../../store/store";
import { sendMessage } from "./messages";

export const messageHandlers = (service: Service) => {
	const render = (row: MessageRow) => messageRecord(service, row);
	const reads = readsOf(service, "messages", "messages", render);
	return handlersOf({
		listMessages: reads.list,

		sendMessage: ({ body }) => render(sendMessage(service, body)),

		getMessage: reads.get,
	});
};
