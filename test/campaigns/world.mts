/** The real side of the lifecycle campaign: a service and a stack, what becomes of them, and what must hold between them. */
import { must, type Trial, Violation } from "./campaign.mts";
import type { Entry, State } from "./engine.mts";
import { type Control, type Emulator, type FaultRequest, liveNumbers, writes } from "./oracle.mts";
import type { Program } from "./program.mts";
import { Promises } from "./promises.mts";
import { fair, strike, type Weather } from "./weather.mts";

/** The pure model: what is declared. */
export interface Model {
	program: Program;
	/** Names given so far. */
	count: number;
	/** Since the last `up` that came to its end. */
	renamed?: boolean;
}

export interface Crash {
	/** At whichever comes first. */
	readonly operations: readonly FaultRequest["operation"][];
	readonly nth: number;
	readonly phase: "before" | "after";
}

export type Decision = "approve" | "reject" | "expire";

export interface UpOptions {
	readonly crash?: Crash | undefined;
	readonly replace?: readonly string[];
	readonly parallel?: number;
	/** Called again and again while the run goes on. */
	readonly waiting?: () => void;
}

/** How a run ended; the errors of one that crashed are nobody's. */
export interface Outcome {
	readonly crashed: boolean;
	readonly errors: readonly string[];
	/** Warnings and errors. */
	readonly said: string;
}

/** What a refresh found changed, by the resource's name where that is told. */
export interface Refreshed extends Outcome {
	readonly changed: readonly string[];
}

/** A state, and an engine that works on it: ours in this process, or the CLI. */
export interface Stack {
	state(): Promise<State>;
	up(program: Program, options: UpOptions): Promise<Outcome>;
	refresh(): Promise<Refreshed>;
	/** The same without a change of the state. */
	drift(): Promise<Refreshed>;
	destroy(crash?: Crash): Promise<Outcome>;
	/** What an up would do. */
	preview(program: Program): Promise<readonly string[]>;
	/** `pulumi state delete`. */
	forget(entry: Entry): Promise<void>;
	/** As `aliases` do. */
	rename(from: string, to: string): void;
}

interface Up extends Omit<UpOptions, "waiting"> {
	/** By the service, while the run waits. */
	readonly decided?: Decision | undefined;
	readonly weather?: Weather;
}

/** What a run may say where nothing went wrong but what others did, or the program asks for what it may not have. */
const expected = new RegExp(
	[
		"not active yet|will not become active|removed outside Pulumi|waits for|is gone:",
		"claimed|only forgot|Kept (number|trunk|webhook)|was not released: this run has bought|says that the old number may go",
		"allowReplacement|may belong to a stack that was renamed|route them elsewhere first",
		"Several \\w+ on the account belong to this resource",
	].join("|"),
);

/** What the service alone changes. */
const computed = /^[^:]+: ((status|kyc|activatedAt|reconciling|monthlyPrice)(, )?)+$/;

/** What only another generation helps against, or another owner. */
const lost = /claimed by another|another one has claimed it since/;

export class World {
	readonly #emulator: Emulator;
	readonly #control: Control;
	readonly #stack: Stack;
	readonly #trial: Trial;
	readonly #promises: Promises;
	/** What must not be refused twice: `up` again is the documented way. */
	#refused = new Set<string>();
	#hasCrashed = false;

