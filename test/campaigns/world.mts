/** The real side of the lifecycle campaign: a service and a stack, and what must hold between them. */
import { must, type Trial, Violation } from "./campaign.mts";
import type { State } from "./engine.mts";
import { type Control, type FaultRequest, liveNumbers, Oracle, writes } from "./oracle.mts";
import type { Program } from "./program.mts";

/** The pure model: what is declared, and whether all of it has come true. */
export interface Model {
	program: Program;
	/** Names given so far. */
	count: number;
	/** 2: something has changed that only a refresh shows; 1: an up is due for it; 0: as declared. */
	unsettled: 0 | 1 | 2;
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
}

/** A state, and an engine that works on it: ours in this process, or the CLI. */
export interface Stack {
	state(): Promise<State>;
	up(program: Program, options: UpOptions): Promise<Outcome>;
	/** Errors, and what it found changed. */
	refresh(): Promise<{ readonly errors: readonly string[]; readonly changed: readonly string[] }>;
	destroy(crash?: Crash): Promise<Outcome>;
	/** What an up would do. */
	preview(program: Program): Promise<readonly string[]>;
	/** As `aliases` do. */
	rename(from: string, to: string): void;
}

interface Up extends Omit<UpOptions, "waiting"> {
	/** By the service, while the run waits. */
	readonly decided?: Decision | undefined;
}

/** What a run may say when its number is not as wanted, or no longer there. */
const expected = /not active yet|will not become active|removed outside Pulumi|waits for/;

export class World {
	readonly #control: Control;
	readonly #stack: Stack;
	readonly #trial: Trial;
	readonly #oracle: Oracle;

	constructor(control: Control, stack: Stack, trial: Trial) {
		[this.#control, this.#stack, this.#trial] = [control, stack, trial];
		this.#oracle = new Oracle(control);
	}

	say(line: string): void {
		this.#trial.say(line);
	}

	async up(model: Model, { decided, ...options }: Up = {}): Promise<readonly string[]> {
		this.#oracle.expect(await this.#stack.state(), model.program);
		let looks = 0;
		const waiting = () => {
			looks += 1;
			if (decided !== undefined && looks >= 3 && this.#decideAll(decided)) model.unsettled = 2;
		};
		const { crashed, errors } = await this.#stack.up(model.program, { ...options, waiting });
		for (const error of errors) this.say(`  error: ${error}`);
		const state = await this.#stack.state();
		this.#oracle.look(state, model.program);
		this.#trial.count(crashed ? "ups crashed" : errors.length > 0 ? "ups with errors" : "ups done");
		if (crashed) model.unsettled = 2;
		if (crashed) return errors;
		for (const error of errors) if (!expected.test(error)) throw new Violation(`an error nobody asked for: ${error}`);
		if (errors.length > 0) model.unsettled = 2;
		else if (model.unsettled === 1) model.unsettled = 0;
		if (errors.length === 0 && model.unsettled === 0) {
			this.#oracle.settled(state, model.program, { alone: false });
			this.#trial.count("ups settled");
		}
		return errors;
	}

	async refresh(model: Model): Promise<void> {
		const { errors, changed } = await this.#stack.refresh();
		this.say(`  ${changed.join("; ") || "nothing changed"}`);
		must(errors.length === 0, () => `refresh failed: ${errors.join("; ")}`);
		if (model.unsettled === 2) model.unsettled = 1;
	}

	async destroy(model: Model, crash?: Crash): Promise<void> {
		this.#oracle.expect(await this.#stack.state(), []);
		const { crashed, errors } = await this.#stack.destroy(crash);
		const state = await this.#stack.state();
		this.#oracle.look(state, []);
		if (crashed) return this.destroy(model);
		must(errors.length === 0, () => `destroy failed: ${errors.join("; ")}`);
		must(state.entries.size === 0, () => "destroy left entries");
		this.#oracle.settled(state, []);
		// The next up starts from nothing.
		model.unsettled = 1;
	}

	rename(from: string, to: string): void {
		this.#stack.rename(from, to);
	}

	edit(model: Model, which: number, what: string): void {
		const numbers = liveNumbers(this.#control);
		const row = numbers[which % Math.max(1, numbers.length)];
		if (row === undefined) return;
		const patch = {
			label: { label: `edited ${which}` },
			reference: { reference: null },
			// Written by a run that the state knows nothing of: a text of somebody else's would make the number theirs.
			foreign: { reference: row.reference?.replace(/[^.]+$/, `attempt${which}`) ?? null },
			routing: { routing: { type: "sip_uri" as const, uri: "sip:a@elsewhere.example" } },
		}[what];
		this.#trial.count(`edits of ${what}`);
		this.#control.patchNumber(row.id, patch ?? {});
		model.unsettled = 2;
	}

	release(model: Model, which: number): void {
		const numbers = liveNumbers(this.#control);
		const row = numbers[which % Math.max(1, numbers.length)];
		if (row === undefined) return;
		this.#trial.count("releases by somebody else");
		this.#oracle.lost(row.id, "released");
		this.#control.deleteNumber(row.id);
		model.unsettled = 2;
	}

	decide(model: Model, which: number, decision: Decision): void {
		const pending = this.#pending();
		const row = pending[which % Math.max(1, pending.length)];
		if (row === undefined) return;
		this.#decideOn(row.id, decision);
		model.unsettled = 2;
	}

	policy(policy: string): void {
		this.#control.kyc(policy);
	}

	/** Papers in order, and everything comes true; then everything goes. */
	async finish(model: Model): Promise<void> {
		this.say("finish");
		this.#control.kyc("immediate");
		this.#decideAll("approve");
		await this.up(model);
		await this.refresh(model);
		model.unsettled = 1;
		const errors = await this.up(model);
		must(errors.length === 0, () => `not settled after all: ${errors.join("; ")}`);
		const before = writes(this.#control);
		const { changed } = await this.#stack.refresh();
		const left = [...changed, ...(await this.#stack.preview(model.program))];
		must(left.length === 0, () => `not empty after all: ${left.join("; ")}`);
		must(writes(this.#control) === before, () => "reads and previews wrote");
		await this.destroy(model);
		const alive = liveNumbers(this.#control).map(({ id }) => id);
		must(alive.length === 0, () => `left after a destroy: ${alive}`);
	}

	#pending() {
		return liveNumbers(this.#control).filter(({ status, kyc }) => status === "pending" && kyc !== null);
	}

	/** True if there was anything to decide. */
	#decideAll(decision: Decision): boolean {
		const pending = this.#pending();
		for (const { id } of pending) this.#decideOn(id, decision);
		return pending.length > 0;
	}

	#decideOn(id: string, decision: Decision): void {
		this.say(`  KYC of ${id}: ${decision}`);
		this.#trial.count(`KYC ${decision}`);
		if (decision === "expire") this.#oracle.lost(id, "failed");
		this.#control.decide(id, decision);
	}
}
