import type { Clock } from "../../provider/api/clock";

/** Sleeping moves the time on and returns at once: tests pass days in a moment. */
export class FakeClock implements Clock {
	/** Each pause asked for, ms. */
	readonly slept: number[] = [];
	/** Called after each pause, with the time that it led to. */
	onSleep: (now: number) => void = () => {};
	#now: number;

	constructor(start = Date.now()) {
		this.#now = start;
	}

	now(): number {
		return this.#now;
	}

	async sleep(ms: number): Promise<void> {
		this.slept.push(ms);
		this.#now += Math.max(0, ms);
		this.onSleep(this.#now);
		await new Promise((resolve) => setImmediate(resolve));
	}
}
