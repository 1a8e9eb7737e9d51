/** Trunks and webhooks: none goes that was to stay, and none is made twice. */
import { configuredOn } from "./account.mts";
import { must } from "./campaign.mts";
import type { State } from "./engine.mts";
import type { Control } from "./oracle.mts";

export class Made {
	readonly #control: Control;
	/** What there was before the run. */
	#before: readonly string[] = [];
	/** By a run of ours, and when. */
	readonly removedAt = new Map<string, number>();

	constructor(control: Control) {
		this.#control = control;
	}

	begin(): void {
		this.#before = configuredOn(this.#control);
	}

	/** After each run. They go only where that was asked for. */
	mustStay(mayGo: ReadonlySet<string>, now: number): void {
		const left = configuredOn(this.#control);
		for (const id of this.#before.filter((each) => !left.includes(each))) {
			must(mayGo.has(id), () => `${id} was removed, and no one asked for it`);
			this.removedAt.set(id, now);
		}
	}

	/** After an `up` that exited 0: what it has made is the state's, where the service can tell, and reads don't lag long. */
	mustBeHeld(state: State, struck: ReadonlySet<string>): void {
		const { idempotencyKey, reference } = this.#control.settings().features;
		if (struck.has("late reads") || !(idempotencyKey && reference)) return;
		const held = new Set([...state.entries.values(), ...state.condemned].map(({ id }) => id));
		for (const id of configuredOn(this.#control))
			must(this.#before.includes(id) || held.has(id), () => `${id} was made, and is in no state: made twice`);
	}
}
