import type * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** Properties that a program declares. */
export interface ActivationArgs {
	/**
	 * Ids of the numbers to wait for. At least 1. A set. Example: `["num_01","num_02"]`. Changes in place: waits for
	 * the numbers that aren't active yet.
	 */
	numberIds: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. At
	 * least 1. Default: `600`.
	 */
	timeoutSeconds?: pulumi.Input<number | undefined>;
}

/** One of the numbers waited for. */
export interface NumberState {
	/** The number's id. */
	id: string;
	/** E.164; undefined until the carrier assigns a number. */
	phoneNumber?: string;
	/** See `Number.status`; `deleted` if the account no longer has the number. */
	status: string;
}

const definition: Definition = {
	handler: "activation",
	type: "Activation",
	inputs: ["numberIds", "timeoutSeconds"],
	outputs: ["numbers", "refused"],
	secretOutputs: [],
};
// #endregion

/**
 * Waits until all numbers of a list are active. Use it for numbers in regulated markets that were bought with
 * `waitForActive: false`. It creates nothing at the service, and `destroy` removes only its state.
 *
 * A refused number is reported at once, with the service's reasons. The wait continues for the others. `up` fails when
 * none of them waits, or at the time limit. An id that isn't on the account fails before the wait.
 *
 * @example
 * const offices = ["30", "40", "89"].map(
 *   (area) => new telephony.Number(`office-${area}`, { country: "DE", type: "geographic", area, waitForActive: false }),
 * );
 * const ready = new telephony.Activation("ready", { numberIds: offices.map(({ id }) => id), timeoutSeconds: 3600 });
 * export const statuses = ready.numbers;
 */
export class Activation extends TelephonyResource {
	// #region made by npm run generate: fields
	/** Ids of the numbers to wait for. */
	declare readonly numberIds: pulumi.Output<string[]>;
	/** Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. */
	declare readonly timeoutSeconds: pulumi.Output<number>;

	/** States in the order of `numberIds`. A number that is suspended, porting out or released is drift. */
	declare readonly numbers: pulumi.Output<NumberState[]>;
	// #endregion

	constructor(name: string, args: ActivationArgs, opts?: pulumi.CustomResourceOptions) {
		super(definition, name, args, opts);
	}
}
