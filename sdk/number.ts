import * as pulumi from "@pulumi/pulumi";
import type { Country } from "./country";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** One destination; `type` selects its kind. */
export type Destination =
	/** Id of a SipTrunk. */
	| { type: "trunk"; trunkId: pulumi.Input<string> }
	/**
	 * RFC 3261, such as `sip:desk@pbx.example.com;transport=tls`, without a password or headers. The provider sends it
	 * unchanged. At most 255 characters.
	 */
	| { type: "sip_uri"; uri: pulumi.Input<string> }
	/** Phone number in E.164, with its `+`. */
	| { type: "forward"; to: pulumi.Input<string | undefined> }
	/** https URL without credentials. The service requests instructions for each call from it. At most 2048 characters. */
	| { type: "webhook"; url: pulumi.Input<string> }
	/** Id of a voice agent. */
	| { type: "agent"; agentId: pulumi.Input<string> };

/** Second destination, used if the first doesn't answer. A failover has no failover of its own. */
export type Failover = Destination & {
	/** Ringing time in seconds before the call goes to the failover. 5 to 300. Default: the service's (assumed 30). */
	ringTimeoutSeconds?: pulumi.Input<number | undefined>;
};

/** Destination of inbound calls. A change replaces the whole routing, so omitted fields are cleared. */
export type Routing = Destination & {
	/** Ringing time in seconds before the call goes to the failover. 5 to 300. Default: the service's (assumed 30). */
	ringTimeoutSeconds?: pulumi.Input<number | undefined>;
	/** Second destination, used if nobody answers. */
	failover?: pulumi.Input<Failover | undefined>;
};

/** Properties that a program declares. */
export interface NumberArgs {
	/**
	 * ISO 3166-1 alpha-2 in upper case, such as `NL`. A change replaces the number: buys another, then retains or
	 * releases the old number by its saved `onDelete`.
	 */
	country: pulumi.Input<Country>;
	/**
	 * The kind of number. Example: `"mobile"`. A change replaces the number: buys another, then retains or releases
	 * the old number by its saved `onDelete`.
	 */
	type: pulumi.Input<"geographic" | "mobile" | "toll_free" | "national">;
	/**
	 * Area code within the country, such as `"20"`, with or without the trunk prefix (`"020"`). 1 to 20 characters. A
	 * change replaces the number: buys another, then retains or releases the old number by its saved `onDelete`.
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
	/** Display name. At most 64 characters. Example: `"Front desk"`. Changes in place. */
	label?: pulumi.Input<string | undefined>;
	/**
	 * Key-value pairs of your own. At most 20 keys of 1 to 40 characters, values of at most 500. Example:
	 * `{"team":"support"}`. Changes in place, as a whole.
	 */
	metadata?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
	/** Id of the KYC profile that regulated markets require. Example: `"kyc_01"`. Changes in place. */
	kycProfileId?: pulumi.Input<string | undefined>;
	/**
	 * True if the number is protected from release: a delete retains it, and the service refuses to release it.
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
	 * Effect of deleting the resource: `release` gives the number back to the service. `retain` leaves it on the
	 * account, where the same resource can resume it and any stack can adopt it. Default: `telephony:onDelete` of the
	 * stack, `retain` without it; with `adopt`, `retain`.
	 */
	onDelete?: pulumi.Input<"release" | "retain" | undefined>;
	/**
	 * Change this value to get another number of the same country, type and area. Default: `0`. A change replaces the
	 * number: buys another, then retains or releases the old number by its saved `onDelete`.
	 */
	generation?: pulumi.Input<number | undefined>;
	/**
	 * Id or E.164 of an unclaimed or retained number on the account, with the declared country, type and area. The
	 * resource adopts this number instead of buying another. `onDelete` is `retain` by default. A change replaces the
	 * number, unless `adopt` names the current number; removing `adopt` changes nothing.
	 *
	 * To adopt a number of an open port order once it arrives, name its E.164.
	 *
	 * Read only when the resource is created. Another number replaces the resource.
	 */
	adopt?: pulumi.Input<string | undefined>;
}

/** State of the identity checks. */
export interface Kyc {
	/**
	 * `not_required`, `action_required`, `in_review`, `approved`, `rejected`, `expired`, or a value unknown to this
	 * version.
	 */
	status: string;
	/** Reasons why KYC isn't approved. */
	reasons: { code: string; message: string }[];
	/** RFC 3339; the number may fail if KYC isn't complete by then. */
	deadline?: string;
}

/** An amount of money. */
export interface Money {
	/** Decimal, such as `"1.50"`. */
	amount: string;
	/** ISO 4217. */
	currency: string;
}

const definition: Definition = {
	handler: "number",
	type: "Number",
	inputs: [
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
		"generation",
		"adopt",
	],
	outputs: [
		"phoneNumber",
		"status",
		"kycRequired",
		"kyc",
		"capabilities",
		"price",
		"source",
		"createdAt",
		"updatedAt",
		"activatedAt",
		"token",
		"lease",
		"spellings",
		"foundId",
	],
	secretOutputs: [],
};
// #endregion

