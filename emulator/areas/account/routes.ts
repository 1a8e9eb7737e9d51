import { handlersOf } from "../../request/handlers";
import { accountIdOf, type Service } from "../../service/service";

export const accountHandlers = (service: Service) =>
	handlersOf({
		getAccount: () => ({ id: accountIdOf(service), name: "Emulator" }),
	});
