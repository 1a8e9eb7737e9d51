/** Waits for changes that the service shows late. Only the transport, the limiter and the poller have times of their own. */
import type { Clock } from "./clock";

/** Pauses between reads, ms. */
export const pauses = {
	/** Of an object that may lag behind what is known: ten seconds. */
	known: [250, 500, 1_000, 2_000, 2_000, 2_000, 2_000],
	/** Of an object that was just written. */
	written: [250, 500, 1_000, 2_000, 4_000],
	/** Of a list that may lag behind a purchase. */
	bought: [5_000, 10_000, 20_000, 30_000],
	/** Of a number that the service has sold: longer than any lag. */
	sold: [1_000, 2_000, 4_000, 8_000, ...Array<number>(6).fill(10_000)],
	/** Before the next delete of an object that numbers use: 15 s. */
	inUse: [1_000, 2_000, 4_000, 8_000],
} as const;

/** How long the provider doubts responses that may lag, ms. */
export const patienceMs = 10_000;
/** The service shows its own sale by then, ms: a younger object may exist even if it isn't found. */
export const lagMs = 60_000;

/** How long requests are gathered to share reads, ms. */
export const gatheringMs = {
	/** Reads of one operation. */
	reads: 10,
	/** Missing objects that the engine reads together. */
	absences: 500,
	/** Missing objects before a purchase, which only a new stack waits for. */
	purchases: 250,
} as const;

/** After `ending` nothing more is sent. */
export interface Waiter {
	readonly clock: Clock;
	readonly ending?: AbortSignal | undefined;
}

interface Patience {
	/** Pauses between reads, ms. */
	readonly for: Iterable<number>;
	/** True for an error that may be due to lag. @default none */
	passes?(error: unknown): boolean;
}

/** Reads until the result is credible or the last pause is over. The last read counts as it is, also its error. */
export async function until<T>(
	{ clock, ending }: Waiter,
	read: () => Promise<T>,
	isCredible: (found: T) => boolean,
	{ for: between, passes }: Patience,
): Promise<T> {
	for (const pause of between) {
		// The last read isn't sent: its error says why the run ended.
		if (ending?.aborted) break;
		try {
			const found = await read();
			if (isCredible(found)) return found;
		} catch (error) {
			if (passes?.(error) !== true) throw error;
		}
		await clock.sleep(pause, ending);
	}
	return read();
}
