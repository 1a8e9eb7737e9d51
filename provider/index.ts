/**
 * The stable door: stack states name this module for ever (`require("pulumi-telephony/provider").number`). What it
 * exports may grow, but never change its meaning.
 */
import "../node-version";
import { numberHandler } from "./resources/number";
import { sipTrunkHandler } from "./resources/sip-trunk";
import { webhookHandler } from "./resources/webhook";
import { Session } from "./session";

export type { CheckResult, DiffResult, Handler, ReadResult } from "./resources/resource";

const session = new Session();

export const number = numberHandler(session);
export const sipTrunk = sipTrunkHandler(session);
export const webhook = webhookHandler(session);
