/** The steps of the model: an edit of the program, the configuration or the state, and the run that follows; and ways out. */
import type { Command } from "./engine.mts";
import { allOf, type Declared, declared, names, urnOf, type World } from "./world.mts";

export interface Edit {
	readonly name: string;
	change(world: World): void;
	/** Default: always. */
	may?(world: World): boolean;
	/** No part of the program: also before runs that read no program. */
	readonly isOutside?: true;
}

export interface Step {
	readonly edit: Edit;
	readonly run: Command;
}

const ofA = (name: string, may: (a: Declared) => boolean, change: (a: Declared) => Partial<Declared>): Edit => ({
	name,
	may: ({ a }) => a !== undefined && may(a),
	change: (world) => {
		world.a = { ...(world.a as Declared), ...change(world.a as Declared) };
	},
});

const setting = (name: string, may: (world: World) => boolean, values: Partial<World>): Edit => ({
	name,
	may,
	change: (world) => Object.assign(world, values),
});

const nextName = (name: string) => names[names.indexOf(name as (typeof names)[number]) + 1] as string;
const lastName = names.at(-1);

const tainted = (world: World): void => {
	const { a } = world;
	if (a === undefined) return;
	const entries = world.main.entries.map((entry) => (entry.urn === urnOf(a) ? { ...entry, tainted: true } : entry));
	world.main = { ...world.main, entries };
};

export const edits: readonly Edit[] = [
	{ name: "no edit", change: () => {}, isOutside: true },
	ofA(
		"rename",
		({ name }) => name !== lastName,
		({ name }) => ({ name: nextName(name), alias: undefined }),
	),
	ofA(
		"rename with alias",
		({ name }) => name !== lastName,
		(a) => ({ name: nextName(a.name), alias: urnOf(a) }),
	),
	ofA(
		"old name back",
		({ name }) => name !== "a",
		() => ({ name: "a", alias: undefined }),
	),
	ofA(
		"alias later",
		({ alias, name, inside }) => !alias && (name !== "a" || inside),
		({ kind }) => ({ alias: urnOf(declared(kind, "a")) }),
	),
	ofA(
		"move",
		({ inside }) => !inside,
		() => ({ inside: true, alias: undefined }),
	),
	ofA(
		"other country",
		({ country }) => country === "NL",
		() => ({ country: "DE" }),
	),
	ofA(
		"old country",
		({ country }) => country === "DE",
		() => ({ country: "NL" }),
	),
	ofA(
		"other country, allowReplacement",
		({ country }) => country === "NL",
		() => ({ country: "DE", allow: true }),
	),
	ofA(
		"generation",
		({ generation, kind }) => kind === "number" && generation === 0,
		() => ({ generation: 1 }),
	),
	{ name: "taint", may: ({ a }) => a !== undefined, change: tainted },
	setting("remove", ({ a }) => a !== undefined, { a: undefined }),
	setting("remove b", ({ b }) => b !== undefined, { b: undefined }),
	{
		name: "put back",
		may: ({ a }) => a === undefined,
		change: (world) => Object.assign(world, { a: declared(world.kind, "a") }),
	},
	setting("owner x", ({ owner }) => owner === undefined, { owner: "x" }),
	setting("owner y", ({ owner }) => owner === "x", { owner: "y" }),
	{ ...setting("wrong key", ({ key }) => key === "right", { key: "wrong" }), isOutside: true },
	{ ...setting("right key", ({ key }) => key === "wrong", { key: "right" }), isOutside: true },
	{
		name: "older state",
		isOutside: true,
		may: ({ older }) => older !== undefined,
		change: (world) => Object.assign(world, { main: world.older, older: undefined }),
	},
];

/** Which edits and runs come together in one exploration: all at once are too many for five steps. */
export interface Theme {
	readonly edits: readonly string[];
	readonly runs: readonly Command[];
}

const plainUp: Command = { what: "up" };
const target: Command = { what: "up", target: true };
const destroyTarget: Command = { what: "destroy", target: true };
const killed = (kill: Exclude<Command["kill"], undefined>): Command => ({ what: "up", kill });

export const themes = {
	names: {
		edits: [
			"no edit",
			"rename",
			"rename with alias",
			"old name back",
			"alias later",
			"move",
			"remove",
			"put back",
			"remove b",
		],
		runs: [
			plainUp,
			{ what: "up", serial: true },
			target,
			killed("bought"),
			killed("deletes"),
			{ what: "destroy" },
			destroyTarget,
		],
	},
	changes: {
		edits: [
			"no edit",
			"rename",
			"old name back",
			"other country",
			"old country",
			"other country, allowReplacement",
			"generation",
			"taint",
		],
		runs: [plainUp, { what: "up", replace: true }, target, killed("written"), killed("deletes"), { what: "destroy" }],
	},
	owners: {
		edits: ["no edit", "rename", "rename with alias", "move", "owner x", "owner y", "taint", "remove", "put back"],
		runs: [
			plainUp,
			{ what: "up", replace: true },
			killed("written"),
			{ what: "up", stack: "second" },
			{ what: "destroy", stack: "second" },
			{ what: "destroy" },
		],
	},
	accounts: {
		edits: ["no edit", "rename", "wrong key", "right key", "older state", "remove", "put back", "generation"],
		runs: [
			plainUp,
			{ what: "up", serial: true },
			target,
			{ what: "refresh" },
			{ what: "destroy" },
			destroyTarget,
			killed("bought"),
		],
	},
	states: {
		edits: [
			"no edit",
			"rename",
			"rename with alias",
			"old name back",
			"older state",
			"generation",
			"taint",
			"remove",
			"put back",
		],
		runs: [
			plainUp,
			{ what: "refresh" },
			{ what: "destroy", serial: true },
			killed("deleted"),
			killed("written"),
			destroyTarget,
		],
	},
} satisfies Record<string, Theme>;

export type ThemeName = keyof typeof themes;

const isPossible = ({ a, second }: World, { target, replace, stack, what }: Command): boolean =>
	!((target || replace) && a === undefined) &&
	!(stack === "second" && what === "destroy" && allOf(second).length === 0);

export function* stepsOf(world: World, theme: Theme): Generator<Step> {
	for (const edit of edits) {
		if (!theme.edits.includes(edit.name) || edit.may?.(world) === false) continue;
		const after = { ...world };
		edit.change(after);
		// Only an `up` reads the program.
		for (const run of theme.runs)
			if ((edit.isOutside || run.what === "up") && isPossible(after, run)) yield { edit, run };
	}
}

export const isRunOf = ({ run }: Step, what: Command["what"]): boolean => run.what === what && run.stack === undefined;
