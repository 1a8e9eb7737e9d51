/** Every resource, by the last part of its type's token. */
import type { DriftDefinition } from "../drift/definition";
import type { Definition } from "../lifecycle/definition";
import { handlerOf } from "../lifecycle/lifecycle";
import type { Handler } from "../lifecycle/resource";
import type { Referenced } from "../ownership/claim";
import type { Session } from "../session/session";
import { activationDrift, activationHandler } from "./activation/handler";
import { kycProfile, kycProfileDrift } from "./kyc-profile/handler";
import { number, numberDrift, numberHandler } from "./number/handler";
import { numberPoolHandler, poolDrift } from "./number-pool/handler";
import { portOrder, portOrderDrift } from "./port-order/handler";
import { sipTrunk, sipTrunkDrift } from "./sip-trunk/handler";
import { webhook, webhookDrift } from "./webhook/handler";

export type ObjectDefinition = Pick<
	Definition<Referenced>,
	"noun" | "properties" | "nameOf" | "labelOf" | "live" | "imported" | "ended"
>;

export interface Resource {
	/** If it stands for one object of the account. */
	readonly definition?: ObjectDefinition;
	handler(session: Session): Handler;
	readonly drift: DriftDefinition;
}

const configuredResource = <R extends Referenced>(definition: Definition<R>, drift: DriftDefinition) => ({
	...{ definition, drift },
	handler: (session: Session) => handlerOf(session, definition),
});

export const resources = {
	Number: { definition: number, handler: numberHandler, drift: numberDrift },
	SipTrunk: configuredResource(sipTrunk, sipTrunkDrift),
	Webhook: configuredResource(webhook, webhookDrift),
	KycProfile: configuredResource(kycProfile, kycProfileDrift),
	Activation: { handler: activationHandler, drift: activationDrift },
	NumberPool: { handler: numberPoolHandler, drift: poolDrift },
	PortOrder: configuredResource(portOrder, portOrderDrift),
} satisfies Readonly<Record<string, Resource>>;

/** Undefined for a type that isn't ours. */
export const driftDefinition = (type: string): DriftDefinition | undefined =>
	type in resources ? resources[type as keyof typeof resources].drift : undefined;

/** Returns the noun of the objects that a resource stands for. Activations and pools have numbers. */
export const kindOf = (type: string): ObjectDefinition["noun"] => {
	const resource: Resource | undefined = type in resources ? resources[type as keyof typeof resources] : undefined;
	return resource?.definition?.noun ?? "number";
};
