/**
 * What a program may rely on, whatever the service and others do: read after each run from the ledger, the service's
 * objects, the state and what the runs have said.
 */
import { configuredOn, isForgotten, isHeld, isLive, isReferenced, numbersIn, type Seen } from "./account.mts";
import { must, type Trial } from "./campaign.mts";
import { Configuration } from "./configuration.mts";
import type { State } from "./engine.mts";
import { Made } from "./made.mts";
import { type Control, liveNumbers } from "./oracle.mts";
import { criteriaOf, keyOf, type Program } from "./program.mts";
import { type ReferenceChange, References } from "./references.mts";
import { Strangers } from "./strangers.mts";
import { Wishes } from "./wishes.mts";

/** What somebody else has changed about a number. */
export type Change = ReferenceChange | "label" | "routing" | "status";

/** Errors that leave open what has been bought: the next run of the same program finds out. */
const unknown = /was bought is unknown|has sold|can't be read/;

export class Promises {
	readonly #control: Control;
	readonly #trial: Trial;
	#rows = 0;
	/** Bought, and not claimed yet as far as the state knows: an empty reference is as it left them. */
	#unclaimed: ReadonlySet<string> = new Set();
	/** Named in `telephony:release`. */
	readonly #named = new Set<string>();
	/** What the run under way may release or remove. */
	#mayGo: ReadonlySet<string> = new Set();
	#wishes: Wishes | undefined;
	/** Bought or released by others. */
	readonly #others = new Set<string>();
	readonly #references: References;
	/** Outside the state after a run that couldn't tell: the next `up` that ends well has settled them. */
	#orphans = new Set<string>();
	/** What others have configured, and no reference tells of: it passes for theirs, unless a key tells. */
	readonly #used = new Set<string>();
	/** Ids of what the run that left these was to replace. */
	readonly #bought = new Map<string, readonly string[]>();
	#replaced: readonly string[] = [];
	/** The same, of declarations that have changed since: a known limit. */
	readonly #leaked = new Set<string>();
	/** Changed by others since a read and a write of ours, and when. */
	readonly #touched = new Map<string, number>();
	/** Released, and back since this time. */
	readonly #restored = new Map<string, number>();
	/** Of these a refresh knows. */
	#read = new Set<string>();
	/** A run that was killed may have written them at this time, and the state doesn't know. */
	readonly #doubted = new Map<string, number>();
	readonly #strangers = new Strangers();
	readonly #made: Made;
	readonly #configuration: Configuration;

	constructor(control: Control, trial: Trial) {
		[this.#control, this.#trial, this.#made] = [control, trial, new Made(control)];
		this.#references = new References(control);
		this.#configuration = new Configuration(
			(id) => this.#doubted.has(id),
			() => control.settings().features.reference,
		);
	}

	// ---- Others -------------------------------------------------------------------------------------------------------

	bought(id: string): void {
		this.#others.add(id);
	}

