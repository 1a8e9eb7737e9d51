/** An account and a state, as the campaigns ask about them. */
import type { Entry, State } from "./engine.mts";
import { type Control, liveNumbers } from "./oracle.mts";
import type { Program } from "./program.mts";

/** How a run looks from outside. */
export interface Seen {
	readonly state: State;
	readonly program: Program;
	readonly crashed: boolean;
	readonly errors: readonly string[];
	/** Warnings and errors. */
	readonly said: string;
	/** What the weather has struck: a purchase that is refused after it was carried out is nobody's to know. */
	readonly struck: ReadonlySet<string>;
}

export const numbersIn = (state: State): Entry[] =>
	[...state.entries.values(), ...state.condemned].filter(({ kind }) => kind === "number");

export const isHeld = (state: State, id: string): boolean => numbersIn(state).some((entry) => entry.id === id);

/** Ids of its trunks and webhooks. */
export function configuredOn(control: Control): string[] {
	const { trunks, webhooks } = control.state();
	return [...trunks, ...webhooks].map(({ id }) => id);
}

export const isLive = (control: Control, id: string): boolean =>
	configuredOn(control).includes(id) || liveNumbers(control).some((row) => row.id === id);

export const isReferenced = (control: Control, id: string): boolean =>
	control.state().numbers.some((row) => row.id === id && Boolean(row.reference));

/** Whether an error asks if this is the right account, about nothing but what is really gone. */
export function isRightlyAsked(control: Control, error: string): boolean {
	const asked = [...error.matchAll(/(\w+) is not on the account, nor is any other/g)].map(([, id = ""]) => id);
	return asked.length > 0 && asked.every((id) => !isLive(control, id));
}
