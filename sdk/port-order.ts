import * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
// #endregion

/**
 * A port order: brings numbers from another carrier to this account. Each `pulumi up` shows how far it is, and submits
 * it again once you have corrected the carriers' objections. Then `Number` with `adopt` takes its numbers over.
 *
 * @example
 * const order = new telephony.PortOrder("office", {
 *   numbers: ["+31201234567"],
 *   country: "NL",
 *   carrier: { name: "Old Telecom", accountNumber: "A-1", pin: config.requireSecret("pin") },
 *   subscriber: { name: "Example B.V.", address: "Damrak 1, 1012 LG Amsterdam" },
 * });
 * new telephony.Number("office", { adopt: "+31201234567", country: "NL", type: "geographic", waitForActive: false });
 */
export class PortOrder extends TelephonyResource {
	// #region made by npm run generate: fields
	// #endregion

	constructor(name: string, args: PortOrderArgs, opts?: pulumi.CustomResourceOptions) {
		super(definition, name, args && { ...args, carrier: withSecretPin(args.carrier) }, opts);
	}

	/**
	 * Looks up a port order that this program doesn't manage.
	 *
	 * @throws when there is no such port order
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): PortOrder {
		return new PortOrder(name, undefined as unknown as PortOrderArgs, { ...opts, id });
	}
}

/** Makes the PIN a secret, even if the program forgot to. */
function withSecretPin(carrier: pulumi.Input<PortCarrier>): pulumi.Input<PortCarrier> {
	if (pulumi.Output.isInstance(carrier) || carrier instanceof Promise)
		return pulumi.output(carrier).apply((known) => withSecretPin(known as PortCarrier)) as pulumi.Output<PortCarrier>;
	return carrier?.pin === undefined ? carrier : { ...carrier, pin: pulumi.secret(carrier.pin) };
}
