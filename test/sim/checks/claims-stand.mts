/** Another tool's claim stays as it is, and a warning about another writer names an object that another run or tool wrote. */
import { liveIds, liveNumbers } from "../account.mts";
import { type Checker, type Happening, must, type Ran, type Watch } from "./check.mts";

export class ClaimsStand implements Checker {
	readonly #watch: Watch;
	/** References of other tools, by number. */
	readonly #references = new Map<string, string | null>();

	constructor(watch: Watch) {
		this.#watch = watch;
	}

	happened(happening: Happening): void {
		if (happening.what !== "claimed") return;
		if (happening.by === "another tool") this.#references.set(happening.id, happening.reference);
		else this.#references.delete(happening.id);
	}

	end({ isKilled, excuses, printed }: Ran): void {
		const { control, chronicle } = this.#watch;
		for (const { id, reference } of liveNumbers(control)) {
			const claim = this.#references.get(id);
			if (claim === undefined || claim === reference) continue;
			must(excuses.has("stale reads"), () => `${id}: the reference of someone else was overwritten`);
			this.#references.delete(id);
		}
		if (isKilled || excuses.has("stale reads")) return;
		const live = [...liveIds(control)];
		for (const line of printed.split("\n")) {
			if (!/\[telephony:(reference-cleared|another-attempt)\]/.test(line)) continue;
			const id = live.find((candidate) => line.includes(candidate));
			must(
				id === undefined || chronicle.of(id).isShared === true,
				() => `nobody else has written ${id}: ${line.trim()}`,
			);
		}
	}
}
