/** Keeps the requests of this process within a service's limits: concurrency, rate and Retry-After. */
import type { Clock } from "./clock";

/** Writes go first, polls last. */
const kinds = ["write", "read", "poll"] as const;
export type RequestKind = (typeof kinds)[number];

/** Part of the rate that remains after a refusal. */
const backoff = 0.7;
/** Growth of the rate between refusals, a second: a part of the rate, and at least half a request. */
const growth = { part: 0.05, least: 0.5 } as const;
const lowestRate = 1;

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
	/** Requests a second after the last refusal; undefined until there is one. */
	#rate: number | undefined;
	#refusedAt = Number.NEGATIVE_INFINITY;
	/** Requests that the service accepted, and the time of the first one. */
	#accepted = { count: 0, since: Number.POSITIVE_INFINITY };
	/** The earliest time of the next request at this rate. */
	#nextAt = Number.NEGATIVE_INFINITY;

	constructor(options: LimiterOptions) {
		this.#options = options;
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

	/** Requests a second; undefined while no limit is known. */
	get perSecond(): number | undefined {
		if (this.#rate === undefined) return undefined;
		const seconds = (this.#options.clock.now() - this.#refusedAt) / 1000;
		return this.#rate + seconds * Math.max(growth.least, this.#rate * growth.part);
	}

	/** Sends no requests for this long. A later call never shortens the pause. */
	pause(ms: number): void {
		this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.clock.now() + ms);
	}

	/** Notes that the service accepted a request. */
	accept(): void {
		this.#accepted.count += 1;
	}

	/** Slows down after a refused request (HTTP 429) that was sent at `sentAt`. */
	slowDown(sentAt: number): void {
		// It was sent before the last slow-down.
		if (sentAt <= this.#refusedAt) return;
		const now = this.#options.clock.now();
		const { count, since } = this.#accepted;
		const rate = this.perSecond ?? count / Math.max(1, (now - since) / 1000);
		this.#rate = Math.max(lowestRate, rate * backoff);
		this.#refusedAt = now;
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
			this.#countStart();
			const kind = kinds.find((each) => this.#queues[each].length > 0);
			if (kind !== undefined) this.#queues[kind].shift()?.();
		}
		this.#wakeUp?.abort();
		this.#wakeUp = undefined;
	}

	#waitMs(): number {
		const { pauseMs } = this;
		if (pauseMs > this.#options.longestWaitMs) return 0;
		if (pauseMs > 0) return pauseMs;
		const ms = this.#rate === undefined ? 0 : this.#nextAt - this.#options.clock.now();
		// A timer may be early by a fraction of a millisecond.
		return ms >= 1 ? Math.ceil(ms) : 0;
	}

	#countStart(): void {
		const now = this.#options.clock.now();
		this.#accepted.since = Math.min(this.#accepted.since, now);
		const { perSecond } = this;
		if (perSecond === undefined) return;
		// After a late timer, one request may catch up.
		this.#nextAt = Math.max(now - 1000 / perSecond, this.#nextAt) + 1000 / perSecond;
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
