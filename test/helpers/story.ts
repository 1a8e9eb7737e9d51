/** Stories on the real engine: steps of a stack's life, each judged by the ledger. */
import { expect } from "vitest";
import type { TestEmulator } from "./emulator";
import { type Project, stepsIn, succeeds } from "./engine";

type Names = Readonly<Record<string, string>>;

interface Step {
	readonly name: string;
	/** Default: the program of the step before. */
	readonly program?: string;
	/** Runs before `up`. */
	readonly first?: (stack: Project) => unknown;
	/** Arguments of `up`. */
	readonly args?: (stack: Project) => Promise<readonly string[]>;
	/** Purchases of the run. Default: 0. */
	readonly buys?: number;
	/** Resources whose number the run releases, by the names they had before. Default: none. */
	readonly releases?: readonly string[];
	/** Resources that have a known number afterwards: a note, or the name that had it before. */
	readonly has?: Names;
	/** Resources that have these ids afterwards. */
	readonly resumes?: Readonly<Record<string, string | undefined>>;
	/** Notes of the numbers that resources have afterwards. */
	readonly notes?: Names;
	/** A message code that the run reports. */
	readonly says?: string;
	/** The engine's steps. */
	readonly steps?: Names;
}

/** Runs `up` for each step. */
export async function tell(stack: Project, emulator: TestEmulator, steps: readonly Step[]): Promise<void> {
	const noted: Record<string, string | undefined> = {};
	for (const step of steps) {
		const { buys = 0, releases = [], has = {}, notes = {}, resumes = {} } = step;
		const before = { ids: await stack.ids(), bought: emulator.purchases().length, released: emulator.released() };
		if (step.program !== undefined) stack.write(step.program);
		await step.first?.(stack);
		const run = await succeeds(stack.up(...((await step.args?.(stack)) ?? [])));
		const ids = await stack.ids();
		const expectedIds = Object.entries(has).map(([key, note]) => [key, noted[note] ?? before.ids[note]] as const);
		const wanted = { ...Object.fromEntries(expectedIds), ...resumes };
		expect(
			{
				bought: emulator.purchases().length - before.bought,
				released: emulator.released().slice(before.released.length).sort(),
				has: Object.fromEntries(Object.keys(wanted).map((key) => [key, ids[key]])),
			},
			`${step.name}: ${run.output}`,
		).toEqual({ bought: buys, released: releases.map((key) => before.ids[key]).sort(), has: wanted });
		if (step.says !== undefined) expect(run.output, step.name).toContain(`[telephony:${step.says}]`);
		if (step.steps !== undefined) expect(stepsIn(run), step.name).toEqual(step.steps);
		for (const [note, key] of Object.entries(notes)) noted[note] = ids[key];
	}
}

/** Returns the URN of a resource in the state. */
export const urnOf = async (stack: Project, name: string): Promise<string> =>
	(await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";

/** Marks a resource for replacement in the state. */
export const taint = (name: string) => async (stack: Project) =>
	succeeds(stack.pulumi("state", "taint", await urnOf(stack, name), "--yes"));

/** Returns the arguments of an `up` that replaces these resources. */
export const replacing =
	(...names: readonly string[]) =>
	async (stack: Project): Promise<string[]> =>
		(await Promise.all(names.map((name) => urnOf(stack, name)))).flatMap((urn) => ["--replace", urn]);

/**
 * Returns a program with `site`, a resource of another provider. With another version, the engine deletes it first, with what
 * it would replace. `args` are also its outputs.
 */
export const withSite = (args: { readonly version: number; readonly [key: string]: unknown }, rest: string): string => `
	const provider = {
		async create(inputs) { return { id: "site-" + inputs.version, outs: inputs }; },
		async diff(_, olds, news) {
			const changes = olds.version !== news.version;
			return { changes, replaces: changes ? ["version"] : [], deleteBeforeReplace: true };
		},
	};
	class Site extends pulumi.dynamic.Resource {
		constructor(name, args) { super(provider, name, args); }
	}
	const site = new Site("site", ${JSON.stringify(args)});
	${rest}`;
