/** A stack at a place: the simulation's engine with the provider's handlers in this process, in virtual time. */
import type { Errors, Run, State } from "../sim/engine.mts";
import { RunError } from "../sim/errors.mts";
import { openProvider } from "../sim/provider.mts";
import { MemoryStack } from "../sim/stack.mts";
import { type Gate, openGate, type WriteKill } from "./gate.mts";
import type { Place } from "./place.mts";

export interface StoryRun {
	readonly replace?: readonly string[];
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
}

export class PlacedStack extends MemoryStack<StoryRun, Ended> {
	/** `telephony:` configuration beside the place's. */
	readonly config: Record<string, string> = { "telephony:onDelete": "release" };
	readonly #place: Place;
	readonly #gate: Gate;

	private constructor(place: Place, gate: Gate) {
		super();
		this.#place = place;
		this.#gate = gate;
	}

	static async open(place: Place): Promise<PlacedStack> {
		return new PlacedStack(place, await openGate(place.url));
	}

	get state(): State {
		return this.saved;
	}

	idOf(name: string): string {
		return this.saved.resources.get(name)?.id ?? "";
	}

	close = (): Promise<void> => this.#gate.close();

	protected async within(options: StoryRun, work: (run: Run) => Promise<Errors>): Promise<Ended> {
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
		return { isKilled, errors: reported, printed: [...printed, ...reported].join("\n") };
	}
}
