/** SIP trunks, with a password of the service's or the program's. */
import { passwordOf } from "../secrets.mts";
import { labels, ofContract, type SimulatedKind, some, textOf } from "./kind.mts";

interface Auth {
	readonly mode?: string;
	readonly username?: string;
	readonly password?: string;
	readonly allowedCidrs?: readonly string[];
}

export const sipTrunk: SimulatedKind = {
	...ofContract("trunks"),
	besides: ["rotatePassword"],
	sameNamed: ["name", "capacity", "metadata"],
	compared: ["enabled", "password"],
	secret: {
		of: ({ auth }) => (auth as Auth | undefined)?.password,
		declaredIn: ({ auth }) => (auth as Auth | undefined)?.password,
		edits: { auth: ["password", "passwordUpdatedAt"], password: ["passwordUpdatedAt"] },
	},
	configuration: (random, hasPasswords) => ({
		auth: { mode: "digest", username: "office", ...(hasPasswords && { password: passwordOf(random) }) },
		name: random.pick(labels),
		capacity: random.int(1, 9),
	}),
	elaborate: (random, name) => ({
		name,
		auth: random.pick([
			{ mode: "ip_acl", allowedCidrs: ["198.51.100.0/25", "198.51.100.200"] },
			{ mode: "digest", username: `pbx-${name}` },
			{ mode: "digest", username: `own-${name}`, password: `declared-password-of-${name}` },
		]),
		capacity: random.int(1, 500),
		...some(random, "metadata", { team: random.pick(["sales", "support"]), site: name }),
		...some(random, "callsPerSecond", random.int(1, 40)),
		...some(random, "targets", [{ host: "SBC1.example.com", port: 5062 }, { host: "sbc2.example.com" }]),
		...some(random, "mediaEncryption", random.pick(["none", "srtp"])),
		...some(random, "codecs", ["opus", "PCMA"]),
		...some(random, "enabled", random.chance(0.5), 0.3),
	}),
	edits({ auth, enabled, mediaEncryption, codecs = ["opus", "PCMA"] }, random) {
		const { mode, username, allowedCidrs = [] } = auth as Auth;
		const isDigest = mode === "digest";
		const allowed_cidrs = [...allowedCidrs, `203.0.113.${random.int(1, 254)}`];
		const password = `someone-elses-${random.int(0, 1_000_000)}`;
		return [
			["name", { name: textOf(random) }],
			["capacity", { capacity: 1_000 + random.int(0, 1_000) }],
			["enabled", { enabled: enabled === false }],
			["auth", isDigest ? undefined : { auth: { mode: "ip_acl", allowed_cidrs } }],
			["auth", { auth: { mode: "digest", username: `intruder-${random.int(0, 1_000_000)}` } }],
			["password", isDigest ? { auth: { mode: "digest", username, password } } : undefined],
			["callsPerSecond", { cps: random.pick([50, null]) }],
			["targets", { targets: random.pick([[{ host: "sbc.elsewhere.example" }], null]) }],
			["mediaEncryption", { media_encryption: mediaEncryption === "srtp" ? "none" : "srtp" }],
			["codecs", { codecs: [...(codecs as string[])].reverse() }],
		];
	},
};
