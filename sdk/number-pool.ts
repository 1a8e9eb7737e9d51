import type * as pulumi from "@pulumi/pulumi";
import type { Country } from "./country";
import { type Definition, TelephonyResource } from "./dynamic";
import type { Routing } from "./number";

// #region made by npm run generate: types
/** Properties that a program declares. */
export interface NumberPoolArgs {
	/**
	 * Count of numbers. 1 to 10000. Example: `10`. Changes in place: buys missing numbers; retains or releases surplus
	 * numbers as their saved `onDelete` says.
	 */
	count: pulumi.Input<number>;
	/**
	 * ISO 3166-1 alpha-2 in upper case, such as `NL`. A change replaces all numbers: buys new numbers, then retains or
	 * releases the old numbers as their saved `onDelete` says.
	 */
	country: pulumi.Input<Country>;
	/**
	 * The kind of numbers. Example: `"mobile"`. A change replaces all numbers: buys new numbers, then retains or
	 * releases the old numbers as their saved `onDelete` says.
	 */
	type: pulumi.Input<"geographic" | "mobile" | "toll_free" | "national">;
	/**
	 * Area code within the country, such as `"20"`, with or without the trunk prefix (`"020"`). 1 to 20 characters. A
	 * change replaces all numbers: buys new numbers, then retains or releases the old numbers as their saved
	 * `onDelete` says.
	 */
	area?: pulumi.Input<string | undefined>;
	/**
	 * Destination of inbound calls. Without it, calls aren't delivered. Example:
	 * `{"type":"sip_uri","uri":"sip:desk@pbx.example.com"}`. Changes in place, as a whole.
	 */
	routing?: pulumi.Input<Routing | undefined>;
	/**
	 * https URL that receives inbound SMS, without credentials or fragment (plain http for loopback only). The number
	 * must have the capability `sms`. At most 2048 characters. Example: `"https://hooks.example.com/sms"`. Changes in
	 * place.
	 */
	smsWebhookUrl?: pulumi.Input<string | undefined>;
	/**
	 * Display name. `{index}` is replaced by the number's index, such as `3` for `support[3]`. At most 64 characters.
	 * Example: `"Support {index}"`. Changes in place.
	 */
	label?: pulumi.Input<string | undefined>;
	/**
	 * Key-value pairs of your own. At most 20 keys of 1 to 40 characters, values of at most 500. Example:
	 * `{"team":"support"}`. Changes in place, as a whole.
	 */
	metadata?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
	/** Id of the KYC profile that regulated markets require. Example: `"kyc_01"`. Changes in place. */
	kycProfileId?: pulumi.Input<string | undefined>;
	/**
	 * True if the numbers are protected from release: a delete retains them, and the service refuses to release them.
	 * Default: `false`. Changes in place.
	 */
	releaseProtection?: pulumi.Input<boolean | undefined>;
	/** True if `pulumi up` waits until the number is active. Default: `true`. */
	waitForActive?: pulumi.Input<boolean | undefined>;
	/**
	 * Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. At
	 * least 1. Default: `600`.
	 */
	activationTimeoutSeconds?: pulumi.Input<number | undefined>;
	/**
	 * Effect on a number that leaves the pool: `release` gives it back to the service, and `retain` leaves it on the
	 * account. The pool always retains adopted and excluded numbers. Default: `telephony:onDelete` of the stack,
	 * `retain` without it.
	 */
	onDelete?: pulumi.Input<"release" | "retain" | undefined>;
	/**
	 * Names of the numbers that a lower `count` removes first, such as `support[3]`. The numbers with the highest
	 * index follow. A set.
	 */
	releaseFirst?: pulumi.Input<pulumi.Input<string>[] | undefined>;
	/**
	 * Names of the numbers that leave the pool and stay on the account, such as `support[3]`. Lower `count` by the
	 * number of names. The pool doesn't use these names for other numbers. A set. Changes in place: the pool retains
	 * the numbers.
	 */
	exclude?: pulumi.Input<pulumi.Input<string>[] | undefined>;
	/**
	 * Ids or E.164 of numbers on the account. At its creation, or when you raise `count`, the pool adopts these
	 * numbers instead of buying others. A set. Example: `["+31201234567"]`. Changes in place: adopts the numbers;
	 * removing a number from the list changes nothing.
	 */
	adopt?: pulumi.Input<pulumi.Input<string>[] | undefined>;
}

