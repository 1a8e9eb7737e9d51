/** Schedules requests: concurrency, rate limit, Retry-After. */
import type { Clock } from "./clock";
import { Rate } from "./rate";

/** What a request is for. Each kind gets its turn, so that a purchase doesn't wait for all polls. */
const kinds = ["write", "read", "poll"] as const;
export type RequestKind = (typeof kinds)[number];

export interface PaceOptions {
	readonly clock: Clock;
	/** Requests under way at once. */
	readonly concurrency: number;
	/** The longest wait that the service may ask for, ms. The caller refuses a longer one. */
	readonly longestWaitMs: number;
}

export class Pace {
	readonly rate: Rate;
	readonly #options: PaceOptions;
	readonly #queues: Readonly<Record<RequestKind, (() => void)[]>> = { write: [], read: [], poll: [] };
	#next = 0;
	#underWay = 0;
	#resting = 0;
	#quietUntil = Number.NEGATIVE_INFINITY;
	#waking: AbortController | undefined;

	constructor(options: PaceOptions) {
		this.#options = options;
		this.rate = new Rate(options.clock);
	}

	get underWay(): number {
		return this.#underWay;
	}

	/** Requests that wait for their turn, or until they are sent again. */
	get waiting(): number {
		return this.#queued + this.#resting;
	}

	get #queued(): number {
		return kinds.reduce((sum, kind) => sum + this.#queues[kind].length, 0);
	}

	/** How long the service wants no requests from now on, ms. */
	get quietMs(): number {
		return Math.max(0, this.#quietUntil - this.#options.clock.now());
	}

	/** Sends no requests for this long. A later call may extend that, but not shorten it. */
	keepQuiet(ms: number): void {
		this.#quietUntil = Math.max(this.#quietUntil, this.#options.clock.now() + ms);
	}

	/** Does the work in its turn. It starts at once when waiting is pointless: after `signal`, or if the wait is too long. */
	async run<T>(kind: RequestKind, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		await this.#turn(kind, signal);
		try {
			return await work();
		} finally {
			this.#underWay -= 1;
			this.#go();
		}
	}

	/** Counts a request as waiting until the pause before its next try is over. */
	async rest(pause: Promise<void>): Promise<void> {
		this.#resting += 1;
		await pause;
		this.#resting -= 1;
	}

	#turn(kind: RequestKind, signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve) => {
			const start = () => {
				signal?.removeEventListener("abort", leave);
				this.#underWay += 1;
				resolve();
			};
			const leave = () => {
				const queue = this.#queues[kind];
				queue.splice(queue.indexOf(start), 1);
				start();
			};
			if (signal?.aborted) return start();
			signal?.addEventListener("abort", leave, { once: true });
			this.#queues[kind].push(start);
			this.#go();
		});
	}

	/** Starts all requests that may start now, and runs again when more may. */
	#go(): void {
		while (this.#queued > 0 && this.#underWay < this.#options.concurrency) {
			const { quietMs } = this;
			const ms = quietMs > this.#options.longestWaitMs ? 0 : quietMs || this.rate.take();
			if (ms > 0) {
				this.#wakeIn(ms);
				return;
			}
			this.#first()();
		}
		this.#waking?.abort();
		this.#waking = undefined;
	}

	#wakeIn(ms: number): void {
		if (this.#waking !== undefined) return;
		const waking = new AbortController();
		this.#waking = waking;
		void this.#options.clock.sleep(ms, waking.signal).then(() => {
			if (this.#waking !== waking) return;
			this.#waking = undefined;
			this.#go();
		});
	}

	#first(): () => void {
		for (;;) {
			const kind = kinds[this.#next++ % kinds.length] ?? "write";
			const start = this.#queues[kind].shift();
			if (start !== undefined) return start;
		}
	}
}
