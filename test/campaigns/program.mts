/** Programs as campaigns run them: what is declared, and how it changes. */
import { must } from "./campaign.mts";
import type { State } from "./engine.mts";
import type { Values } from "./host.mts";
import { factsOf, type Kind, kinds, type Row } from "./kinds.mts";
import { portArgs, portNumbers, profileArgs } from "./papers.mts";
import type { Random } from "./random.mts";

export interface Declared {
	readonly kind: Kind;
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** The trunk that a number's calls go to, by its name in the program. */
	readonly trunk?: string | undefined;
	/** The KYC profile that answers for a number. */
	readonly profile?: string | undefined;
	/** The port order that brings a number. Its args name the number as what they adopt. */
	readonly port?: string | undefined;
}

/** What a resource names of others by their outputs. */
const links = ["trunk", "profile", "port"] as const;

/** The names of all that must be there before it. */
export const needsOf = (declared: Declared): string[] => links.flatMap((link) => declared[link] ?? []);

/** The others' links to what has another name from now on, or is gone. */
export const relinked = (declared: Declared, from: string, to: string | undefined): Declared =>
	Object.assign({ ...declared }, ...links.map((link) => (declared[link] === from ? { [link]: to } : {})));

export type Program = readonly Declared[];

/** What the SDK registers beside the program's own inputs. */
export const newsOf = ({ kind, name, args, trunk, profile }: Declared, idOf: (name: string) => string): Values =>
	({
		...args,
		...(trunk === undefined ? {} : { routing: { type: "trunk", trunkId: idOf(trunk) } }),
		...(profile === undefined || !hasKyc(args) ? {} : { kycProfileId: idOf(profile) }),
		__provider: `exports.handler = () => require("pulumi-telephony/provider").${kind};`,
		resourceUrn: `urn:pulumi:dev::campaign::pulumi-nodejs:dynamic/telephony:${kinds[kind].type}::${name}`,
	}) as Values;

/** Which number a declaration stands for: another generation is another number. */
export const keyOf = (name: string, args: Readonly<Record<string, unknown>>): string =>
	`${name}#${String(args.generation ?? 0)}`;

/** What a number is bought by. */
export const criteriaOf = ({ country, type, area }: Declared["args"]): string => JSON.stringify([country, type, area]);

/** Where others need no profile, and the service refuses one. */
const hasKyc = ({ country }: Declared["args"]): boolean => country === "DE";

/** Where an adopted number stands that isn't there yet. */
const coming: ReadonlySet<unknown> = new Set(["porting", "ported", "not_porting"]);
export const isComing = ({ status }: Values): boolean => coming.has(status);

export const numbersOf = (program: Program): Declared[] => program.filter(({ kind }) => kind === "number");

const markets = ["NL", "GB", "DE", "FR"] as const;

/** What a program may say of each kind, and may say otherwise later. */
const configurations: Readonly<Record<Kind, (random: Random, label: string) => Declared["args"]>> = {
	number: (random, label) => ({
		...(random.chance(0.8) ? { label } : {}),
		...(random.chance(0.4) ? { metadata: { site: label } } : {}),
		...(random.chance(0.3) ? { smsWebhookUrl: `https://hooks.example.com/${random.int(0, 99)}` } : {}),
	}),
	sipTrunk: (random, label) => ({ capacity: random.int(1, 90), name: label }),
	webhook: (random) => ({ url: `https://hooks.example.com/${random.int(0, 999)}`, events: ["message.received"] }),
	kycProfile: (random, label) => profileArgs(label, random.int(0, 2)),
	portOrder: (random, label) => portArgs(label, random.int(0, 2)),
};

/** What stays as it is. */
const fixed: Readonly<Record<Kind, (random: Random) => Declared["args"]>> = {
	number: (random) => ({
		country: random.pick(markets),
		type: random.pick(["mobile", "toll_free"]),
		onDelete: random.chance(0.8) ? "release" : "retain",
	}),
	sipTrunk: (random) => ({
		auth: random.chance(0.5)
			? { mode: "digest", username: "office" }
			: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
	}),
	webhook: () => ({}),
	kycProfile: () => ({}),
	portOrder: (random) => portNumbers(random.int(0, 400_000)),
};

const configuration = (kind: Kind, random: Random) => configurations[kind](random, `label ${random.int(0, 999)}`);

