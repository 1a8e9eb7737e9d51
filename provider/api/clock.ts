import { setTimeout as pause } from "node:timers/promises";

/** Injected, so that tests don't wait. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves after `ms`, or at once when the signal aborts. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface TimerClock extends Clock {
	/** Calls `event` once after `ms`, unless the returned function is called before. Keeps no process alive. */
	schedule(ms: number, event: () => void): () => void;
}

export const systemClock: TimerClock = {
	// Never goes back, as a machine's date may: that would lengthen a wait.
	now: () => Math.round(performance.timeOrigin + performance.now()),
	// It rejects only if the signal aborts.
	sleep: (ms, signal) => pause(ms, undefined, signal && { signal }).catch(() => undefined),
	schedule: (ms, event) => {
		const timer = setTimeout(event, ms).unref();
		return () => clearTimeout(timer);
	},
};