/** One of the numbers. */
export interface PooledNumber {
	/** The number's name in the pool, such as `support[3]`. */
	name: string;
	/** The service's id. */
	id: string;
	/** E.164; undefined until the carrier assigns a number. */
	phoneNumber?: string;
	/** See `Number.status`. */
	status: string;
}

const definition: Definition = {
	handler: "numberPool",
	type: "NumberPool",
	inputs: [
		"count",
		"country",
		"type",
		"area",
		"routing",
		"smsWebhookUrl",
		"label",
		"metadata",
		"kycProfileId",
		"releaseProtection",
		"waitForActive",
		"activationTimeoutSeconds",
		"onDelete",
		"releaseFirst",
		"exclude",
		"adopt",
	],
	outputs: ["numbers", "members", "findings"],
	secretOutputs: [],
};
// #endregion

/**
 * A block of matching numbers as one resource, for large fleets: the engine's work for each resource takes longer than
 * buying a number. Each number follows the rules of a `Number`.
 *
 * A higher `count` buys the difference. A lower one removes surplus numbers by the saved `onDelete`, those in
 * `releaseFirst` first. If some can't be bought, the others are saved, and the next `up` continues. `exclude` and `adopt`
 * move numbers out of a pool and into it, without buying or releasing: docs/guides/number-pools.md.
 *
 * @example
 * const support = new telephony.NumberPool("support", {
 *   count: 100,
 *   country: "NL",
 *   type: "geographic",
 *   area: "20",
 *   label: "support-{index}",
 *   routing: { type: "sip_uri", uri: "sip:support@pbx.example.com" },
 * });
 * export const lines = support.numbers.apply((numbers) => numbers.map(({ phoneNumber }) => phoneNumber));
 */
export class NumberPool extends TelephonyResource {
	// #region made by npm run generate: fields
	/** Count of numbers. */
	declare readonly count: pulumi.Output<number>;
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	declare readonly country: pulumi.Output<string>;
	/** The kind of numbers. */
	declare readonly type: pulumi.Output<"geographic" | "mobile" | "toll_free" | "national">;
	/** Area code within the country, such as `"20"`, with or without the trunk prefix (`"020"`). */
	declare readonly area: pulumi.Output<string | undefined>;
	/** Destination of inbound calls. Without it, calls aren't delivered. */
	declare readonly routing: pulumi.Output<pulumi.Unwrap<Routing> | undefined>;
	/**
	 * https URL that receives inbound SMS, without credentials or fragment (plain http for loopback only). The number
	 * must have the capability `sms`.
	 */
	declare readonly smsWebhookUrl: pulumi.Output<string | undefined>;
	/** Display name. `{index}` is replaced by the number's index, such as `3` for `support[3]`. */
	declare readonly label: pulumi.Output<string | undefined>;
	/** Key-value pairs of your own. */
	declare readonly metadata: pulumi.Output<Record<string, string> | undefined>;
	/** Id of the KYC profile that regulated markets require. */
	declare readonly kycProfileId: pulumi.Output<string | undefined>;
	/** True if the numbers are protected from release: a delete retains them, and the service refuses to release them. */
	declare readonly releaseProtection: pulumi.Output<boolean | undefined>;
	/** True if `pulumi up` waits until the number is active. */
	declare readonly waitForActive: pulumi.Output<boolean>;
	/** Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. */
	declare readonly activationTimeoutSeconds: pulumi.Output<number>;
	/**
	 * Effect on a number that leaves the pool: `release` gives it back to the service, and `retain` leaves it on the
	 * account. The pool always retains adopted and excluded numbers.
	 */
	declare readonly onDelete: pulumi.Output<"release" | "retain">;
	/**
	 * Names of the numbers that a lower `count` removes first, such as `support[3]`. The numbers with the highest
	 * index follow.
	 */
	declare readonly releaseFirst: pulumi.Output<string[] | undefined>;
	/**
	 * Names of the numbers that leave the pool and stay on the account, such as `support[3]`. Lower `count` by the
	 * number of names. The pool doesn't use these names for other numbers.
	 */
	declare readonly exclude: pulumi.Output<string[] | undefined>;
	/**
	 * Ids or E.164 of numbers on the account. At its creation, or when you raise `count`, the pool adopts these
	 * numbers instead of buying others.
	 */
	declare readonly adopt: pulumi.Output<string[] | undefined>;

	/** Numbers by index, lowest first. */
	declare readonly numbers: pulumi.Output<PooledNumber[]>;
	// #endregion

	constructor(name: string, args: NumberPoolArgs, opts?: pulumi.CustomResourceOptions) {
		super(definition, name, args, opts);
	}
}
