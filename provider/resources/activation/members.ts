/** The wait for several numbers, of an Activation or a pool, and the report on all of them. */
import type { NumberRecord } from "../../api/contract";
import { isGone, nextStep, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { nameOf, phaseOf, statusOf } from "../../api/record";
import { listed } from "../../properties/display";
import type { Session } from "../../session/session";
import { lagBehind } from "../../session/staleness";
import { duration } from "../../session/wait";
import { actionOf, actionText, deadlineText, kycText, refusalText, requestText, warnUntold } from "../number/kyc";

type Members = ReadonlyMap<string, NumberRecord>;

/** The status of a number that the account doesn't have. */
export const gone = "gone";

/**
 * Waits until no number is pending, and updates `members` in place. Each refusal is a warning at once, and an error at
 * the end.
 * @throws TelephonyError KycPending, KycRefused
 */
export async function untilActive(
	session: Session,
	{ urn, members, timeoutMs }: { urn: string; members: Map<string, NumberRecord>; timeoutMs: number },
): Promise<void> {
	const service = await session.service();
	const lags = lagBehind(session, service);
	const warn = (record: NumberRecord) => {
		const problem = problemOf(record);
		if (problem !== undefined) session.progress.warn(urn, problem.code, problem.text);
	};
	for (const record of members.values()) warn(record);
	const outcome = await service.waits.number.wait({
		open: () => [...members].flatMap(([id, record]) => (isPending(record) ? [id] : [])),
		see: (id, found) => {
			const last = members.get(id) ?? { id };
			if (lags(last, found)) return;
			if ("error" in found && !isGone(found.error)) throw found.error;
			const record = "record" in found ? found.record : undefined;
			const current = record ?? { ...last, status: gone };
			members.set(id, current);
			service.numbers.wrote(id, record);
			warn(current);
		},
		timeoutMs,
		report: (leftMs) => session.progress.status(urn, `${countText(members)}, ${duration(leftMs)} left`),
	});
	const records = [...members.values()];
	const unknown = records.filter((record) => phaseOf(record) === "untold");
	if (unknown.length > 0) warnUntold(session, { resourceUrn: urn }, unknown);
	if (outcome === "done" && !records.some(problemOf)) return;
	const time = outcome === "late" ? ` after ${duration(timeoutMs)}` : "";
	const reason = outcome === "stopped" ? ` (${session.ending.reason})` : "";
	throw notActive(records, `${countText(members)}${time}${reason}.`);
}

const isPending = (record: NumberRecord): boolean => phaseOf(record) === "pending" && refusalText(record) === undefined;

/** Why waiting can't make the number active; undefined if it is active, or may still become so. */
function problemOf(record: NumberRecord): { readonly code: MessageCode; readonly text: string } | undefined {
	if (record.status === gone) return { code: "not-found", text: `${nameOf(record)} no longer exists` };
	const refusal = refusalText(record);
	if (refusal !== undefined)
		return { code: "kyc-rejected", text: `${nameOf(record)} ${refusal}${requestText(record)}` };
	if (phaseOf(record) !== "stopped") return undefined;
	return { code: "not-active", text: `${nameOf(record)} is ${statusOf(record)}` };
}

/** `37 of 40 active, 2 in review, 1 rejected`. */
function countText(members: Members): string {
	const counts = new Map<string, number>();
	for (const record of members.values()) counts.set(wordOf(record), (counts.get(wordOf(record)) ?? 0) + 1);
	const others = [...counts].filter(([word]) => word !== "active").map(([word, count]) => `, ${count} ${word}`);
	return `${counts.get("active") ?? 0} of ${members.size} active${others.join("")}`;
}

function wordOf(record: NumberRecord): string {
	const phase = phaseOf(record);
	if (phase === "active" && record.status !== gone) return phase;
	const kyc = phase === "pending" ? record.kyc?.status : undefined;
	return (kyc ?? statusOf(record)).replaceAll("_", " ");
}

function notActive(records: readonly NumberRecord[], count: string): TelephonyError {
	const problems = records.flatMap((record) => problemOf(record)?.text ?? []);
	const waiting = records
		.filter(isPending)
		.map((record) => `${nameOf(record)} ${kycText(record)}${deadlineText(record)}`);
	const pending = records.filter((record) => phaseOf(record) === "pending");
	// Most numbers need the same.
	const actions = new Set(pending.flatMap((record) => actionOf(record) ?? []));
	const action = actionText(listed([...actions], "; "));
	const kind = problems.length > 0 ? "KycRefused" : "KycPending";
	const parts = [
		count,
		...(problems.length === 0 ? [] : [`Refused: ${listed(problems, "; ")}.`]),
		...(waiting.length === 0 ? [] : [`Waiting: ${listed(waiting, "; ")}.`]),
		...(action === "" ? [] : [action]),
		nextStep(action === "" ? kind : "KycPending"),
	];
	return new TelephonyError(kind, parts.join(" "));
}
