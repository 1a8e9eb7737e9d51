import type { Clock } from "../../provider/api/clock";

/** Sleeping moves the time on and returns at once: tests pass days in a moment. */
export class FakeClock implements Clock {
	/** Each pause asked for, ms. */
	readonly slept: number[] = [];
	/** Called after each pause, with the time that it led to. */
	onSleep: (now: number) => void = () => {};
	#now: number;
	#due: { readonly at: number; readonly event: () => void }[] = [];

	constructor(start = Date.now()) {
		this.#now = start;
	}

	now(): number {
		return this.#now;
	}

	/** Does something in the pause that leads so many seconds on from now, or past them. */
	after(seconds: number, event: () => void): void {
		this.#due.push({ at: this.#now + seconds * 1000, event });
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