	constructor(emulator: Emulator, stack: Stack, trial: Trial) {
		[this.#emulator, this.#control, this.#stack, this.#trial] = [emulator, emulator.control, stack, trial];
		this.#promises = new Promises(emulator.control, trial);
	}

	say(line: string): void {
		this.#trial.say(line);
	}

	/** The program stands for other numbers from now on. */
	changed(): void {
		this.#promises.forgo();
	}

	async up(model: Model, { decided, weather = fair, ...options }: Up = {}): Promise<readonly string[]> {
		const { program } = model;
		this.#promises.before(await this.#stack.state(), program);
		let looks = 0;
		const waiting = () => {
			looks += 1;
			if (decided !== undefined && looks >= 3) this.#decideAll(decided);
		};
		const sold = this.#sold();
		const calm = strike(this.#control, weather, this.#trial);
		const { crashed, errors, said } = await this.#stack.up(program, { ...options, waiting });
		const struck = calm();
		for (const error of errors) this.say(`  error: ${error}`);
		const state = await this.#stack.state();
		this.#promises.after({ state, program, crashed, errors, said, struck });
		this.#trial.count(
			crashed ? "ups crashed" : errors.length > 0 ? (struck.size > 0 ? "ups failed" : "ups with errors") : "ups done",
		);
		this.#hasCrashed = crashed;
		if (crashed) return errors;
		model.renamed = false;
		if (struck.size === 0) this.#judge(errors);
		if (struck.size === 0) this.#once(errors, this.#sold() > sold);
		if (errors.length === 0) await this.#settled(state, program);
		return errors;
	}

	async refresh(weather: Weather = fair): Promise<void> {
		const state = await this.#stack.state();
		this.#promises.before(state, []);
		const before = writes(this.#control);
		const calm = strike(this.#control, weather, this.#trial);
		const { errors, changed, said } = await this.#stack.refresh();
		const struck = calm();
		this.say(`  ${[...changed, ...errors].join("; ") || "nothing changed"}`);
		// What a killed run has sent may still arrive.
		must(this.#hasCrashed || writes(this.#control) === before, () => "a refresh wrote");
		// What is young may be missing from reads that lag: an `up` asks under its key.
		this.#promises.after({
			state: await this.#stack.state(),
			program: [],
			crashed: struck.size > 0,
			errors,
			said,
			struck,
		});
		if (struck.size === 0) must(errors.length === 0, () => `refresh failed: ${errors.join("; ")}`);
		if (errors.length === 0) this.#promises.refreshed();
	}

	async destroy({ crash, weather = fair }: { crash?: Crash | undefined; weather?: Weather } = {}): Promise<boolean> {
		this.#promises.before(await this.#stack.state(), []);
		const calm = strike(this.#control, weather, this.#trial);
		const { crashed, errors, said } = await this.#stack.destroy(crash);
		const struck = calm();
		for (const error of errors) this.say(`  error: ${error}`);
		const state = await this.#stack.state();
		this.#promises.after({ state, program: [], crashed, errors, said, struck });
		if (!crashed && struck.size === 0) this.#judge(errors);
		const isDone = !crashed && errors.length === 0;
		if (isDone) this.#promises.destroyed(state);
		this.#trial.count(isDone ? "destroys done" : "destroys failed");
		return isDone;
	}

	rename(from: string, to: string): void {
		this.#stack.rename(from, to);
		this.changed();
	}

	async edit(which: number, what: "label" | "routing" | "reference" | "foreign"): Promise<void> {
		const row = this.#pick(liveNumbers(this.#control), which);
		if (row === undefined) return;
		const patch = {
			label: { label: `edited ${which}` },
			reference: { reference: null },
			// Written by a run that the state knows nothing of: a text of somebody else's would make the number theirs.
			foreign: { reference: row.reference?.replace(/[^.]+$/, `attempt${which}`) ?? null },
			routing: { routing: { type: "sip_uri" as const, uri: "sip:a@elsewhere.example" } },
		}[what];
		this.say(`  ${row.id}`);
		this.#trial.count(`edits of ${what}`);
		this.#control.patchNumber(row.id, patch);
		this.#promises.touched(row.id, await this.#stack.state(), what);
	}

	async release(which: number): Promise<void> {
		const row = this.#pick(liveNumbers(this.#control), which);
		if (row === undefined) return;
		this.say(`  ${row.id}`);
		this.#trial.count("releases by somebody else");
		this.#release(row.id);
		this.#promises.touched(row.id, await this.#stack.state(), "status");
	}

	/** Somebody buys a number like the program's, through another tool. */
	async buy(country: string): Promise<void> {
		const { url, apiKey } = this.#emulator;
		const answer = await fetch(`${url}/numbers`, {
			method: "POST",
			headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
			body: JSON.stringify({ country, type: "mobile" }),
		});
		const { id } = (await answer.json()) as { id: string };
		this.say(`  ${id}`);
		this.#trial.count("purchases by somebody else");
		this.#promises.bought(id);
	}

	async decide(which: number, decision: Decision): Promise<void> {
		const row = this.#pick(this.#pending(), which);
		if (row !== undefined) this.#decideOn(row.id, decision, await this.#stack.state());
	}

	policy(policy: string): void {
		this.#control.kyc(policy);
	}

	/** Papers in order and fair weather, and everything comes true; then everything goes. */
	async finish(model: Model): Promise<void> {
		this.say("finish");
		this.#control.kyc("immediate");
		this.#decideAll("approve");
		await this.up(model);
		await this.refresh();
		await this.#forget(model);
		await this.#tidy();
		// A number that is somebody else's by now: another generation is the way out.
		for (const error of await this.up(model)) {
			const name = error.split(":")[0] ?? "";
			if (!lost.test(error)) continue;
			this.say(`  another generation of ${name}`);
			this.changed();
			model.program = model.program.map((each) =>
				each.kind === "number" && error.includes(each.name)
					? { ...each, args: { ...each.args, generation: Number(each.args.generation ?? 0) + 1 } }
					: each,
			);
		}
		const first = await this.up(model);
		const errors = first.length === 0 ? first : await this.up(model);
		must(errors.length === 0, () => `not settled after all: ${errors.join("; ")}`);
		// What errors and warnings have named is released by hand.
		for (const id of this.#promises.leaked()) this.#release(id);
		const done = (await this.destroy()) || (await this.#afterAdvice(model));
		must(done, () => "a destroy fails for ever");
		const alive = this.#promises.leftOver();
		must(alive.length === 0, () => `left after a destroy: ${alive}`);
	}

	/** What the refusal of a delete says: `up --refresh`, then again. */
	async #afterAdvice(model: Model): Promise<boolean> {
		await this.refresh();
		await this.up(model);
		return this.destroy();
	}

	/** Of what is no longer declared and was claimed otherwise, `pulumi state delete` is the way that errors name. */
	async #forget({ program }: Model): Promise<void> {
		const { entries, condemned } = await this.#stack.state();
		const names = new Set(program.map(({ name }) => name));
		const undeclared = [...entries.values()].filter(({ name }) => !names.has(name));
		for (const entry of [...condemned, ...undeclared]) {
			if (!this.#promises.isKept(entry.id)) continue;
			this.say(`  state delete ${entry.name} ${entry.id}`);
			this.#trial.count("entries forgotten");
			await this.#stack.forget(entry);
			this.#promises.leave(entry.id);
		}
	}

	/** "Release all but one": what lists that lag have made twice costs nothing. */
	async #tidy(): Promise<void> {
		const { entries } = await this.#stack.state();
		const held = new Set([...entries.values()].map(({ id }) => id));
		const { trunks, webhooks } = this.#control.state();
		for (const { id } of trunks) if (!held.has(id)) this.#control.deleteTrunk(id);
		for (const { id } of webhooks) if (!held.has(id)) this.#control.deleteWebhook(id);
	}

	async #settled(state: State, program: Program): Promise<void> {
		this.#promises.settled({ state, program });
		const before = writes(this.#control);
		const steps = await this.#stack.preview(program);
		must(steps.length === 0, () => `a preview after an up that exited 0: ${steps.join("; ")}`);
		const { changed, errors } = await this.#stack.drift();
		must(errors.length === 0, () => `drift failed: ${errors.join("; ")}`);
		const isTouched = (line: string) =>
			[...state.entries.values()].some(({ name, id }) => line.startsWith(name) && this.#promises.isTouched(id));
		const left = changed.filter((line) => !isTouched(line) && !computed.test(line));
		must(left.length === 0, () => `drift after an up that exited 0: ${left.join("; ")}`);
		must(writes(this.#control) === before, () => "a preview or a drift wrote");
	}

	#judge(errors: readonly string[]): void {
		for (const error of errors) if (!expected.test(error)) throw new Violation(`an error nobody asked for: ${error}`);
	}

	/** A number that isn't released since another was bought beside it is, by the next run that buys none. */
	#once(errors: readonly string[], hasBought: boolean): void {
		const now = errors.flatMap((error) => {
			const id = /number .*\((num_\w+)\).* was not released: this run has bought/.exec(error)?.[1];
			return id === undefined ? [] : [id];
		});
		for (const id of now)
			must(hasBought || !this.#refused.has(id), () => `${id} is refused again: ${errors.join("; ")}`);
		this.#refused = new Set(now);
	}

	#sold = () => this.#control.ledger().filter(({ kind }) => kind === "purchase").length;

	#pick<T>(from: readonly T[], which: number): T | undefined {
		return from[which % Math.max(1, from.length)];
	}

	#release(id: string): void {
		this.#control.deleteNumber(id);
		this.#promises.released(id);
	}

	#pending() {
		return liveNumbers(this.#control).filter(({ status, kyc }) => status === "pending" && kyc !== null);
	}

	#decideAll(decision: Decision): void {
		for (const { id } of this.#pending()) this.#decideOn(id, decision);
	}

	#decideOn(id: string, decision: Decision, state?: State): void {
		this.say(`  KYC of ${id}: ${decision}`);
		this.#trial.count(`KYC ${decision}`);
		this.#control.decide(id, decision);
		if (state !== undefined || decision !== "approve")
			this.#promises.touched(id, state ?? { entries: new Map(), condemned: new Set() }, "status");
	}
}
