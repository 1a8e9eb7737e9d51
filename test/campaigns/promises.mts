/**
 * What a program may rely on, whatever the service and others do: read after each run from the ledger, the service's
 * objects, the state and what the runs have said.
 */
import { must, type Trial } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import { type Control, liveNumbers } from "./oracle.mts";
import { type Declared, keyOf, type Program } from "./program.mts";

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

/** Errors that leave open what has been bought: the next run of the same program finds out. */
const unknown = /unknown|Run `pulumi up` again|can't be read/;

const numbersIn = (state: State): Entry[] =>
	[...state.entries.values(), ...state.condemned].filter(({ kind }) => kind === "number");

const criteriaOf = ({ country, type, area }: Declared["args"]) => JSON.stringify([country, type, area]);

export class Promises {
	readonly #control: Control;
	readonly #trial: Trial;
	#rows = 0;
	/** What all runs have said. */
	#said = "";
	/** Which numbers the run under way may release. */
	#mayGo: ReadonlySet<string> = new Set();
	/** Bought or released by others. */
	readonly #others = new Set<string>();
	/** Somebody else's by their reference, and those whose reference somebody has cleared. */
	readonly theirs = new Set<string>();
	readonly cleared = new Set<string>();
	/** Outside the state after a run that couldn't tell: the next `up` that ends well has settled them. */
	#orphans = new Set<string>();
	/** The same, of declarations that have changed since: a known limit. */
	readonly #leaked = new Set<string>();
	/** Changed by others since a read and a write of ours. */
	readonly #touched = new Set<string>();
	/** Of these a refresh knows. */
	#read = new Set<string>();
	/** A run that was killed may have written them, and the state doesn't know. */
	readonly #doubted = new Set<string>();
	/** What the program has set at an object, by its id. */
	readonly #ever = new Map<string, Set<string>>();

