/** An account and a state, as the campaigns ask about them. */
import type { Entry, State } from "./engine.mts";
import { type Control, liveNumbers } from "./oracle.mts";

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
