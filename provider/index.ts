/**
 * The stable entry point: stack states name this module for ever (`require("pulumi-telephony/provider").number`). Its
 * exports may grow, but must never change their meaning.
 */
import "./node-version";
import type { Handler } from "./lifecycle/resource";
import { resources } from "./resources";
import { engineOfHost, engineProgress } from "./session/progress";
import { Session } from "./session/session";
import { Shutdown } from "./session/shutdown";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./lifecycle/resource";

// The SDK's host process is ours alone. Any other that requires this module keeps its own signals and its own end.
const engine = engineOfHost();
const session = new Session(engine === undefined ? {} : { progress: engineProgress(engine) });
const shutdown = new Shutdown(session);
if (engine !== undefined) shutdown.takeProcess();

function exported(type: keyof typeof resources): Handler {
	const handler = resources[type].handler(session);
	return {
		...handler,
		diff: async (id, olds, news) => {
			const result = await handler.diff(id, olds, news);
			// A state that the plugin wrote lacks the text by which the host loads this module. Only an update puts it there.
			const isPlugins = olds.__provider === undefined && news.__provider !== undefined;
			return isPlugins ? { ...result, changes: true } : result;
		},
	};
}

export const number = exported("Number");
export const sipTrunk = exported("SipTrunk");
export const webhook = exported("Webhook");
export const kycProfile = exported("KycProfile");
export const activation = exported("Activation");
export const numberPool = exported("NumberPool");
export const portOrder = exported("PortOrder");
