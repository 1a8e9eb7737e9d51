/**
 * The stable entry point: stack states name this module for ever (`require("pulumi-telephony/provider").number`). Its
 * exports may grow, but must never change their meaning.
 */
import "../node-version";
import { activationHandler } from "./resources/activation/handler";
import { numberHandler } from "./resources/number/handler";
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

export const number = shutdown.tracking(numberHandler(session));
export const sipTrunk = shutdown.tracking(sipTrunkHandler(session));
export const webhook = shutdown.tracking(webhookHandler(session));
export const activation = shutdown.tracking(activationHandler(session));
