/** A trunk's properties: what is declared, and what is shown. */
import { z } from "zod";
import { authModes, CreateTrunk, codecs, TargetRequest, usernameRule } from "../../api/contract";
import { adoptFree } from "../../lifecycle/adopt";
import { onDeleteProperty } from "../../lifecycle/on-delete";
import { canonicalCidr, canonicalHost, parseCidr, unroutablePart } from "../../properties/canonical";
import { type Fields, listOf, setOf, text, typeOf, unspaced, words } from "../../properties/form";
import { labels } from "../../properties/labels";
import { boundsOf, choice, textWithout, whole } from "../../properties/limits";
import { objectOf, unionOf } from "../../properties/object";
import { aNumber, aString, times } from "../../properties/outputs";
import { neverDrift, type Outputs, type Properties } from "../../properties/table";
import { byState, rotation, statusRow } from "../rows";

const anyCase = "upper or lower case";
const lower = (text: string) => text.trim().toLowerCase();
/** The codec as the contract spells it; an unknown one in upper case. */
const knownCodec = (text: string) => codecs.find((codec) => lower(codec) === lower(text)) ?? text.trim().toUpperCase();

const auth = unionOf({
	tag: "mode",
	says: "Kind of authentication.",
	variants: {
		name: "SipTrunkAuth",
		description: "Authentication: an IP access list, or a user name with a password. The mode can change in place.",
		of: {
			ip_acl: {
				allowedCidrs: {
					type: () => {
						const { most } = boundsOf(authModes.ip_acl.shape.allowed_cidrs);
						return z
							.array(textWithout(cidrProblem))
							.min(1, "must name at least one address or CIDR")
							.max(most, `must name at most ${most} addresses or CIDRs`);
					},
					description: "Public addresses, or CIDRs without host bits.",
					example: ["198.51.100.0/24", "203.0.113.9"],
					required: true,
					form: setOf(
						text(canonicalCidr, "`/32` or `/128` written or left out, bits beyond the prefix, spelling of IPv6", {
							accepted: () => authModes.ip_acl.shape.allowed_cidrs.element,
						}),
					),
				},
			},
			digest: {
				username: {
					type: () => authModes.digest.shape.username,
					description: `${usernameRule}.`,
					required: true,
					example: "office-pbx",
				},
				password: {
					type: () => {
						const { least, most } = boundsOf(authModes.digest.shape.password);
						const message = `must have ${least} to ${most} characters`;
						return z.string().min(least, message).max(most, message);
					},
					description: "If you omit the password, the service generates it: see the output `password`.",
					secret: true,
					writeOnly: true,
				},
			},
		} satisfies Record<keyof typeof authModes, Fields>,
	},
	error: "must be ip_acl or digest",
});

const target = objectOf(
	{
		host: {
			type: () =>
				z
					.string()
					.max(boundsOf(TargetRequest.shape.host).most)
					.refine(
						(host) => canonicalHost(host) !== undefined,
						"must be one host name or IP address, such as pbx.example.com, without scheme, user, `port` or parameters",
					),
			description: "Host name or IP address (IPv6 with or without brackets). The provider sends it unchanged.",
			example: "pbx.example.com",
			required: true,
			form: text(canonicalHost, "upper or lower case, punycode, a dot at the end, brackets and spelling of IPv6", {
				accepted: unspaced,
			}),
		},
		port: {
			type: () => whole(TargetRequest.shape.port),
			description: "Port of the target.",
			serverDefault: true,
			otherwise: "5060, with tls 5061",
		},
		transport: {
			type: () => choice(TargetRequest.shape.transport),
			description: "Transport protocol.",
			form: text(lower, anyCase),
			serverDefault: true,
			otherwise: "udp",
		},
		priority: {
			type: () => whole(TargetRequest.shape.priority),
			description: "The service tries targets with lower values first.",
			serverDefault: true,
			otherwise: "10",
		},
		weight: {
			type: () => whole(TargetRequest.shape.weight),
			description: "Share of the calls among targets of the same priority.",
			serverDefault: true,
			otherwise: "10",
		},
	},
	{
		name: "SipTarget",
		description: "Target of calls from the service: the lowest priority first, shared by weight.",
	},
);

