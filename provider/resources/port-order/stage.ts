/** The status of a port order in words, and the wait for its completion. */
import type { PortOrderRecord } from "../../api/contract";
import { isOpenPort, portPhaseOf } from "../../api/record";
import type { Service, Session } from "../../session/session";
import { type WaitForOne, waitForOne } from "../../session/wait";

type Stage = Pick<PortOrderRecord, "status" | "scheduled_at" | "exceptions">;

/** `scheduled for 2026-12-01T09:00:00Z`, `in review`. An unknown status keeps the service's spelling. */
export function portStage({ status = "unknown", scheduled_at, exceptions }: Stage): string {
	const words = status.replaceAll("_", " ");
	if (status === "exception") return `${words}: ${exceptionWords(exceptions)}`;
	return scheduled_at == null || portPhaseOf({ status }) !== "under way" ? words : `${words} for ${scheduled_at}`;
}

export const exceptionWords = (exceptions: Stage["exceptions"]): string =>
	exceptions?.length ? exceptions.map(({ code, message }) => `${message} (${code})`).join("; ") : "no reason given";

/** Waits until the order has ended, needs a correction, or is scheduled for a time after the wait. */
export async function waitForPort(
	session: Session,
	service: Service,
	start: PortOrderRecord,
	{ urn, timeoutMs, keep }: Pick<WaitForOne<PortOrderRecord>, "urn" | "timeoutMs" | "keep">,
): Promise<PortOrderRecord> {
	const until = service.client.now() + timeoutMs;
	const isTooLate = ({ scheduled_at }: PortOrderRecord) => Date.parse(scheduled_at ?? "") > until;
	const { record } = await waitForOne<PortOrderRecord>(session, service, {
		...{ urn, start, timeoutMs, keep },
		reads: service.reads["port order"],
		poller: service.waits["port order"],
		// An exception at the start may be corrected by this run.
		isDone: (latest) =>
			!isOpenPort(latest) || isTooLate(latest) || (latest !== start && portPhaseOf(latest) === "exception"),
		text: (latest) => `port order ${portStage(latest)}`,
	});
	return record;
}
