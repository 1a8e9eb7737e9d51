/** A stack without the CLI: our engine, the handlers in this process, and a time that is turned. */

import type { Emulator } from "./account.mts";
import type { Trial } from "./campaign.mts";
import { destroy, type Entry, emptyState, preview, type Run, refresh, type State, up } from "./engine.mts";
import { openProcess } from "./process.mts";
import type { Program } from "./program.mts";
import type { Crash, Outcome, Refreshed, Stack, UpOptions } from "./stack.mts";

/** One and the same place, as people spell it. */
const backends = [
	"https://state.example",
	"https://state.example/",
	"https://somebody:a-password@state.example",
	"HTTPS://State.example:443?region=eu",
] as const;

interface Place {
	/** Another account. */
	readonly wrong?: Emulator;
	/** Default: dev. */
	readonly stack?: string;
	readonly env?: Readonly<Record<string, string>>;
	/** ms; see ProcessOptions. */
	readonly patienceMs?: number;
}

export class InProcessStack implements Stack {
	readonly #emulator: Emulator;
	readonly #clock: { now(): number; advance(ms: number): void };
	readonly #trial: Trial;
	readonly #place: Place;
	readonly #state: State = emptyState();
	allGone = false;
	isAstray = false;
	/** So far. */
	#runs = 0;

	constructor(
		emulator: Emulator,
		clock: { now(): number; advance(ms: number): void },
		trial: Trial,
		place: Place = {},
	) {
		[this.#emulator, this.#clock, this.#trial, this.#place] = [emulator, clock, trial, place];
	}

	/** A process and its run: what it said, and whether it crashed. */
	async #within(work: (run: Run) => Promise<readonly string[]>, options: UpOptions = {}): Promise<Outcome> {
		const { crash, parallel = 4, waiting } = options;
		const { faults, settings } = this.#emulator.control;
		const { operations = [], nth = 1, phase = "before" } = crash ?? {};
		const ids = operations.map((operation) => faults.set({ operation, nth, phase, kind: "reset" }).id);
		const fault = () => faults.list().find(({ id, fired }) => ids.includes(id) && fired > 0);
		const crashed = () => operations.length > 0 && fault() !== undefined;
		const lines: string[] = [];
		const say = (line: string) => {
			lines.push(line);
			this.#trial.say(line);
		};
		this.#runs += 1;
		const host = openProcess({
			service: (this.isAstray ? this.#place.wrong : undefined) ?? this.#emulator,
			env: {
				PULUMI_BACKEND_URL: backends[this.#runs % backends.length] ?? "",
				...(settings().featuresHeader ? {} : { TELEPHONY_FEATURES: "idempotencyKey" }),
				...(this.allGone ? { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } : {}),
				...this.#place.env,
			},
			config: { "telephony:onDelete": "release" },
			stack: this.#place.stack,
			patienceMs: this.#place.patienceMs,
			clock: this.#clock,
			crashed,
			pausing: () => waiting?.(),
			say,
		});
		const errors = await work({ host, parallel, answered: async () => {}, say });
		const dead = crashed();
		if (dead) this.#trial.count(`kill ${fault()?.operation} ${phase}`);
		await host.kill();
		for (const id of ids) faults.clear(id);
		const warnings = lines.filter((line) => line.includes("[warning]"));
		return { crashed: dead, errors: dead ? [] : errors, said: [...warnings, ...errors].join("\n") };
	}

	pass(ms: number): void {
		this.#clock.advance(ms);
	}

	async state(): Promise<State> {
		return this.#state;
	}

	async up(program: Program, options: UpOptions): Promise<Outcome> {
		return this.#within((run) => up(run, this.#state, program, options.replace), options);
	}

	refresh = () => this.#read(this.#state);

	drift = () => this.#read({ entries: new Map(this.#state.entries), condemned: new Set() });

	async #read(state: State): Promise<Refreshed> {
		let changed: string[] = [];
		const outcome = await this.#within(async (run) => {
			const found = await refresh(run, state);
			changed = found.changed;
			return found.errors;
		});
		return { ...outcome, changed };
	}

	async destroy(crash?: Crash): Promise<Outcome> {
		return this.#within((run) => destroy(run, this.#state), { crash, parallel: 1 });
	}

	async preview(program: Program): Promise<readonly string[]> {
		let steps: string[] = [];
		await this.#within(async ({ host }) => {
			steps = await preview(host, this.#state, program);
			return [];
		});
		return steps;
	}

	async forget(entry: Entry): Promise<void> {
		this.#state.condemned.delete(entry);
		if (this.#state.entries.get(entry.name) === entry) this.#state.entries.delete(entry.name);
	}

	rename(from: string, to: string): void {
		const entry = this.#state.entries.get(from);
		if (entry === undefined) return;
		this.#state.entries.delete(from);
		this.#state.entries.set(to, { ...entry, name: to, inputs: { ...entry.inputs } });
	}
}
