/** A wait for one object, and durations in words. */
import type { Poller, WaitEnd } from "./poller";

export interface WaitForOne<T> {
	readonly id: string;
	/** The known record, so that the first check costs no request. */
	readonly start: T;
	/** True when there is nothing left to wait for. Throws when waiting has become pointless. */
	done(record: T): boolean;
	/** Gets each record. The last one counts, no matter how the wait ends. */
	keep?(record: T): void;
	/** True for a response to ignore. */
	passes?(found: { readonly record: T } | { readonly error: unknown }): boolean;
	readonly timeoutMs: number;
	/** Called before each pause. */
	report?(record: T, leftMs: number): void;
}

/** Waits until the object is done, the time is over, or the process ends. Returns the last record, and which of these. */
export async function waitForOne<R extends { readonly id: string }, T>(
	wait: WaitForOne<T | R>,
	poller: Poller<R>,
): Promise<{ record: T | R; ending: WaitEnd }> {
	let record: T | R = wait.start;
	let isDone = wait.done(record);
	const ending = await poller.wait({
		open: () => (isDone ? [] : [wait.id]),
		see: (_, found) => {
			if (wait.passes?.(found)) return;
			if ("error" in found) throw found.error;
			record = found.record;
			wait.keep?.(record);
			isDone = wait.done(record);
		},
		timeoutMs: wait.timeoutMs,
		report: (leftMs) => wait.report?.(record, leftMs),
	});
	return { record, ending };
}

/** Returns a duration for people, such as `9 min`, `45 s` or `2 h 10 min`. */
export function duration(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	if (seconds < 120) return `${seconds} s`;
	const minutes = Math.ceil(seconds / 60);
	if (minutes < 120) return `${minutes} min`;
	const hours = Math.floor(minutes / 60);
	return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
