/** Random edits behind Pulumi's back, and what a report must name of them. */
import type { Control } from "../../emulator/index.ts";
import { edit, end, type Kind } from "./kinds.mts";
import type { Random } from "./random.mts";

type Args = Readonly<Record<string, unknown>>;
type Patch = Record<string, unknown>;

/** What somebody has done to one resource, and what a report must say of it. */
export interface Edited {
	readonly name: string;
	readonly kind: Kind;
	readonly id: string;
	/** The property that differs now; undefined where the object is gone. */
	readonly property: string | undefined;
	/** The edit itself, for the trace; undefined where the object is gone. */
	readonly patch: Patch | undefined;
}

/** An entry of a state, as far as an edit needs it. */
export interface Editable {
	readonly kind: Kind;
	readonly name: string;
	readonly id: string;
	/** The inputs that the state holds. */
	readonly inputs: Args;
}

interface Edit {
	/** Where a difference shows. */
	readonly property: string;
	/** Whether it is one for this declaration. */
	readonly on: (args: Args) => boolean;
	readonly patch: (args: Args, random: Random, live: Live) => Patch;
}

/** What the service has before the edit. */
interface Live {
	readonly routing: unknown;
	readonly trunkIds: readonly string[];
}

const declares = (property: string) => (args: Args) => args[property] !== undefined;
const modeOf = (args: Args) => (args.auth as { mode?: unknown } | undefined)?.mode;
const routeOf = (args: Args) => args.routing as Record<string, unknown> | undefined;
const hasFailover = (args: Args) => routeOf(args)?.failover !== undefined;

/** Somebody's own: never what `driftProgram` declares. */
const foreign = (random: Random) => `somebody's ${random.int(0, 1_000_000)}`;
const foreignUrl = (random: Random) => `https://elsewhere.example/${random.int(0, 1_000_000)}`;
const foreignPhone = (random: Random) => `+49301${random.int(100_000, 999_999)}`;
/** The same route as the service has it, with something changed. */
const route = ({ routing }: Live, change: Patch): Patch => ({ routing: { ...(routing as Patch), ...change } });

/** Of a property that the program declares: what nobody declares never differs. */
const edited = (property: string, patch: Edit["patch"], on = declares(property)): Edit => ({ property, patch, on });
/** Of what every object has, declared or not. */
const always = (property: string, patch: Edit["patch"]): Edit => edited(property, patch, () => true);

/** Whose it is, by its reference: every resource has one. */
const owner: readonly Edit[] = [always("open", () => ({ reference: null }))];

const common: readonly Edit[] = [
	...owner,
	edited("metadata", (args, random) => ({ metadata: { ...(args.metadata as Patch), site: foreign(random) } })),
	edited("metadata", () => ({ metadata: null })),
];

