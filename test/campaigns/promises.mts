/**
 * What a program may rely on, whatever the service and others do: read after each run from the ledger, the service's
 * objects, the state and what the runs have said. What only the history of an object tells, and excuses, is `Known`.
 */
import {
	allIn,
	type Control,
	configuredOn,
	isHeld,
	isLeft,
	isLive,
	isRetained,
	ledgerOf,
	liveIds,
	liveNumbers,
	mustBeClaimedOnce,
	mustBeOurs,
	numbersIn,
	type Seen,
} from "./account.mts";
import { must, type Trial, Violation } from "./campaign.mts";
import { type Entry, objectIn, type State } from "./engine.mts";
import { factsOf, kindNames, type Row, rowsOf } from "./kinds.mts";
import { mayGoIn } from "./oracle.mts";
import { type Declared, isComing, mustBeAsDeclared, type Program } from "./program.mts";
import { Wishes } from "./wishes.mts";

type ReferenceChange = "foreign" | "reference" | "attempt";

/** What somebody else has changed about a number. */
export type Change = ReferenceChange | "label" | "routing" | "status";

const isOfReference = (change: Change): change is ReferenceChange =>
	change === "foreign" || change === "reference" || change === "attempt";

/** Of one object. Times are the service's, ms. */
interface Known {
	/** Somebody else has bought it. */
	theirs?: true;
	/** Others have changed or ended it since a read and a write of ours. */
	touched?: number | undefined;
	/** A run that was killed may have written it, and the state doesn't know. */
	doubted?: number | undefined;
	/** A refresh knows of the two before. */
	read?: boolean;
	/** Released, and back since. */
	restored?: number;
	/** A run of ours has removed it. */
	removed?: number;
	/** What somebody has written into its reference or cleared there, and what still stands as far as is known. */
	mark?: { readonly change: ReferenceChange; readonly value: string | null; readonly at: number } | undefined;
	/** Not ours alone: others, a killed run or the other entry of a replacement may have written it. */
	shared?: true;
	/** Others have configured it, and no reference tells of that: it passes for theirs, unless a key tells. */
	used?: true;
	/** In no state, and nothing will find it again: said by a run, or a known limit. */
	leaked?: boolean;
	/** In no state after a run that couldn't tell: the next `up` that ends well has settled it. */
	orphan?: boolean;
	/** What the run that left it was to replace. */
	instead?: readonly string[];
	/** What others have set of it. All else that it has is the program's. */
	readonly edits: Set<string>;
	/** As killed runs declared it. */
	meant?: readonly Declared[];
	/** Bought by a run that couldn't see the number it was to resume. */
	isUnseen?: true;
	/** Its secret after the last `up` that exited 0, unless something went wrong since. */
	secret?: unknown;
}

/** What is known of a run before it begins. */
interface Begun {
	readonly at: number;
	/** What it may release or remove. */
	readonly mayGo: ReadonlySet<string>;
	/** Numbers that the saved state doesn't retain. */
	readonly unretained: ReadonlySet<string>;
	/** Ids of what it is to replace. */
	readonly replaced: readonly string[];
	/** Ids of the entries. */
	readonly held: ReadonlySet<string>;
	/** Trunks and webhooks that are there. */
	readonly configured: readonly string[];
	readonly wishes: Wishes;
}

/** Errors that leave open what has been bought: the next run of the same program finds out. */
const unknown = /was bought is unknown|has sold|can't be read/;
/** How old something is that the reads of a run can't have shown, at most, ms. */
const longestLag = 60_000;
/** How long a service remembers a key, ms. */
const day = 24 * 3_600_000;

export class Promises {
	readonly #control: Control;
	readonly #trial: Trial;
	readonly #known = new Map<string, Known>();
	/** Rows of the ledger that were seen. */
	#rows = 0;
	#run: Begun;

	constructor(control: Control, trial: Trial) {
		[this.#control, this.#trial] = [control, trial];
		this.#run = this.#begun({ entries: new Map(), condemned: new Set() }, [], []);
	}

	#of(id: string): Known {
		const known = this.#known.get(id) ?? { edits: new Set() };
		this.#known.set(id, known);
		return known;
	}

	#now = (): number => Date.parse(this.#control.clock().now);

