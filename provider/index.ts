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
import { Ending } from "./session/shutdown";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./lifecycle/resource";

// In the SDK's host process there is nobody else; whoever else requires this module keeps their signals and their end.
const engine = engineOfHost();
const session = new Session(engine === undefined ? {} : { progress: engineProgress(engine) });
const ending = new Ending(session);
if (engine !== undefined) ending.takeProcess();

export const number = ending.tracking(numberHandler(session));
export const sipTrunk = ending.tracking(sipTrunkHandler(session));
export const webhook = ending.tracking(webhookHandler(session));
export const activation = ending.tracking(activationHandler(session));
