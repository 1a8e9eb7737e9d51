/** A stack: a state, and an engine that runs on it. Ours with a provider in process or as processes, or the real CLI. */
import type { Control, Emulator } from "./account.mts";
import {
	copyOf,
	destroy,
	type Errors,
	emptyState,
	type Provider,
	preview,
	type Run,
	refresh,
	type State,
	up,
} from "./engine.mts";
import type { Operation } from "./kinds/index.mts";
import type { Program } from "./program.mts";

export interface Kill {
	readonly operations: readonly Operation[];
	readonly nth: number;
	readonly phase: "before" | "after";
}

export interface StackRun {
	readonly parallel?: number | undefined;
	readonly replace?: readonly string[];
	readonly kill?: Kill | undefined;
	/** Default: none. */
	readonly env?: Readonly<Record<string, string>>;
	/** Default: the stack's own account. */
	readonly service?: Emulator;
	/** Called again and again while the run waits. */
	readonly waiting?: () => void;
}

export interface Outcome {
	/** The operation at which the process was killed; its errors are lost. */
	readonly killedAt: string | undefined;
	readonly errors: Errors;
	/** Warnings and errors. */
	readonly printed: string;
	/** All that the run wrote, with debug lines. */
	readonly log: string;
}

export interface Refreshed extends Outcome {
	/** Changed outputs by resource; an empty list for a deleted object. */
	readonly changed: ReadonlyMap<string, readonly string[]>;
}

export interface Stack {
	state(): Promise<State>;
	up(program: Program, run: StackRun): Promise<Outcome>;
	refresh(run: StackRun): Promise<Refreshed>;
	/** Refreshes a copy of the state. */
	drift(): Promise<Refreshed>;
	destroy(run: StackRun): Promise<Outcome>;
	/** Returns the steps of an `up`. */
	preview(program: Program): Promise<readonly string[]>;
	/** Renames a resource, as an alias does. */
	rename(from: string, to: string): Promise<void>;
	/** `pulumi state delete`. */
	forget(name: string): Promise<void>;
	close(): Promise<void>;
}

export interface Opening {
	readonly service: Emulator;
	readonly env: Readonly<Record<string, string>>;
	readonly isCrashed: () => boolean;
	readonly pausing: () => void;
	readonly say: (line: string) => void;
}

/** How a provider starts, and how a request kills it. */
export interface Driver {
	open(opening: Opening): Promise<Provider>;
	/** `reset`: the request fails and the process counts as dead. `hold`: it is held, and the process is killed. */
	readonly killedBy: "reset" | "hold";
	close(): Promise<void>;
}

/** Spellings of one backend. */
const backends = [
	"https://state.example",
	"https://state.example/",
	"https://somebody:a-password@state.example",
	"HTTPS://State.example:443?region=eu",
] as const;

const pollMs = 4;

/** A state in memory, and our engine that runs on it. */
export abstract class MemoryStack<Options extends Pick<StackRun, "replace">, Result extends Pick<Outcome, "errors">> {
	protected readonly saved: State = emptyState();

	/** Opens a provider process for one run. */
	protected abstract within(options: Options, work: (run: Run) => Promise<Errors>): Promise<Result>;

	up(program: Program, options: Options): Promise<Result> {
		return this.within(options, (run) => up(run, this.saved, program, options.replace));
	}

	destroy(options: Options): Promise<Result> {
		return this.within(options, (run) => destroy(run, this.saved));
	}

	refresh(options: Options): Promise<Result & Pick<Refreshed, "changed">> {
		return this.#read(this.saved, options);
	}

	drift(options = {} as Options): Promise<Result & Pick<Refreshed, "changed">> {
		return this.#read(copyOf(this.saved), options);
	}

