/** Numbers, which refer to all other kinds. */
import type { Random } from "../random.mts";
import type { Decision } from "../troubles.mts";
import {
	type Args,
	type Link,
	labels,
	ofContract,
	type Row,
	type SimulatedKind,
	some,
	textOf,
	urlOf,
} from "./kind.mts";

const phoneOf = (random: Random) => `+49301${random.int(100_000, 999_999)}`;

interface Kyc {
	readonly status?: string;
	readonly profile_id?: string | null;
}

/** Everything to which a number refers. */
const links: Readonly<Record<string, Link>> = {
	trunk: {
		to: "sipTrunk",
		isUsed: ({ routing }) => routing === undefined,
		args: (trunkId) => ({ routing: { type: "trunk", trunkId } }),
		idIn({ routing }) {
			const { trunk_id } = (routing ?? {}) as Args;
			return { routing: trunk_id ?? (routing ? JSON.stringify(routing) : undefined) };
		},
		cut: { routing: null },
		inUse: "trunk_in_use",
	},
	profile: {
		to: "kycProfile",
		// The emulator requires a profile in Germany only.
		isUsed: ({ country }) => country === "DE",
		args: (kycProfileId) => ({ kycProfileId }),
		idIn: ({ kyc }) => ({ kycProfileId: (kyc as Kyc | null)?.profile_id ?? undefined }),
		cut: { kyc_profile_id: null },
		inUse: "kyc_profile_in_use",
	},
	/** The order that brings an adopted number. */
	port: { to: "portOrder" },
};

export const number: SimulatedKind = {
	...ofContract("numbers"),
	isBought: true,
	sameNamed: ["label", "country", "metadata"],
	computed: ["kyc", "foundId", "activatedAt", "monthlyPrice"],
	links,
	ended: ["released", "failed"],
	isReady: ({ status, kyc }) =>
		status === "active" || (status === "suspended" && (kyc as Kyc | null)?.status !== "approved"),
	decisions: {
		when: { approve: ["pending"], reject: ["pending"], expire: ["pending"] },
		good: "approve",
		take(control, { id, kyc }, what) {
			if (kyc === null) return [];
			control.decide(id, what as Decision);
			return [id];
		},
	},
	fixed: (random, countries) => ({
		country: random.pick(countries),
		type: "mobile",
		activationTimeoutSeconds: 60,
		...some(random, "onDelete", "retain", 0.3),
		...some(random, "waitForActive", false, 0.2),
	}),
	configuration: (random) => ({
		label: random.pick([...labels, null]),
		metadata: random.chance(0.3) ? { site: random.pick(labels) } : null,
	}),
	elaborate(random, name, isLinked) {
		const routing = {
			...random.pick<Args>([
				{ type: "forward", to: "+46887654321" },
				{ type: "sip_uri", uri: "SIP:Desk@PBX.example.com;Transport=TLS" },
				{ type: "webhook", url: "https://Voice.example.com:443/answer/" },
				{ type: "agent", agentId: "agt_reception" },
			]),
			...some(random, "ringTimeoutSeconds", random.int(5, 60)),
			...some(random, "failover", { type: "forward", to: "+46 8 123 456 78" }),
		};
		return {
			country: random.pick(["NL", "SE", "GB"]),
			type: "mobile",
			...some(random, "metadata", { team: random.pick(["sales", "support"]), site: name }),
			...some(random, "label", `desk of ${name}`, 0.7),
			...(isLinked ? {} : some(random, "routing", routing, 0.8)),
			...some(random, "smsWebhookUrl", `https://hooks.example.com/sms/${name}`),
			...some(random, "releaseProtection", false, 0.3),
		};
	},
	edits(args, random, program) {
		const { trunkId, failover, ringTimeoutSeconds } = (args.routing ?? {}) as Args;
		const others = program.filter(({ kind, name }) => kind === links.trunk?.to && trunkId !== `@${name}`);
		const to = { type: "forward", to: phoneOf(random) };
		return [
			["label", { label: random.pick([textOf(random), null]) }],
			["metadata", { metadata: random.pick([{ site: textOf(random) }, null]) }],
			["smsWebhookUrl", { sms_webhook_url: random.pick([urlOf(random), null]) }],
			["releaseProtection", { release_protection: args.releaseProtection !== true }],
			["routing", { routing: null }],
			["routing", { routing: to }],
			["routing", { routing: { type: "webhook", url: urlOf(random) } }],
			// A type of routing that the provider doesn't know.
			["routing", { routing: { type: "hologram", room: textOf(random) } }],
			[
				"routing",
				trunkId === undefined || others.length === 0
					? undefined
					: { routing: { trunk_id: `@${random.pick(others).name}` } },
			],
			["routing", ringTimeoutSeconds === undefined ? undefined : { routing: { ring_timeout_seconds: 100 } }],
			["routing", { routing: { failover: failover === undefined ? to : null } }],
		];
	},
	/** A routing without a type is merged into the live one. */
	completed(patch, { routing: saved }: Row) {
		const [routing, live] = [patch.routing as Args | null | undefined, saved as Args | null];
		if (!routing || "type" in routing) return patch;
		if (live === null || routing.trunk_id === null) return undefined;
		if ("trunk_id" in routing && live.type !== "trunk") return undefined;
		return { routing: { ...live, ...routing } };
	},
};
