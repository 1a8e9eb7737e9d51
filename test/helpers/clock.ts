import type { TimerClock } from "../../provider/api/clock";

/** A clock whose pauses take no time. */
export class FakeClock implements TimerClock {
	/** Requested pauses, ms. */
	readonly slept: number[] = [];
	/** Called after each pause, with the new time. */
	onSleep: (time: number) => void = () => {};
	#now: number;
	#due: { readonly at: number; readonly event: () => void }[] = [];

	constructor(start = Date.now()) {
		this.#now = start;
	}

	now(): number {
		return this.#now;
	}

	/** Calls `event` in the pause that passes this time. */
	after(seconds: number, event: () => void): void {
		this.schedule(seconds * 1000, event);
	}

	schedule(ms: number, event: () => void): () => void {
		const planned = { at: this.#now + ms, event };
		this.#due.push(planned);
		return () => {
			this.#due = this.#due.filter((item) => item !== planned);
		};
	}

	async sleep(ms: number): Promise<void> {
		this.slept.push(ms);
		this.#now += Math.max(0, ms);
		this.onSleep(this.#now);
		const due = this.#due.filter(({ at }) => at <= this.#now);
		this.#due = this.#due.filter(({ at }) => at > this.#now);
		for (const { event } of due) event();
		await new Promise((resolve) => setImmediate(resolve));
	}
}
