/** What the shorter campaigns share: an account whose time is turned, and stacks that are ours alone. */

import { createEmulator, type Emulator, inTime, ledgerOf, liveNumbers, type VirtualClock } from "./account.mts";
import { must, type Trial } from "./campaign.mts";
import type { State } from "./engine.mts";
import type { Declared } from "./program.mts";
import { InProcessStack } from "./stack-in-process.mts";

export interface Room {
	readonly emulator: Emulator;
	readonly clock: InstanceType<typeof VirtualClock>;
	/** Another stack of the account. */
	stack(name?: string, env?: Readonly<Record<string, string>>): InProcessStack;
}

export const inRoom = (
	trial: Trial,
	{ patienceMs = 30_000, ...options }: { readonly kyc: string; readonly apiKey?: string; readonly patienceMs?: number },
	work: (room: Room) => Promise<void>,
): Promise<void> =>
	inTime(async (clock) => {
		const emulator = await createEmulator({ ...options, clock, seed: trial.seed });
		const stack: Room["stack"] = (name = "dev", env = {}) =>
			new InProcessStack(emulator, clock, trial, { stack: name, env, patienceMs });
		await work({ emulator, clock, stack }).finally(() => emulator.close());
	});

/** Numbers with a label each. */
export const numbers = (count: number, args: Readonly<Record<string, unknown>> = {}): Declared[] =>
	Array.from({ length: count }, (_, index) => ({
		kind: "number",
		name: `number${index}`,
		args: { country: "NL", type: "mobile", label: `label ${index}`, ...args },
	}));

export const bought = ({ control }: Emulator): number => ledgerOf(control, "purchase").length;
export const released = ({ control }: Emulator): number => ledgerOf(control, "release").length;

/** What is bought is in exactly one of the states, and nothing else is. */
export function mustBeShared({ control }: Emulator, states: readonly State[]): void {
	const held = states.flatMap(({ entries }) =>
		[...entries.values()].flatMap(({ kind, id }) => (kind === "number" ? [id] : [])),
	);
	must(new Set(held).size === held.length, () => `a number is in two stacks: ${held}`);
	const live = liveNumbers(control).map(({ id }) => id);
	must(live.sort().join() === held.sort().join(), () => `alive ${live}, in the states ${held}`);
}
