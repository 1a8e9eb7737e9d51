/** Where a port order stands, in words, and the wait for its end. */
import type { PortOrderRecord } from "../../api/contract";
import { portPhaseOf } from "../../api/record";
import { duration, waitForOne } from "../../reads/wait";
import type { Service, Session } from "../../session/session";
import { lagBehind } from "../../session/staleness";

type Shown = Pick<PortOrderRecord, "status" | "scheduled_at" | "exceptions">;

/** `scheduled for 2026-12-01T09:00:00Z`, `in review`. A word that isn't known is left as the service spells it. */
export function portStage({ status = "unknown", scheduled_at, exceptions }: Shown): string {
	const words = status.replaceAll("_", " ");
	if (status === "exception") return `${words}: ${exceptionWords(exceptions)}`;
	return scheduled_at == null || portPhaseOf({ status }) !== "under way" ? words : `${words} for ${scheduled_at}`;
}

/** The carriers' reasons in words. */
export const exceptionWords = (exceptions: Shown["exceptions"]): string =>
	exceptions?.length ? exceptions.map(({ code, message }) => `${message} (${code})`).join("; ") : "no reason given";

interface PortWait {
	readonly urn: string;
	readonly timeoutMs: number;
	/** Gets each record as it comes. */
	keep?(record: PortOrderRecord): void;
}

/** Waits until the order has ended or needs somebody, and no longer than makes sense: a change-over has its time. */
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
			// An older exception may be corrected by this very run.
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
