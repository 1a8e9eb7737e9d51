/** What the lifecycle campaign asks of a stack: ours in this process, or the CLI's. */

import type { FaultRequest } from "./account.mts";
import type { Entry, State } from "./engine.mts";
import type { Program } from "./program.mts";

export interface Crash {
	/** At whichever comes first. */
	readonly operations: readonly FaultRequest["operation"][];
	readonly nth: number;
	readonly phase: "before" | "after";
}

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
	/** `TELEPHONY_ACCEPT_EMPTY_ACCOUNT=yes`, for the runs from now on. */
	allGone: boolean;
	/** Runs use another account's key from now on. Only in process. */
	isAstray: boolean;
	/** Time goes by, where it is a virtual one. */
	pass(ms: number): void;
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
