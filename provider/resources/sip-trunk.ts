/** A SIP trunk: who may send and receive calls (IP access list or digest), and how many at once. */
import { z } from "zod";
import { type CreateTrunk, codecs, type PatchTrunk, type TrunkRecord } from "../api/contract";
import type { DriftDefinition } from "../drift/definition";
import { adoptProperty } from "../lifecycle/adopt";
import { configuredHandler } from "../lifecycle/configured";
import { lostUnlessAdopted } from "../lifecycle/configured-adopt";
import type { Configured } from "../lifecycle/configured-definition";
import type { Handler } from "../lifecycle/resource";
import { parseUrn } from "../ownership/claim";
import { canonicalCidr, parseCidr, unroutablePart } from "../properties/canonical";
import { type Form, scalar, setOf, text, words } from "../properties/form";
import { labels } from "../properties/labels";
import {
	type CheckFailure,
	createBody,
	failure,
	liveValues,
	neverDrift,
	type Properties,
	type Values,
} from "../properties/table";
import type { Session } from "../session/session";
import { lagSays } from "../session/staleness";

// ---- Types and properties -------------------------------------------------------------------------------------------

const anyCase = "upper or lower case";
const lower = (text: string) => text.trim().toLowerCase();
/** The codec as the contract spells it; an unknown one in upper case. */
const knownCodec = (text: string) => codecs.find((codec) => lower(codec) === lower(text)) ?? text.trim().toUpperCase();

