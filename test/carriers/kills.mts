/** Runs that are killed at any write or in the wait for identity checks: each declaration gets one number. */
import type { RunError } from "../sim/errors.mts";
import type { Declared, Program } from "../sim/program.mts";
import { type Random, seeded } from "../sim/random.mts";
import type { Place } from "./place.mts";
import { type Ended, PlacedStack, type StoryRun } from "./stack.mts";

/** Counts of kills by the phase of the run. */
export interface Kills {
	/** The service didn't carry the write out. */
	unsent: number;
	/** The service carried the write out, and its response was lost. */
	unanswered: number;
	/** The run waited: for identity checks, for a rate limit, or for a value that shows late. */
	waiting: number;
	/** Refusals to buy that named the number of a killed run. */
	refused: number;
}

export const noKills = (): Kills => ({ unsent: 0, unanswered: 0, waiting: 0, refused: 0 });

export class BrokenPromise extends Error {
	override readonly name = "BrokenPromise";
}

const killedRuns = 3;
const mostRuns = 14;

/** Kills the first runs of a story at random, then lets it end. @throws BrokenPromise */
export async function playKills(place: Place, seed: number, kills: Kills): Promise<void> {
	const random = seeded(seed);
	const stack = await PlacedStack.open(place);
	try {
		let program = randomProgram(place, random);
		let last: Ended | undefined;
		for (let run = 1; run <= mostRuns; run++) {
			const isQuiet = run > killedRuns;
			const options = isQuiet ? { isApproved: true } : randomKill(random);
			last = await stack.up(program, options);
			if (last.isKilled) countKill(kills, options);
			mustHaveBoughtOnce(place, program, last);
			if (isQuiet && !last.isKilled && last.errors.length === 0) {
				await mustStand(place, stack, program);
				return;
			}
			program = adoptNamed(place, program, last.errors, heldBy(stack), kills);
		}
		throw new BrokenPromise(`the last of ${mostRuns} runs ended with: ${last?.errors.join("; ")}`);
	} finally {
		await stack.close();
	}
}

function randomProgram(place: Place, random: Random): Program {
	const trunk: Declared = {
		kind: "sipTrunk",
		name: "office",
		args: { name: "office", auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 4 },
	};
	const hasTrunk = random.chance(0.5);
	const numbers = ["a", "b", "c"].slice(0, random.int(1, 3)).map((name): Declared => {
		const criteria = random.chance(0.5) ? place.regulated : place.open;
		const label = random.chance(0.7) ? { label: `number ${name}` } : {};
		const links = hasTrunk && random.chance(0.6) ? { trunk: "office" } : {};
		return { kind: "number", name, args: { ...criteria, ...label }, links };
	});
	return [...(hasTrunk ? [trunk] : []), ...numbers];
}

function randomKill(random: Random): StoryRun {
	const parallel = random.int(1, 3);
	if (random.chance(0.4)) return { killedPause: random.int(1, 5), parallel };
	return { kill: { write: random.int(1, 8), phase: random.pick(["before", "after"] as const) }, parallel };
}

function countKill(kills: Kills, { kill }: StoryRun): void {
	if (kill === undefined) kills.waiting += 1;
	else if (kill.phase === "after") kills.unanswered += 1;
	else kills.unsent += 1;
}

const heldBy = ({ state }: PlacedStack): ReadonlySet<string> =>
	new Set([...state.resources.values()].flatMap(({ kind, id }) => (kind === "number" ? [id] : [])));

const boughtAt = (place: Place): string[] => place.log().flatMap(({ what, id }) => (what === "purchase" ? [id] : []));

function mustHaveBoughtOnce(place: Place, program: Program, { errors }: Ended): void {
	const bought = boughtAt(place);
	const count = program.filter(({ kind }) => kind === "number").length;
	if (bought.length > count)
		throw new BrokenPromise(`${bought.join(", ")} were bought for ${count} declarations: ${errors.join("; ")}`);
	const removed = place.log().filter(({ what }) => what === "release" || what === "remove");
	if (removed.length > 0) throw new BrokenPromise(`${removed.map(({ id }) => id).join(", ")} was removed`);
}

/** Does what the refusals say: names the object in `adopt`. @throws BrokenPromise if one names none that the stack made */
function adoptNamed(
	place: Place,
	program: Program,
	errors: readonly RunError[],
	held: ReadonlySet<string>,
	kills: Kills,
): Program {
	const adopted = new Set(held);
	return program.map((declared) => {
		const error = errors.find(({ name, isSkipped }) => name === declared.name && !isSkipped);
		if (error === undefined || !error.has("purchase-unknown", "duplicate")) return declared;
		const made = declared.kind === "number" ? boughtAt(place) : place.ids("trunk");
		const change = fixOf(place, declared, error.idsAmong(made), adopted);
		if (change === undefined) throw new BrokenPromise(`a refusal names nothing that the stack made: ${error}`);
		kills.refused += 1;
		return { ...declared, args: { ...declared.args, ...change } };
	});
}

/** Returns the properties to add to a refused declaration; none if it only has to run again. */
function fixOf(place: Place, { kind, args }: Declared, named: readonly string[], adopted: Set<string>) {
	if (kind !== "number") return named[0] === undefined ? undefined : { adopt: named[0] };
	// The key repeats the purchase of a number that another resource has adopted.
	if (named.length === 0) return place.hasSilentKeys ? { generation: 1 } : undefined;
	const free = named.filter((id) => !adopted.has(id));
	// Another resource of the run has the number by now.
	if (free.length === 0) return {};
	const numbers = place.numbers().filter(({ id }) => free.includes(id));
	const mine = numbers.find(({ label }) => label === args.label) ?? numbers.find(({ label }) => !label);
	if (mine === undefined) return undefined;
	adopted.add(mine.id);
	return { adopt: mine.id };
}

/** Each declaration has a number of its own, with what it declares, and the next run changes nothing. */
async function mustStand(place: Place, stack: PlacedStack, program: Program): Promise<void> {
	const declarations = program.filter(({ kind }) => kind === "number");
	const ids = declarations.map(({ name }) => stack.idOf(name));
	const bought = boughtAt(place);
	if (new Set(ids).size !== declarations.length || bought.length !== declarations.length)
		throw new BrokenPromise(`the state has ${ids.join(", ")}, and ${bought.join(", ")} were bought`);
	for (const { name, args, links } of declarations) {
		const number = place.numbers().find(({ id }) => id === stack.idOf(name));
		if (number === undefined || number.isPending) throw new BrokenPromise(`${name} isn't live`);
		if (number.label !== args.label) throw new BrokenPromise(`${name} has the label ${number.label}`);
		const trunkId = links?.trunk && stack.idOf(links.trunk);
		if (number.trunkId !== trunkId) throw new BrokenPromise(`${name} is routed to ${number.trunkId}, not ${trunkId}`);
	}
	const { changed, errors } = await stack.drift();
	const steps = await stack.preview(program);
	if (changed.size > 0 || errors.length > 0 || steps.length > 0)
		throw new BrokenPromise(`drift ${[...changed].join(" ")} ${errors.join("; ")}, steps ${steps.join(", ")}`);
}
