/** The real side of the lifecycle campaign: a service and a stack, what becomes of them, and what must hold between them. */
import { allIn, type Control, type Emulator, liveIds, writes } from "./account.mts";
import { must, type Trial } from "./campaign.mts";
import { type Entry, objectIn, type State } from "./engine.mts";
import { Filings } from "./filings.mts";
import { end, type Kind, kindNames, rowsOf } from "./kinds.mts";
import { type Decision, Others } from "./others.mts";
import { portNumbers } from "./papers.mts";
import { type Declared, isComing, nextGeneration, type Program, relinked } from "./program.mts";
import { Promises } from "./promises.mts";
import type { Crash, Stack, UpOptions } from "./stack.mts";
import { claimed, isRightlyAsked, judge } from "./verdict.mts";
import { fair, strike, type Weather } from "./weather.mts";

/** The pure model: what is declared. */
export interface Model {
	program: Program;
	/** Names given so far. */
	count: number;
	/** Names given by `aliases` since the last `up` that ended well. */
	readonly renamed: Set<string>;
	/** Names that resources of the program once had. */
	readonly former: Map<string, Kind>;
}

/** Another resource under a new name stands for the same: without `aliases`, as far as the engine can tell. */
export function declareInPlace(model: Model, { kind, name }: Declared): void {
	const next = `${kind}${model.count++}`;
	model.former.set(name, kind);
	// The old order has its numbers until it is cancelled.
	const own = kind === "portOrder" ? portNumbers(model.count++) : {};
	model.program = model.program.map((each) => ({
		...relinked(each, name, next),
		...(each.name === name ? { name: next, args: { ...each.args, ...own } } : {}),
	}));
}

/** Its order has brought them already, and nothing remembers it. */
const taken = /^(\w+): .*is on this account already/;

export interface Up extends Omit<UpOptions, "waiting"> {
	/** By the service, while the run waits. */
	readonly decided?: Decision | undefined;
	readonly weather?: Weather;
}

/** "Remove one of the two": the resource state of the one that didn't complain. */
function sharing(error: string, { entries }: State): Entry[] {
	const [, complains, shared] =
		/^(\w+): .*?\((\w+)\) belongs to another resource of this program too/.exec(error) ?? [];
	return [...entries.values()].filter(({ id, name }) => id === shared && name !== complains);
}

/** What the service alone changes. */
const computed =
	/^[^:]+: ((status|kyc|foundId|activatedAt|reconciling|monthlyPrice|reasons|decidedAt|scheduledAt|exceptions|numberIds|submittedAt|completedAt)(, )?)+$/;

/** The names and ids that a state has. */
const shapeOf = (state: State): string =>
	allIn(state)
		// A number that is still being ported has no object that could be lost.
		.filter(({ id }) => !id.startsWith("+"))
		.map(({ name, id }) => `${name} ${id}`)
		.sort()
		.join(", ");

/** What the service says only to changes of what it has looked at. */
const locked = /^(\w+): (The KYC profile|Port order) .*(kyc_profile_locked|port_in_progress)/s;

export class World {
	readonly #control: Control;
	readonly #wrong: Control | undefined;
	readonly #stack: Stack;
	readonly #trial: Trial;
	readonly #promises: Promises;
	readonly #filings: Filings;
	readonly others: Others;
	/** The last run but refreshes was an `up` that exited 0. */
	#isSettled = false;

