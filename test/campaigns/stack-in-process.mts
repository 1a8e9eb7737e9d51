/** A stack without the CLI: our engine, the handlers in this process, and a time that is turned. */
import type { Trial } from "./campaign.mts";
import { destroy, emptyState, preview, type Run, refresh, type State, up } from "./engine.mts";
import type { Emulator } from "./oracle.mts";
import { openProcess } from "./process.mts";
import type { Program } from "./program.mts";
import type { Crash, Outcome, Stack, UpOptions } from "./world.mts";

export class InProcessStack implements Stack {
	readonly #emulator: Emulator;
	readonly #clock: { now(): number; advance(ms: number): void };
	readonly #trial: Trial;
	readonly #state: State = emptyState();

	constructor(emulator: Emulator, clock: { now(): number; advance(ms: number): void }, trial: Trial) {
		[this.#emulator, this.#clock, this.#trial] = [emulator, clock, trial];
	}

	/** A process and its run; true if it crashed. */
	async #within(work: (run: Run) => Promise<unknown>, { crash, parallel = 4, waiting }: UpOptions = {}) {
		const { faults } = this.#emulator.control;
		const { operations = [], nth = 1, phase = "before" } = crash ?? {};
		for (const operation of operations) faults.set({ operation, nth, phase, kind: "reset" });
		const fault = () => faults.list().find(({ fired }) => fired > 0);
		const crashed = () => operations.length > 0 && fault() !== undefined;
		const { say } = this.#trial;
		const host = openProcess({
			service: this.#emulator,
			clock: this.#clock,
			crashed,
			pausing: () => waiting?.(),
			say,
		});
		await work({ host, parallel, answered: async () => {}, say });
		const dead = crashed();
		if (dead) this.#trial.count(`kill ${fault()?.operation} ${phase}`);
		await host.kill();
		faults.clear();
		return dead;
	}

	async state(): Promise<State> {
		return this.#state;
	}

	async up(program: Program, options: UpOptions): Promise<Outcome> {
		let errors: string[] = [];
		const work = async (run: Run) => {
			errors = await up(run, this.#state, program, options.replace);
		};
		const crashed = await this.#within(work, options);
		return { crashed, errors };
	}

	async refresh() {
		let outcome: Awaited<ReturnType<typeof refresh>> = { errors: [], changed: [] };
		await this.#within(async (run) => {
			outcome = await refresh(run, this.#state);
		});
		return outcome;
	}

	async destroy(crash?: Crash): Promise<Outcome> {
		let errors: string[] = [];
		const work = async (run: Run) => {
			errors = await destroy(run, this.#state);
		};
		const crashed = await this.#within(work, { crash, parallel: 1 });
		return { crashed, errors };
	}

	async preview(program: Program): Promise<readonly string[]> {
		let steps: string[] = [];
		await this.#within(async ({ host }) => {
			steps = await preview(host, this.#state, program);
		});
		return steps;
	}

	rename(from: string, to: string): void {
		const entry = this.#state.entries.get(from);
		if (entry === undefined) return;
		this.#state.entries.delete(from);
		this.#state.entries.set(to, { ...entry, name: to, inputs: { ...entry.inputs } });
	}
}