/** Of the kinds that a drift program declares. */
const edits: Readonly<Partial<Record<Kind, readonly Edit[]>>> = {
	number: [
		...common,
		edited("label", (_, random) => ({ label: foreign(random) })),
		edited("label", () => ({ label: null })),
		edited("routing", () => ({ routing: null })),
		edited("routing", (_, random) => ({ routing: { type: "forward", to: foreignPhone(random) } })),
		edited("routing", (_, random) => ({ routing: { type: "agent", agent_id: `agt_${random.int(0, 1_000_000)}` } })),
		edited("routing", (_, random) => ({
			routing: { type: "sip_uri", uri: `sip:a${random.int(0, 1_000_000)}@elsewhere.example` },
		})),
		edited("routing", (_, random) => ({ routing: { type: "webhook", url: foreignUrl(random) } })),
		// A kind of route that this version doesn't know.
		edited("routing", (_, random) => ({ routing: { type: "hologram", room: foreign(random) } })),
		edited(
			"routing",
			(args, random, live) =>
				route(live, { trunk_id: random.pick(live.trunkIds.filter((id) => id !== routeOf(args)?.trunkId)) }),
			(args) => routeOf(args)?.type === "trunk",
		),
		edited(
			"routing",
			(_, random, live) => route(live, { ring_timeout_seconds: 100 + random.int(0, 100) }),
			(args) => routeOf(args)?.ringTimeoutSeconds !== undefined,
		),
		edited(
			"routing",
			(_, random, live) => route(live, { failover: { type: "forward", to: foreignPhone(random) } }),
			(args) => routeOf(args) !== undefined && !hasFailover(args),
		),
		edited("routing", (_, __, live) => route(live, { failover: null }), hasFailover),
		edited("smsWebhookUrl", (_, random) => ({ sms_webhook_url: foreignUrl(random) })),
		edited("smsWebhookUrl", () => ({ sms_webhook_url: null })),
		edited("releaseProtection", (args) => ({ release_protection: args.releaseProtection !== true })),
		edited("kycProfileId", (_, random) => ({ kyc_profile_id: `kyp_${random.int(0, 1_000_000)}` })),
	],
	sipTrunk: [
		...common,
		always("name", (_, random) => ({ name: foreign(random) })),
		edited(
			"auth",
			(args, random) => {
				const { allowedCidrs } = args.auth as { allowedCidrs: string[] };
				return { auth: { mode: "ip_acl", allowed_cidrs: [...allowedCidrs, `203.0.113.${random.int(1, 254)}`] } };
			},
			(args) => modeOf(args) === "ip_acl",
		),
		edited(
			"auth",
			() => ({ auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] } }),
			(args) => modeOf(args) === "ip_acl",
		),
		always("auth", (_, random) => ({ auth: { mode: "digest", username: `intruder-${random.int(0, 1_000_000)}` } })),
		// Told by its time: it is shown nowhere.
		edited(
			"password",
			(args, random) => {
				const { username } = args.auth as { username: string };
				return { auth: { mode: "digest", username, password: `somebody-elses-${random.int(0, 1_000_000)}` } };
			},
			(args) => modeOf(args) === "digest",
		),
		always("capacity", (_, random) => ({ capacity: 1_000 + random.int(0, 1_000) })),
		edited("callsPerSecond", (_, random) => ({ cps: 50 + random.int(0, 40) })),
		edited("callsPerSecond", () => ({ cps: null })),
		edited("targets", (_, random) => ({ targets: [{ host: `sbc${random.int(0, 1_000_000)}.elsewhere.example` }] })),
		edited("targets", () => ({ targets: null })),
		edited("mediaEncryption", (args) => ({ media_encryption: args.mediaEncryption === "srtp" ? "none" : "srtp" })),
		edited("codecs", (args) => ({ codecs: [...(args.codecs as string[])].reverse() })),
		always("enabled", (args) => ({ enabled: args.enabled === false })),
	],
	webhook: [
		...owner,
		always("url", (_, random) => ({ url: foreignUrl(random) })),
		always("events", () => ({ events: ["invoice.created"] })),
		edited("description", (_, random) => ({ description: foreign(random) })),
		always("enabled", (args) => ({ enabled: args.enabled === false })),
		// What the service does after failures.
		edited(
			"enabled",
			() => ({ status: "disabled", disabled_reason: "failures" }),
			(args) => args.enabled !== false,
		),
		// Told by its version.
		always("secret", () => ({ rotate_secret: true })),
	],
};

/**
 * Edits so many of the resources, each in one property or by removing it, and as many others in what nobody declares,
 * which no report may name. Answers what a report must name. The time at the service must have moved since the last write.
 */
export function editAtRandom(
	control: Control,
	entries: readonly Editable[],
	count: number,
	random: Random,
): readonly Edited[] {
	// A state has them in the order in which they were made: a seed is to mean the same edits again.
	const left = [...entries].sort((one, other) => (one.name < other.name ? -1 : 1));
	// Trunks and webhooks are few, and have as many properties to edit as numbers have.
	const draw = () => {
		const few = left.filter(({ kind }) => kind !== "number");
		const entry = random.pick(few.length > 0 && random.chance(0.3) ? few : left);
		return left.splice(left.indexOf(entry), 1);
	};
	const { numbers, trunks } = control.state();
	const routes = new Map(numbers.map(({ id, routing }) => [id, routing]));
	const trunkIds = trunks.map(({ id }) => id);
	const apply = ({ kind, id }: Editable, patch: Patch) => edit(control, kind, id, patch);

	const done = Array.from({ length: Math.min(count, left.length) }, draw)
		.flat()
		.map((entry): Edited => {
			const { kind, name, id, inputs } = entry;
			if (random.chance(0.15)) {
				end(control, kind, id);
				return { kind, name, id, property: undefined, patch: undefined };
			}
			const chosen = random.pick((edits[kind] ?? owner).filter(({ on }) => on(inputs)));
			const patch = chosen.patch(inputs, random, { routing: routes.get(id), trunkIds });
			apply(entry, patch);
			return { kind, name, id, property: chosen.property, patch };
		});
	for (const entry of Array.from({ length: Math.min(count, left.length) }, draw).flat()) {
		if (entry.kind === "number" && entry.inputs.label === undefined) apply(entry, { label: foreign(random) });
		else if (entry.kind === "number" && entry.inputs.routing === undefined) {
			apply(entry, { routing: { type: "forward", to: foreignPhone(random) } });
		}
	}
	return done;
}

/** Whom putting the edits back must leave alone: all but the edited, and the numbers that follow a trunk made anew. */
export function bystanders(entries: readonly Editable[], edited: readonly Edited[]): ReadonlySet<string> {
	const touched = new Set(edited.map(({ id }) => id));
	const gone = new Set<unknown>(edited.filter(({ property }) => property === undefined).map(({ id }) => id));
	return new Set(
		entries.filter(({ id, inputs }) => !touched.has(id) && !gone.has(routeOf(inputs)?.trunkId)).map(({ id }) => id),
	);
}