/**
 * A phone number (DID). Creating one buys a number by country, type and area, which costs money. Everything else changes
 * in place.
 *
 * In a regulated market, the number is `pending` until identity checks (KYC) clear. `up` waits for
 * `activationTimeoutSeconds`, then saves the number and fails with the reason. The next `up` continues to wait.
 *
 * @example
 * const trunk = new telephony.SipTrunk("office", {
 *   auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
 *   capacity: 30,
 * });
 * const office = new telephony.Number("office", {
 *   country: "NL",
 *   type: "geographic",
 *   area: "20",
 *   routing: { type: "trunk", trunkId: trunk.id },
 * });
 * export const officeNumber = office.phoneNumber;
 */
// biome-ignore lint/suspicious/noShadowRestrictedNames: programs write telephony.Number, the field's own word
export class Number extends TelephonyResource {
	// #region made by npm run generate: fields
	/** ISO 3166-1 alpha-2 in upper case, such as `NL`. */
	declare readonly country: pulumi.Output<string>;
	/** The kind of number. */
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
	/** Display name. */
	declare readonly label: pulumi.Output<string | undefined>;
	/** Key-value pairs of your own. */
	declare readonly metadata: pulumi.Output<Record<string, string> | undefined>;
	/** Id of the KYC profile that regulated markets require. */
	declare readonly kycProfileId: pulumi.Output<string | undefined>;
	/** True if the number is protected from release: a delete retains it, and the service refuses to release it. */
	declare readonly releaseProtection: pulumi.Output<boolean | undefined>;
	/** True if `pulumi up` waits until the number is active. */
	declare readonly waitForActive: pulumi.Output<boolean>;
	/** Limit of the wait in seconds. When the limit is reached, `up` fails, and the next `up` continues to wait. */
	declare readonly activationTimeoutSeconds: pulumi.Output<number>;
	/**
	 * Effect of deleting the resource: `release` gives the number back to the service. `retain` leaves it on the
	 * account, where the same resource can resume it and any stack can adopt it.
	 */
	declare readonly onDelete: pulumi.Output<"release" | "retain">;
	/** Change this value to get another number of the same country, type and area. */
	declare readonly generation: pulumi.Output<number>;
	/**
	 * Id or E.164 of an unclaimed or retained number on the account, with the declared country, type and area. The
	 * resource adopts this number instead of buying another. `onDelete` is `retain` by default.
	 */
	declare readonly adopt: pulumi.Output<string | undefined>;

	/** E.164; undefined until the carrier assigns a number. */
	declare readonly phoneNumber: pulumi.Output<string | undefined>;
	/**
	 * `pending`, `active`, `suspended`, `porting_out`, or the service's own value for active. For a number that
	 * `adopt` names: `porting` while a port order is in progress, `ported` until `up` adopts it, `not_porting` if no
	 * open order names it, `not_adoptable` if `up` refuses it.
	 */
	declare readonly status: pulumi.Output<string>;
	/** True in regulated markets. */
	declare readonly kycRequired: pulumi.Output<boolean>;
	/** State of the identity checks; undefined in open markets. */
	declare readonly kyc: pulumi.Output<Kyc | undefined>;
	/** From voice, sms, mms, fax; sorted. A set. */
	declare readonly capabilities: pulumi.Output<string[] | undefined>;
	/** Price of the number. A changed price isn't drift. */
	declare readonly price: pulumi.Output<{ setup: Money; monthly: Money } | undefined>;
	/** `purchase` or `port`. */
	declare readonly source: pulumi.Output<string | undefined>;
	/** RFC 3339. */
	declare readonly createdAt: pulumi.Output<string | undefined>;
	/** RFC 3339. */
	declare readonly updatedAt: pulumi.Output<string | undefined>;
	/** RFC 3339; undefined while the number is pending. */
	declare readonly activatedAt: pulumi.Output<string | undefined>;
	// #endregion

	constructor(name: string, args: NumberArgs, opts?: pulumi.CustomResourceOptions) {
		super(definition, name, args, opts);
	}

	/**
	 * Looks up a number that this program doesn't manage.
	 *
	 * @param name the program's name for it.
	 * @param id the service's id, such as `num_01`, or the number in E.164. The output `id` is the service's.
	 * @throws if the account doesn't have the number.
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Number {
		const number = new Number(name, undefined as unknown as NumberArgs, { ...opts, id });
		// The engine gives the program the id that it asked for; the read has found the service's id.
		const { foundId } = number as unknown as { readonly foundId: pulumi.Output<string | undefined> };
		const found = pulumi.all([number.id, foundId]).apply(([asked, real]) => real ?? asked);
		return Object.assign(number, { id: found });
	}
}
