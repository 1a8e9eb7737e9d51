/** Every number of the stack is in its state, or a message names it, or the next good `up` takes it. */
import { liveIds, liveNumbers, numbersIn } from "../account.mts";
import type { State } from "../engine.mts";
import { kinds } from "../kinds/index.mts";
import { type Checker, type Happening, idsIn, isVague, must, type Ran, type Watch } from "./check.mts";

export class NothingLost implements Checker {
	readonly #watch: Watch;
	/** Numbers in no state: named in the output, or a known limit. */
	readonly #explained = new Set<string>();
	/** Numbers in no state after a run that couldn't know it. */
	readonly #open = new Set<string>();

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	happened(happening: Happening): void {
		if (happening.what === "restored") this.#explained.add(happening.id);
		if (happening.what === "redeclared") this.#giveUp();
	}

	#giveUp(): void {
		for (const id of this.#open) this.#explained.add(id);
		this.#open.clear();
	}

	/** Returns our live numbers that no state holds and nothing explains. */
	#loose(state?: State): string[] {
		const held = state === undefined ? new Set() : idsIn(numbersIn(state));
		const { chronicle, control } = this.#watch;
		return liveNumbers(control)
			.map(({ id }) => id)
			.filter((id) => !chronicle.of(id).isTheirs && !this.#explained.has(id) && !held.has(id));
	}

	end(ran: Ran): void {
		for (const id of idsIn(numbersIn(ran.state))) {
			this.#open.delete(id);
			this.#explained.delete(id);
		}
		for (const id of this.#loose(ran.state)) this.#mustBeExplained(id, ran);
		if (ran.kind === "refresh") this.#mustStayInState(ran);
		if (ran.kind === "destroy" && !ran.isKilled && ran.errors.length === 0) this.#giveUp();
	}

	#mustBeExplained(id: string, { isKilled, errors, printed, excuses, ledger }: Ran): void {
		const isBought = ledger.some((row) => row.kind === "purchase" && row.number_id === id);
		const isUnclear =
			isKilled || excuses.has("unknown purchase") || excuses.has("stale reads") || this.#watch.service !== "full";
		// A number that the service sold by a readable response is saved, whatever fails after it.
		must(isUnclear || !isBought, () => `${id} was bought in this run, and isn't in the state`);
		const named = isKilled ? (printed.match(/^.*\[telephony:(retained|duplicate)\].*$/gm)?.join("\n") ?? "") : printed;
		if (named.includes(id) || this.#watch.chronicle.of(id).wasUnseen) {
			this.#explained.add(id);
			this.#open.delete(id);
			return;
		}
		if (this.#open.has(id)) return;
		const isUnknown = errors.some((error) => error.has("purchase-unknown", "duplicate", "unconfirmed-write"));
		must(isUnclear || isUnknown, () => `${id} is live and in no state, and no output names it`);
		this.#open.add(id);
	}

	#mustStayInState({ state, before, excuses }: Ran): void {
		const live = liveIds(this.#watch.control);
		for (const { name, id, kind } of before.state.resources.values()) {
			if (state.resources.has(name) || !live.has(id) || this.#watch.chronicle.isChanged(id)) continue;
			// For objects that cost nothing, a run doesn't wait so long.
			const isExcused = !kinds[kind].isBought && excuses.has("long stale reads");
			must(isExcused, () => `${name}: ${id} is live, and a refresh took it out of the state`);
		}
	}

	settled({ state, excuses }: Ran): void {
		const loose = this.#loose(state);
		const live = liveIds(this.#watch.control);
		// A number of the state has ended, so that its claim isn't resumed before a refresh.
		const hasEnded = [...idsIn(numbersIn(state))].some((id) => !live.has(id));
		must(
			loose.length === 0 || excuses.has("stale reads") || isVague(this.#watch) || hasEnded,
			() => `${loose} is live and in no state: lost, or bought twice`,
		);
		this.#open.clear();
	}

	/** At the end of a story, each number that a destroy leaves is explained. */
	finish(): void {
		const loose = this.#loose().filter((id) => !this.#watch.chronicle.isTheirs(id));
		must(loose.length === 0, () => `left after a destroy: ${loose}`);
	}
}
