/**
 * How the provider waits for answers that show late, and how long. Only the transport, the pace and the poller have
 * times of their own.
 */
import type { Clock } from "./clock";

/** Pauses between looks, ms. */
export const pauses = {
	/** At an object that may lag behind what is known: ten seconds, as no ninth look is in time. */
	known: [250, 500, 1_000, 2_000, 2_000, 2_000, 2_000],
	/** At an object that was just written. */
	written: [250, 500, 1_000, 2_000, 4_000],
	/** At a list that may lag behind a purchase. */
	bought: [5_000, 10_000, 20_000, 30_000],
	/** At a number that the service has sold: longer than any lag. */
	sold: [1_000, 2_000, 4_000, 8_000, ...Array<number>(6).fill(10_000)],
	/** Before the next delete of an object that numbers use: 15 s. */
	inUse: [1_000, 2_000, 4_000, 8_000],
	/** At what the engine has said so far. */
	heard: Array<number>(100).fill(100),
} as const;

/** How long answers that can't be true yet are doubted, ms. What was made before that has had at least as long. */
export const patienceMs = 10_000;
/** A service shows its own sale by then, ms: what is younger may exist even if it isn't found. */
export const lagMs = 60_000;

/** How long requests are gathered, so that they share reads, ms. */
export const gatheringMs = {
	/** Reads of one operation. */
	reads: 10,
	/** Absent objects that the engine reads together. */
	absences: 500,
	/** The same before a purchase, which only a new stack waits for. */
	purchases: 250,
} as const;

/** How long something else of this run is waited for, ms. */
export const othersMs = {
	/** The engine, until it says something new. */
	quiet: 500,
	/** The diff of an entry that may hold the same object. */
	diff: 1_000,
	/** The delete of a successor, which comes at about the same time. Looked for at each tick. */
	leaving: 3_000,
	tick: 250,
} as const;

/** What waits. After `ending` nothing more is sent. */
export interface Waiter {
	readonly clock: Clock;
	readonly ending?: AbortSignal | undefined;
}

interface Patience {
	/** Pauses between looks, ms. */
	readonly for: Iterable<number>;
	/** Whether an error may only be due to lag. @default none */
	passes?(error: unknown): boolean;
}

/** Looks until the answer is credible or the last pause is over. The last look's outcome counts as it is, errors too. */
export async function until<T>(
	{ clock, ending }: Waiter,
	look: () => Promise<T>,
	credible: (found: T) => boolean,
	{ for: between, passes }: Patience,
): Promise<T> {
	for (const pause of between) {
		// The last look isn't sent: its error says why the run ended, where a doubtful answer could be taken for the truth.
		if (ending?.aborted) break;
		try {
			const found = await look();
			if (credible(found)) return found;
		} catch (error) {
			if (passes?.(error) !== true) throw error;
		}
		await clock.sleep(pause, ending);
	}
	return look();
}
