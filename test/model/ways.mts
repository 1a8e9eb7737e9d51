/** What errors name as ways out. */
import type { Command } from "./engine.mts";
import { allOf, type Declared, declared, type Entry, idsOf, urnOf, type World } from "./world.mts";

export interface Way {
	readonly name: string;
	readonly runs: readonly Command[];
	change(world: World): void;
}

const up: Command = { what: "up" };
const nothing = (): void => {};

const ofProgram = (change: (a: Declared) => Partial<Declared>) => (world: World) => {
	if (world.a !== undefined) world.a = { ...world.a, ...change(world.a) };
};

/** Of the program and the configuration. */
const general: readonly Way[] = [
	{ name: "again", runs: [], change: nothing },
	{ name: "refresh", runs: [{ what: "refresh" }], change: nothing },
	{ name: "allowReplacement", runs: [up], change: ofProgram(() => ({ allow: true })) },
	{ name: "old country", runs: [up], change: ofProgram(() => ({ country: "NL", allow: true })) },
	{ name: "generation", runs: [up], change: ofProgram(({ generation }) => ({ generation: generation + 1 })) },
	...[undefined, "own"].map(
		(owner): Way => ({
			name: `owner ${owner}`,
			runs: [up],
			change: (world) => {
				world.owner = owner;
			},
		}),
	),
	{ name: "the word", runs: [{ what: "up", allGone: true }], change: nothing },
	{ name: "the word, refresh", runs: [{ what: "refresh", allGone: true }], change: nothing },
];

/** The old name and parent, as the entry has them that is refused. */
function putBack(held: readonly Entry[]): Way["change"] {
	return (world) => {
		const entry = held.find(({ urn }) => !world.b || urn !== urnOf(world.b));
		const a = world.a ?? (entry && declared(world.kind, "a"));
		if (entry === undefined || a === undefined) return;
		const name = entry.urn.split("::").at(-1) ?? "a";
		const country = String(entry.inputs.country);
		world.a = { ...a, name, inside: entry.urn.includes("$"), alias: undefined, country };
	};
}

/** Of the numbers that errors name. */
function particular(start: World, ids: readonly string[]): Way[] {
	const isNamed = (entry: Entry) => entry.kind !== "trunk" && idsOf(entry).some((id) => ids.includes(id));
	const change = putBack(allOf(start.main).filter(isNamed));
	const [first = ""] = ids;
	const adopt = (world: World) => {
		const country = start.accounts[start.key].live.get(first)?.country ?? "NL";
		world.c = { ...declared("number", "c"), country, adopt: first };
	};
	const forget = (world: World) => {
		const { entries, pending } = world.main;
		world.main = {
			entries: entries.filter((entry) => !isNamed(entry)),
			pending: pending.filter((entry) => !isNamed(entry)),
		};
	};
	const release = (world: World) => {
		for (const { live, released } of Object.values(world.accounts))
			for (const id of ids) if (live.delete(id)) released.add(id);
	};
	return [
		{ name: "old name back", runs: [up], change },
		{ name: "old name back, refresh", runs: [{ what: "refresh" }, up], change },
		{ name: "telephony:release", runs: [{ what: "up", release: ids }], change: nothing },
		{ name: "adopt", runs: [up], change: adopt },
		{ name: "state delete", runs: [up], change: forget },
		{ name: "released by hand", runs: [up], change: release },
	];
}

/** `ids` are those that the errors name. */
export function waysOut(start: World, ids: readonly string[]): Way[] {
	const ways = [...particular(start, ids), ...general];
	if (start.key === "right") return ways;
	const withKey = ways.map(
		({ change, ...way }): Way => ({
			...way,
			change: (world) => {
				world.key = "right";
				change(world);
			},
		}),
	);
	return [...withKey, ...ways];
}
