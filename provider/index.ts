/**
 * The stable entry point: stack states name this module for ever (`require("pulumi-telephony/provider").number`). Its
 * exports may grow, but must never change their meaning.
 */
import "../node-version";
import type { Handler } from "./lifecycle/resource";
import { activationHandler } from "./resources/activation/handler";
import { numberHandler } from "./resources/number/handler";
import { numberPoolHandler } from "./resources/number-pool/handler";
import { sipTrunkHandler } from "./resources/sip-trunk/handler";
import { webhookHandler } from "./resources/webhook/handler";
import { engineOfHost, engineProgress } from "./session/progress";
import { Session } from "./session/session";
import { Shutdown } from "./session/shutdown";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./lifecycle/resource";

// The SDK's host process is ours alone. Any other that requires this module keeps its own signals and its own end.
const engine = engineOfHost();
const session = new Session(engine === undefined ? {} : { progress: engineProgress(engine) });
const shutdown = new Shutdown(session);
if (engine !== undefined) shutdown.takeProcess();

/**
 * A state that the plugin wrote has no text by which the host loads this module. Only an update puts it there. And the host
 * passes on no init errors of a read: only an update shows that something still waits.
 */
const fronted = (handler: Handler): Handler => ({
	...handler,
	diff: async (id, olds, news) => {
		const result = await handler.diff(id, olds, news);
		const isPlugins = olds.__provider === undefined && news.__provider !== undefined;
		return isPlugins || result.awaited !== undefined ? { ...result, changes: true } : result;
	},
});

export const number = shutdown.tracking(fronted(numberHandler(session)));
export const sipTrunk = shutdown.tracking(fronted(sipTrunkHandler(session)));
export const webhook = shutdown.tracking(fronted(webhookHandler(session)));
export const activation = shutdown.tracking(fronted(activationHandler(session)));
export const numberPool = shutdown.tracking(fronted(numberPoolHandler(session)));
