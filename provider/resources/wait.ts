/** Waiting as data: what to read, what to make of it, for how long. Time and chance come in. */
import type { Clock } from "../api/clock";
import { isTelephonyError } from "../api/errors";

export interface Wait<T> {
	/** What is known already: a first look costs nothing. */
	readonly start: T;
	read(): Promise<T>;
	/** True when there is nothing left to wait for. Throws when waiting has become pointless. */
	done(record: T): boolean;
	readonly timeoutMs: number;
	/** Called before each pause. */
	report?(record: T, leftMs: number): void;
	readonly signal?: AbortSignal;
}

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
/** A pause of a tenth of the time waited finds the end at most a tenth late, with few requests. */
const share = 0.1;
/** The status stays fresh for whoever watches, and a CI job is not killed for its silence. */
const reportEveryMs = 20_000;

/** Reads until done or until the time is over; tells which, with the last record. */
export async function waitUntil<T>(
	wait: Wait<T>,
	clock: Clock,
	random: () => number,
): Promise<{ record: T; inTime: boolean }> {
	const started = clock.now();
	const end = started + wait.timeoutMs;
	let record = wait.start;
	while (!wait.done(record)) {
		const now = clock.now();
		if (now >= end || wait.signal?.aborted) return { record, inTime: false };
		const pause = Math.min(longestPauseMs, Math.max(firstPauseMs, (now - started) * share)) * (0.9 + 0.2 * random());
		await pauseReporting(wait, record, Math.min(now + pause, end), end, clock);
		if (wait.signal?.aborted) return { record, inTime: false };
		try {
			record = await wait.read();
		} catch (error) {
			// The client has tried for long already; a service that is away for a while is no reason to give up a wait.
			if (!isTelephonyError(error, "Unavailable") && !isTelephonyError(error, "RateLimited")) throw error;
		}
	}
	return { record, inTime: true };
}

async function pauseReporting<T>(wait: Wait<T>, record: T, until: number, end: number, clock: Clock): Promise<void> {
	for (let now = clock.now(); now < until && !wait.signal?.aborted; now = clock.now()) {
		wait.report?.(record, end - now);
		await clock.sleep(Math.min(reportEveryMs, until - now), wait.signal);
	}
}

/** `9 min`, `45 s`, `2 h 10 min`: for people. */
export function duration(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1000));
	if (seconds < 120) return `${seconds} s`;
	const minutes = Math.ceil(seconds / 60);
	if (minutes < 120) return `${minutes} min`;
	const hours = Math.floor(minutes / 60);
	return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
