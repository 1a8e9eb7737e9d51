/**
 * Phone numbers, SIP trunks and webhooks for Pulumi programs.
 *
 * @example
 * import * as telephony from "pulumi-telephony";
 * const number = new telephony.Number("office", { country: "NL", type: "geographic", area: "20" });
 */
import "../provider/node-version";

export { Activation, type ActivationArgs, type NumberState } from "./activation";
export { Country } from "./country";
export * from "./functions";
export { type KycAddress, type KycDocument, KycProfile, type KycProfileArgs } from "./kyc-profile";
export { type Destination, type Failover, type Kyc, type Money, Number, type NumberArgs, type Routing } from "./number";
export { NumberPool, type NumberPoolArgs, type PooledNumber } from "./number-pool";
export { type PortCarrier, PortOrder, type PortOrderArgs, type PortSubscriber } from "./port-order";
export { type SipTarget, SipTrunk, type SipTrunkArgs, type SipTrunkAuth } from "./sip-trunk";
export { Webhook, type WebhookArgs, type WebhookEvent } from "./webhook";
