import * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** Who may use the trunk: an IP access list, or a user with a password. The mode changes in place. */
export type SipTrunkAuth =
	/** Public addresses or CIDRs without host bits. 1 to 100. A set. Example: `["198.51.100.0/24","203.0.113.9"]`. */
	| { mode: "ip_acl"; allowedCidrs: pulumi.Input<pulumi.Input<string>[]> }
	/**
	 * `username`: 4 to 32 letters, digits, dots, dashes or underscores. Example: `"office-pbx"`. `password`: If it is
	 * missing, the service makes one: see the output `password`. 12 to 128 characters. A secret.
	 */
	| { mode: "digest"; username: pulumi.Input<string>; password?: pulumi.Input<string | undefined> };

/** Where calls from the service are sent: the lowest priority first, shared by weight. */
export interface SipTarget {
	/** Host name or IP address. IPv6 with or without brackets. At most 253 characters. Example: `"pbx.example.com"`. */
	host: pulumi.Input<string>;
	/** Where it listens. 1 to 65535. Default: 5060, with tls 5061. */
	port?: pulumi.Input<number | undefined>;
	/** How calls are sent. Default: udp. */
	transport?: pulumi.Input<"udp" | "tcp" | "tls" | undefined>;
	/** The lowest is tried first. 0 to 65535. Default: 10. */
	priority?: pulumi.Input<number | undefined>;
	/** Its share of the calls, among targets with the same priority. 1 to 65535. Default: 10. */
	weight?: pulumi.Input<number | undefined>;
}

/** What a program declares. */
export interface SipTrunkArgs {
	/**
	 * What people call it; another trunk may have the same. 1 to 64 characters. Default: the resource's name. Example:
	 * `"Office"`. Changes in place.
	 */
	name?: pulumi.Input<string | undefined>;
	/** Who may use it. Example: `{"mode":"ip_acl","allowedCidrs":["198.51.100.0/24"]}`. Changes in place, as a whole. */
	auth: pulumi.Input<SipTrunkAuth>;
	/** Concurrent channels, both directions. 1 to 10000. Example: `30`. Changes in place. */
	capacity: pulumi.Input<number>;
	/** New calls per second. 1 to 100. Default: the account's limit. Example: `5`. Changes in place. */
	callsPerSecond?: pulumi.Input<number | undefined>;
	/**
	 * Where calls from the service are sent. At most 20. A set. Example:
	 * `[{"host":"pbx.example.com","transport":"tls"}]`. Changes in place.
	 */
	targets?: pulumi.Input<pulumi.Input<SipTarget>[] | undefined>;
	/** How audio is encrypted. Default: the service's (assumed none). Example: `"srtp"`. Changes in place. */
	mediaEncryption?: pulumi.Input<"none" | "srtp" | undefined>;
	/**
	 * In order of preference. At least 1. Default: the service's (assumed PCMU, PCMA). Example: `["opus","PCMA"]`.
	 * Changes in place.
	 */
	codecs?: pulumi.Input<pulumi.Input<"PCMU" | "PCMA" | "G729" | "G722" | "opus">[] | undefined>;
	/** Whether calls go through. Default: `true`. Changes in place. */
	enabled?: pulumi.Input<boolean | undefined>;
	/**
	 * Notes for people and programs. At most 20 keys of 1 to 40 characters, values of at most 500. Example:
	 * `{"team":"support"}`. Changes in place, as a whole.
	 */
	metadata?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
	/**
	 * Any new value asks for a new password. Only for digest, and without your own `password`. Example: `"2027-01"`. A
	 * change: the service makes a new password.
	 */
	passwordRotation?: pulumi.Input<string | number | boolean | undefined>;
	/**
	 * Decides what happens to the trunk when the resource is deleted: it is deleted, or stays on the account. Default:
	 * `delete`; with `adopt`, `retain`.
	 */
	onDelete?: pulumi.Input<"delete" | "retain" | undefined>;
	/**
	 * Id of a trunk that is already on the account and not claimed by another stack: it is taken over, and none is
	 * created. `destroy` leaves it on the account. A change: replaces the trunk, unless it names the present one;
	 * removing it changes nothing.
	 *
	 * Read only when the resource is created. Its password stays as it is, and the output `password` is undefined,
	 * until `passwordRotation` is set or changed, or a `password` of yours is declared.
	 */
	adopt?: pulumi.Input<string | undefined>;
}