	constructor(control: Control, trial: Trial) {
		[this.#control, this.#trial] = [control, trial];
	}

	// ---- Others -------------------------------------------------------------------------------------------------------

	bought(id: string): void {
		this.#others.add(id);
	}

	/** Somebody changes an object, and what is declared of it. */
	touched(id: string, state: State, change: "label" | "routing" | "foreign" | "reference" | "status"): void {
		this.#touched.add(id);
		this.#read.delete(id);
		if (change === "label" || change === "routing") this.#ever.get(id)?.delete(change);
		if (change === "foreign") this.theirs.add(id);
		if (change === "reference") this.theirs.delete(id);
		if (change === "reference") this.cleared.add(id);
		const isHeld = numbersIn(state).some((entry) => entry.id === id);
		if ((change === "foreign" || change === "reference") && !isHeld) this.#leaked.add(id);
	}

	/** The ledger shows a release that is not ours. */
	released(id: string): void {
		this.#follow(id);
	}

	/** Its entry was taken out of the state by hand. */
	leave(id: string): void {
		this.#leaked.add(id);
	}

	/** The program has changed which numbers it stands for: what a run has left open may stay. */
	forgo(): void {
		for (const id of this.#orphans) this.#leaked.add(id);
		this.#orphans.clear();
	}

	isTouched = (id: string): boolean => this.#touched.has(id) || this.#doubted.has(id);

	// ---- Runs ---------------------------------------------------------------------------------------------------------

	before(state: State, program: Program): void {
		const declared = new Map(program.map((each) => [each.name, each]));
		this.#mayGo = new Set(
			numbersIn(state)
				.filter(({ name, inputs }) => {
					const now = declared.get(name);
					if (now === undefined || keyOf(name, now.args) !== keyOf(name, inputs)) return true;
					return now.args.allowReplacement === true && criteriaOf(now.args) !== criteriaOf(inputs);
				})
				.map(({ id }) => id),
		);
	}

	/** After each run, whatever came of it. */
	after({ state, program, crashed, errors, said, struck }: Seen): void {
		this.#said += `\n${said}`;
		this.#follow();
		const declared = new Map(program.map((each) => [each.name, each]));
		for (const { id, name } of state.entries.values()) {
			const set = this.#ever.get(id) ?? new Set();
			const now = declared.get(name);
			if (now?.args.label !== undefined) set.add("label");
			if (now?.trunk !== undefined) set.add("routing");
			this.#ever.set(id, set);
		}
		if (crashed) for (const { id } of state.entries.values()) this.#doubted.add(id);
		this.#overwritten(struck);
		const isOpen = crashed || struck.has("buyNumber") || errors.some((error) => unknown.test(error));
		for (const id of this.#outside(state)) {
			if (this.#orphans.has(id)) continue;
			if (this.theirs.has(id) || this.cleared.has(id)) {
				must(this.#said.includes(id), () => `${id} is left on the account, and nobody has said so`);
				this.#leaked.add(id);
				continue;
			}
			must(isOpen, () => `${id} is live, in no state, and no run could have missed it`);
			this.#orphans.add(id);
		}
	}

	/** After an `up` that exited 0, with nothing read anew. */
	settled({ state, program }: Pick<Seen, "state" | "program">): void {
		const { trunks, webhooks, numbers } = this.#control.state();
		const outside = [...this.#outside(state)];
		must(outside.length === 0, () => `${outside} is live and in no state: lost, or bought twice`);
		this.#orphans.clear();
		for (const id of this.#read) if (!this.theirs.has(id)) this.#touched.delete(id);
		for (const id of this.#read) this.cleared.delete(id);
		for (const id of this.#read) this.#doubted.delete(id);
		this.#read.clear();
		const live = { number: numbers, sipTrunk: trunks, webhook: webhooks };
		for (const each of program) {
			const entry = state.entries.get(each.name);
			must(entry !== undefined, () => `${each.name} is declared and in no state`);
			if (this.#touched.has(entry.id)) continue;
			const row = live[each.kind].find(({ id }) => id === entry.id);
			must(row !== undefined, () => `${each.name}: ${entry.id} is not on the account`);
			this.#asDeclared(each, entry, row as unknown as Record<string, unknown>, state);
		}
		this.#trial.count("ups settled");
	}

	/** After a refresh that exited 0. */
	refreshed(): void {
		this.#read = new Set([...this.#touched, ...this.#doubted]);
	}

	/** After a `destroy` that exited 0. */
	destroyed(state: State): void {
		must(state.entries.size === 0 && state.condemned.size === 0, () => "destroy exited 0, and left entries");
		this.forgo();
	}

	/** What a delete keeps for good: nobody can take a reference back for an entry that is not declared. */
	isKept = (id: string): boolean => this.theirs.has(id) || this.cleared.has(id) || this.#doubted.has(id);

	/** Live, and out of reach of all programs. */
	leaked(): string[] {
		return this.#ours().filter((id) => this.#leaked.has(id));
	}

	/** What nobody has any more, at the very end. */
	leftOver(): string[] {
		return this.#ours().filter((id) => !this.#leaked.has(id) && !this.theirs.has(id));
	}

	// ---- Helpers ------------------------------------------------------------------------------------------------------

	#asDeclared(each: Declared, entry: Entry, row: Record<string, unknown>, state: State): void {
		const { name, kind, args, trunk } = each;
		const reference = String(row.reference);
		must(
			this.#doubted.has(entry.id) || reference.endsWith(`.${entry.outputs.lease}`),
			() => `${name}: reference ${reference}, entry's lease ${entry.outputs.lease}`,
		);
		if (kind === "webhook") {
			must(row.url === args.url, () => `${name}: ${row.url}, declared ${args.url}`);
			return;
		}
		const ever = this.#ever.get(entry.id);
		const label = row.label ?? undefined;
		must(
			args.label === undefined ? label === undefined || !ever?.has("label") : label === args.label,
			() => `${name}: label ${label}, declared ${args.label}`,
		);
		if (kind === "sipTrunk") {
			must(row.capacity === args.capacity, () => `${name}: capacity ${row.capacity}, declared ${args.capacity}`);
			return;
		}
		must(
			row.status === "active" || args.waitForActive === false,
			() => `${name}: it is ${row.status}, and up was to wait for it`,
		);
		must(row.country === args.country, () => `${name}: it is in ${row.country}, declared ${args.country}`);
		const routing = row.routing as { trunk_id?: string } | null;
		const wanted = trunk === undefined ? undefined : state.entries.get(trunk)?.id;
		must(
			wanted === undefined ? routing === null || !ever?.has("routing") : routing?.trunk_id === wanted,
			() => `${name}: routed to ${JSON.stringify(routing)}, declared ${wanted}`,
		);
	}

	/** What somebody else has claimed stays so, as far as reads show it. */
	#overwritten(struck: ReadonlySet<string>): void {
		for (const { id, reference } of liveNumbers(this.#control)) {
			if (!this.theirs.has(id) || reference === "somebody else's") continue;
			must(struck.has("reads"), () => `${id}: the reference of somebody else was overwritten`);
			this.theirs.delete(id);
		}
	}

	#ours(): string[] {
		return liveNumbers(this.#control)
			.map(({ id }) => id)
			.filter((id) => !this.#others.has(id));
	}

	/** Live, ours, and in no state, unless that is known already. */
	#outside(state: State): string[] {
		const held = new Set(numbersIn(state).map(({ id }) => id));
		return this.#ours().filter((id) => !held.has(id) && !this.#leaked.has(id));
	}

	/** `theirs` has been released by somebody else just now. */
	#follow(theirs?: string): void {
		const rows = this.#control.ledger();
		for (const { kind, number_id: id } of rows.slice(this.#rows)) {
			if (kind !== "release" || id === theirs) continue;
			must(!this.#others.has(id), () => `${id} was released, and somebody else has bought it`);
			must(!this.theirs.has(id), () => `${id} was released, and its reference is somebody else's`);
			must(!this.cleared.has(id), () => `${id} was released, and its reference was cleared`);
			must(this.#mayGo.has(id), () => `${id} was released, and no one asked for it`);
		}
		this.#rows = rows.length;
	}
}
