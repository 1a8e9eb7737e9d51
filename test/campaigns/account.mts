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

/** Whether an error asks if this is the right account, about nothing but what is gone, or proves nothing as it is theirs. */
export function isRightlyAsked(control: Control, error: string, isTheirs = (_id: string) => false): boolean {
	const asked = [
		...[...error.matchAll(/(\w+) is not on the account, nor is anything/g)].map(([, id = ""]) => id),
		...[...error.matchAll(/the state has ([\w, ]+), and nothing of that is/g)].flatMap(([, ids = ""]) =>
			ids.split(", "),
		),
	];
	return asked.length > 0 && asked.every((id) => !isLive(control, id) || isTheirs(id));
}

/** How long a service remembers a key, ms. */
const day = 24 * 3_600_000;

/**
 * Bought, and never claimed while the key knew of it: a purchase that comes later can only name it. `used` is what others
 * have configured.
 */
export function isForgotten(control: Control, id: string, said: string, used: ReadonlySet<string>): boolean {
	const { idempotencyKey, reference } = control.settings().features;
	const row = control.state().numbers.find((each) => each.id === id);
	if (row === undefined) return false;
	if (Date.parse(control.clock().now) - Date.parse(row.created_at) <= (idempotencyKey ? day : 0)) return false;
	// What is configured passes for somebody's where nothing says whose it is.
	if (used.has(id) || (!reference && (row.label || row.routing))) return true;
	return said.split("\n").some((line) => line.includes("which nothing uses") && line.includes(id));
}