const cidr = z.string().superRefine((value, context) => {
	const problem = cidrProblem(value);
	if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

const auth = z.discriminatedUnion(
	"mode",
	[
		z.strictObject({
			mode: z.literal("ip_acl"),
			allowedCidrs: z
				.array(cidr)
				.min(1, "must name at least one address or CIDR")
				.max(100, "must name at most 100 addresses or CIDRs"),
		}),
		z.strictObject({
			mode: z.literal("digest"),
			username: z
				.string()
				.regex(/^[A-Za-z0-9._-]{4,32}$/, "must be 4 to 32 letters, digits, dots, dashes or underscores"),
			password: z
				.string()
				.min(12, "must have 12 to 128 characters")
				.max(128, "must have 12 to 128 characters")
				.optional(),
		}),
	],
	{ error: "must be ip_acl or digest" },
);

const authForm: Form = {
	kind: "object",
	tag: "mode",
	variants: ["ip_acl", "digest"],
	fields: {
		mode: { form: scalar },
		allowedCidrs: {
			form: setOf(text(canonicalCidr, "`/32` or `/128` written or left out, bits beyond the prefix, spelling of IPv6")),
		},
		username: { form: scalar },
		password: { form: scalar, writeOnly: true },
	},
};

const target = z.strictObject({
	host: z
		.string()
		.regex(
			/^(?=.{1,253}$)(([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?|\[[0-9a-f:.]+\])$/i,
			"must be a host name or IP address",
		),
	port: whole(1, 65_535).optional(),
	transport: z.enum(["udp", "tcp", "tls"], "must be udp, tcp or tls").optional(),
	priority: whole(0, 65_535).optional(),
	weight: whole(1, 65_535).optional(),
});

const targetForm: Form = {
	kind: "object",
	fields: {
		host: {
			form: text((host) => host.trim().toLowerCase().replace(/\.$/, ""), "upper or lower case, a dot at the end"),
		},
		port: { form: scalar, serverDefault: true },
		transport: { form: text(lower, anyCase), serverDefault: true },
		priority: { form: scalar, serverDefault: true },
		weight: { form: scalar, serverDefault: true },
	},
};

export const sipTrunkProperties: Properties = {
	name: {
		type: z.string().min(1, "must not be empty").max(64, "must have at most 64 characters"),
		wire: "name",
		form: words,
		severity: "low",
	},
	auth: { type: auth, required: true, wire: "auth", form: authForm, severity: "high" },
	capacity: { type: whole(1, 10_000), required: true, wire: "capacity" },
	cps: { type: whole(1, 100), wire: "cps" },
	targets: {
		type: z.array(target).max(20, "must name at most 20 targets"),
		wire: "targets",
		form: setOf(targetForm),
		severity: "high",
	},
	mediaEncryption: {
		type: z.enum(["none", "srtp"], "must be none or srtp"),
		wire: "media_encryption",
		form: text(lower, anyCase),
		severity: "high",
	},
	codecs: {
		type: z
			.array(z.enum(codecs, `must be one of ${codecs.join(", ")}`))
			.min(1, "must name at least one codec")
			.refine((list) => new Set(list).size === list.length, "must name each codec once"),
		wire: "codecs",
		form: { kind: "list", item: text(knownCodec, anyCase) },
	},
	enabled: { type: z.boolean(), default: true, wire: "enabled" },
	...labels,
	passwordRotation: {
		type: z.union([z.string(), z.number(), z.boolean()], "must be a string, a number, true or false"),
		change: "the service makes a new password",
	},
	adopt: adoptProperty("trunk"),
};

// ---- Lifecycle ------------------------------------------------------------------------------------------------------

const sipTrunk: Configured<TrunkRecord> = {
	kind: "trunk",
	properties: sipTrunkProperties,
	secret: {
		output: "password",
		rotation: "passwordRotation",
		marker: "passwordUpdatedAt",
		markerOf: (record) => record.auth?.password_updated_at ?? undefined,
		exists: (record) => record.auth?.mode === "digest",
		shown: (record) => record.auth?.password,
		declared: ({ auth }) => {
			const { password } = (auth ?? {}) as { password?: unknown };
			return typeof password === "string"
				? { value: password, body: createBody(sipTrunkProperties, { auth }) }
				: undefined;
		},
	},
	operations: ({ client: { trunks }, trunks: reads }) => ({
		reads,
		create: (body, options) => trunks.create(body as CreateTrunk, options),
		get: (id) => trunks.get(id),
		patch: (id, body) => trunks.patch(id, body as () => PatchTrunk),
		delete: (id) => trunks.delete(id),
		rotate: (id) => trunks.rotatePassword(id),
	}),
	lost: "creates a new trunk, with another id, SIP domain and password",
	toldBy: "name",
	nameOf: (record) => `${record.name ?? "trunk"} (${record.id})`,
	live: (record) => liveValues(sipTrunkProperties, record),
	computed: (record) => ({
		sipDomain: record.sip_domain,
		status: record.status,
		numbersCount: record.numbers_count,
		createdAt: record.created_at ?? undefined,
		updatedAt: record.updated_at ?? undefined,
	}),
	prepare: (news) =>
		news.name == null && typeof news.resourceUrn === "string"
			? { ...news, name: parseUrn(news.resourceUrn).name.slice(0, 64) }
			: news,
	failures: misplacedRotation,
};

export const sipTrunkDrift: DriftDefinition = {
	properties: sipTrunkProperties,
	secret: sipTrunk.secret,
	outputs: {
		password:
			"never compared: a changed `passwordUpdatedAt` is drift; up then makes a new password, or puts yours back",
		passwordUpdatedAt: "a change means that somebody changed the password",
		sipDomain: neverDrift,
		status:
			"a warning where it is `disabled` though the program says `enabled`, or a status that this version doesn't know",
		numbersCount: neverDrift,
		createdAt: neverDrift,
		updatedAt: lagSays,
	},
	lost: lostUnlessAdopted({
		consequence: sipTrunk.lost,
		way: "`pulumi up --refresh` creates a new one; give your equipment its SIP domain and password",
	}),
	condition: ({ status, enabled }) => {
		if (status === undefined || status === "active" || (status === "disabled" && enabled === false)) return undefined;
		return {
			kind: status === "provisioning" ? "waiting" : "problem",
			change: { path: "status", declared: "active", live: status },
			...(status === "provisioning"
				? { consequence: "nothing to repair: the service is still setting it up", ways: ["wait"] }
				: {
						consequence: `cannot be repaired by Pulumi: the service says ${String(status)}`,
						ways: [
							"put it back: look at the trunk in the service's dashboard, or ask its support",
							"take it over: set `enabled: false`, or remove it from the program",
						],
					}),
		};
	},
};

export const sipTrunkHandler = (session: Session): Handler => configuredHandler(session, sipTrunk);

// ---- Helpers --------------------------------------------------------------------------------------------------------

/** A whole number between two bounds, both included. */
function whole(least: number, most: number) {
	const message = `must be a whole number from ${least} to ${most}`;
	return z.int(message).min(least, message).max(most, message);
}

function cidrProblem(value: string): string | undefined {
	const block = parseCidr(value);
	if (block === undefined) return "must be an IP address or CIDR, such as 198.51.100.0/24";
	const range = `${block.network.toString()}/${block.length}`;
	if (block.length === 0) return `${range} lets everybody in: name the addresses of your own equipment`;
	if (block.hostBits) return `has host bits set: write ${range}`;
	if (block.length < (block.network.kind() === "ipv4" ? 8 : 16))
		return `${range} is too wide: name the addresses of your own equipment`;
	const part = unroutablePart(block);
	return part === undefined
		? undefined
		: `${range} is not reachable from the internet (it overlaps ${part}): name public addresses`;
}

function misplacedRotation({ auth: declared, passwordRotation }: Values): CheckFailure[] {
	const { mode, password } = (declared ?? {}) as { mode?: unknown; password?: unknown };
	if (passwordRotation === undefined || (mode !== "ip_acl" && (mode !== "digest" || password === undefined))) return [];
	const reason =
		mode === "ip_acl"
			? "only a trunk with auth.mode digest has a password. Remove passwordRotation"
			: "it is for passwords that the service makes. To change yours, change auth.password and remove passwordRotation";
	return [failure(`passwordRotation: ${reason}`)];
}