function declare(kind: Kind, name: string, trunks: readonly string[], random: Random): Declared {
	const args = { ...configuration(kind, random), ...fixed[kind](random) };
	if (kind !== "number") return { kind, name, args };
	const trunk = trunks.length > 0 && random.chance(0.5) ? random.pick(trunks) : undefined;
	return { kind, name, args, trunk };
}

export interface Size {
	readonly numbers: number;
	readonly trunks: number;
	readonly webhooks: number;
	/** Default: none. */
	readonly profiles?: number;
	readonly ports?: number;
}

export function firstProgram({ numbers, trunks, webhooks, profiles = 0, ports = 0 }: Size, random: Random): Program {
	const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
	const trunkNames = named("trunk", trunks);
	return [
		...trunkNames.map((name) => declare("sipTrunk", name, [], random)),
		...named("hook", webhooks).map((name) => declare("webhook", name, [], random)),
		...named("profile", profiles).map((name) => declare("kycProfile", name, [], random)),
		...named("port", ports).map((name) => declare("portOrder", name, [], random)),
		...named("number", numbers).map((name) => declare("number", name, trunkNames, random)),
	];
}

/** Everything is configured anew; nothing has to be bought for it. */
export function changeAll(program: Program, random: Random): Program {
	const trunks = program.filter(({ kind }) => kind === "sipTrunk").map(({ name }) => name);
	return program.map(({ kind, name, args, trunk, ...rest }) => {
		const { label: _, metadata: __, smsWebhookUrl: ___, ...kept } = args;
		const rotation = random.int(1, 1_000_000);
		const rotated = random.chance(0.4) ? factsOf(kind).rotation?.(args, rotation) : {};
		const other = () => (random.chance(0.5) ? trunk : undefined);
		const moved = trunks.length > 0 && random.chance(0.4) ? random.pick(trunks) : other();
		return {
			...rest,
			kind,
			name,
			args: { ...kept, ...configuration(kind, random), ...rotated },
			...(kind === "number" ? { trunk: moved } : {}),
		};
	});
}

/** Some numbers get another generation: each buys one, and the old one ends as its saved `onDelete` says. */
export function newGenerations(program: Program, random: Random): Program {
	const chosen = random.some(numbersOf(program), 0.4);
	return program.map((each) => (chosen.includes(each) ? { ...each, args: nextGeneration(each.args) } : each));
}

/** Some are no longer declared; who called a trunk that goes is routed nowhere. */
export function removeSome(program: Program, random: Random): Program {
	const removed = new Set(random.some(program, 0.4).map(({ name }) => name));
	return program
		.filter(({ name }) => !removed.has(name))
		.map((each) =>
			needsOf(each).reduce((now, name) => (removed.has(name) ? relinked(now, name, undefined) : now), each),
		);
}

/**
 * The service shows it as it is declared, and what isn't declared is cleared: unless others have set it, as `edits` tells.
 * What is declared is written over.
 */
export function mustBeAsDeclared(
	{ kind, name, args, trunk, profile }: Declared,
	row: Row,
	{ entries }: State,
	edits: Set<string> = new Set(),
): void {
	const mustBe = (property: string, live: unknown, declared: unknown) => {
		must(
			live === declared || (declared === undefined && edits.has(property)),
			() => `${name}: ${property} ${live}, declared ${declared}`,
		);
		if (declared !== undefined) edits.delete(property);
	};
	for (const property of factsOf(kind).shown) mustBe(property, row[property] ?? undefined, args[property]);
	if (kind !== "number") return;
	const { profile_id, status: papers } = (row.kyc ?? {}) as { readonly profile_id?: string; readonly status?: string };
	// Only new papers help one whose papers have expired.
	const isStopped = row.status === "suspended" && papers !== "approved";
	must(
		row.status === "active" || isStopped || args.waitForActive === false,
		() => `${name}: it is ${row.status}, and up was to wait for it`,
	);
	const routing = (row.routing ?? undefined) as { readonly trunk_id?: string } | undefined;
	const wanted = trunk === undefined ? undefined : entries.get(trunk)?.id;
	mustBe("routing", routing?.trunk_id ?? (routing && JSON.stringify(routing)), wanted);
	const isNeeded = profile !== undefined && hasKyc(args);
	mustBe("profile", profile_id ?? undefined, isNeeded ? entries.get(profile)?.id : undefined);
}

/** The same declaration, for another number. */
export const nextGeneration = (args: Declared["args"]): Declared["args"] => ({
	...args,
	generation: Number(args.generation ?? 0) + 1,
});