	/** `wrong`: an account that has nothing of this stack. */
	constructor(emulator: Emulator, stack: Stack, trial: Trial, wrong?: Emulator) {
		[this.#control, this.#stack, this.#trial, this.#wrong] = [emulator.control, stack, trial, wrong?.control];
		this.#promises = new Promises(emulator.control, trial);
		this.#filings = new Filings(emulator.control);
		this.others = new Others(emulator, stack, trial, this.#promises);
	}

	say(line: string): void {
		this.#trial.say(line);
	}

	/** The program stands for other numbers from now on. */
	changed(): void {
		this.#promises.forgo();
	}

	async up(model: Model, { decided, weather = fair, ...asked }: Up = {}): Promise<readonly string[]> {
		const { program } = model;
		this.#isSettled = false;
		// Without references, only another replacement finds what one that was killed has bought: a known limit.
		const isLost = asked.crash !== undefined && !this.#control.settings().features.reference;
		const options = isLost ? { ...asked, replace: [] } : asked;
		const old = await this.#stack.state();
		this.#promises.before(old, program, options.replace);
		this.#filings.before(old, options.replace);
		let looks = 0;
		const waiting = () => {
			looks += 1;
			if (decided !== undefined && looks >= 3) this.others.decideAll(decided);
		};
		const calm = strike(this.#control, weather, this.#trial);
		const { crashed, errors, said } = await this.#stack.up(program, { ...options, waiting });
		const struck = calm();
		for (const error of errors) this.say(`  error: ${error}`);
		const state = await this.#stack.state();
		this.#promises.after({ state, program, crashed, errors, said, struck });
		this.#filings.after(state, said, !crashed && errors.length === 0);
		const failed = struck.size > 0 ? "ups failed" : "ups with errors";
		this.#trial.count(crashed ? "ups crashed" : errors.length > 0 ? failed : "ups done");
		if (crashed) return errors;
		if (struck.size === 0) judge(this.#control, this.#promises, errors, state);
		if (errors.length > 0) return errors;
		model.renamed.clear();
		await this.#settled(state, program, struck);
		return errors;
	}

	async refresh(weather: Weather = fair): Promise<void> {
		const state = await this.#stack.state();
		this.#promises.before(state, []);
		const before = writes(this.#control);
		const calm = strike(this.#control, weather, this.#trial);
		const old = { ...state, entries: new Map(state.entries) };
		const { errors, changed, said } = await this.#stack.refresh();
		const struck = calm();
		this.say(`  ${[...changed, ...errors].join("; ") || "nothing changed"}`);
		must(writes(this.#control) === before, () => "a refresh wrote");
		this.#promises.after({
			state: await this.#stack.state(),
			program: [],
			crashed: false,
			errors,
			said,
			struck,
		});
		this.#promises.dropped(old, await this.#stack.state(), struck);
		if (this.#isSettled && !struck.has("late reads")) {
			const left = this.#unasked(old, changed);
			must(left.length === 0, () => `a refresh of what is settled: ${left.join("; ")}`);
		} else this.#isSettled = false;
		if (struck.size === 0) {
			const wrong = errors.filter((error) => !isRightlyAsked(this.#control, error));
			must(wrong.length === 0, () => `refresh failed: ${wrong.join("; ")}`);
		}
		if (errors.length === 0) this.#promises.refreshed(struck);
		else if (struck.size === 0 && !this.#stack.allGone) await this.#allGone(() => this.refresh());
	}

	/** Live, and in no state. */
	async looseOf(kind: Kind): Promise<number> {
		const held = new Set(allIn(await this.#stack.state()).map(({ id }) => id));
		return rowsOf(this.#control.state(), kind).filter(({ id }) => !held.has(id)).length;
	}

	/** After a killed run: what that has made is this one's, and isn't made once more. */
	async upHolding(model: Model, kind: Kind, loose: number): Promise<void> {
		const errors = await this.up(model);
		const now = await this.looseOf(kind);
		must(
			errors.length > 0 || now <= loose,
			() => `${kind}: ${now} are in no state, and ${loose} were: one was made twice`,
		);
	}

	/** As the error says that asks whether the account is the right one. */
	async #allGone<T>(work: () => Promise<T>): Promise<T> {
		this.say("  TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes");
		this.#stack.allGone = true;
		return work().finally(() => {
			this.#stack.allGone = false;
		});
	}

	async destroy({
		crash,
		weather = fair,
	}: {
		crash?: Crash | undefined;
		weather?: Weather;
	} = {}): Promise<readonly string[]> {
		this.#isSettled = false;
		const old = await this.#stack.state();
		const before = { entries: new Map(old.entries), condemned: new Set(old.condemned) };
		this.#promises.before(before, []);
		const calm = strike(this.#control, weather, this.#trial);
		const { crashed, errors, said } = await this.#stack.destroy(crash);
		const struck = calm();
		for (const error of errors) this.say(`  error: ${error}`);
		const state = await this.#stack.state();
		this.#promises.after({ state, program: [], crashed, errors, said, struck });
		if (!crashed && struck.size === 0) judge(this.#control, this.#promises, errors, state);
		const isDone = !crashed && errors.length === 0;
		if (isDone) this.#promises.destroyed(state, before);
		this.#trial.count(isDone ? "destroys done" : "destroys failed");
		return crashed ? ["crashed"] : errors;
	}

	/** A run with another account's key buys, makes and forgets nothing. */
	async astray({ program }: Model, what: "up" | "refresh" | "destroy"): Promise<void> {
		const before = shapeOf(await this.#stack.state());
		if (before === "" || this.#wrong === undefined) return;
		this.#isSettled = false;
		this.#stack.isAstray = true;
		const run = what === "up" ? this.#stack.up(program, {}) : this.#stack[what]();
		const { errors } = await run.finally(() => {
			this.#stack.isAstray = false;
		});
		for (const error of errors) this.say(`  error: ${error}`);
		this.#trial.count(`on another account: ${what}`);
		const made = [...liveIds(this.#wrong), ...this.#wrong.ledger()];
		must(made.length === 0, () => `${what} on another account made ${JSON.stringify(made)}`);
		const after = shapeOf(await this.#stack.state());
		must(before === after, () => `${what} on another account: the state had ${before}, and has ${after}`);
	}

	pass(ms: number): void {
		this.#stack.pass(ms);
	}

	rename(from: string, to: string): void {
		this.#stack.rename(from, to);
		this.changed();
	}

	/** Papers in order and fair weather, and everything comes true; then everything goes. */
	async finish(model: Model): Promise<void> {
		this.say("finish");
		this.#control.kyc("immediate");
		this.others.decideAll("approve");
		this.others.decideProfiles("approve");
		this.others.completePorts();
		let errors = await this.up(model);
		await this.refresh();
		await this.#tidy();
		for (let round = 0; round < 4; round++) {
			await this.#heed(errors, model);
			const isAsked = errors.some((error) => error.includes("TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes"));
			errors = await (isAsked ? this.#allGone(() => this.up(model)) : this.up(model));
			if (errors.length === 0) break;
			await this.refresh();
		}
		must(errors.length === 0, () => `not settled after all: ${errors.join("; ")}`);
		// What errors and warnings have named is released by hand.
		for (const id of this.#promises.leaked(await this.#stack.state())) this.others.releaseNow(id);
		let refused = await this.destroy();
		for (let round = 0; round < 3 && refused.length > 0; round++) {
			await this.#heed(refused, model);
			refused = await this.destroy();
		}
		must(refused.length === 0, () => `a destroy fails for ever: ${refused.join("; ")}`);
		const alive = this.#promises.leftOver();
		must(alive.length === 0, () => `left after a destroy: ${alive}`);
	}

	/** Does what errors ask for. */
	async #heed(errors: readonly string[], model: Model): Promise<void> {
		const state = await this.#stack.state();
		const declared = new Set(model.program.map(({ name }) => name));
		for (const error of errors) {
			this.#declareAnew(error, model);
			for (const entry of sharing(error, state)) await this.#stack.forget(entry);
			this.#clearAccount(error, state, declared);
		}
	}

	#clearAccount(error: string, state: State, declared: ReadonlySet<string>): void {
		if (error.includes("Release all but one"))
			for (const id of this.#promises.leaked(state)) this.others.releaseNow(id);
		const users = /Point the numbers that use this \w+ .*? first\. They are (.*)/.exec(error)?.[1];
		if (users !== undefined) this.others.detach(users);
		// The numbers of an order that is being cancelled are free a little later.
		if (error.includes("number_not_portable")) this.#stack.pass(2 * 3_600_000);
		// A number that may be this resource's, and that nobody needs here.
		const doubtful = error.includes("It may be") ? (error.match(/num_\w+/g) ?? []) : [];
		for (const id of new Set(doubtful)) this.others.giveAway(id, state, declared);
	}

	/** What the program says instead, where an error asks for it. */
	#declareAnew(error: string, model: Model): void {
		const edit = (change: (each: Declared) => Declared["args"]) => {
			model.program = model.program.map((each) => (each.kind === "number" ? { ...each, args: change(each) } : each));
		};
		// Nothing replaces the very number that is named.
		const adopts = ({ name, args }: Declared) => args.adopt !== undefined && error.startsWith(`${name}: `);
		if (model.program.some(adopts)) {
			model.program = model.program.filter((each) => !adopts(each));
			return;
		}
		const refused = (locked.exec(error) ?? taken.exec(error))?.[1];
		const changed = model.program.find(({ name }) => name === refused);
		if (changed !== undefined) declareInPlace(model, changed);
		if (claimed.test(error)) {
			this.changed();
			edit(({ name, args }) => (error.includes(name) ? nextGeneration(args) : args));
		}
	}

	/** "Release all but one": what lists that lag have made twice costs nothing. */
	async #tidy(): Promise<void> {
		const { entries } = await this.#stack.state();
		const held = new Set([...entries.values()].map(({ id }) => id));
		const account = this.#control.state();
		for (const kind of kindNames)
			if (kind !== "number")
				for (const { id, status } of rowsOf(account, kind))
					if (!held.has(id) && status !== "completed") end(this.#control, kind, id);
	}

	async #settled(state: State, program: Program, struck: ReadonlySet<string>): Promise<void> {
		this.#promises.settled({ state, program, struck });
		const before = writes(this.#control);
		const isNews = (step: string) =>
			[...state.entries.values()].some(
				(entry) =>
					step === `update ${entry.name}` &&
					// Each run shows how far an order is, and what it is to bring.
					(this.#promises.isNews(objectIn(entry), struck) ||
						isComing(entry.outputs) ||
						(entry.kind === "portOrder" && entry.outputs.status !== "completed")),
			);
		const steps = (await this.#stack.preview(program)).filter((step) => !isNews(step));
		must(steps.length === 0, () => `a preview after an up that exited 0: ${steps.join("; ")}`);
		const { changed, errors } = await this.#stack.drift();
		// A killed destroy may have removed all that proves whose account it is.
		const wrong = errors.filter((error) => !isRightlyAsked(this.#control, error));
		must(wrong.length === 0, () => `drift failed: ${wrong.join("; ")}`);
		const left = this.#unasked(state, changed);
		must(left.length === 0, () => `drift after an up that exited 0: ${left.join("; ")}`);
		must(writes(this.#control) === before, () => "a preview or a drift wrote");
		this.#isSettled = true;
	}

	/** Those of the changes that nobody has made. */
	#unasked(state: State, changed: readonly string[]): string[] {
		const isTouched = (line: string) =>
			[...state.entries.values()].some(
				(entry) => line.startsWith(entry.name) && this.#promises.isTouched(objectIn(entry)),
			);
		return changed.filter((line) => !isTouched(line) && !computed.test(line));
	}
}