	/** Somebody changes an object, and what is declared of it. */
	touched(id: string, state: State, change: Change): void {
		this.ended(id);
		this.#configuration.edited(id, change);
		const isUsed = (change === "label" || change === "routing") && !isHeld(state, id);
		if (isUsed && !isReferenced(this.#control, id)) this.#used.add(id);
		if (change !== "foreign" && change !== "reference" && change !== "attempt") return;
		this.#references.changed(id, change);
		this.#strangers.add([id]);
		// What another attempt has left is found by its token.
		if (change !== "attempt" && !isHeld(state, id)) this.#leaked.add(id);
	}

	/** The service has ended it, whoever holds it. */
	ended(id: string): void {
		this.#touched.set(id, this.#references.now());
		this.#read.delete(id);
	}

	/** What is in no state is a number that nothing names again. */
	restored(id: string, state: State): void {
		this.ended(id);
		this.#restored.set(id, this.#references.now());
		if (!isHeld(state, id)) this.#leaked.add(id);
	}

	/** The ledger shows a release that is not ours. */
	released(id: string): void {
		this.#follow(new Set(), id);
	}

	/** `telephony:release` names it from now on. */
	mayGo(id: string): void {
		this.#named.add(id);
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

	/** Changed by others so shortly before the run that its first reads may not have shown it, and its last ones did. */
	isNews = (id: string, struck: ReadonlySet<string>): boolean => {
		const at = this.#touched.get(id);
		return at !== undefined && this.#references.isUnseen(at, struck);
	};

	isTouched = (id: string): boolean => this.#touched.has(id) || this.#doubted.has(id);

	// ---- Runs ---------------------------------------------------------------------------------------------------------

	before(state: State, program: Program, replace: readonly string[] = []): void {
		// What is taken over gets a new secret, as nobody knows the old one.
		if (replace.length > 0) this.#configuration.upset();
		const declared = new Map(program.map((each) => [each.name, each]));
		this.#references.begin();
		this.#replaced = replace.flatMap((name) => state.entries.get(name)?.id ?? []);
		const condemned = new Set([...state.condemned].map(({ id }) => id));
		const all = [...state.entries.values(), ...state.condemned];
		this.#unclaimed = new Set(all.flatMap(({ id, outputs }) => (outputs.lease === "" ? [id] : [])));
		this.#made.begin();
		// The old entry of a replacement doesn't know what the new one writes; nor do two that have one object.
		const shared = all.filter((one) => all.some((each) => each !== one && each.id === one.id)).map(({ id }) => id);
		this.#strangers.add([...condemned, ...this.#replaced, ...shared]);
		this.#wishes = new Wishes(state, program);
		this.#mayGo = new Set(
			all
				.filter(({ kind, name, id, inputs }) => {
					const now = declared.get(name);
					if (now === undefined) return true;
					// Without references a replacement can't show that it took over what there was: it is another one.
					const isReplaced = replace.includes(name) || condemned.has(id);
					if (kind !== "number") return isReplaced && !this.#control.settings().features.reference;
					if (keyOf(name, now.args) !== keyOf(name, inputs)) return true;
					return now.args.allowReplacement === true && criteriaOf(now.args) !== criteriaOf(inputs);
				})
				.map(({ id }) => id),
		);
	}

	/** After each run, whatever came of it. */
	after(seen: Seen): void {
		const { state, program, crashed, said, struck } = seen;
		this.#configuration.declared(state, program, crashed);
		this.#made.mustStay(this.#mayGo, this.#references.now());
		this.#doubt(seen);
		const all = [...configuredOn(this.#control), ...liveNumbers(this.#control).map(({ id }) => id)];
		if (crashed) this.#strangers.add(all);
		// Such a read shows what this entry itself has written over since.
		else if (!struck.has("late reads")) this.#strangers.mustBeNamed(said, all);
		const rows = this.#control.ledger().slice(this.#rows);
		this.#follow(struck);
		this.#references.follow(struck);
		this.#mustKeepWord(seen, rows);
		for (const { id } of numbersIn(state)) {
			this.#orphans.delete(id);
			// What somebody has restored may stand in the place of what a killed run has bought and not claimed.
			if (this.#leaked.delete(id) && this.#restored.has(id)) this.forgo();
		}
		for (const id of this.#outside(state)) this.#mustBeExplained(id, seen);
	}

	/** Only a refresh can tell what a run that was killed has written, and what it has removed. */
	#doubt({ state, crashed, errors, struck }: Seen): void {
		for (const { id } of state.entries.values()) {
			if (crashed) this.#doubted.set(id, this.#references.now());
			if (crashed) this.#read.delete(id);
			// Where two entries had it, one of a replacement, the failed run may have removed it by the other.
			if ((crashed || errors.length > 0) && !isLive(this.#control, id)) this.ended(id);
		}
		if (crashed || struck.size > 0) this.#configuration.upset();
	}

	/** What is said to be taken over is, and what the program wished came of the ledger's new rows. */
	#mustKeepWord({ state, crashed, said, struck }: Seen, rows: ReturnType<Control["ledger"]>): void {
		const ids = (kind: string) => new Set(rows.flatMap((row) => (row.kind === kind ? [row.number_id] : [])));
		const kept = said.matchAll(/Kept number .*?\((num_\w+)\): this program still declares it/g);
		for (const [, id = ""] of crashed ? [] : kept)
			must(isHeld(state, id), () => `${id} is said to be taken over, and no entry has it`);
		// Under a new name, or after a day, a number is found by its reference alone: not by a list that lags.
		const isFound = this.#control.settings().features.reference && !struck.has("reads");
		const isWhole = (id: string) => isFound && isLive(this.#control, id) && !this.#touched.has(id);
		const isNamed = (id: string) => this.#named.has(id);
		this.#wishes?.mustBeHeeded({ state, bought: ids("purchase"), released: ids("release"), isNamed, isWhole });
	}

	/** A number of ours is in no state: the run has named it, or could not tell. */
	#mustBeExplained(id: string, { crashed, errors, said, struck }: Seen): void {
		const isLost = isForgotten(this.#control, id, said, this.#used);
		if (this.#orphans.has(id) && !isLost) return;
		// What a killed run took over is named too, and is the next run's to find.
		const named = crashed ? (said.match(/^.*(only forgot this entry|goes on costing money).*$/gm)?.join() ?? "") : said;
		// What a run lets go, it names.
		const restored = this.#restored.get(id);
		const isUnseen = restored !== undefined && this.#references.isUnseen(restored, struck);
		if (named.includes(id) || isUnseen || isLost) {
			this.#leaked.add(id);
			this.#orphans.delete(id);
			return;
		}
		const isOpen = crashed || struck.has("buyNumber") || errors.some((error) => unknown.test(error));
		must(!this.#references.isHidden(id), () => `${id} is left on the account, and nobody has said so`);
		must(isOpen, () => `${id} is live, in no state, and no run could have missed it`);
		this.#orphans.add(id);
		const { idempotencyKey, reference } = this.#control.settings().features;
		if (struck.has("reads") || !(idempotencyKey && reference)) this.#bought.set(id, this.#replaced);
	}

	/** After an `up` that exited 0, with nothing read anew. */
	settled({ state, program, struck }: Pick<Seen, "state" | "program" | "struck">): void {
		const { trunks, webhooks, numbers } = this.#control.state();
		const outside = this.#outside(state);
		// What a killed run has bought for an entry whose number is gone is found once a refresh has dropped that entry.
		const gone = numbersIn(state).filter(({ id }) => this.#touched.has(id) && !isLive(this.#control, id));
		// Nor is what a killed replacement has bought where lists lagged, or can't tell, while what was to be replaced stands.
		const isUntold = (id: string) => (this.#bought.get(id) ?? []).some((old) => isHeld(state, old));
		const missed = outside.filter((id) => !isUntold(id));
		must(missed.length <= gone.length, () => `${missed} is live and in no state: lost, or bought twice`);
		this.#made.mustBeHeld(state, struck);
		this.#orphans = new Set(outside);
		for (const id of this.#read) if (!this.#references.isTheirs(id)) this.#touched.delete(id);
		for (const id of this.#read) this.#doubted.delete(id);
		this.#read.clear();
		const live = { number: numbers, sipTrunk: trunks, webhook: webhooks };
		for (const each of program) {
			const entry = state.entries.get(each.name);
			must(entry !== undefined, () => `${each.name} is declared and in no state`);
			// Without references nothing tells it from one that is there, as long as reads show it.
			const removedAt = this.#control.settings().features.reference ? undefined : this.#made.removedAt.get(entry.id);
			if (removedAt !== undefined && this.#references.isUnseen(removedAt, struck)) this.ended(entry.id);
			if (this.#touched.has(entry.id)) continue;
			const row = live[each.kind].find(({ id }) => id === entry.id);
			must(row !== undefined, () => `${each.name}: ${entry.id} is not on the account`);
			this.#configuration.mustShow(each, entry, row as unknown as Record<string, unknown>, state);
		}
		this.#trial.count("ups settled");
	}

	/** After a refresh, whatever came of it: what it took out of the state is gone. */
	dropped(before: State, after: State, struck: ReadonlySet<string>): void {
		for (const { id, name, kind } of before.entries.values()) {
			if (after.entries.has(name) || !isLive(this.#control, id) || this.isNews(id, struck)) continue;
			// Of what costs nothing, a minute's lag is too long to wait for.
			if (kind !== "number" && struck.has("late single reads")) continue;
			must(false, () => `${name}: ${id} is live, and a refresh took it out of the state`);
		}
	}

	/** After a refresh that exited 0. */
	refreshed(struck: ReadonlySet<string>): void {
		const changed = new Set([...this.#touched.keys(), ...this.#doubted.keys()]);
		const isSeen = (at: number | undefined) => at === undefined || !this.#references.isUnseen(at, struck);
		this.#read = new Set([...changed].filter((id) => isSeen(this.#touched.get(id)) && isSeen(this.#doubted.get(id))));
	}

	/** After a `destroy` that exited 0. */
	destroyed(state: State): void {
		must(state.entries.size === 0 && state.condemned.size === 0, () => "destroy exited 0, and left entries");
		this.forgo();
	}

	isTheirs = (id: string): boolean => this.#references.isTheirs(id);

	isOurs = (id: string): boolean => !this.#others.has(id);

	/** Somebody else has written the reference of a number that is named. */
	isClaimed = (text: string): boolean => [...text.matchAll(/num_\w+/g)].some(([id]) => this.#references.isTheirs(id));

	/** Live, and out of reach of all programs. */
	leaked(state: State): string[] {
		return this.#ours().filter((id) => this.#leaked.has(id) && !isHeld(state, id));
	}

	/** What nobody has any more, at the very end. */
	leftOver(): string[] {
		return this.#ours().filter((id) => !this.#leaked.has(id) && !this.#references.isTheirs(id));
	}

	// ---- Helpers ------------------------------------------------------------------------------------------------------

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
	#follow(struck: ReadonlySet<string>, theirs?: string): void {
		const rows = this.#control.ledger();
		for (const { kind, number_id: id } of rows.slice(this.#rows)) {
			if (kind !== "release" || id === theirs) continue;
			must(!this.#others.has(id), () => `${id} was released, and somebody else has bought it`);
			this.#references.released(id, this.#unclaimed.has(id), struck);
			must(this.#mayGo.has(id) || this.#named.has(id), () => `${id} was released, and no one asked for it`);
		}
		this.#rows = rows.length;
	}
}
