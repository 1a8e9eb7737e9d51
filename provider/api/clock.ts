/** Injected, so that tests don't wait. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Resolves after `ms`, or at once when the signal aborts. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
	// Never goes back, as a machine's date may: that would lengthen a wait.
	now: () => Math.round(performance.timeOrigin + performance.now()),
	sleep: (ms, signal) =>
		new Promise((resolve) => {
			if (signal?.aborted) return resolve();
			const done = () => {
				clearTimeout(timer);
				signal?.removeEventListener("abort", done);
				resolve();
			};
			const timer = setTimeout(done, ms);
			signal?.addEventListener("abort", done, { once: true });
		}),
};