const definition: Definition = {
	handler: "sipTrunk",
	type: "SipTrunk",
	inputs: [
		"name",
		"auth",
		"capacity",
		"callsPerSecond",
		"targets",
		"mediaEncryption",
		"codecs",
		"enabled",
		"metadata",
		"passwordRotation",
		"onDelete",
		"adopt",
	],
	outputs: [
		"sipDomain",
		"status",
		"password",
		"passwordUpdatedAt",
		"numbersCount",
		"createdAt",
		"updatedAt",
		"token",
		"lease",
	],
	secretOutputs: ["password"],
};
// #endregion

/**
 * A SIP trunk: who may send and receive calls, and how many at once.
 *
 * @example
 * const trunk = new telephony.SipTrunk("office", {
 *   auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
 *   capacity: 30,
 * });
 */
export class SipTrunk extends TelephonyResource {
	// #region made by npm run generate: fields
	/** What people call it; another trunk may have the same. */
	declare readonly name: pulumi.Output<string>;
	/** Who may use it. */
	declare readonly auth: pulumi.Output<pulumi.Unwrap<SipTrunkAuth>>;
	/** Concurrent channels, both directions. */
	declare readonly capacity: pulumi.Output<number>;
	/** New calls per second. */
	declare readonly callsPerSecond: pulumi.Output<number | undefined>;
	/** Where calls from the service are sent. */
	declare readonly targets: pulumi.Output<pulumi.Unwrap<SipTarget>[] | undefined>;
	/** How audio is encrypted. */
	declare readonly mediaEncryption: pulumi.Output<string | undefined>;
	/** In order of preference. */
	declare readonly codecs: pulumi.Output<string[] | undefined>;
	/** Whether calls go through. */
	declare readonly enabled: pulumi.Output<boolean>;
	/** Notes for people and programs. */
	declare readonly metadata: pulumi.Output<Record<string, string> | undefined>;
	/** Any new value asks for a new password. Only for digest, and without your own `password`. */
	declare readonly passwordRotation: pulumi.Output<string | number | boolean | undefined>;
	/** Decides what happens to the trunk when the resource is deleted: it is deleted, or stays on the account. */
	declare readonly onDelete: pulumi.Output<string>;
	/**
	 * Id of a trunk that is already on the account and not claimed by another stack: it is taken over, and none is
	 * created. `destroy` leaves it on the account.
	 */
	declare readonly adopt: pulumi.Output<string | undefined>;

	/** Where your equipment registers, and where it sends calls. */
	declare readonly sipDomain: pulumi.Output<string>;
	/** `provisioning`, `active`, `disabled`, `failed`, or the service's own word for active. */
	declare readonly status: pulumi.Output<string>;
	/**
	 * The digest password, yours or the service's. A secret.
	 *
	 * Undefined with ip_acl, and after `adopt` until it is rotated or declared.
	 */
	declare readonly password: pulumi.Output<string | undefined>;
	/** RFC 3339; shows when somebody else changed the password. */
	declare readonly passwordUpdatedAt: pulumi.Output<string | undefined>;
	/** How many numbers point to the trunk; never compared. */
	declare readonly numbersCount: pulumi.Output<number>;
	/** RFC 3339. */
	declare readonly createdAt: pulumi.Output<string>;
	/** RFC 3339. */
	declare readonly updatedAt: pulumi.Output<string>;
	// #endregion

	constructor(name: string, args: SipTrunkArgs, opts?: pulumi.CustomResourceOptions) {
		super(definition, name, args && { ...args, auth: withSecretPassword(args.auth) }, opts);
	}

	/**
	 * Looks up a trunk that this program doesn't manage. Its password is not known.
	 *
	 * @throws when there is no such trunk
	 */
	static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): SipTrunk {
		return new SipTrunk(name, undefined as unknown as SipTrunkArgs, { ...opts, id });
	}
}

/** Makes the password a secret, even if the program forgot to. */
function withSecretPassword(auth: pulumi.Input<SipTrunkAuth>): pulumi.Input<SipTrunkAuth> {
	if (pulumi.Output.isInstance(auth) || auth instanceof Promise) {
		return pulumi
			.output(auth)
			.apply((known) => withSecretPassword(known as SipTrunkAuth)) as pulumi.Output<SipTrunkAuth>;
	}
	return auth?.mode === "digest" && auth.password !== undefined
		? { ...auth, password: pulumi.secret(auth.password) }
		: auth;
}
