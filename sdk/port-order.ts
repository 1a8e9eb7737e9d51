import * as pulumi from "@pulumi/pulumi";
import type { Country } from "./country";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** The carrier that has the numbers now. */
export interface PortCarrier {
	/** The carrier's name. 1 to 100 characters. */
	name: pulumi.Input<string>;
	/** Your account number at that carrier, as on the carrier's bills. 1 to 64 characters. */
	accountNumber?: pulumi.Input<string | undefined>;
	/** Code that authorizes the carrier to release the numbers. 1 to 32 characters. A secret. */
	pin?: pulumi.Input<string | undefined>;
}

/** Subscriber, as the current carrier has them on record. */
export interface PortSubscriber {
	/** Name of the subscriber. 1 to 200 characters. */
	name: pulumi.Input<string>;
	/** Address of the subscriber, in one text. 1 to 500 characters. */
	address: pulumi.Input<string>;
}

/** A document uploaded from a file. */
export interface KycDocument {
	/** Kind of the document. */
	kind: pulumi.Input<
		"identity" | "proof_of_address" | "company_register" | "letter_of_authorization" | "other" | (string & {})
	>;
	/**
	 * Path of the file, relative to the program's folder, or a `FileAsset`. The file is a PDF, JPEG or PNG of at most
	 * 10 MiB, within the project.
	 */
	file: pulumi.Input<string | pulumi.asset.FileAsset>;
}

/** Properties that a program declares. */
export interface PortOrderArgs {
	/**
	 * Numbers to port to this account, in E.164; all from one country and one carrier. 1 to 50. A set. Example:
	 * `["+31201234567"]`. Changes in place.
	 */
	numbers: pulumi.Input<pulumi.Input<string>[]>;
	/**
	 * The country of the numbers, ISO 3166-1 alpha-2 in upper case, such as `NL`. A change is refused: declare another
	 * order.
	 */
	country: pulumi.Input<Country>;
	/**
	 * Carrier that has the numbers now. If you omit `pin` later, the order keeps it. Example: `{"name":"Old
	 * Carrier","accountNumber":"4711"}`. Changes in place.
	 */
	carrier: pulumi.Input<PortCarrier>;
	/**
	 * Subscriber of the numbers, exactly as the current carrier has them on record. Example: `{"name":"Example
	 * BV","address":"Damrak 1, 1012 LG Amsterdam"}`. Changes in place.
	 */
	subscriber: pulumi.Input<PortSubscriber>;
	/**
	 * RFC 3339; earliest time of the port. Default: as soon as the carriers agree. Example: `"2027-01-31T08:00:00Z"`.
	 * Changes in place.
	 */
	requestedDate?: pulumi.Input<string | undefined>;
	/**
	 * Documents that the carriers require, such as the letter of authorization signed by the subscriber. At most 20. A
	 * set. Example: `[{"kind":"company_register","file":"documents/register.pdf"}]`. After a change, uploads new
	 * content and submits the object again.
	 *
	 * Each file is uploaded once by its content. The state holds its path and its SHA-256, and never the content. On a
	 * machine without the files, name them by path and set `ignoreChanges: ["documents"]`, which keeps the uploaded
	 * ones. The engine itself opens a `FileAsset`, so its file must exist.
	 */
	documents?: pulumi.Input<pulumi.Input<KycDocument>[] | undefined>;
	/**
	 * True if `pulumi up` waits until the port is complete. Ports take days; if you don't wait, `pulumi up --refresh`
	 * shows the order's progress. Default: `false`.
	 */
	waitForCompletion?: pulumi.Input<boolean | undefined>;
	/**
	 * Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. At
	 * least 1. Default: `600`.
	 */
	completionTimeoutSeconds?: pulumi.Input<number | undefined>;
	/**
	 * Effect of deleting the resource: `delete` cancels the port order, and `retain` leaves it on the account.
	 * Default: `delete`; with `adopt`, `retain`.
	 */
	onDelete?: pulumi.Input<"delete" | "retain" | undefined>;
	/**
	 * Id of a port order that is on the account and that no other stack claims. The resource adopts the port order
	 * instead of creating another, and `destroy` retains it. A change replaces the port order, unless `adopt` names
	 * the current port order; removing `adopt` changes nothing.
	 *
	 * Read only when the resource is created.
	 */
	adopt?: pulumi.Input<string | undefined>;
}