	async #read(state: State, options: Options) {
		let changed: Refreshed["changed"] = new Map();
		const outcome = await this.within(options, async (run) => {
			const found = await refresh(run, state);
			changed = found.changed;
			return found.errors;
		});
		return { ...outcome, changed };
	}

	/** Returns the steps of an `up`; with errors, their texts. */
	async preview(program: Program): Promise<readonly string[]> {
		let steps: readonly string[] = [];
		const { errors } = await this.within({} as Options, async ({ provider }) => {
			const planned = await preview(provider, this.saved, program);
			steps = planned.flatMap(({ op, name }) => (op === "same" ? [] : [`${op} ${name}`]));
			return [];
		});
		return [...steps, ...errors.map(String)];
	}

	/** Renames a resource, as an alias does. */
	async rename(from: string, to: string): Promise<void> {
		const { resources } = this.saved;
		const old = resources.get(from);
		if (old === undefined || resources.has(to)) return;
		resources.delete(from);
		resources.set(to, { ...old, name: to });
	}
}

/** Our engine with the provider of a driver. */
export class EngineStack extends MemoryStack<StackRun, Outcome> implements Stack {
	readonly #emulator: Emulator;
	readonly #driver: Driver;
	readonly #say: (line: string) => void;
	#runs = 0;

	constructor(emulator: Emulator, driver: Driver, say: (line: string) => void) {
		super();
		[this.#emulator, this.#driver, this.#say] = [emulator, driver, say];
	}

	async state(): Promise<State> {
		return this.saved;
	}

	async forget(name: string): Promise<void> {
		this.saved.resources.delete(name);
	}

	async close(): Promise<void> {}

	protected async within(options: StackRun, work: (run: Run) => Promise<Errors>): Promise<Outcome> {
		const { kill, parallel = 4, env = {}, service = this.#emulator, waiting = () => {} } = options;
		const { control } = this.#emulator;
		const killing = setKill(control, kill, this.#driver.killedBy);
		const [lines, printed]: [string[], string[]] = [[], []];
		const say = (line: string) => {
			lines.push(line);
			if (line.startsWith("  [warning]")) printed.push(line);
			this.#say(line);
		};
		this.#runs += 1;
		const place = { PULUMI_BACKEND_URL: backends[this.#runs % backends.length] ?? "" };
		const isCrashed = () => killing.at() !== undefined;
		const opening = { service, env: { ...place, ...env }, isCrashed, pausing: waiting, say };
		const provider = await this.#driver.open(opening);
		const run = work({ provider, parallel, say });
		if (this.#driver.killedBy === "hold") await killing.watch(run, () => provider.kill());
		const errors = await run;
		const killedAt = killing.at();
		await provider.kill();
		killing.clear();
		const mine = killedAt === undefined ? errors : [];
		return { killedAt, errors: mine, printed: [...printed, ...mine].join("\n"), log: [...lines, ...errors].join("\n") };
	}
}

/** Sets the rules that kill a run. */
export function setKill(control: Control, kill: Kill | undefined, by: "reset" | "hold") {
	const { faults } = control;
	const { operations = [], nth = 1, phase = "before" } = kill ?? {};
	const shape =
		by === "reset" ? { kind: by, phase } : { kind: by, phase, ...(phase === "before" ? { whenGone: "drop" } : {}) };
	const ids = operations.map(
		(operation) => faults.set({ operation, nth, ...shape } as Parameters<typeof faults.set>[0]).id,
	);
	const at = () => {
		if (ids.length === 0) return undefined;
		return faults.list().find(({ id, fired }) => ids.includes(id) && fired > 0)?.operation;
	};
	return {
		/** Returns the operation at which the process is, or was, killed. */
		at,
		/** Calls `end` as soon as a request is held. */
		async watch(run: Promise<unknown>, end: () => Promise<void>): Promise<void> {
			let isOver = ids.length === 0;
			const over = () => {
				isOver = true;
			};
			void run.then(over, over);
			while (!isOver && at() === undefined) await new Promise((resolve) => setTimeout(resolve, pollMs));
			if (!isOver) await end();
		},
		clear() {
			for (const id of ids) faults.clear(id);
		},
	};
}
