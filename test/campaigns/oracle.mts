/** The rules that no run may break, whatever happens to it: the ledger, the account and the state tell. */
import {
	allIn,
	type Control,
	isHeld,
	isRetained,
	mustBeClaimedOnce,
	mustBeHeld,
	mustBeOurs,
	numbersIn,
} from "./account.mts";
import { must } from "./campaign.mts";
import { type State, stateKey } from "./engine.mts";
import { rowsOf } from "./kinds.mts";
import { criteriaOf, keyOf, mustBeAsDeclared, numbersOf, type Program } from "./program.mts";

/** What a run of this program may release or delete: its saved state says so, and the program no longer declares it. */
export function mayGoIn(state: State, program: Program, replace: readonly string[] = []): Set<string> {
	const declared = new Map(program.map((each) => [each.name, each]));
	const going = allIn(state).filter((entry) => {
		const { kind, name, inputs } = entry;
		if (isRetained(entry)) return false;
		const now = declared.get(name);
		if (now === undefined) return true;
		// A replacement that couldn't see the object, as the service keeps no reference or lags, has made another one.
		const isReplaced = state.condemned.has(entry) && state.entries.get(name)?.id !== entry.id;
		if (kind !== "number") return isReplaced || replace.includes(name);
		return keyOf(name, now.args) !== stateKey(entry) || criteriaOf(now.args) !== criteriaOf(inputs);
	});
	return new Set(going.map(({ id }) => id));
}

/** Follows the ledger row by row, so that nothing escapes between two looks. */
export class Oracle {
	readonly #control: Control;
	#seen = 0;
	readonly #alive = new Set<string>();
	/** Numbers that may be released. */
	readonly #unwanted = new Set<string>();
	/** Numbers that a delete leaves. */
	readonly #retained = new Set<string>();

	constructor(control: Control) {
		this.#control = control;
	}

	/** Before a run: which numbers it may release. */
	expect(state: State, program: Program): void {
		const mayGo = mayGoIn(state, program);
		for (const { id } of numbersIn(state))
			if (mayGo.has(id)) this.#unwanted.add(id);
			else this.#unwanted.delete(id);
		this.#noteRetained(state);
	}

	#noteRetained(state: State): void {
		for (const entry of numbersIn(state))
			if (isRetained(entry)) this.#retained.add(entry.id);
			else this.#retained.delete(entry.id);
	}

	/** During and after a run of this program: no more alive than declared or left, nothing released that must stay. */
	look(state: State, program: Program): void {
		this.#noteRetained(state);
		mustBeClaimedOnce(this.#control);
		const keys = new Set([
			...numbersOf(program).map(({ name, args }) => keyOf(name, args)),
			...numbersIn(state).map(stateKey),
		]);
		const rows = this.#control.ledger();
		for (const { kind, number_id } of rows.slice(this.#seen)) {
			if (kind === "purchase") {
				this.#alive.add(number_id);
				// What was asked for and lost its entry to a kill counts by its declaration, so each key counts once.
				const loose = [...this.#unwanted, ...this.#retained];
				const bound = keys.size + loose.filter((id) => this.#alive.has(id) && !isHeld(state, id)).length;
				must(
					this.#alive.size <= bound,
					() => `${this.#alive.size} numbers alive, ${bound} declared: ${number_id} is one too many`,
				);
			}
			if (kind === "release") {
				must(this.#unwanted.has(number_id), () => `${number_id} was released, and must stay`);
				this.#alive.delete(number_id);
			}
		}
		this.#seen = rows.length;
	}

	/**
	 * After convergence: what is alive is what is declared, configured as declared, and ours by its lease. A service that
	 * can't tell may be left with trunks and webhooks of killed runs: those that a warning has named (`told`).
	 */
	settled(state: State, program: Program, told = ""): void {
		mustBeHeld(this.#control, state, program, { left: this.#retained, told });
		const account = this.#control.state();
		for (const each of program) {
			const entry = state.entries.get(each.name);
			const row = rowsOf(account, each.kind).find(({ id }) => id === entry?.id);
			must(entry !== undefined && row !== undefined, () => `${each.name} is declared, and isn't there`);
			if (this.#control.settings().features.reference) mustBeOurs(entry, row.reference);
			mustBeAsDeclared(each, row, state);
		}
	}
}
