/** How the provider waits for what shows late, and how long. Only transport, pace and poller have times of their own. */
import type { Clock } from "./clock";

/** Pauses between looks, ms. */
export const pauses = {
	/** At an object that lags behind what is known: `patienceMs` in all. */
	known: [250, 500, 1_000, 2_000, 2_000, 2_000, 2_000],
	/** At an object that was just written, whose new values may not be shown yet. */
	written: [250, 500, 1_000, 2_000, 4_000],
	/** At a list that may lag behind a purchase. */
	bought: [5_000, 10_000, 20_000, 30_000],
	/** At what the engine has said so far: ten seconds in all. */
	heard: Array<number>(100).fill(100),
} as const;

/** How long answers that can't be true yet are doubted. What was made before that has had at least as long. */
export const patienceMs = 10_000;

/** What waits, and until when. */
export interface Run {
	readonly clock: Clock;
	/** Aborts when nothing more is to be sent. */
	readonly ending?: AbortSignal | undefined;
}

/** The engine has said what it has to say once it says nothing new for so long. */
export const quietMs = 500;

interface Patience {
	/** Pauses between looks, ms. */
	readonly for: Iterable<number>;
	/** Whether an error may only be due to lag. */
	passes?(error: unknown): boolean;
}

/** Looks until the answer can be believed or the last pause is over. The last look counts as it is, errors too. */
export async function until<T>(
	{ clock, ending }: Run,
	look: () => Promise<T>,
	credible: (found: T) => boolean,
	{ for: between, passes }: Patience,
): Promise<T> {
	for (const pause of between) {
		// Nothing is sent any more: the last look's error says why, and no doubtful answer takes its place.
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
