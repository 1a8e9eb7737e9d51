/** Which number each declaration has before a run, and must still have after it. */
import { must } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import { criteriaOf, keyOf, numbersOf, type Program } from "./program.mts";

/** Made before a run. */
export class Wishes {
	/** Ids by name: numbers that are declared as before. */
	readonly #kept: ReadonlyMap<string, string>;
	/** Names by id: the resource that last claimed the number, under the name it has in the state. */
	readonly #claimed: ReadonlyMap<string, string>;

	constructor(state: State, program: Program) {
		const declared = new Map(numbersOf(program).map((each) => [each.name, each.args]));
		const entries = [...state.entries.values()].filter(({ kind }) => kind === "number");
		const isShared = ({ id }: Entry) => entries.filter((each) => each.id === id).length > 1;
		const isClaimedByName = ({ name, outputs }: Entry) =>
			outputs.lease && String(outputs.__resourceUrn ?? outputs.resourceUrn).endsWith(`::${name}`);
		this.#claimed = new Map(
			entries.filter((entry) => !isShared(entry) && isClaimedByName(entry)).map(({ id, name }) => [id, name]),
		);
		this.#kept = new Map(
			entries.flatMap(({ name, id, inputs, outputs }) => {
				const args = declared.get(name);
				// A number that was never claimed is found by its key, for a day.
				if (args === undefined || !outputs.lease || keyOf(name, args) !== keyOf(name, inputs)) return [];
				return criteriaOf(args) === criteriaOf(inputs) ? [[name, id]] : [];
			}),
		);
	}

	/** After the run. `isWhole`: the number is live, only this program has written it, and reads show that. */
	mustBeHeeded(state: State, isWhole: (id: string) => boolean): void {
		for (const [name, id] of this.#kept) {
			const now = state.entries.get(name)?.id;
			must(
				now === undefined || now === id || !isWhole(id),
				() => `${name}: ${now} is in the place of ${id}, and the declaration is the same`,
			);
		}
		for (const { id, name } of state.entries.values()) {
			const holder = this.#claimed.get(id) ?? name;
			must(holder === name || !isWhole(id), () => `${name}: it has taken ${id} from ${holder}`);
		}
	}
}
