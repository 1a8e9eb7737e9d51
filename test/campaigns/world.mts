/** The real side of the lifecycle campaign: service, state and provider, and how they are handled. */
import { must, type Trial, Violation } from "./campaign.mts";
import { destroy, emptyState, preview, type Run, refresh, type State, up } from "./engine.mts";
import { type Emulator, type FaultRequest, liveNumbers, Oracle, writes } from "./oracle.mts";
import { openProcess } from "./process.mts";
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

interface Up {
	readonly crash?: Crash | undefined;
	readonly replace?: readonly string[];
	/** By the service, while the run waits. */
	readonly decided?: Decision | undefined;
	readonly parallel?: number;
}

/** What a run may say when its number is not as wanted, or no longer there. */
const expected = /not active yet|will not become active|removed outside Pulumi|waits for/;

export class World {
	readonly #emulator: Emulator;
	readonly #clock: { now(): number; advance(ms: number): void };
	readonly #trial: Trial;
	readonly #oracle: Oracle;
	readonly #state: State = emptyState();

	constructor(emulator: Emulator, clock: { now(): number; advance(ms: number): void }, trial: Trial) {
		[this.#emulator, this.#clock, this.#trial] = [emulator, clock, trial];
		this.#oracle = new Oracle(emulator.control);
	}

	say(line: string): void {
		this.#trial.say(line);
	}

	/** A process and its run; true if it crashed. */
	async #within(
		cut: Crash | undefined,
		parallel: number,
		pausing: () => void,
		work: (run: Run) => Promise<void>,
	): Promise<boolean> {
		const { faults } = this.#emulator.control;
		const { operations = [], nth = 1, phase = "before" } = cut ?? {};
		for (const operation of operations) faults.set({ operation, nth, phase, kind: "reset" });
		const fault = () => faults.list().find(({ fired }) => fired > 0);
		const crashed = () => operations.length > 0 && fault() !== undefined;
		const host = openProcess({
			service: this.#emulator,
			clock: this.#clock,
			crashed,
			pausing,
			say: (line) => this.say(line),
		});
		await work({ host, parallel, answered: async () => {}, say: (line) => this.say(line) });
		const dead = crashed();
		if (dead) this.#trial.count(`kill ${fault()?.operation} ${phase}`);
		await host.kill();
		faults.clear();
		return dead;
	}

	async up(model: Model, { crash, replace = [], decided, parallel = 1 }: Up = {}): Promise<string[]> {
		this.#oracle.expect(this.#state, model.program);
		let [errors, pauses]: [string[], number] = [[], 0];
		const pausing = () => {
			pauses += 1;
			if (decided !== undefined && pauses === 3 && this.#decideAll(decided)) model.unsettled = 2;
		};
		const crashed = await this.#within(crash, parallel, pausing, async (run) => {
			errors = await up(run, this.#state, model.program, replace);
		});
		for (const error of errors) this.say(`  error: ${error}`);
		this.#oracle.look(this.#state, model.program);
		this.#trial.count(crashed ? "ups crashed" : errors.length > 0 ? "ups with errors" : "ups done");
		if (crashed) model.unsettled = 2;
		if (crashed) return errors;
		for (const error of errors) if (!expected.test(error)) throw new Violation(`an error nobody asked for: ${error}`);
		if (errors.length > 0) model.unsettled = 2;
		else if (model.unsettled === 1) model.unsettled = 0;
		if (errors.length === 0 && model.unsettled === 0) this.#oracle.settled(this.#state, model.program, false);
		return errors;
	}

	async refresh(model: Model): Promise<void> {
		await this.#within(
			undefined,
			4,
			() => {},
			async (run) => {
				const { errors, changed } = await refresh(run, this.#state);
				this.say(`  ${changed.join("; ") || "nothing changed"}`);
				must(errors.length === 0, () => `refresh failed: ${errors.join("; ")}`);
			},
		);
		if (model.unsettled === 2) model.unsettled = 1;
	}

	async destroy(model: Model, crash?: Crash): Promise<void> {
		this.#oracle.expect(this.#state, []);
		let errors: string[] = [];
		const crashed = await this.#within(
			crash,
			1,
			() => {},
			async (run) => {
				errors = await destroy(run, this.#state);
			},
		);
		this.#oracle.look(this.#state, []);
		if (crashed) return this.destroy(model);
		must(errors.length === 0, () => `destroy failed: ${errors.join("; ")}`);
		must(this.#state.entries.size === 0, () => "destroy left entries");
		this.#oracle.settled(this.#state, []);
		// The next up starts from nothing.
		model.unsettled = 1;
	}

	/** As `aliases` do. */
	rename(from: string, to: string): void {
		const entry = this.#state.entries.get(from);
		if (entry === undefined) return;
		this.#state.entries.delete(from);
		this.#state.entries.set(to, { ...entry, name: to, inputs: { ...entry.inputs } });
	}

	edit(model: Model, which: number, what: string): void {
		const numbers = liveNumbers(this.#emulator.control);
		const row = numbers[which % Math.max(1, numbers.length)];
		if (row === undefined) return;
		const patch = {
			label: { label: `edited ${which}` },
			reference: { reference: null },
			foreign: { reference: "somebody else's" },
			routing: { routing: { type: "sip_uri" as const, uri: "sip:a@elsewhere.example" } },
		}[what];
		this.#emulator.control.patchNumber(row.id, patch ?? {});
		model.unsettled = 2;
	}

	release(model: Model, which: number): void {
		const numbers = liveNumbers(this.#emulator.control);
		const row = numbers[which % Math.max(1, numbers.length)];
		if (row === undefined) return;
		this.#oracle.lost(row.id, "released");
		this.#emulator.control.deleteNumber(row.id);
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
		this.#emulator.control.kyc(policy);
	}

	/** Papers in order, and everything comes true; then everything goes. */
	async finish(model: Model): Promise<void> {
		this.say("finish");
		const { control } = this.#emulator;
		control.kyc("immediate");
		this.#decideAll("approve");
		await this.up(model);
		await this.refresh(model);
		model.unsettled = 1;
		const errors = await this.up(model);
		must(errors.length === 0, () => `not settled after all: ${errors.join("; ")}`);
		const before = writes(control);
		await this.#within(
			undefined,
			4,
			() => {},
			async (run) => {
				const { changed } = await refresh(run, this.#state);
				const steps = await preview(run.host, this.#state, model.program);
				const left = [...changed, ...steps];
				must(left.length === 0, () => `not empty after all: ${left.join("; ")}`);
			},
		);
		must(writes(control) === before, () => "reads and previews wrote");
		await this.destroy(model);
		const alive = liveNumbers(control).map(({ id }) => id);
		must(alive.length === 0, () => `left after a destroy: ${alive}`);
	}

	#pending() {
		return liveNumbers(this.#emulator.control).filter(({ status, kyc }) => status === "pending" && kyc !== null);
	}

	/** True if there was anything to decide. */
	#decideAll(decision: Decision): boolean {
		const pending = this.#pending();
		for (const { id } of pending) this.#decideOn(id, decision);
		return pending.length > 0;
	}

	#decideOn(id: string, decision: Decision): void {
		this.say(`  KYC of ${id}: ${decision}`);
		if (decision === "expire") this.#oracle.lost(id, "failed");
		this.#emulator.control.decide(id, decision);
	}
}
