import * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

// #region made by npm run generate: types
/** Authentication: an IP access list, or a user name with a password. The mode can change in place. */
export type SipTrunkAuth =
	/** Public addresses, or CIDRs without host bits. 1 to 100. A set. Example: `["198.51.100.0/24","203.0.113.9"]`. */
	| { mode: "ip_acl"; allowedCidrs: pulumi.Input<pulumi.Input<string>[]> }
	/**
	 * `username`: 1 to 64 characters, without colons, control characters, or spaces at the start or end. Example:
	 * `"office-pbx"`. `password`: If you omit the password, the service generates it: see the output `password`. 12 to
	 * 128 characters. A secret.
	 */
	| { mode: "digest"; username: pulumi.Input<string>; password?: pulumi.Input<string | undefined> };

/** Target of calls from the service: the lowest priority first, shared by weight. */
export interface SipTarget {
	/**
	 * Host name or IP address (IPv6 with or without brackets). The provider sends it unchanged. At most 253
	 * characters. Example: `"pbx.example.com"`.
	 */
	host: pulumi.Input<string>;
	/** Port of the target. 1 to 65535. Default: 5060, with tls 5061. */
	port?: pulumi.Input<number | undefined>;
	/** Transport protocol. Default: udp. */
	transport?: pulumi.Input<"udp" | "tcp" | "tls" | (string & {}) | undefined>;
	/** The service tries targets with lower values first. 0 to 65535. Default: 10. */
	priority?: pulumi.Input<number | undefined>;
	/** Share of the calls among targets of the same priority. 1 to 65535. Default: 10. */
	weight?: pulumi.Input<number | undefined>;
}

/** Properties that a program declares. */
export interface SipTrunkArgs {
	/**
	 * Display name; it doesn't have to be unique. 1 to 64 characters. Default: the resource's name. Example:
	 * `"Office"`. Changes in place.
	 */
	name?: pulumi.Input<string | undefined>;
	/**
	 * Authentication of your equipment. Example: `{"mode":"ip_acl","allowedCidrs":["198.51.100.0/24"]}`. Changes in
	 * place, as a whole.
	 */
	auth: pulumi.Input<SipTrunkAuth>;
	/** Concurrent channels, inbound and outbound together. 1 to 10000. Example: `30`. Changes in place. */
	capacity: pulumi.Input<number>;
	/** New calls per second. 1 to 100. Default: the account's limit. Example: `5`. Changes in place. */
	callsPerSecond?: pulumi.Input<number | undefined>;
	/**
	 * Targets of calls from the service. At most 20. A set. Example: `[{"host":"pbx.example.com","transport":"tls"}]`.
	 * Changes in place.
	 */
	targets?: pulumi.Input<pulumi.Input<SipTarget>[] | undefined>;
	/** Encryption of the audio. Default: the service's (assumed none). Example: `"srtp"`. Changes in place. */
	mediaEncryption?: pulumi.Input<"none" | "srtp" | (string & {}) | undefined>;
	/**
	 * Codecs, in order of preference. At least 1. Default: the service's (assumed PCMU, PCMA). Example:
	 * `["opus","PCMA"]`. Changes in place.
	 */
	codecs?: pulumi.Input<pulumi.Input<"PCMU" | "PCMA" | "G729" | "G722" | "opus" | (string & {})>[] | undefined>;
	/** True if the trunk accepts calls. Default: `true`. Changes in place. */
	enabled?: pulumi.Input<boolean | undefined>;
	/**
	 * Key-value pairs of your own. At most 20 keys of 1 to 40 characters, values of at most 500. Example:
	 * `{"team":"support"}`. Changes in place, as a whole.
	 */
	metadata?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
	/**
	 * With any new value, the service generates another password. Only for digest without a `password` of your own.
	 * Example: `"2027-01"`. After a change, the service generates a new password.
	 */
	passwordRotation?: pulumi.Input<string | number | boolean | undefined>;
	/**
	 * Effect of deleting the resource: `delete` deletes the trunk, and `retain` leaves it on the account. Default:
	 * `delete`; with `adopt`, `retain`.
	 */
	onDelete?: pulumi.Input<"delete" | "retain" | undefined>;
	/**
	 * Id of a trunk that is on the account and that no other stack claims. The resource adopts the trunk instead of
	 * creating another, and `destroy` retains it. A change replaces the trunk, unless `adopt` names the current trunk;
	 * removing `adopt` changes nothing.
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
		"spellings",
	],
	secretOutputs: ["password"],
};
// #endregion

/**
 * A SIP trunk: a connection for calls between the service and your phone system.
 *
 * @example
 * const trunk = new telephony.SipTrunk("office", {
 *   auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
 *   capacity: 30,
 * });
 */
export class SipTrunk extends TelephonyResource {
	// #region made by npm run generate: fields
	/** Display name; it doesn't have to be unique. */
	declare readonly name: pulumi.Output<string>;
	/** Authentication of your equipment. */
	declare readonly auth: pulumi.Output<pulumi.Unwrap<SipTrunkAuth>>;
	/** Concurrent channels, inbound and outbound together. */
	declare readonly capacity: pulumi.Output<number>;
	/** New calls per second. */
	declare readonly callsPerSecond: pulumi.Output<number | undefined>;
	/** Targets of calls from the service. */
	declare readonly targets: pulumi.Output<pulumi.Unwrap<SipTarget>[] | undefined>;
	/** Encryption of the audio. */
	declare readonly mediaEncryption: pulumi.Output<"none" | "srtp" | (string & {}) | undefined>;
	/** Codecs, in order of preference. */
	declare readonly codecs: pulumi.Output<("PCMU" | "PCMA" | "G729" | "G722" | "opus" | (string & {}))[] | undefined>;
	/** True if the trunk accepts calls. */
	declare readonly enabled: pulumi.Output<boolean>;
	/** Key-value pairs of your own. */
	declare readonly metadata: pulumi.Output<Record<string, string> | undefined>;
	/** With any new value, the service generates another password. Only for digest without a `password` of your own. */
	declare readonly passwordRotation: pulumi.Output<string | number | boolean | undefined>;
	/** Effect of deleting the resource: `delete` deletes the trunk, and `retain` leaves it on the account. */
	declare readonly onDelete: pulumi.Output<"delete" | "retain">;
	/**
	 * Id of a trunk that is on the account and that no other stack claims. The resource adopts the trunk instead of
	 * creating another, and `destroy` retains it.
	 */
	declare readonly adopt: pulumi.Output<string | undefined>;

	/** SIP domain to which your equipment registers and sends calls. */
	declare readonly sipDomain: pulumi.Output<string>;
	/** `provisioning`, `active`, `disabled`, `failed`, or the service's own value for active. */
	declare readonly status: pulumi.Output<string>;
	/**
	 * The digest password, yours or the service's. A secret.
	 *
	 * Undefined with ip_acl, after `adopt` until it is rotated or declared, and if the service never shows it.
	 */
	declare readonly password: pulumi.Output<string | undefined>;
	/** RFC 3339; time of the last password change. */
	declare readonly passwordUpdatedAt: pulumi.Output<string | undefined>;
	/** Count of numbers routed to the trunk. A changed count isn't drift. */
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
			.apply((resolved) => withSecretPassword(resolved as SipTrunkAuth)) as pulumi.Output<SipTrunkAuth>;
	}
	return auth?.mode === "digest" && auth.password !== undefined
		? { ...auth, password: pulumi.secret(auth.password) }
		: auth;
}
