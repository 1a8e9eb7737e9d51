/**
 * The stable door: stack states name this module for ever (`require("pulumi-telephony/provider").number`). What it
 * exports may grow, but never change its meaning.
 */
import "../node-version";
import { Ending } from "./ending";
import { activationHandler } from "./resources/activation";
import { numberHandler } from "./resources/number";
import { sipTrunkHandler } from "./resources/sip-trunk";
import { webhookHandler } from "./resources/webhook";
import { Session } from "./session";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./resources/resource";

const session = new Session();

const ending = new Ending(session);

export const number = ending.tracking(numberHandler(session));
export const sipTrunk = ending.tracking(sipTrunkHandler(session));
export const webhook = ending.tracking(webhookHandler(session));
export const activation = ending.tracking(activationHandler(session));
