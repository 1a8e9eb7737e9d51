/** What a program asks for of its numbers, and what it doesn't: which may go, which must stay the same. */
import { must } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import { keyOf, numbersOf, type Program } from "./program.mts";

interface Number_ {
	readonly id: string;
	readonly name: string;
	readonly criteria: string;
	readonly retained: boolean;
}

const criteriaOf = ({ country, type, area }: Readonly<Record<string, unknown>>) =>
	JSON.stringify([country, type, area]);

const numberOf = ({ id, name, inputs, outputs }: Entry): Number_ => ({
	id,
	name,
	criteria: criteriaOf(inputs),
	retained: outputs.onDelete === "retain",
});

/** What a run has done to the account. */
export interface Done {
	readonly state: State;
	readonly bought: ReadonlySet<string>;
	readonly released: ReadonlySet<string>;
	/** `telephony:release` names it. */
	isNamed(id: string): boolean;
	/** Whether a number is there, as this program alone has written it, and reads show it so. */
	isWhole(id: string): boolean;
}

/** Made before a run. */
export class Wishes {
	readonly #program: Program;
	/** Of the state before the run, those that are to be deleted too. */
	readonly #numbers: readonly Number_[];
	/** By their names: what is declared as it was, and so is the number. */
	readonly #kept: ReadonlyMap<string, Number_>;
	/** Claimed under the name that its entry has now, by id. */
	readonly #claimed: ReadonlyMap<string, Number_>;

	constructor(state: State, program: Program) {
		this.#program = program;
		const declared = new Map(numbersOf(program).map((each) => [each.name, each.args]));
		const entries = [...state.entries.values()].filter(({ kind }) => kind === "number");
		const isShared = ({ id }: Entry) => entries.filter((each) => each.id === id).length > 1;
		const condemned = [...state.condemned].filter(({ kind }) => kind === "number");
		// What two entries have goes as the second one says.
		this.#numbers = [...entries, ...condemned].map((entry) => ({
			...numberOf(entry),
			...(isShared(entry) ? { retained: false } : {}),
		}));
		this.#claimed = new Map(
			entries
				.filter(
					(entry) =>
						!isShared(entry) &&
						entry.outputs.lease &&
						String(entry.outputs.__resourceUrn ?? entry.outputs.resourceUrn).endsWith(`::${entry.name}`),
				)
				.map((entry) => [entry.id, numberOf(entry)]),
		);
		this.#kept = new Map(
			entries.flatMap((entry) => {
				const { name, inputs, outputs } = entry;
				const args = declared.get(name);
				// One that was never claimed is found by its key, for a day.
				if (args === undefined || !outputs.lease || keyOf(name, args) !== keyOf(name, inputs)) return [];
				return criteriaOf(args) === criteriaOf(inputs) ? [[name, numberOf(entry)]] : [];
			}),
		);
	}

	/** After the run. */
	mustBeHeeded({ state, bought, released, isNamed, isWhole }: Done): void {
		for (const { id, retained } of this.#numbers)
			must(!retained || !released.has(id), () => `${id} was released, and was to be retained`);
		for (const [name, { id }] of this.#kept) {
			const now = state.entries.get(name)?.id;
			must(
				now === undefined || now === id || !isWhole(id),
				() => `${name}: ${now} stands in the place of ${id}, and no one asked for another`,
			);
		}
		for (const { id, name } of state.entries.values()) {
			const holder = this.#claimed.get(id)?.name ?? name;
			must(holder === name || !isWhole(id), () => `${name}: it has taken ${id} from ${holder}`);
		}
		this.#mustNotBeRenames(state, bought, new Set([...released].filter((id) => !isNamed(id))));
	}

	/** A resource that is renamed without aliases: what was bought for the new name is the old one's like. */
	#mustNotBeRenames(state: State, bought: ReadonlySet<string>, released: ReadonlySet<string>): void {
		const names = new Set(this.#program.map(({ name }) => name));
		const before = new Set(this.#numbers.map(({ name }) => name));
		const news = [...state.entries.values()].filter(({ id, name }) => bought.has(id) && !before.has(name));
		for (const { id, name, criteria } of this.#numbers) {
			if (names.has(name) || !released.has(id)) continue;
			const like = news.find((entry) => criteriaOf(entry.inputs) === criteria);
			must(
				like === undefined,
				() => `${id} of ${name} was released by the run that bought ${like?.id} for ${like?.name}`,
			);
		}
	}
}
