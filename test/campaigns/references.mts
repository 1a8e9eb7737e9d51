/** What others write into a number's `reference`, and what must become of it: what isn't ours stays as it is. */
import { must } from "./campaign.mts";
import type { Control } from "./oracle.mts";

export type ReferenceChange = "foreign" | "reference" | "attempt";

interface Mark {
	readonly change: ReferenceChange;
	readonly value: string | null;
	/** By the service's clock. */
	readonly at: number;
}

/** How old something is that the reads of a run can't have shown, at most, ms. */
const longestLag = 60_000;

export class References {
	readonly #control: Control;
	/** By id: what somebody has written or cleared, and what still stands as far as is known. */
	readonly #marks = new Map<string, Mark>();
	/** When the run under way began. */
	#began = 0;

	constructor(control: Control) {
		this.#control = control;
	}

	now = (): number => Date.parse(this.#control.clock().now);

	/** Before each run. */
	begin(): void {
		this.#began = this.now();
	}

	/** Somebody has changed it just now. */
	changed(id: string, change: ReferenceChange): void {
		this.#marks.set(id, { change, value: this.#of(id), at: this.now() });
	}

	/** Done so shortly before a run whose reads lagged that they may not have shown it. */
	isUnseen = (at: number, struck: ReadonlySet<string>): boolean => struck.has("reads") && this.#began - at < longestLag;

	isTheirs = (id: string): boolean => this.#marks.get(id)?.change === "foreign";

	/** No create finds it again; another attempt's it does, by the token. */
	isHidden = (id: string): boolean => this.#marks.has(id) && this.#marks.get(id)?.change !== "attempt";

	/** After each run. What somebody else has claimed stays so; what was ours may have been taken back. */
	follow(struck: ReadonlySet<string>): void {
		for (const [id, { value, at }] of this.#marks) {
			if (this.#of(id) === value) continue;
			must(
				!this.isTheirs(id) || this.isUnseen(at, struck),
				() => `${id}: the reference of somebody else was overwritten`,
			);
			this.#marks.delete(id);
		}
	}

	/** A run of ours has released it. `unclaimed`: it had never been claimed, so that an empty reference is as we left it. */
	released(id: string, unclaimed: boolean, struck: ReadonlySet<string>): void {
		const mark = this.#marks.get(id);
		if (mark === undefined || this.#of(id) !== mark.value || this.isUnseen(mark.at, struck)) return;
		must(
			mark.change === "reference" && unclaimed,
			() => `${id} was released, though its reference was changed by others: ${mark.change}`,
		);
	}

	#of = (id: string): string | null => this.#control.state().numbers.find((row) => row.id === id)?.reference ?? null;
}
