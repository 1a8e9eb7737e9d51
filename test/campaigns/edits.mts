/** Random edits behind Pulumi's back, and what a report must name of them. */
import type { Control } from "../../emulator/index.ts";
import type { Kind } from "./program.mts";
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
	/** Whether it is one for this declaration: what nobody declares never differs. */
	readonly on?: (args: Args) => boolean;
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

/** Whose it is, by its reference: every resource has one. */
const owner: readonly Edit[] = [{ property: "open", patch: () => ({ reference: null }) }];

const common: readonly Edit[] = [
	...owner,
	{ property: "label", on: declares("label"), patch: (_, random) => ({ label: foreign(random) }) },
	{ property: "label", on: declares("label"), patch: () => ({ label: null }) },
	{
		property: "metadata",
		on: declares("metadata"),
		patch: (args, random) => ({ metadata: { ...(args.metadata as Patch), site: foreign(random) } }),
	},
	{ property: "metadata", on: declares("metadata"), patch: () => ({ metadata: null }) },
];

const edits: Readonly<Record<Kind, readonly Edit[]>> = {
	number: [
		...common,
		{ property: "routing", on: declares("routing"), patch: () => ({ routing: null }) },
		{
			property: "routing",
			on: declares("routing"),
			patch: (_, random) => ({ routing: { type: "forward", to: foreignPhone(random) } }),
		},
		{
			property: "routing",
			on: declares("routing"),
			patch: (_, random) => ({ routing: { type: "agent", agent_id: `agt_${random.int(0, 1_000_000)}` } }),
		},
		{
			property: "routing",
			on: declares("routing"),
			patch: (_, random) => ({
				routing: { type: "sip_uri", uri: `sip:a${random.int(0, 1_000_000)}@elsewhere.example` },
			}),
		},
		{
			property: "routing",
			on: declares("routing"),
			patch: (_, random) => ({ routing: { type: "webhook", url: foreignUrl(random) } }),
		},
		// A kind of route that this version doesn't know.
		{
			property: "routing",
			on: declares("routing"),
			patch: (_, random) => ({ routing: { type: "hologram", room: foreign(random) } }),
		},
		{
			property: "routing",
			on: (args) => routeOf(args)?.type === "trunk",
			patch: (args, random, live) =>
				route(live, { trunk_id: random.pick(live.trunkIds.filter((id) => id !== routeOf(args)?.trunkId)) }),
		},
		{
			property: "routing",
			on: (args) => routeOf(args)?.ringTimeoutSeconds !== undefined,
			patch: (_, random, live) => route(live, { ring_timeout_seconds: 100 + random.int(0, 100) }),
		},
		{
			property: "routing",
			on: (args) => declares("routing")(args) && !hasFailover(args),
			patch: (_, random, live) => route(live, { failover: { type: "forward", to: foreignPhone(random) } }),
		},
		{ property: "routing", on: hasFailover, patch: (_, __, live) => route(live, { failover: null }) },
		{
			property: "smsWebhookUrl",
			on: declares("smsWebhookUrl"),
			patch: (_, random) => ({ sms_webhook_url: foreignUrl(random) }),
		},
		{ property: "smsWebhookUrl", on: declares("smsWebhookUrl"), patch: () => ({ sms_webhook_url: null }) },
		{
			property: "releaseProtection",
			on: declares("releaseProtection"),
			patch: (args) => ({ release_protection: args.releaseProtection !== true }),
		},
		{
			property: "kycProfileId",
			on: declares("kycProfileId"),
			patch: (_, random) => ({ kyc_profile_id: `kyp_${random.int(0, 1_000_000)}` }),
		},
	],
	sipTrunk: [
		...common,
		{ property: "name", patch: (_, random) => ({ name: foreign(random) }) },
		{
			property: "auth",
			on: (args) => modeOf(args) === "ip_acl",
			patch: (args, random) => {
				const { allowedCidrs } = args.auth as { allowedCidrs: string[] };
				return { auth: { mode: "ip_acl", allowed_cidrs: [...allowedCidrs, `203.0.113.${random.int(1, 254)}`] } };
			},
		},
		{
			property: "auth",
			on: (args) => modeOf(args) === "ip_acl",
			patch: () => ({ auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] } }),
		},
		{
			property: "auth",
			patch: (_, random) => ({ auth: { mode: "digest", username: `intruder-${random.int(0, 1_000_000)}` } }),
		},
		{
			// Told by its time: it is shown nowhere.
			property: "password",
			on: (args) => modeOf(args) === "digest",
			patch: (args, random) => {
				const { username } = args.auth as { username: string };
				return { auth: { mode: "digest", username, password: `somebody-elses-${random.int(0, 1_000_000)}` } };
			},
		},
		{ property: "capacity", patch: (_, random) => ({ capacity: 1_000 + random.int(0, 1_000) }) },
		{ property: "cps", on: declares("cps"), patch: (_, random) => ({ cps: 50 + random.int(0, 40) }) },
		{ property: "cps", on: declares("cps"), patch: () => ({ cps: null }) },
		{
			property: "targets",
			on: declares("targets"),
			patch: (_, random) => ({ targets: [{ host: `sbc${random.int(0, 1_000_000)}.elsewhere.example` }] }),
		},
		{ property: "targets", on: declares("targets"), patch: () => ({ targets: null }) },
		{
			property: "mediaEncryption",
			on: declares("mediaEncryption"),
			patch: (args) => ({ media_encryption: args.mediaEncryption === "srtp" ? "none" : "srtp" }),
		},
		{
			property: "codecs",
			on: declares("codecs"),
			patch: (args) => ({ codecs: [...(args.codecs as string[])].reverse() }),
		},
		{ property: "enabled", patch: (args) => ({ enabled: args.enabled === false }) },
	],
	webhook: [
		...owner,
		{ property: "url", patch: (_, random) => ({ url: foreignUrl(random) }) },
		{ property: "events", patch: () => ({ events: ["invoice.created"] }) },
		{
			property: "description",
			on: declares("description"),
			patch: (_, random) => ({ description: foreign(random) }),
		},
		{ property: "enabled", patch: (args) => ({ enabled: args.enabled === false }) },
		// What the service does after failures.
		{
			property: "enabled",
			on: (args) => args.enabled !== false,
			patch: () => ({ status: "disabled", disabled_reason: "failures" }),
		},
		// Told by its version.
		{ property: "secret", patch: () => ({ rotate_secret: true }) },
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
	const left = [...entries];
	// Trunks and webhooks are few, and have as many properties to edit as numbers have.
	const draw = () => {
		const few = left.filter(({ kind }) => kind !== "number");
		const entry = random.pick(few.length > 0 && random.chance(0.3) ? few : left);
		return left.splice(left.indexOf(entry), 1);
	};
	const { numbers, trunks } = control.state();
	const routes = new Map(numbers.map(({ id, routing }) => [id, routing]));
	const trunkIds = trunks.map(({ id }) => id);
	const apply = ({ kind, id }: Editable, patch: Patch) => {
		const kinds = { number: control.patchNumber, sipTrunk: control.patchTrunk, webhook: control.patchWebhook };
		kinds[kind](id, patch as never);
	};
	const remove = ({ kind, id }: Editable) =>
		({ number: control.deleteNumber, sipTrunk: control.deleteTrunk, webhook: control.deleteWebhook })[kind](id);

	const edited = Array.from({ length: Math.min(count, left.length) }, draw)
		.flat()
		.map((entry): Edited => {
			const { kind, name, id, inputs } = entry;
			if (random.chance(0.15)) {
				remove(entry);
				return { kind, name, id, property: undefined, patch: undefined };
			}
			const edit = random.pick(edits[kind].filter(({ on }) => on?.(inputs) ?? true));
			const patch = edit.patch(inputs, random, { routing: routes.get(id), trunkIds });
			apply(entry, patch);
			return { kind, name, id, property: edit.property, patch };
		});
	for (const entry of Array.from({ length: Math.min(count, left.length) }, draw).flat()) {
		if (entry.kind !== "webhook" && entry.inputs.label === undefined) apply(entry, { label: foreign(random) });
		else if (entry.kind === "number" && entry.inputs.routing === undefined) {
			apply(entry, { routing: { type: "forward", to: foreignPhone(random) } });
		}
	}
	return edited;
}

/** Whom putting the edits back must leave alone: all but the edited, and the numbers that follow a trunk made anew. */
export function bystanders(entries: readonly Editable[], edited: readonly Edited[]): ReadonlySet<string> {
	const touched = new Set(edited.map(({ id }) => id));
	const gone = new Set<unknown>(edited.filter(({ property }) => property === undefined).map(({ id }) => id));
	return new Set(
		entries.filter(({ id, inputs }) => !touched.has(id) && !gone.has(routeOf(inputs)?.trunkId)).map(({ id }) => id),
	);
}
