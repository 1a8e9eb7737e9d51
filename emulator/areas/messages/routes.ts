import { readsOf } from "../../http/pages";
import { messageRecord } from "../../http/traffic";
import { handlersOf } from "../../request/handlers";
import type { Service } from "../../service/service";
import { sendMessage } from "./messages";

export const messageHandlers = (service: Service) => {
	const reads = readsOf(service, "messages", messageRecord);
	return handlersOf({
		listMessages: reads.list,

		sendMessage: ({ body }) => messageRecord(service, sendMessage(service, body)),

		getMessage: reads.get,
	});
};
