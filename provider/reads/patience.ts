/** How long, and at what cost, answers that can't be true yet are doubted: once for all reads of a run. */
import type { Clock } from "../api/clock";

/** Whether an answer can't be true yet; undefined: that there is no such object. */
export type Doubts<T> = (record: T | undefined) => boolean;

/** A read that is not answered yet. */
export interface Waiting<T> {
	readonly id: string;
	readonly doubts: Doubts<T>;
	readonly resolve: (record: T | Promise<T>) => void;
	/** Asked for by itself already. */
	asked?: true;
	/** What its single read has failed with, when the list wasn't read to its end. */
	readonly failed?: unknown;
	/** Doubted when the time for that was over. */
	late?: boolean;
}

/** From the first doubt of a run on, ms: what was made before it has had that long, too. */
export const patienceMs = 10_000;
/** Requests for looks within that time; the look at its end is always made. */
const mostRequests = 5;

export class Patience {
	readonly #clock: Clock;
	readonly #ending: AbortSignal | undefined;
	#end: number | undefined;
	#requests = 0;

	constructor(clock: Clock, ending: AbortSignal | undefined) {
		this.#clock = clock;
		this.#ending = ending;
	}

	get isOver(): boolean {
		return this.#ending?.aborted === true || (this.#end !== undefined && this.#clock.now() >= this.#end);
	}

	/** Waits so long, or to the end. */
	async pause(ms: number): Promise<void> {
		this.#end ??= this.#clock.now() + patienceMs;
		await this.#clock.sleep(Math.max(0, Math.min(ms, this.#end - this.#clock.now())), this.#ending);
	}

	/** Whether a look at this cost may be made; true for good once it is over. */
	affords(requests: number): boolean {
		if (this.isOver) return true;
		if (this.#requests + requests > mostRequests) return false;
		this.#requests += requests;
		return true;
	}
}
