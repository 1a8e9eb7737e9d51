/**
 * The stable door: stack states name this module for ever (`require("pulumi-telephony/provider").number`). What it
 * exports may grow, but never change its meaning.
 */
import "../node-version";
import { activationHandler } from "./resources/activation/handler";
import { numberHandler } from "./resources/number/handler";
import { sipTrunkHandler } from "./resources/sip-trunk";
import { webhookHandler } from "./resources/webhook";
import { engineOfHost, engineProgress } from "./session/progress";
import { Session } from "./session/session";
import { Shutdown } from "./session/shutdown";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./lifecycle/resource";

// In the SDK's host process there is nobody else; whoever else requires this module keeps their signals and their end.
const engine = engineOfHost();
const session = new Session(engine === undefined ? {} : { progress: engineProgress(engine) });
const shutdown = new Shutdown(session);
if (engine !== undefined) shutdown.takeProcess();

export const number = shutdown.tracking(numberHandler(session));
export const sipTrunk = shutdown.tracking(sipTrunkHandler(session));
export const webhook = shutdown.tracking(webhookHandler(session));
export const activation = shutdown.tracking(activationHandler(session));
