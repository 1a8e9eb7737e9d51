/** Every resource, by the last part of its type's token. */
import type { DriftDefinition } from "../drift/definition";
import type { Definition } from "../lifecycle/definition";
import type { Handler } from "../lifecycle/resource";
import type { Referenced } from "../ownership/claim";
import type { Session } from "../session/session";
import { activationDrift, activationHandler } from "./activation/handler";
import { kycProfile, kycProfileDrift, kycProfileHandler } from "./kyc-profile/handler";
import { number, numberDrift, numberHandler } from "./number/handler";
import { poolDrift } from "./number-pool/drift";
import { numberPoolHandler } from "./number-pool/handler";
import { portOrder, portOrderDrift, portOrderHandler } from "./port-order/handler";
import { sipTrunk, sipTrunkDrift, sipTrunkHandler } from "./sip-trunk/handler";
import { webhook, webhookDrift, webhookHandler } from "./webhook/handler";

export type ObjectDefinition = Pick<
	Definition<Referenced>,
	"noun" | "properties" | "nameOf" | "live" | "imported" | "ended"
>;

interface Resource {
	/** If it stands for one object of the account. */
	readonly definition?: ObjectDefinition;
	handler(session: Session): Handler;
	readonly drift: DriftDefinition;
}

export const resources = {
	Number: { definition: number, handler: numberHandler, drift: numberDrift },
	SipTrunk: { definition: sipTrunk, handler: sipTrunkHandler, drift: sipTrunkDrift },
	Webhook: { definition: webhook, handler: webhookHandler, drift: webhookDrift },
	KycProfile: { definition: kycProfile, handler: kycProfileHandler, drift: kycProfileDrift },
	Activation: { handler: activationHandler, drift: activationDrift },
	NumberPool: { handler: numberPoolHandler, drift: poolDrift },
	PortOrder: { definition: portOrder, handler: portOrderHandler, drift: portOrderDrift },
} satisfies Readonly<Record<string, Resource>>;

/** Undefined for a type that isn't ours. */
export const driftDefinition = (type: string): DriftDefinition | undefined =>
	type in resources ? resources[type as keyof typeof resources].drift : undefined;
