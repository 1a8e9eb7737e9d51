/** The wait for one object of the account, and durations in words. */
import type { Poller, WaitEnd } from "../reads/poller";
import type { SharedReads } from "../reads/reads";
import type { Service, Session } from "./session";
import { type Dated, lagBehind } from "./staleness";

type Waited = Dated & { readonly id: string; readonly status?: unknown };

export interface WaitForOne<R extends Waited> {
	readonly urn: string;
	/** The known record, so that the first check costs no request. */
	readonly start: R;
	readonly reads: Pick<SharedReads<R>, "wrote">;
	readonly poller: Poller<R>;
	readonly timeoutMs: number;
	/** True when there is nothing left to wait for. */
	isDone(record: R): boolean;
	/** Gets each record. The last one counts, no matter how the wait ends. The next read waits for a promise. */
	readonly keep?: ((record: R) => unknown) | undefined;
	/** Returns the text of the status column, to which the time left is added. */
	text(record: R): string;
}

/** Waits until the object is done, the time is over, or the process ends. Returns the last record, and which of these. */
export async function waitForOne<R extends Waited>(
	session: Session,
	service: Service,
	{ urn, start, reads, poller, timeoutMs, isDone, keep, text }: WaitForOne<R>,
): Promise<{ record: R; ending: WaitEnd }> {
	// A service may lag behind the write that made the object.
	const lags = lagBehind(session, service);
	let record = start;
	const ending = await poller.wait({
		open: () => (isDone(record) ? [] : [start.id]),
		see: async (id, found) => {
			if (lags(start, found)) return;
			if ("error" in found) throw found.error;
			record = found.record;
			reads.wrote(id, record);
			await keep?.(record);
		},
		timeoutMs,
		report: (leftMs) => session.progress.status(urn, `${text(record)}, ${duration(leftMs)} left`),
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
