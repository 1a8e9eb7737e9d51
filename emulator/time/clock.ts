import { z } from "zod";
import { Timers } from "./timers";

/** The emulator's time. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Calls back at a time; returns a function that cancels. */
	at(time: number, callback: () => void): () => void;
}

export type ClockMode = "real" | "virtual";

/** The year 10000, whose years have more than four digits. */
export const endOfTime = Date.UTC(10_000, 0);

/** Node's timers overflow above this. */
const longestAlarm = 2 ** 31 - 1;

/**
 * Runs like the machine's clock, or stands still until it is advanced. It never goes back: after an advance, it runs ahead
 * of the machine's clock.
 */
export class SwitchableClock implements Clock {
	/** The time of a virtual clock; undefined in real mode. */
	#frozen: number | undefined;
	#ahead = 0;
	readonly #timers = new Timers();
	#alarm: NodeJS.Timeout | undefined;
	/** Called after each change of time or mode by a caller. */
	turned: (() => void) | undefined;

	constructor(frozenAt?: number) {
		this.#frozen = frozenAt;
	}

	get mode(): ClockMode {
		return this.#frozen === undefined ? "real" : "virtual";
	}

	/** Milliseconds by which a running clock is ahead of the machine's. */
	get ahead(): number {
		return this.#ahead;
	}

	now(): number {
		return this.#frozen ?? Date.now() + this.#ahead;
	}

	at(time: number, callback: () => void): () => void {
		const { next } = this.#timers;
		const cancel = this.#timers.add(time, callback);
		if (next !== this.#timers.next) this.#setAlarm();
		return cancel;
	}

	/** Advances a virtual clock by ms. Due timers run in order, each at its own time. */
	advance(by: number): void {
		if (this.#frozen === undefined) throw new RangeError("The clock is the real one: it can't be advanced.");
		const end = this.#frozen + by;
		this.#runUntil(end, (time) => {
			this.#frozen = Math.max(this.#frozen ?? time, time);
		});
		this.#frozen = end;
		this.turned?.();
	}

	/** Freezes the clock, or lets it run. A clock that is behind the machine's first catches up. */
	switchTo(mode: ClockMode): void {
		if (mode === this.mode) return;
		if (this.#frozen === undefined) {
			this.#frozen = this.now();
		} else {
			this.advance(Math.max(Date.now() - this.#frozen, 0));
			this.#ahead = Math.max(this.#frozen - Date.now(), 0);
			this.#frozen = undefined;
		}
		this.#setAlarm();
		this.turned?.();
	}

	/** Sets the mode with the time of a virtual clock or the lead of a running one, and drops all timers. */
	set(mode: ClockMode, time: number, ahead = 0): void {
		this.#frozen = mode === "virtual" ? time : undefined;
		this.#ahead = ahead;
		this.#timers.clear();
		this.#setAlarm();
		this.turned?.();
	}

	#runUntil(end: number, reach: (time: number) => void = () => {}): void {
		for (;;) {
			const { next } = this.#timers;
			if (next === undefined || next.time > end) return;
			this.#timers.shift();
			reach(next.time);
			next.callback();
		}
	}

	/** Sets one Node timer, for the next timer. */
	#setAlarm(): void {
		clearTimeout(this.#alarm);
		const { next } = this.#timers;
		if (next === undefined || this.#frozen !== undefined) return;
		const ring = () => {
			this.#runUntil(this.now());
			this.#setAlarm();
		};
		// A timer must not keep the process alive.
		this.#alarm = setTimeout(ring, Math.min(Math.max(next.time - this.now(), 0), longestAlarm)).unref();
	}
}

export class VirtualClock extends SwitchableClock {
	constructor(start: number = Date.now()) {
		super(start);
	}
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns `30s`, `10m`, `2h`, `10d` in milliseconds; undefined for any other text. */
export const parseDuration = (text: string): number | undefined => {
	const [, amount, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
	return amount === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
};

/** Returns RFC 3339 with an offset, from 1970 to 9999, in milliseconds since 1970; undefined for any other text. */
export const parseTime = (text: string): number | undefined => {
	const time = z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : Number.NaN;
	return time >= 0 && time < endOfTime ? time : undefined;
};

export const timeHint = "must be a time such as 2027-01-01T00:00:00Z";

/** Returns RFC 3339 in UTC, at most the end of the year 9999. */
export const timestamp = (time: number): string => new Date(Math.min(time, endOfTime - 1)).toISOString();
