/** Time as the emulator sees it: injected, so that a test can pass ten days in a moment. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Calls back once the time has come; answers how to cancel. */
	at(time: number, callback: () => void): () => void;
}

/** Node's timers overflow above this and fire at once. */
const longestTimer = 2 ** 31 - 1;

export const realClock: Clock = {
	now: () => Date.now(),
	at(time, callback) {
		let timer: NodeJS.Timeout;
		const wait = () => {
			const left = time - Date.now();
			// A waiting number must not keep the process alive.
			timer = setTimeout(left > longestTimer ? wait : callback, Math.min(Math.max(left, 0), longestTimer)).unref();
		};
		wait();
		return () => clearTimeout(timer);
	},
};

/** A clock that stands still until it is advanced; due callbacks run in order of time, each at its own time. */
export class VirtualClock implements Clock {
	#now: number;
	#timers: { time: number; callback: () => void }[] = [];

	constructor(start: number) {
		this.#now = start;
	}

	now(): number {
		return this.#now;
	}

	at(time: number, callback: () => void): () => void {
		const timer = { time, callback };
		this.#timers.push(timer);
		return () => {
			this.#timers = this.#timers.filter((other) => other !== timer);
		};
	}

	/** Milliseconds forward; callbacks set up meanwhile count too. */
	advance(by: number): void {
		const end = this.#now + by;
		for (;;) {
			const due = this.#timers.filter((timer) => timer.time <= end).sort((one, other) => one.time - other.time)[0];
			if (due === undefined) break;
			this.#timers = this.#timers.filter((timer) => timer !== due);
			this.#now = Math.max(this.#now, due.time);
			due.callback();
		}
		this.#now = end;
	}
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30s`, `10m`, `2h`, `10d` in milliseconds; undefined for anything else. */
export const parseDuration = (text: string): number | undefined => {
	const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
	return amount === undefined ? undefined : Number.parseInt(amount, 10) * units[unit as keyof typeof units];
};

/** RFC 3339 in UTC. */
export const timestamp = (time: number): string => new Date(time).toISOString();
