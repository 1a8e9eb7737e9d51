/** Stories on the real engine: steps of a stack's life, each judged by the ledger and followed by a run that changes nothing. */
import { expect } from "vitest";
import type { TestEmulator } from "./emulator";
import { type Project, seenAt, succeeds } from "./engine";

export interface Step {
	readonly name: string;
	readonly program?: string;
	/** Before the run. */
	readonly first?: (stack: Project) => unknown;
	/** Of `up`. */
	readonly args?: (stack: Project) => Promise<readonly string[]>;
	/** Arguments of the second run, if any. */
	readonly again?: readonly string[];
	/** How many numbers the run buys. Default: 0. */
	readonly buys?: number;
	/** Resources whose number the run releases, by the names they had before. Default: none. */
	readonly releases?: readonly string[];
	/** The names of the numbers afterwards, and the names they had when `ids` noted them. */
	readonly has?: Readonly<Record<string, string>>;
	/** Names whose present numbers are noted. */
	readonly notes?: Readonly<Record<string, string>>;
	/** A message code that the run reports. */
	readonly says?: string;
}

/** Tells the steps, one after the other. */
export async function tell(stack: Project, emulator: TestEmulator, steps: readonly Step[]): Promise<void> {
	const { ledger, writes } = seenAt(emulator);
	const noted: Record<string, string | undefined> = {};
	for (const { name, program, first, args, again = [], buys = 0, releases = [], has = {}, notes = {}, says } of steps) {
		const before = { ids: await stack.ids(), bought: ledger("purchase").length, released: ledger("release") };
		if (program !== undefined) stack.write(program);
		await first?.(stack);
		const run = await succeeds(stack.up(...((await args?.(stack)) ?? [])));
		if (says !== undefined) expect(run.output, name).toContain(`[telephony:${says}]`);
		const ids = await stack.ids();
		expect(
			{
				bought: ledger("purchase").length - before.bought,
				released: ledger("release").slice(before.released.length).sort(),
				has: Object.fromEntries(Object.keys(has).map((key) => [key, ids[key]])),
			},
			`${name}: ${run.output}`,
		).toEqual({
			bought: buys,
			released: releases.map((key) => before.ids[key]).sort(),
			has: Object.fromEntries(Object.entries(has).map(([key, note]) => [key, noted[note] ?? before.ids[note]])),
		});
		for (const [note, key] of Object.entries(notes)) noted[note] = ids[key];
		const written = writes();
		await succeeds(stack.up("--expect-no-changes", ...again));
		expect(writes() - written, `writes of a second run after ${name}`).toBe(0);
	}
}

/** The URN of a resource of the state. */
export const urnOf = async (stack: Project, name: string): Promise<string> =>
	(await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";
