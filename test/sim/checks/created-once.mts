/** An object without a price is created once, and a good `up` leaves none that no state holds. */
import { isMarkedRetained } from "../account.mts";
import { allIn } from "../engine.mts";
import { allKinds, rowsOf } from "../kinds/index.mts";
import { type Checker, type Happening, idsIn, must, type Ran, type Watch } from "./check.mts";

export class CreatedOnce implements Checker {
	readonly #watch: Watch;
	/** Objects that may stay: the output names them, the program has given them up, or a list hid them. */
	readonly #explained = new Set<string>();
	#held: ReadonlySet<string> = new Set();

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	#loose(): string[] {
		const account = this.#watch.control.state();
		return allKinds
			.filter(({ isBought }) => !isBought)
			.flatMap((kind) => rowsOf(account, kind))
			.filter(({ id, reference }) => !this.#held.has(id) && !isMarkedRetained(reference) && !this.#explained.has(id))
			.map(({ id }) => id);
	}

	happened({ what }: Happening): void {
		if (what === "redeclared") for (const id of this.#loose()) this.#explained.add(id);
	}

	end({ kind, state, excuses, printed, isKilled, errors }: Ran): void {
		this.#held = idsIn(allIn(state));
		const isDestroyed = kind === "destroy" && !isKilled && errors.length === 0;
		for (const id of this.#loose())
			if (isDestroyed || excuses.has("long stale lists") || printed.includes(id)) this.#explained.add(id);
	}

	settled({ excuses }: Ran): void {
		const loose = this.#loose();
		must(
			loose.length === 0 || excuses.has("stale reads") || this.#watch.service !== "full",
			() => `${loose} is in no state: created twice`,
		);
	}
}
