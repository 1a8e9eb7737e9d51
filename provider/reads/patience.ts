/** How long answers that can't be true yet are doubted, and at what cost. Shared by all reads of a run. */
import type { Clock } from "../api/clock";
import { patienceMs } from "../api/until";

/** Whether an answer can't be true yet; undefined stands for "no such object". */
export type Doubts<T> = (record: T | undefined) => boolean;

/** A read that is not answered yet. */
export interface Waiting<T> {
	readonly id: string;
	readonly doubts: Doubts<T>;
	readonly resolve: (record: T | Promise<T>) => void;
	/** A single read was already sent for it. */
	asked?: true;
	/** The error of its single read, if the list wasn't read to its end. */
	readonly failed?: unknown;
	/** Still doubted when the time for doubts was over. */
	late?: boolean;
}

/** Requests for looks within the time for doubts, from a run's first one on. The look at its end is always made. */
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

	/** Waits this long, or until the time for doubts is over. */
	async pause(ms: number): Promise<void> {
		this.#end ??= this.#clock.now() + patienceMs;
		await this.#clock.sleep(Math.max(0, Math.min(ms, this.#end - this.#clock.now())), this.#ending);
	}

	/** Whether a look at this cost may be made; always true once the time is over. */
	affords(requests: number): boolean {
		if (this.isOver) return true;
		if (this.#requests + requests > mostRequests) return false;
		this.#requests += requests;
		return true;
	}
}
