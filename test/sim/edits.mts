/** Edits of declared objects outside Pulumi. */
import { type Args, kinds } from "./kinds/index.mts";
import { argsOf, type Declared, type Program } from "./program.mts";
import type { Random } from "./random.mts";

export interface Edit {
	/** The output that a refresh reports. */
	readonly property: string;
	/** By the service's names. `@name` is a resource's id. */
	readonly patch: Args;
}

/** Returns an edit that differs from the declaration, mostly of a property that a refresh compares; undefined if there is none. */
export function editOf(declared: Declared, random: Random, program: Program): Edit | undefined {
	const { edits, compared = [] } = kinds[declared.kind];
	const args = argsOf(declared, (name) => `@${name}`);
	const isAny = random.chance(0.15);
	const possible = (edits?.(args, random, program) ?? []).flatMap(([property, patch]) =>
		patch !== undefined && (isAny || property in args || compared.includes(property)) ? { property, patch } : [],
	);
	return possible[0] && random.pick(possible);
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
