import type { Clock } from "../../provider/api/clock";

/** A clock that stands still while anything runs, and then jumps to the next pause's end. */
export class TurningClock implements Clock {
	#now = 0;
	#waiting: { readonly at: number; readonly wake: () => void }[] = [];

	now(): number {
		return this.#now;
	}

	sleep(ms: number, signal?: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const entry = { at: this.#now + Math.max(0, ms), wake: resolve };
			this.#waiting.push(entry);
			signal?.addEventListener("abort", () => {
				this.#waiting = this.#waiting.filter((waiting) => waiting !== entry);
				resolve();
			});
		});
	}

	/** Turns the clock until the work is done. */
	async turn<T>(work: Promise<T>): Promise<T> {
		let isDone = false;
		const mark = () => {
			isDone = true;
		};
		work.then(mark, mark);
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			if (isDone) return work;
			const next = this.#waiting.sort((a, b) => a.at - b.at).shift();
			if (next === undefined) throw new Error("everything waits, and nothing waits for the clock");
			this.#now = Math.max(this.#now, next.at);
			next.wake();
		}
	}
}
