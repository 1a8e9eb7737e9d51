import { type Clock, SwitchableClock } from "./clock";

/** Does one errand, at a time by the service's clock. Must not throw. */
export type Errand = (at: number, signal: AbortSignal) => Promise<void>;

interface Job {
	readonly at: number;
	readonly run: Errand;
}

/** Errands at a time in real time: one slow receiver must not hold up the others. */
const mostAtOnce = 32;

/**
 * Carries out what takes real time, such as a POST. If the service's time stands still, errands run one after the
 * other, each at the time it was due, so that the outcome doesn't depend on how long the receivers take.
 */
export class Courier {
	/** The earliest first. */
	#waiting: Job[] = [];
	readonly #running = new Set<Promise<void>>();
	#stop = new AbortController();
	#settled: (() => void)[] = [];

	constructor(readonly clock: Clock) {}

	add(at: number, run: Errand): void {
		const place = this.#waiting.findLastIndex((other) => other.at <= at) + 1;
		this.#waiting.splice(place, 0, { at, run });
		this.#next();
	}

	/** Resolves once no errand runs or waits, including errands that follow from others. */
	async settled(): Promise<void> {
		if (this.#running.size === 0 && this.#waiting.length === 0) return;
		await new Promise<void>((resolve) => this.#settled.push(resolve));
	}

	/** Drops waiting errands and aborts running ones. */
	async stop(): Promise<void> {
		this.#waiting = [];
		this.#stop.abort();
		this.#stop = new AbortController();
		await Promise.all(this.#running);
	}

	#next(): void {
		const real = this.clock instanceof SwitchableClock && this.clock.mode === "real";
		while (this.#running.size < (real ? mostAtOnce : 1)) {
			const job = this.#waiting.shift();
			if (job === undefined) break;
			const at = real ? Math.max(job.at, this.clock.now()) : job.at;
			const running = job.run(at, this.#stop.signal).finally(() => {
				this.#running.delete(running);
				this.#next();
			});
			this.#running.add(running);
		}
		if (this.#running.size > 0) return;
		for (const resolve of this.#settled.splice(0)) resolve();
	}
}
