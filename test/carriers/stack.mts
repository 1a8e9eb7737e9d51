/** A stack at a place: the simulation's engine with the provider's handlers in this process, in virtual time. */
import {
	copyOf,
	destroy,
	type Errors,
	emptyState,
	preview,
	type Run,
	refresh,
	type State,
	up,
} from "../sim/engine.mts";
import { RunError } from "../sim/errors.mts";
import type { Program } from "../sim/program.mts";
import { openProvider } from "../sim/provider.mts";
import { type Gate, openGate, type WriteKill } from "./gate.mts";
import type { Place } from "./place.mts";

export interface StoryRun {
	readonly kill?: WriteKill | undefined;
	/** The run is killed in its nth pause, from 1. */
	readonly killedPause?: number | undefined;
	/** The service approves the identity checks of all numbers while the run waits. */
	readonly isApproved?: boolean;
	/** The key belongs to another account. */
	readonly isAstray?: boolean;
	readonly env?: Readonly<Record<string, string>>;
	readonly parallel?: number;
}

export interface Ended {
	readonly isKilled: boolean;
	/** None if the run was killed. */
	readonly errors: Errors;
	/** Warnings and errors. */
	readonly printed: string;
	/** Changed outputs by resource, of a refresh; an empty list for a deleted object. */
	readonly changed: ReadonlyMap<string, readonly string[]>;
}

export class PlacedStack {
	readonly state: State = emptyState();
	/** `telephony:` configuration beside the place's. */
	readonly config: Record<string, string> = { "telephony:onDelete": "release" };
	readonly #place: Place;
	readonly #gate: Gate;

	private constructor(place: Place, gate: Gate) {
		this.#place = place;
		this.#gate = gate;
	}

	static async open(place: Place): Promise<PlacedStack> {
		return new PlacedStack(place, await openGate(place.url));
	}

	up = (program: Program, options: StoryRun = {}): Promise<Ended> =>
		this.#within(options, (run) => up(run, this.state, program));

	destroy = (options: StoryRun = {}): Promise<Ended> => this.#within(options, (run) => destroy(run, this.state));

	refresh = (options: StoryRun = {}): Promise<Ended> => this.#read(this.state, options);

	/** Refreshes a copy of the state. */
	drift = (options: StoryRun = {}): Promise<Ended> => this.#read(copyOf(this.state), options);

	/** Returns the steps of an `up`; with errors, their texts. */
	async preview(program: Program): Promise<readonly string[]> {
		let steps: readonly string[] = [];
		const { errors } = await this.#within({}, async ({ provider }) => {
			const planned = await preview(provider, this.state, program);
			steps = planned.flatMap(({ op, name }) => (op === "same" ? [] : [`${op} ${name}`]));
			return [];
		});
		return [...steps, ...errors.map(String)];
	}

	/** Renames a resource of the state, as an alias does. */
	rename(from: string, to: string): void {
		const old = this.state.resources.get(from);
		if (old === undefined) throw new Error(`the state has no ${from}`);
		this.state.resources.delete(from);
		this.state.resources.set(to, { ...old, name: to });
	}

	idOf(name: string): string {
		return this.state.resources.get(name)?.id ?? "";
	}

	close = (): Promise<void> => this.#gate.close();

	async #read(state: State, options: StoryRun): Promise<Ended> {
		let changed: ReadonlyMap<string, readonly string[]> = new Map();
		const ended = await this.#within(options, async (run) => {
			const found = await refresh(run, state);
			changed = found.changed;
			return found.errors;
		});
		return { ...ended, changed };
	}

	/** One provider process and its run. */
	async #within(options: StoryRun, work: (run: Run) => Promise<Errors>): Promise<Ended> {
		const { kill, killedPause, isApproved, isAstray, env, parallel = 2 } = options;
		const place = this.#place;
		this.#gate.begin(kill);
		let pauses = 0;
		const isCrashed = () => this.#gate.isCut() || pauses === killedPause;
		const printed: string[] = [];
		const provider = openProvider({
			service: isAstray ? place.stranger : { url: this.#gate.url, apiKey: place.apiKey },
			config: { ...this.config, ...place.config },
			clock: place.clock,
			...(env && { env }),
			isCrashed,
			pausing() {
				pauses += 1;
				if (isApproved && pauses >= 3) place.approveAll();
			},
			say: (line) => {
				if (line.startsWith("  [warning]")) printed.push(line);
			},
		});
		const errors = await work({ provider, parallel, say: () => {} }).catch((error: unknown) => [
			new RunError("", error),
		]);
		const isKilled = isCrashed();
		await provider.kill();
		const reported = isKilled ? [] : errors;
		return { isKilled, errors: reported, printed: [...printed, ...reported].join("\n"), changed: new Map() };
	}
}
