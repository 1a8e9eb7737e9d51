/** Serves `Invoke`, by which the engine calls functions. */
import { callFunction } from "../functions";
import type { Session } from "../session/session";
import { type Message, messages, Struct } from "./sdk";
import { openedValues } from "./values";

/** The result is empty while an argument is unknown: the engine refuses unknown values in results. */
export const invoking = (session: Session) => async (request: Message<"InvokeRequest">) => {
	const name = request.getTok().split(":").at(-1) ?? "";
	const called = await callFunction(session, name, openedValues(request.getArgs()?.toJavaScript()));
	const response = new messages.InvokeResponse();
	if ("answer" in called) response.setReturn(Struct.fromJavaScript(called.answer));
	else
		for (const { reason } of called.failures) {
			const made = new messages.CheckFailure();
			const [property = "", ...problem] = reason.split(": ");
			// The engine prints both, and no value of an argument.
			made.setProperty(property);
			made.setReason(problem.join(": "));
			response.addFailures(made);
		}
	return response;
};
