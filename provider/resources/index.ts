/** Every resource with its handler and its drift definition, by the last part of its type's token. */

import type { DriftDefinition } from "../drift/definition";
import type { Handler } from "../lifecycle/resource";
import type { Session } from "../session/session";
import { activationDrift, activationHandler } from "./activation/handler";
import { numberHandler } from "./number/handler";
import { numberDrift } from "./number/properties";
import { poolDrift } from "./number-pool/drift";
import { numberPoolHandler } from "./number-pool/handler";
import { sipTrunkDrift, sipTrunkHandler } from "./sip-trunk/handler";
import { webhookDrift, webhookHandler } from "./webhook/handler";

interface Resource {
	handler(session: Session): Handler;
	readonly drift: DriftDefinition;
}

export const resources = {
	Number: { handler: numberHandler, drift: numberDrift },
	SipTrunk: { handler: sipTrunkHandler, drift: sipTrunkDrift },
	Webhook: { handler: webhookHandler, drift: webhookDrift },
	Activation: { handler: activationHandler, drift: activationDrift },
	NumberPool: { handler: numberPoolHandler, drift: poolDrift },
} satisfies Readonly<Record<string, Resource>>;

/** Undefined for a type that isn't ours. */
export const driftDefinition = (type: string): DriftDefinition | undefined =>
	type in resources ? resources[type as keyof typeof resources].drift : undefined;
