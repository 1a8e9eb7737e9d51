/** Each declaration has one number. */
import { numbersIn } from "../account.mts";
import { type Checker, declarationsOf, idsIn, must, type Ran, type Watch } from "./check.mts";

export class BoughtOnce implements Checker {
	readonly #watch: Watch;

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	end({ state, excuses }: Ran): void {
		if (excuses.has("stale reads")) return;
		const held = idsIn(numbersIn(state));
		const owners = new Map<string, string>();
		for (const [id, declaration] of declarationsOf(this.#watch)) {
			const { isRestored, wasUnseen } = this.#watch.chronicle.of(id);
			if (isRestored || wasUnseen) continue;
			const first = owners.get(declaration);
			// A rename that failed leaves the old name in the reference of a number that the state has.
			const isRenaming = first !== undefined && held.has(first) && held.has(id);
			must(first === undefined || isRenaming, () => `${first} and ${id} belong to one declaration: ${declaration}`);
			owners.set(declaration, id);
		}
	}
}