export const sipTrunkProperties: Properties = {
	name: {
		type: () => CreateTrunk.shape.name,
		description: "Display name; it doesn't have to be unique.",
		example: "Office",
		filled: true,
		otherwise: "the resource's name",
		wire: "name",
		form: words,
		severity: "low",
	},
	auth: {
		...auth,
		description: "Authentication of your equipment.",
		example: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
		required: true,
		wire: "auth",
		severity: "high",
	},
	capacity: {
		type: () => whole(CreateTrunk.shape.capacity),
		description: "Concurrent channels, inbound and outbound together.",
		example: 30,
		required: true,
		wire: "capacity",
	},
	callsPerSecond: {
		type: () => whole(CreateTrunk.shape.cps),
		description: "New calls per second.",
		example: 5,
		otherwise: "the account's limit",
		wire: "cps",
	},
	targets: {
		type: () => {
			const { most } = boundsOf(CreateTrunk.shape.targets);
			return z.array(typeOf(target)).max(most, `must name at most ${most} targets`);
		},
		description: "Targets of calls from the service.",
		example: [{ host: "pbx.example.com", transport: "tls" }],
		wire: "targets",
		form: setOf(target.form),
		severity: "high",
	},
	mediaEncryption: {
		type: () => choice(CreateTrunk.shape.media_encryption),
		description: "Encryption of the audio.",
		example: "srtp",
		otherwise: "the service's (assumed none)",
		wire: "media_encryption",
		serviceDefault: "none",
		form: text(lower, anyCase),
		severity: "high",
	},
	codecs: {
		type: () =>
			z
				.array(choice(z.enum(codecs)))
				.min(1, "must name at least one codec")
				.refine((list) => new Set(list).size === list.length, "must name each codec once"),
		description: "Codecs, in order of preference.",
		example: ["opus", "PCMA"],
		otherwise: "the service's (assumed PCMU, PCMA)",
		wire: "codecs",
		serviceDefault: ["PCMU", "PCMA"],
		form: listOf(text(knownCodec, anyCase)),
	},
	enabled: {
		type: () => z.boolean(),
		description: "True if the trunk accepts calls.",
		default: true,
		wire: "enabled",
		leftOut: true,
	},
	metadata: labels.metadata,
	passwordRotation: rotation("password", " Only for digest without a `password` of your own.", ""),
	onDelete: onDeleteProperty("trunk"),
	adopt: adoptFree(
		"trunk",
		`Read only when the resource is created. Its password stays as it is, and the output \`password\` is undefined, until \`passwordRotation\` is set or changed, or a \`password\` of yours is declared.`,
	),
};

export const sipTrunkOutputs: Outputs = {
	sipDomain: {
		...aString,
		required: true,
		description: "SIP domain to which your equipment registers and sends calls.",
		wire: "sip_domain",
		drift: neverDrift,
	},
	status: statusRow("`provisioning`, `active`, `disabled`, `failed`, or the service's own value for active.", byState),
	password: {
		...aString,
		secret: true,
		renewedBy: ["auth", "passwordRotation"],
		description: `The digest password, yours or the service's.

Undefined with ip_acl, after \`adopt\` until it is rotated or declared, and if the service never shows it.`,
		drift:
			"if `passwordUpdatedAt` changes outside Pulumi, `pulumi up --refresh` generates a new password or restores yours",
	},
	passwordUpdatedAt: {
		...aString,
		renewedBy: ["auth", "passwordRotation"],
		description: "RFC 3339; time of the last password change.",
		drift: "a change outside Pulumi is drift",
	},
	numbersCount: {
		...aNumber,
		required: true,
		moves: true,
		description: "Count of numbers routed to the trunk. A changed count isn't drift.",
		wire: "numbers_count",
		drift: neverDrift,
	},
	...times,
};

function cidrProblem(value: string): string | undefined {
	const block = parseCidr(value);
	if (block === undefined) return "must be an IP address or CIDR, such as 198.51.100.0/24";
	const range = `${block.network.toString()}/${block.length}`;
	if (block.length === 0) return `${range} admits every address: use the addresses of your own equipment`;
	if (block.hostBits) return `has host bits set: write ${range}`;
	if (block.length < (block.network.kind() === "ipv4" ? 8 : 16))
		return `${range} is too wide: use the addresses of your own equipment`;
	const part = unroutablePart(block);
	return part === undefined
		? undefined
		: `${range} is not reachable from the internet (it overlaps ${part}): use public addresses`;
}
