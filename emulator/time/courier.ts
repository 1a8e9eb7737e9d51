import { type Clock, SwitchableClock } from "./clock";

/** The end of an errand: `hung` after a time-out. */
export type End = "done" | "hung";

/** Does one errand at a time of the service's clock. One that fails is done. */
export type Errand = (at: number, signal: AbortSignal) => Promise<End>;

interface Job {
	readonly at: number;
	readonly run: Errand;
}

/** The errands of one receiver. */
interface Lane {
	/** The earliest first. */
	waiting: Job[];
	running: number;
	/** Number of waiting errands that may run at once after a time-out. */
	excused: number;
}

/** Connections at once to a receiver that has hung. */
const mostAtOnce = 256;

/**
 * Does work that takes real time, such as a POST. Errands of one receiver run one after the other, errands of different
 * receivers in parallel. All errands that waited for a receiver that hung run at once, so that they take no longer than
 * one of them. With a virtual clock, each runs at the time when it was due.
 */
export class Courier {
	readonly #lanes = new Map<string, Lane>();
	readonly #running = new Set<Promise<void>>();
	#stop = new AbortController();
	#settled: (() => void)[] = [];

	constructor(readonly clock: Clock) {}

	/** @param receiver the errand waits for earlier errands of this receiver */
	add(receiver: string, at: number, run: Errand): void {
		const lane = this.#lanes.get(receiver) ?? { waiting: [], running: 0, excused: 0 };
		this.#lanes.set(receiver, lane);
		const place = lane.waiting.findLastIndex((job) => job.at <= at) + 1;
		lane.waiting.splice(place, 0, { at, run });
		this.#next(receiver, lane);
	}

	/** Resolves once no errand runs or waits. */
	async settled(): Promise<void> {
		if (this.#lanes.size === 0) return;
		await new Promise<void>((resolve) => this.#settled.push(resolve));
	}

	/** Drops waiting errands and aborts running ones. */
	async stop(): Promise<void> {
		for (const lane of this.#lanes.values()) lane.waiting = [];
		this.#stop.abort();
		this.#stop = new AbortController();
		await Promise.all(this.#running);
	}

	#next(receiver: string, lane: Lane): void {
		const real = this.clock instanceof SwitchableClock && this.clock.mode === "real";
		while (lane.running === 0 || (lane.excused > 0 && lane.running < mostAtOnce)) {
			const job = lane.waiting.shift();
			if (job === undefined) break;
			lane.excused = Math.max(lane.excused - 1, 0);
			lane.running += 1;
			const at = real ? Math.max(job.at, this.clock.now()) : job.at;
			const running = attempted(job, at, this.#stop.signal).then((end) => {
				this.#running.delete(running);
				lane.running -= 1;
				if (end === "hung") lane.excused = lane.waiting.length;
				this.#next(receiver, lane);
			});
			this.#running.add(running);
		}
		if (lane.running > 0 || lane.waiting.length > 0) return;
		this.#lanes.delete(receiver);
		if (this.#lanes.size > 0) return;
		for (const resolve of this.#settled.splice(0)) resolve();
	}
}

/** A failed errand must not end the process, nor block its receiver. */
const attempted = async (job: Job, at: number, signal: AbortSignal): Promise<End> => {
	try {
		return await job.run(at, signal);
	} catch {
		return "done";
	}
};
