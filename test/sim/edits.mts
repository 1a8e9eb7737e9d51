/** Edits of declared objects outside Pulumi, and the outputs in which they show. */
import type { Args } from "./kinds.mts";
import type { Declared, Program } from "./program.mts";
import type { Random } from "./random.mts";

export interface Edit {
	/** The output that a refresh reports. */
	readonly property: string;
	/** By the service's names. A routing without a type is merged into the live one; `@name` is a resource's id. */
	readonly patch: Args;
}

type Possible = readonly [property: string, isDeclared: boolean, patch: () => Args];

const urlOf = (random: Random) => `https://elsewhere.example/${random.int(0, 1_000_000)}`;
const phoneOf = (random: Random) => `+49301${random.int(100_000, 999_999)}`;
const textOf = (random: Random) => `someone's ${random.int(0, 1_000_000)}`;

function ofNumber({ args, trunk }: Declared, random: Random, program: Program): readonly Possible[] {
	const { label, metadata, smsWebhookUrl, releaseProtection } = args;
	const routing = args.routing as Args | undefined;
	const isRouted = routing !== undefined || trunk !== undefined;
	const others = program.filter(({ kind, name }) => kind === "sipTrunk" && name !== trunk);
	const hasFailover = routing?.failover !== undefined;
	return [
		["label", label !== undefined, () => ({ label: random.pick([textOf(random), null]) })],
		["metadata", metadata !== undefined, () => ({ metadata: random.pick([{ site: textOf(random) }, null]) })],
		["smsWebhookUrl", smsWebhookUrl !== undefined, () => ({ sms_webhook_url: random.pick([urlOf(random), null]) })],
		["releaseProtection", releaseProtection !== undefined, () => ({ release_protection: releaseProtection !== true })],
		["routing", isRouted, () => ({ routing: null })],
		["routing", isRouted, () => ({ routing: { type: "forward", to: phoneOf(random) } })],
		["routing", isRouted, () => ({ routing: { type: "webhook", url: urlOf(random) } })],
		// A type of routing that the provider doesn't know.
		["routing", isRouted, () => ({ routing: { type: "hologram", room: textOf(random) } })],
		[
			"routing",
			trunk !== undefined && others.length > 0,
			() => ({ routing: { trunk_id: `@${random.pick(others).name}` } }),
		],
		["routing", routing?.ringTimeoutSeconds !== undefined, () => ({ routing: { ring_timeout_seconds: 100 } })],
		["routing", isRouted && !hasFailover, () => ({ routing: { failover: { type: "forward", to: phoneOf(random) } } })],
		["routing", hasFailover, () => ({ routing: { failover: null } })],
	];
}

function ofTrunk({ args }: Declared, random: Random): readonly Possible[] {
	const {
		mode,
		username,
		allowedCidrs = [],
	} = args.auth as { readonly mode: string; readonly username?: string; readonly allowedCidrs?: readonly string[] };
	const isDigest = mode === "digest";
	const cidrs = [...allowedCidrs, `203.0.113.${random.int(1, 254)}`];
	const password = `someone-elses-${random.int(0, 1_000_000)}`;
	return [
		["name", true, () => ({ name: textOf(random) })],
		["capacity", true, () => ({ capacity: 1_000 + random.int(0, 1_000) })],
		["enabled", true, () => ({ enabled: args.enabled === false })],
		["auth", !isDigest, () => ({ auth: { mode: "ip_acl", allowed_cidrs: cidrs } })],
		["auth", true, () => ({ auth: { mode: "digest", username: `intruder-${random.int(0, 1_000_000)}` } })],
		["password", isDigest, () => ({ auth: { mode: "digest", username, password } })],
		["callsPerSecond", args.callsPerSecond !== undefined, () => ({ cps: random.pick([50, null]) })],
		[
			"targets",
			args.targets !== undefined,
			() => ({ targets: random.pick([[{ host: "sbc.elsewhere.example" }], null]) }),
		],
		[
			"mediaEncryption",
			args.mediaEncryption !== undefined,
			() => ({ media_encryption: args.mediaEncryption === "srtp" ? "none" : "srtp" }),
		],
		["codecs", args.codecs !== undefined, () => ({ codecs: [...(args.codecs as string[])].reverse() })],
	];
}

