/** Programs as campaigns run them: what is declared, and how it changes. */
import type { Values } from "./host.mts";
import type { Random } from "./random.mts";

export type Kind = "number" | "sipTrunk" | "webhook";

export interface Declared {
	readonly kind: Kind;
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** The trunk that a number's calls go to, by its name in the program. */
	readonly trunk?: string | undefined;
}

export type Program = readonly Declared[];

const types = { number: "Number", sipTrunk: "SipTrunk", webhook: "Webhook" } as const;

/** What the SDK registers beside the program's own inputs. */
export const newsOf = ({ kind, name, args, trunk }: Declared, idOf: (name: string) => string): Values =>
	({
		...args,
		...(trunk === undefined ? {} : { routing: { type: "trunk", trunkId: idOf(trunk) } }),
		__provider: `exports.handler = () => require("pulumi-telephony/provider").${kind};`,
		resourceUrn: `urn:pulumi:dev::campaign::pulumi-nodejs:dynamic/telephony:${types[kind]}::${name}`,
	}) as Values;

/** Which number a declaration stands for: another generation is another number. */
export const keyOf = (name: string, args: Readonly<Record<string, unknown>>): string =>
	`${name}#${String(args.generation ?? 0)}`;

/** What a number is bought by. */
export const criteriaOf = ({ country, type, area }: Declared["args"]): string => JSON.stringify([country, type, area]);

export const numbersOf = (program: Program): Declared[] => program.filter(({ kind }) => kind === "number");

const markets = ["NL", "GB", "DE", "FR"] as const;

function configuration(kind: Kind, random: Random): Record<string, unknown> {
	const label = `label ${random.int(0, 999)}`;
	if (kind === "number")
		return {
			...(random.chance(0.8) ? { label } : {}),
			...(random.chance(0.4) ? { metadata: { site: label } } : {}),
			...(random.chance(0.3) ? { smsWebhookUrl: `https://hooks.example.com/${random.int(0, 99)}` } : {}),
		};
	if (kind === "sipTrunk") return { capacity: random.int(1, 90), label };
	return { url: `https://hooks.example.com/${random.int(0, 999)}`, events: ["message.received"] };
}

function declare(kind: Kind, name: string, trunks: readonly string[], random: Random): Declared {
	const args = configuration(kind, random);
	if (kind === "number") {
		Object.assign(args, { country: random.pick(markets), type: random.pick(["mobile", "toll_free"]) });
		const trunk = trunks.length > 0 && random.chance(0.5) ? random.pick(trunks) : undefined;
		return { kind, name, args, trunk };
	}
	if (kind === "sipTrunk") {
		const auth = random.chance(0.5)
			? { mode: "digest", username: "office" }
			: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] };
		return { kind, name, args: { auth, ...args } };
	}
	return { kind, name, args };
}

export interface Size {
	readonly numbers: number;
	readonly trunks: number;
	readonly webhooks: number;
}

export function firstProgram({ numbers, trunks, webhooks }: Size, random: Random): Program {
	const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
	const trunkNames = named("trunk", trunks);
	return [
		...trunkNames.map((name) => declare("sipTrunk", name, [], random)),
		...named("hook", webhooks).map((name) => declare("webhook", name, [], random)),
		...named("number", numbers).map((name) => declare("number", name, trunkNames, random)),
	];
}

/** Everything is configured anew; nothing has to be bought for it. */
export function changeAll(program: Program, random: Random): Program {
	const trunks = program.filter(({ kind }) => kind === "sipTrunk").map(({ name }) => name);
	return program.map(({ kind, name, args, trunk }) => {
		const { label: _, metadata: __, smsWebhookUrl: ___, ...fixed } = args;
		const rotation = random.int(1, 1_000_000);
		const rotated = random.chance(0.4) ? rotationOf(kind, args, rotation) : {};
		const other = () => (random.chance(0.5) ? trunk : undefined);
		const moved = trunks.length > 0 && random.chance(0.4) ? random.pick(trunks) : other();
		return {
			kind,
			name,
			args: { ...fixed, ...configuration(kind, random), ...rotated },
			...(kind === "number" ? { trunk: moved } : {}),
		};
	});
}

/** A new secret, of what has one that the service makes. */
function rotationOf(kind: Kind, { auth }: Declared["args"], rotation: number): Declared["args"] {
	if (kind === "webhook") return { secretRotation: rotation };
	return (auth as { mode?: string } | undefined)?.mode === "digest" ? { passwordRotation: rotation } : {};
}

/** Some numbers are asked for anew: each buys one and releases one. */
export function newGenerations(program: Program, random: Random): Program {
	const chosen = random.some(numbersOf(program), 0.4);
	return program.map((each) => (chosen.includes(each) ? { ...each, args: nextGeneration(each.args) } : each));
}

/** Some are no longer declared; who called a trunk that goes is routed nowhere. */
export function removeSome(program: Program, random: Random): Program {
	const removed = new Set(random.some(program, 0.4).map(({ name }) => name));
	return program
		.filter(({ name }) => !removed.has(name))
		.map((each) => (each.trunk !== undefined && removed.has(each.trunk) ? { ...each, trunk: undefined } : each));
}

/** The same declaration, for another number. */
export const nextGeneration = (args: Declared["args"]): Declared["args"] => ({
	...args,
	generation: Number(args.generation ?? 0) + 1,
});
