/**
 * Policies for the resources of pulumi-telephony, made by any language, through the plugin or the dynamic provider.
 *
 * @example
 * import { PolicyPack } from "@pulumi/policy";
 * import { policies } from "pulumi-telephony-policy";
 *
 * new PolicyPack("ours", { policies: [...policies], enforcementLevel: "mandatory" }, { "allowed-numbers": { countries: ["NL"] } });
 */
import type { Policies } from "@pulumi/policy";
import { names } from "./names";
import { allowedNumbers, releaseProtection } from "./numbers";
import { stackCapacity, stackCosts, stackNumbers } from "./stack";
import { narrowIpLists, noDigestPassword, trunkCapacity } from "./trunks";
import { httpsAddresses, signedWebhooks } from "./webhooks";

export const policies: Readonly<Policies> = [
	allowedNumbers,
	releaseProtection,
	narrowIpLists,
	noDigestPassword,
	httpsAddresses,
	signedWebhooks,
	names,
	trunkCapacity,
	stackCapacity,
	stackNumbers,
	stackCosts,
];