function ofWebhook({ args }: Declared, random: Random): readonly Possible[] {
	return [
		["url", true, () => ({ url: urlOf(random) })],
		["events", true, () => ({ events: ["invoice.created"] })],
		["enabled", true, () => ({ enabled: args.enabled === false })],
		// The service disables a webhook after failed deliveries.
		["enabled", args.enabled !== false, () => ({ status: "disabled", disabled_reason: "failures" })],
		["secret", true, () => ({ rotate_secret: true })],
	];
}

/** Returns an edit that differs from the declaration. */
export function editOf(declared: Declared, random: Random, program: Program): Edit {
	const all = {
		number: () => ofNumber(declared, random, program),
		sipTrunk: () => ofTrunk(declared, random),
		webhook: () => ofWebhook(declared, random),
		kycProfile: () => [],
		portOrder: () => [],
	}[declared.kind]();
	const possible = all.filter(([, isDeclared]) => isDeclared);
	if (possible.length === 0) return { property: "label", patch: { label: textOf(random) } };
	const [property, , patch] = random.pick(possible);
	return { property, patch: patch() };
}

/** Outputs that change with an edited one. */
export const companions: Readonly<Record<string, readonly string[]>> = {
	auth: ["password", "passwordUpdatedAt"],
	enabled: ["status"],
	password: ["passwordUpdatedAt"],
	secret: ["secretHint", "secretVersion"],
};

/** Returns a resource with many declared properties, in the spellings that people use. */
export function declaredOf(
	kind: "number" | "sipTrunk" | "webhook",
	name: string,
	random: Random,
	trunks: readonly string[],
): Declared {
	const some = (property: string, value: unknown, probability = 0.5): Args =>
		random.chance(probability) ? { [property]: value } : {};
	const metadata = some("metadata", { team: random.pick(["sales", "support"]), site: name });
	if (kind === "webhook") {
		const events = random.pick([["message.received"], ["call.completed", "message.received"], ["*"]]);
		return {
			kind,
			name,
			args: { url: `https://Hooks.example.com/${name}`, events, ...some("enabled", random.chance(0.5), 0.3) },
		};
	}
	if (kind === "sipTrunk") {
		const auth = random.pick([
			{ mode: "ip_acl", allowedCidrs: ["198.51.100.0/25", "198.51.100.200"] },
			{ mode: "digest", username: `pbx-${name}` },
			{ mode: "digest", username: `own-${name}`, password: `declared-password-of-${name}` },
		]);
		const media = { ...some("mediaEncryption", random.pick(["none", "srtp"])), ...some("codecs", ["opus", "PCMA"]) };
		const targets = some("targets", [{ host: "SBC1.example.com", port: 5062 }, { host: "sbc2.example.com" }]);
		const cps = some("callsPerSecond", random.int(1, 40));
		const enabled = some("enabled", random.chance(0.5), 0.3);
		return {
			kind,
			name,
			args: { name, auth, capacity: random.int(1, 500), ...metadata, ...cps, ...targets, ...media, ...enabled },
		};
	}
	const trunk = trunks.length > 0 && random.chance(0.4) ? random.pick(trunks) : undefined;
	const routing = {
		...random.pick<Args>([
			{ type: "forward", to: "+46887654321" },
			{ type: "sip_uri", uri: "SIP:Desk@PBX.example.com;Transport=TLS" },
			{ type: "webhook", url: "https://Voice.example.com:443/answer/" },
			{ type: "agent", agentId: "agt_reception" },
		]),
		...some("ringTimeoutSeconds", random.int(5, 60)),
		...some("failover", { type: "forward", to: "+46 8 123 456 78" }),
	};
	const args = {
		country: random.pick(["NL", "SE", "GB"]),
		type: "mobile",
		...metadata,
		...some("label", `desk of ${name}`, 0.7),
		...(trunk === undefined ? some("routing", routing, 0.8) : {}),
		...some("smsWebhookUrl", `https://hooks.example.com/sms/${name}`),
		...some("releaseProtection", false, 0.3),
	};
	return { kind, name, args, trunk };
}

/** Returns how the service spells its responses from now on: none of it is drift. */
export const spellingOf = (random: Random): Args => ({
	shuffleArrays: random.chance(0.5),
	cidr: random.pick(["asGiven", "strip32", "add32"]),
	hostCase: random.pick(["asGiven", "lower", "upper"]),
	urlSlash: random.pick(["asGiven", "add", "strip"]),
	phonePlus: random.chance(0.5),
	trimText: random.chance(0.5),
	secretEcho: random.pick(["omit", "mask", "hash"]),
});