const definition: Definition = {
	handler: "portOrder",
	type: "PortOrder",
	inputs: [
		"numbers",
		"country",
		"carrier",
		"subscriber",
		"requestedDate",
		"documents",
		"waitForCompletion",
		"completionTimeoutSeconds",
		"onDelete",
		"adopt",
	],
	outputs: [
		"status",
		"scheduledAt",
		"exceptions",
		"numberIds",
		"documentIds",
		"submittedAt",
		"completedAt",
		"createdAt",
		"updatedAt",
		"token",
		"lease",
		"spellings",
		"uploaded",
		"unsubmitted",
	],
	secretOutputs: [],
};
// #endregion

/**
 * A port order: brings numbers from another carrier to this account. `pulumi up --refresh` shows its progress, and
 * submits it again after you correct the carriers' objections. A `Number` with `adopt` takes each number when it arrives.
 *
 * @example
 * import * as pulumi from "@pulumi/pulumi";
 *
 * const order = new telephony.PortOrder("office", {
 *   numbers: ["+31201234567"],
 *   country: "NL",
 *   carrier: { name: "Old Telecom", accountNumber: "A-1", pin: new pulumi.Config().requireSecret("pin") },
 *   subscriber: { name: "Example B.V.", address: "Damrak 1, 1012 LG Amsterdam" },
 * });
 * new telephony.Number("office", { adopt: "+31201234567", country: "NL", type: "geographic", waitForActive: false });
 */
export class PortOrder extends TelephonyResource {
	// #region made by npm run generate: fields
	/** Numbers to port to this account, in E.164; all from one country and one carrier. */
	declare readonly numbers: pulumi.Output<string[]>;
	/** The country of the numbers, ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	declare readonly country: pulumi.Output<string>;
	/** Carrier that has the numbers now. If you omit `pin` later, the order keeps it. */
	declare readonly carrier: pulumi.Output<pulumi.Unwrap<PortCarrier>>;
	/** Subscriber of the numbers, exactly as the current carrier has them on record. */
	declare readonly subscriber: pulumi.Output<pulumi.Unwrap<PortSubscriber>>;
	/** RFC 3339; earliest time of the port. */
	declare readonly requestedDate: pulumi.Output<string | undefined>;
	/** Documents that the carriers require, such as the letter of authorization signed by the subscriber. */
	declare readonly documents: pulumi.Output<
		| {
				kind:
					| "identity"
					| "proof_of_address"
					| "company_register"
					| "letter_of_authorization"
					| "other"
					| (string & {});
				file: string;
		  }[]
		| undefined
	>;
	/**
	 * True if `pulumi up` waits until the port is complete. Ports take days; if you don't wait, `pulumi up --refresh`
	 * shows the order's progress.
	 */
	declare readonly waitForCompletion: pulumi.Output<boolean>;
	/** Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. */
	declare readonly completionTimeoutSeconds: pulumi.Output<number>;
	/** Effect of deleting the resource: `delete` cancels the port order, and `retain` leaves it on the account. */
	declare readonly onDelete: pulumi.Output<"delete" | "retain">;
	/**
	 * Id of a port order that is on the account and that no other stack claims. The resource adopts the port order
	 * instead of creating another, and `destroy` retains it.
	 */
	declare readonly adopt: pulumi.Output<string | undefined>;

	/**
	 * `draft`, `submitted`, `in_review`, `exception`, `scheduled`, `completed`, `cancel_pending`, `cancelled`, or a
	 * value unknown to this version.
	 */
	declare readonly status: pulumi.Output<string>;
	/** RFC 3339; agreed time of the port. Undefined until the carriers agree. */
	declare readonly scheduledAt: pulumi.Output<string | undefined>;
	/** Objections of the carriers. */
	declare readonly exceptions: pulumi.Output<{ code: string; message: string }[] | undefined>;
	/** Ids of the numbers on this account; empty until the order is complete. A set. */
	declare readonly numberIds: pulumi.Output<string[] | undefined>;
	/** Ids of the documents at the service. A set. */
	declare readonly documentIds: pulumi.Output<string[]>;
	/** RFC 3339; time of the last submission. */
	declare readonly submittedAt: pulumi.Output<string | undefined>;
	/** RFC 3339; undefined until the port is complete. */
	declare readonly completedAt: pulumi.Output<string | undefined>;
	/** RFC 3339. */
	declare readonly createdAt: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly updatedAt: pulumi.Output<string>;
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
		return pulumi
			.output(carrier)
			.apply((resolved) => withSecretPin(resolved as PortCarrier)) as pulumi.Output<PortCarrier>;
	return carrier?.pin === undefined ? carrier : { ...carrier, pin: pulumi.secret(carrier.pin) };
}
