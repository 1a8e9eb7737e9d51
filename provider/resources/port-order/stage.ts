/** The status of a port order in words, and the wait for its completion. */
import type { PortOrderRecord } from "../../api/contract";
import { portPhaseOf } from "../../api/record";
import { duration, waitForOne } from "../../reads/wait";
import type { Service, Session } from "../../session/session";
import { lagBehind } from "../../session/staleness";

type Stage = Pick<PortOrderRecord, "status" | "scheduled_at" | "exceptions">;

/** `scheduled for 2026-12-01T09:00:00Z`, `in review`. An unknown status keeps the service's spelling. */
export function portStage({ status = "unknown", scheduled_at, exceptions }: Stage): string {
	const words = status.replaceAll("_", " ");
	if (status === "exception") return `${words}: ${exceptionWords(exceptions)}`;
	return scheduled_at == null || portPhaseOf({ status }) !== "under way" ? words : `${words} for ${scheduled_at}`;
}

/** The carriers' objections in words. */
export const exceptionWords = (exceptions: Stage["exceptions"]): string =>
	exceptions?.length ? exceptions.map(({ code, message }) => `${message} (${code})`).join("; ") : "no reason given";

interface PortWait {
	readonly urn: string;
	readonly timeoutMs: number;
	/** Gets each record. */
	keep?(record: PortOrderRecord): void;
}

/** Waits until the order has ended, needs a correction, or is scheduled for a time after the wait. */
export async function waitForPort(
	session: Session,
	service: Service,
	start: PortOrderRecord,
	{ urn, timeoutMs, keep }: PortWait,
): Promise<PortOrderRecord> {
	const until = service.client.now() + timeoutMs;
	const lags = lagBehind(session, service);
	const isTooLate = ({ scheduled_at }: PortOrderRecord) => Date.parse(scheduled_at ?? "") > until;
	const { record } = await waitForOne<PortOrderRecord, PortOrderRecord>(
		{
			id: start.id,
			start,
			// An exception at the start may be corrected by this run.
			done: (latest) => isOver(latest) || isTooLate(latest) || (latest !== start && isStopped(latest)),
			keep: (latest) => {
				service.reads["port order"].wrote(latest.id, latest);
				keep?.(latest);
			},
			passes: (found) => lags(start, found),
			timeoutMs,
			report: (latest, leftMs) =>
				session.progress.status(urn, `port order ${portStage(latest)}, ${duration(leftMs)} left`),
		},
		service.waits["port order"],
	);
	return record;
}

const isOver = (record: PortOrderRecord): boolean => ["completed", "cancelled"].includes(portPhaseOf(record));
const isStopped = (record: PortOrderRecord): boolean => portPhaseOf(record) === "exception";
