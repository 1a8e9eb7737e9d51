/** Keeps the requests of this process within a service's limits: concurrency, rate and Retry-After. */
import type { Clock } from "./clock";
import { Rate } from "./rate";

/** Each kind gets its turn, so that a purchase doesn't wait for all polls. */
const kinds = ["write", "read", "poll"] as const;
export type RequestKind = (typeof kinds)[number];

export interface LimiterOptions {
	readonly clock: Clock;
	/** Requests under way at once. */
	readonly concurrency: number;
	/** The longest pause, ms. The caller refuses a longer one. */
	readonly longestWaitMs: number;
}

export class Limiter {
	readonly #options: LimiterOptions;
	readonly #queues: Readonly<Record<RequestKind, (() => void)[]>> = { write: [], read: [], poll: [] };
	#underWay = 0;
	#repeating = 0;
	#pausedUntil = Number.NEGATIVE_INFINITY;
	#wakeUp: AbortController | undefined;
	readonly rate: Rate;
	#turns = 0;

	constructor(options: LimiterOptions) {
		this.#options = options;
		this.rate = new Rate(options.clock);
	}

	/** Requests that wait for their turn, or for their next try. */
	get waiting(): number {
		return this.#queued + this.#repeating;
	}

	get #queued(): number {
		return kinds.reduce((sum, kind) => sum + this.#queues[kind].length, 0);
	}

	/** The rest of the pause that the service requested, ms. */
	get pauseMs(): number {
		return Math.max(0, this.#pausedUntil - this.#options.clock.now());
	}

	/** Sends no requests for this long. A later call never shortens the pause. */
	pause(ms: number): void {
		this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.now() + ms);
	}

	/** Notes an accepted request. `headers` may state the service's limit. */
	accept(headers: Readonly<Record<string, string | undefined>>): void {
		this.rate.accept(headers, this.#underWay);
	}

	/** Does the work in its turn. It starts at once after `signal`, or if the pause is too long to wait for. */
	async run<T>(kind: RequestKind, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		await this.#turn(kind, signal);
		try {
			return await work();
		} finally {
			this.#underWay -= 1;
			this.#startNext();
		}
	}

	/** Counts a request as waiting during the delay before its next try. */
	async delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
		this.#repeating += 1;
		await this.#options.clock.sleep(ms, signal);
		this.#repeating -= 1;
	}

	#turn(kind: RequestKind, signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve) => {
			const queue = this.#queues[kind];
			const start = () => {
				signal?.removeEventListener("abort", leave);
				this.#underWay += 1;
				resolve();
			};
			const leave = () => {
				queue.splice(queue.indexOf(start), 1);
				start();
			};
			if (signal?.aborted) return start();
			signal?.addEventListener("abort", leave, { once: true });
			queue.push(start);
			this.#startNext();
		});
	}

	/** Starts the requests that may start, and sets a timer for the others. */
	#startNext(): void {
		while (this.#queued > 0 && this.#underWay < this.#options.concurrency) {
			const ms = this.#waitMs();
			if (ms > 0) {
				this.#wakeIn(ms);
				return;
			}
			this.#takeNext()();
		}
		this.#wakeUp?.abort();
		this.#wakeUp = undefined;
	}

	#takeNext(): () => void {
		for (;;) {
			const kind = kinds[this.#turns++ % kinds.length] ?? "write";
			const start = this.#queues[kind].shift();
			if (start !== undefined) return start;
		}
	}

	/** Milliseconds until the next request may start. 0 counts it as sent. */
	#waitMs(): number {
		const { pauseMs } = this;
		return pauseMs > this.#options.longestWaitMs ? 0 : pauseMs || this.rate.take();
	}

	#wakeIn(ms: number): void {
		if (this.#wakeUp !== undefined) return;
		const wakeUp = new AbortController();
		this.#wakeUp = wakeUp;
		void this.#options.clock.sleep(ms, wakeUp.signal).then(() => {
			if (this.#wakeUp !== wakeUp) return;
			this.#wakeUp = undefined;
			this.#startNext();
		});
	}
}