	get #offered() {
		return this.#control.settings().features;
	}

	#referenceOf = (id: string): string | null =>
		this.#control.state().numbers.find((row) => row.id === id)?.reference ?? null;

	/** Done so shortly before a run whose reads lagged that they may not have shown it. */
	#isUnseen = (at: number | undefined, struck: ReadonlySet<string>): boolean =>
		at !== undefined && struck.has("reads") && this.#run.at - at < longestLag;

	// ---- Others -------------------------------------------------------------------------------------------------------

	bought(id: string): void {
		this.#of(id).theirs = true;
	}

	/** Somebody changes an object, and what is declared of it. */
	touched(id: string, state: State, change: Change): void {
		this.ended(id);
		const known = this.#of(id);
		known.edits.add(change);
		const isConfigured = change === "label" || change === "routing";
		if (isConfigured && !isHeld(state, id) && !this.#referenceOf(id)) known.used = true;
		if (!isOfReference(change)) return;
		known.mark = { change, value: this.#referenceOf(id), at: this.#now() };
		known.shared = true;
		// What another attempt has left is found by its token.
		if (change !== "attempt" && !isHeld(state, id)) known.leaked = true;
	}

	/** The service has ended it, whoever holds it. */
	ended(id: string): void {
		Object.assign(this.#of(id), { touched: this.#now(), read: false });
	}

	/** What is in no state is a number that nothing names again. */
	restored(id: string, state: State): void {
		this.ended(id);
		this.#of(id).restored = this.#now();
		if (!isHeld(state, id)) this.leave(id);
	}

	/** The ledger shows a release that is not ours. */
	released(id: string): void {
		this.#follow(new Set(), id);
	}

	/** Its entry was taken out of the state by hand. */
	leave(id: string): void {
		this.#of(id).leaked = true;
	}

	/** The program has changed which numbers it stands for: what a run has left open may stay. */
	forgo(): void {
		for (const known of this.#known.values()) if (known.orphan) Object.assign(known, { orphan: false, leaked: true });
	}

	/** Changed by others so shortly before the run that its first reads may not have shown it, and its last ones did. */
	isNews = (id: string, struck: ReadonlySet<string>): boolean => this.#isUnseen(this.#of(id).touched, struck);

	isTouched = (id: string): boolean => this.#of(id).touched !== undefined || this.#of(id).doubted !== undefined;

	isTheirs = (id: string): boolean => this.#of(id).mark?.change === "foreign";

	isOurs = (id: string): boolean => !this.#of(id).theirs;

	/** True if somebody else has written the reference of a named number, or a former resource of this stack holds it. */
	isClaimed = (text: string): boolean =>
		text.includes("is claimed by this stack") || [...text.matchAll(/num_\w+/g)].some(([id]) => this.isTheirs(id));

	// ---- Runs ---------------------------------------------------------------------------------------------------------

	before(state: State, program: Program, replace: readonly string[] = []): void {
		// What is taken over gets a new secret, as nobody knows the old one.
		if (replace.length > 0) this.#forgetSecrets();
		this.#run = this.#begun(state, program, replace);
		// The old entry of a replacement doesn't know what the new one writes; nor do two that have one object.
		const all = allIn(state);
		const twice = all.filter((one) => all.some((each) => each !== one && each.id === one.id));
		for (const { id } of [...state.condemned, ...twice]) this.#of(id).shared = true;
		for (const id of this.#run.replaced) this.#of(id).shared = true;
	}

	#begun(state: State, program: Program, replace: readonly string[]): Begun {
		return {
			at: this.#now(),
			mayGo: mayGoIn(state, program, replace),
			unretained: new Set(numbersIn(state).flatMap((entry) => (isRetained(entry) ? [] : [entry.id]))),
			replaced: replace.flatMap((name) => state.entries.get(name)?.id ?? []),
			held: new Set(allIn(state).map(({ id }) => id)),
			configured: configuredOn(this.#control),
			wishes: new Wishes(state, program),
		};
	}

	#forgetSecrets(): void {
		for (const known of this.#known.values()) delete known.secret;
	}

	/** After each run, whatever came of it. */
	after(seen: Seen): void {
		const { state, crashed, said, struck } = seen;
		this.#mustKeepConfigured();
		this.#doubt(seen);
		if (crashed) for (const id of liveIds(this.#control)) this.#of(id).shared = true;
		// Such a read shows what this entry itself has written over since.
		else if (!struck.has("late reads")) this.#mustNameOthersOnly(said);
		const rows = this.#control.ledger().slice(this.#rows);
		for (const { kind, number_id: id } of rows) if (kind === "port") this.bought(id);
		this.#follow(struck);
		this.#mustBeOnce(rows, struck);
		this.#followMarks(struck);
		this.#mustKeepWord(seen);
		this.#forgetLeftSecrets();
		for (const { id } of numbersIn(state)) {
			const known = this.#of(id);
			known.orphan = false;
			// What somebody has restored may stand in the place of what a killed run has bought and not claimed.
			if (known.leaked && known.restored !== undefined) this.forgo();
			known.leaked = false;
		}
		for (const id of this.#outside(state)) this.#mustBeExplained(id, seen);
	}

	/**
	 * Each declaration has one number, unless somebody restored another, or the run that bought the second one couldn't see the first:
	 * somebody had overwritten its reference, or a lagging list showed it as it was before it was replaced or left.
	 */
	#mustBeOnce(rows: readonly { kind: string; number_id: string }[], struck: ReadonlySet<string>): void {
		const { replaced } = this.#run;
		const isStale = replaced.length > 0 || liveNumbers(this.#control).some(({ reference }) => isLeft(reference));
		const isOverwritten = replaced.some((id) => this.#of(id).mark?.change === "reference");
		if ((struck.has("reads") && isStale) || isOverwritten)
			for (const { kind, number_id: id } of rows) if (kind === "purchase") this.#of(id).isUnseen = true;
		const isExcused = ({ restored, isUnseen }: Known) => restored !== undefined || isUnseen === true;
		if (!struck.has("reads")) mustBeClaimedOnce(this.#control, (id) => isExcused(this.#of(id)));
	}

	/** The state that knew the secret of a left trunk is gone, so the next run makes another. */
	#forgetLeftSecrets(): void {
		for (const kind of kindNames)
			for (const { id, reference } of rowsOf(this.#control.state(), kind))
				if (isLeft(reference)) delete this.#of(id).secret;
	}

	/** Trunks and webhooks go only where that was asked for. */
	#mustKeepConfigured(): void {
		const left = configuredOn(this.#control);
		for (const id of this.#run.configured.filter((each) => !left.includes(each))) {
			must(this.#run.mayGo.has(id), () => `${id} was removed, and no one asked for it`);
			this.#of(id).removed = this.#now();
		}
	}

	/** Only a refresh can tell what a run that was killed has written, and what it has removed. */
	#doubt({ state, program, crashed, errors, struck }: Seen): void {
		for (const entry of state.entries.values()) {
			const [id, name] = [objectIn(entry), entry.name];
			const known = this.#of(id);
			const declared = program.find((each) => each.name === name);
			if (crashed) Object.assign(known, { doubted: this.#now(), read: false });
			if (crashed && declared !== undefined) known.meant = [...(known.meant ?? []), declared];
			// Where two entries had it, one of a replacement, the failed run may have removed it by the other.
			if ((crashed || errors.length > 0) && !isLive(this.#control, id)) this.ended(id);
		}
		if (crashed || struck.size > 0) this.#forgetSecrets();
	}

	/** A run says that somebody else has written something: somebody has. */
	#mustNameOthersOnly(said: string): void {
		const all = liveIds(this.#control);
		for (const line of said.split("\n")) {
			if (!/\[telephony:(reference-cleared|another-attempt)\]/.test(line)) continue;
			const id = all.find((each) => line.includes(each));
			must(
				id === undefined || this.#of(id).shared === true,
				() => `nobody but this state has written ${id}: ${line.trim()}`,
			);
		}
	}

	/** `theirs` has been released by somebody else just now. What others have written is not released. */
	#follow(struck: ReadonlySet<string>, theirs?: string): void {
		const rows = this.#control.ledger();
		for (const { kind, number_id: id } of rows.slice(this.#rows)) {
			if (kind !== "release" || id === theirs) continue;
			const { mark, theirs: isTheirs } = this.#of(id);
			must(!isTheirs, () => `${id} was released, and somebody else has bought it`);
			const stands = mark !== undefined && this.#referenceOf(id) === mark.value && !this.#isUnseen(mark.at, struck);
			// A number whose reference was cleared is still this state's.
			must(
				!stands || mark.change === "reference",
				() => `${id} was released, though its reference was changed by others: ${mark?.change}`,
			);
			// A replacement doesn't find a number whose reference was cleared, and ends it as the saved state says.
			const isLost = mark?.change === "reference" && this.#run.unretained.has(id);
			must(this.#run.mayGo.has(id) || isLost, () => `${id} was released, and the saved state says otherwise`);
		}
		this.#rows = rows.length;
	}

	/** What somebody else has claimed stays so; what was ours may have been taken back. */
	#followMarks(struck: ReadonlySet<string>): void {
		for (const [id, known] of this.#known) {
			const { mark } = known;
			if (mark === undefined || this.#referenceOf(id) === mark.value) continue;
			must(
				mark.change !== "foreign" || this.#isUnseen(mark.at, struck),
				() => `${id}: the reference of somebody else was overwritten`,
			);
			known.mark = undefined;
		}
	}

	/** What is said to be resumed is, and each declaration keeps its number. */
	#mustKeepWord({ state, crashed, said, struck }: Seen): void {
		const kept = said.matchAll(/Kept number .*?\((num_\w+)\): this program still declares it/g);
		for (const [, id = ""] of crashed ? [] : kept)
			must(isHeld(state, id), () => `${id} is said to be resumed, and no entry has it`);
		// Under a new name, or after a day, a number is found by its reference alone: not by a list that lags.
		const isFound = this.#offered.reference && !struck.has("reads");
		const isWhole = (id: string) => isFound && isLive(this.#control, id) && this.#of(id).touched === undefined;
		this.#mustBeAdopted(state);
		this.#run.wishes.mustBeHeeded(state, isWhole);
	}

	/** What a program adopts is the number that it names, and is never bought. */
	#mustBeAdopted(state: State): void {
		const { numbers } = this.#control.state();
		const bought = ledgerOf(this.#control, "purchase");
		for (const entry of numbersIn(state)) {
			const { adopt } = entry.inputs;
			const id = objectIn(entry);
			if (adopt === undefined || isComing(entry.outputs)) continue;
			must(!bought.includes(id), () => `${entry.name}: ${id} was bought, and ${adopt} was to be adopted`);
			const row = numbers.find((each) => each.id === id);
			must(row?.number === adopt, () => `${entry.name}: it has ${row?.number} (${id}), and adopts ${adopt}`);
		}
	}

	/** A number of ours is in no state: the run has named it, or could not tell. */
	#mustBeExplained(id: string, { crashed, errors, said, struck }: Seen): void {
		const known = this.#of(id);
		const isLost = this.#isForgotten(id, said);
		if (known.orphan && !isLost) return;
		// A killed run also names what it resumed, and the next run finds that.
		const named = crashed ? (said.match(/^.*(Left number|Kept number).*$/gm)?.join() ?? "") : said;
		// What a run lets go, it names.
		if (named.includes(id) || this.#isUnseen(known.restored, struck) || isLost) {
			Object.assign(known, { leaked: true, orphan: false });
			return;
		}
		// No create finds it again; another attempt's it does, by the token.
		const isHidden = known.mark !== undefined && known.mark.change !== "attempt";
		must(!isHidden, () => `${id} is left on the account, and nobody has said so`);
		const isOpen = crashed || struck.has("buyNumber") || errors.some((error) => unknown.test(error));
		must(isOpen, () => `${id} is live, in no state, and no run could have missed it`);
		known.orphan = true;
		const isTold = this.#offered.idempotencyKey && this.#offered.reference;
		if (struck.has("reads") || !isTold) known.instead = this.#run.replaced;
	}

	/** Bought, and never claimed while the key knew of it: a purchase that comes later can only name it. */
	#isForgotten(id: string, said: string): boolean {
		const { idempotencyKey, reference } = this.#offered;
		const row = this.#control.state().numbers.find((each) => each.id === id);
		if (row === undefined) return false;
		if (this.#now() - Date.parse(row.created_at) <= (idempotencyKey ? day : 0)) return false;
		// What is configured passes for somebody's where nothing says whose it is.
		if (this.#of(id).used || (!reference && (row.label || row.routing))) return true;
		return said.split("\n").some((line) => line.includes("which nothing uses") && line.includes(id));
	}

	/** After an `up` that exited 0, with nothing read anew. */
	settled({ state, program, struck }: Pick<Seen, "state" | "program" | "struck">): void {
		const outside = this.#outside(state);
		// What a killed run has bought for an entry whose number is gone is found once a refresh has dropped that entry.
		const gone = numbersIn(state).filter(({ id }) => this.#of(id).touched !== undefined && !isLive(this.#control, id));
		// Nor is what a killed replacement has bought where lists lagged, or can't tell, while what was to be replaced stands.
		const missed = outside.filter((id) => !this.#of(id).instead?.some((old) => isHeld(state, old)));
		must(missed.length <= gone.length, () => `${missed} is live and in no state: lost, or bought twice`);
		this.#mustHoldMade(state, struck);
		for (const [id, known] of this.#known) {
			known.orphan = false;
			if (!known.read) continue;
			if (!this.isTheirs(id)) known.touched = undefined;
			Object.assign(known, { doubted: undefined, read: false });
		}
		for (const id of outside) this.#of(id).orphan = true;
		for (const each of program) this.#mustStand(each, state, struck);
		this.#trial.count("ups settled");
	}

	/** What an `up` has made is the state's, where the service can tell, and reads don't lag long. */
	#mustHoldMade(state: State, struck: ReadonlySet<string>): void {
		if (struck.has("late reads") || !(this.#offered.idempotencyKey && this.#offered.reference)) return;
		const held = new Set(allIn(state).map(({ id }) => id));
		for (const id of configuredOn(this.#control))
			must(this.#run.configured.includes(id) || held.has(id), () => `${id} was made, and is in no state: made twice`);
	}

	/** It is there, and as it is declared. */
	#mustStand(each: Declared, state: State, struck: ReadonlySet<string>): void {
		const entry = state.entries.get(each.name);
		must(entry !== undefined, () => `${each.name} is declared and in no state`);
		const id = objectIn(entry);
		if (isComing(entry.outputs)) {
			must(each.args.waitForActive === false, () => `${each.name}: up was to wait for ${id}`);
			return;
		}
		// Without references nothing tells it from one that is there, as long as reads show it.
		if (!this.#offered.reference && this.#isUnseen(this.#of(id).removed, struck)) this.ended(id);
		if (this.#of(id).touched !== undefined || this.#isEnding(id)) return;
		const row = rowsOf(this.#control.state(), each.kind).find((shown) => shown.id === id);
		must(row !== undefined, () => `${each.name}: ${id} is not on the account`);
		const known = this.#of(id);
		if (this.#offered.reference && known.doubted === undefined) delete known.meant;
		try {
			this.#mustShow(each, entry, row, state);
		} catch (error) {
			// What a killed run has set beyond the state is found by the next refresh only, and never without references.
			if (!known.meant?.some((meant) => this.#shows(meant, entry, row, state))) throw error;
		}
	}

	/** A `destroy` that was killed has cancelled it: it stands until the carriers have agreed. */
	#isEnding(id: string): boolean {
		const order = this.#control.state().portOrders.find((each) => each.id === id);
		return order?.status === "cancel_pending" && this.#run.held.has(id);
	}

	#shows(each: Declared, entry: Entry, row: Row, state: State): boolean {
		try {
			this.#mustShow(each, entry, row, state);
			return true;
		} catch (error) {
			if (error instanceof Violation) return false;
			throw error;
		}
	}

	#mustShow(each: Declared, entry: Entry, row: Row, state: State): void {
		const known = this.#of(row.id);
		const isCertain = known.doubted === undefined;
		if (this.#offered.reference && isCertain) mustBeOurs(entry, row.reference);
		if (isCertain) this.#mustKeepSecret(each, entry, row);
		mustBeAsDeclared(each, row, state, known.edits);
	}

	/** The state's is the service's, and only a rotation makes another: no life asks for one. */
	#mustKeepSecret({ kind, name }: Declared, { id, outputs }: Entry, row: Row): void {
		const { secretOf } = factsOf(kind);
		if (secretOf === undefined) return;
		const [secret, before] = [secretOf(row), this.#of(id).secret];
		must((outputs.secret ?? outputs.password) === secret, () => `${name}: the state's secret is not the service's`);
		must(
			before === undefined || before === secret,
			() => `${name}: it has got another secret, and nobody asked for it`,
		);
		this.#of(id).secret = secret;
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
		for (const [id, known] of this.#known)
			known.read =
				this.isTouched(id) && !this.#isUnseen(known.touched, struck) && !this.#isUnseen(known.doubted, struck);
	}

	/** After a `destroy` that exited 0. Retained numbers are left, for any stack to adopt. */
	destroyed(state: State, before: State): void {
		must(allIn(state).length === 0, () => "destroy exited 0, and left entries");
		for (const entry of numbersIn(before).filter(isRetained)) {
			const id = objectIn(entry);
			const { mark, shared } = this.#of(id);
			const isOther = !this.#offered.reference || mark !== undefined || shared === true || !isLive(this.#control, id);
			must(
				isOther || isLeft(this.#referenceOf(id)),
				() => `${id} is retained, and its reference doesn't say that it is left`,
			);
		}
		this.forgo();
	}

	/** Live, and out of reach of all programs. */
	leaked(state: State): string[] {
		return this.#ours().filter((id) => this.#of(id).leaked && !isHeld(state, id));
	}

	/** What nobody has any more, at the very end. */
	leftOver(): string[] {
		return this.#ours().filter((id) => !this.#of(id).leaked && !this.isTheirs(id));
	}

	#ours(): string[] {
		return liveNumbers(this.#control).flatMap(({ id }) => (this.#of(id).theirs ? [] : [id]));
	}

	/** Live, ours, and in no state, unless that is known already. */
	#outside(state: State): string[] {
		const held = new Set(numbersIn(state).map(({ id }) => id));
		return this.#ours().filter((id) => !held.has(id) && !this.#of(id).leaked);
	}
}
