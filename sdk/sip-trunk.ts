import * as pulumi from "@pulumi/pulumi";
import { type Definition, TelephonyResource } from "./dynamic";

/** Who may use the trunk: an IP access list, or a user with a password. The mode changes in place. */
export type SipTrunkAuth =
	/** Public addresses or CIDRs without host bits; a set. */
	| { mode: "ip_acl"; allowedCidrs: pulumi.Input<pulumi.Input<string>[]> }
	/**
	 * `username`: 4 to 32 letters, digits, dots, dashes, underscores. `password`: 12 to 128 characters; if absent, the
	 * service makes one, see the output `password`.
	 */
	| { mode: "digest"; username: pulumi.Input<string>; password?: pulumi.Input<string> };

/** Where calls from the service are sent: the lowest priority first, shared by weight. */
export interface SipTarget {
	/** Host name or IP address. */
	host: pulumi.Input<string>;
	/** Default 5060, with tls 5061. */
	port?: pulumi.Input<number>;
	/** Default udp. */
	transport?: pulumi.Input<"udp" | "tcp" | "tls">;
	/** 0 to 65535, default 10. */
	priority?: pulumi.Input<number>;
	/** 1 to 65535, default 10. */
	weight?: pulumi.Input<number>;
}

/** Every property changes in place; nothing replaces a trunk. */
export interface SipTrunkArgs {
	/** 1 to 64 characters. Default: the resource's name. */
	name?: pulumi.Input<string>;
	auth: pulumi.Input<SipTrunkAuth>;
	/** Concurrent channels, both directions: 1 to 10000. */
	capacity: pulumi.Input<number>;
	/** New calls per second, 1 to 100. Default: the account's limit. */
	cps?: pulumi.Input<number>;
	/** At most 20; a set. */
	targets?: pulumi.Input<pulumi.Input<SipTarget>[]>;
	/** Default: the service's (assumed none). */
	mediaEncryption?: pulumi.Input<"none" | "srtp">;
	/** In order of preference. Default: the service's (assumed PCMU, PCMA). */
	codecs?: pulumi.Input<pulumi.Input<"PCMU" | "PCMA" | "G729" | "G722" | "opus">[]>;
	/** Default true. */
	enabled?: pulumi.Input<boolean>;
	/** At most 64 characters. */
	label?: pulumi.Input<string>;
	/** At most 20 keys of 40 characters with values of 500. */
	metadata?: pulumi.Input<Record<string, pulumi.Input<string>>>;
	/** Any new value makes the service generate a new password (digest, without a `password` of yours). */
	passwordRotation?: pulumi.Input<string | number | boolean>;
	/**
	 * Id of a trunk that is already on the account and not claimed by another stack: it is taken over, and none is
	 * created. Read when the resource is created. Changing it later is refused; removing it changes nothing. `destroy`
	 * leaves the trunk on the account. Its password stays as it is, and the output `password` is undefined, until
	 * `passwordRotation` is set or changed, or a `password` of yours is declared.
	 */
	adopt?: pulumi.Input<string>;
}

const definition: Definition = {
	handler: "sipTrunk",
	type: "SipTrunk",
	inputs: [
		"name",
		"auth",
		"capacity",
		"cps",
		"targets",
		"mediaEncryption",
		"codecs",
		"enabled",
		"label",
		"metadata",
		"passwordRotation",
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
	declare readonly name: pulumi.Output<string>;
	declare readonly auth: pulumi.Output<pulumi.Unwrap<SipTrunkAuth>>;
	declare readonly capacity: pulumi.Output<number>;
	declare readonly cps: pulumi.Output<number | undefined>;
	declare readonly targets: pulumi.Output<pulumi.Unwrap<SipTarget>[] | undefined>;
	declare readonly mediaEncryption: pulumi.Output<string | undefined>;
	declare readonly codecs: pulumi.Output<string[] | undefined>;
	declare readonly enabled: pulumi.Output<boolean>;
	declare readonly label: pulumi.Output<string | undefined>;
	declare readonly metadata: pulumi.Output<Record<string, string> | undefined>;
	declare readonly passwordRotation: pulumi.Output<string | number | boolean | undefined>;
	declare readonly adopt: pulumi.Output<string | undefined>;

	/** Where your equipment registers, and where it sends calls. */
	declare readonly sipDomain: pulumi.Output<string>;
	/** `provisioning`, `active`, `disabled`, `failed`, or one this version doesn't know. */
	declare readonly status: pulumi.Output<string>;
	/**
	 * The digest password, yours or the service's; a secret. Undefined with ip_acl, and after `adopt` until it is rotated
	 * or declared.
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
