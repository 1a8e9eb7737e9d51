/** A story: what happens to a program, as plain data. Steps name resources, so that a story without some steps still runs. */
import type { Args } from "./kinds/index.mts";
import { type Declared, hasLinks, type Links, type Program, relinked } from "./program.mts";
import type { BetweenRuns, DuringRun } from "./troubles.mts";

/** Who writes the reference of a number: clears it, claims it, or is another run of this declaration. */
export type Claimant = "nobody" | "another tool" | "another run";

export interface RunOptions {
	readonly parallel?: number;
	readonly replace?: readonly string[];
	/** `telephony:limits` of the run. */
	readonly limits?: { readonly maxPurchases: number; readonly maxReleases: number };
	readonly trouble?: DuringRun;
}

export type Step =
	| { readonly do: "declare"; readonly declared: Declared }
	| { readonly do: "change"; readonly name: string; readonly args: Args; readonly links?: Links }
	| { readonly do: "remove"; readonly name: string }
	| { readonly do: "rename"; readonly name: string; readonly to: string; readonly hasAlias: boolean }
	| { readonly do: "up" | "refresh" | "destroy"; readonly run: RunOptions }
	| { readonly do: "suffer"; readonly trouble: BetweenRuns };

/** Returns the program after a step; most steps leave it as it is. */
export function programAfter(program: Program, step: Step): Program {
	switch (step.do) {
		case "declare": {
			const { declared } = step;
			if (program.some(({ name }) => name === declared.name)) return program;
			return hasLinks(declared.kind) ? [...program, declared] : [declared, ...program];
		}
		case "change":
			return program.map((declared) =>
				declared.name === step.name
					? { ...declared, links: step.links ?? declared.links, args: merged(declared.args, step.args) }
					: declared,
			);
		case "remove":
			return program
				.filter(({ name }) => name !== step.name)
				.map((declared) => relinked(declared, step.name, undefined));
		case "rename":
			if (program.some(({ name }) => name === step.to)) return program;
			return program.map((declared) => ({
				...relinked(declared, step.name, step.to),
				...(declared.name === step.name ? { name: step.to } : {}),
			}));
		default:
			return program;
	}
}

/** A null removes a property. */
export const merged = (args: Args, changed: Args): Args =>
	Object.fromEntries(Object.entries({ ...args, ...changed }).filter(([, value]) => value !== null));
