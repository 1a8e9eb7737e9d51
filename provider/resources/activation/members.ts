/** The wait for several numbers, of an Activation or a pool, and the report on all of them. */
import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { isGone, nextStep, TelephonyError } from "../../api/errors";
import { nameOf, phaseOf, statusOf } from "../../api/record";
import { listed, sentence } from "../../properties/display";
import type { Session } from "../../session/session";
import { lagBehind } from "../../session/staleness";
import { duration } from "../../session/wait";
import { type NumberStanding, requestText, standingOf, standingText, waitText, warnUntold } from "../number/kyc";

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
		if (problem !== undefined) session.progress.warn(urn, problem.code, problemText(record, problem));
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
	if (unknown.length > 0) warnUntold(session, { __resourceUrn: urn }, unknown);
	if (outcome === "done" && !records.some(problemOf)) return;
	const time = outcome === "late" ? ` after ${duration(timeoutMs)}` : "";
	const reason = outcome === "stopped" ? ` (${session.ending.reason})` : "";
	throw notActive(records, `${countText(members)}${time}${reason}.`);
}

const isPending = (record: NumberRecord): boolean => memberStanding(record)?.code === "kyc-pending";

/** Returns how a number stands that isn't active, even if the account no longer has it. */
export const memberStanding = (record: PurchaseRecord): NumberStanding | undefined =>
	record.status === gone ? { code: "not-found", status: gone, isPending: false, isEnded: true } : standingOf(record);

/** Returns why waiting can't make the number active; undefined if it is active, or may still become so. */
function problemOf(record: NumberRecord): NumberStanding | undefined {
	const standing = memberStanding(record);
	return standing?.code === "kyc-pending" ? undefined : standing;
}

/** Returns the number's name and problem. Only the service's support can explain a refusal. */
function problemText(record: NumberRecord, problem: NumberStanding): string {
	const request = problem.code === "kyc-rejected" ? requestText(record) : "";
	return `${nameOf(record)} ${standingText(problem)}${request}`;
}

/** `37 of 40 active, 2 in review, 1 rejected`. */
function countText(members: Members): string {
	const counts = new Map<string, number>();
	for (const record of members.values()) counts.set(wordOf(record), (counts.get(wordOf(record)) ?? 0) + 1);
	const others = [...counts].filter(([word]) => word !== "active").map(([word, count]) => `, ${count} ${word}`);
	return `${counts.get("active") ?? 0} of ${members.size} active${others.join("")}`;
}

function wordOf(record: NumberRecord): string {
	const standing = memberStanding(record);
	if (standing === undefined) return phaseOf(record) === "active" ? "active" : statusOf(record);
	const kyc = standing.isPending ? standing.kyc?.status : undefined;
	return (kyc ?? standing.status).replaceAll("_", " ");
}

function notActive(records: readonly NumberRecord[], count: string): TelephonyError {
	const problems: string[] = [];
	const waiting: string[] = [];
	// Most numbers need the same.
	const actions = new Set<string>();
	for (const record of records) {
		const standing = memberStanding(record);
		if (standing === undefined) continue;
		if (standing.code === "kyc-pending") waiting.push(`${nameOf(record)} ${waitText(record)}`);
		else problems.push(problemText(record, standing));
		if (standing.isPending && standing.action !== undefined) actions.add(sentence(standing.action));
	}
	const kind = problems.length > 0 ? "KycRefused" : "KycPending";
	const parts = [count];
	if (problems.length > 0) parts.push(`Refused: ${listed(problems, "; ")}.`);
	if (waiting.length > 0) parts.push(`Waiting: ${listed(waiting, "; ")}.`);
	if (actions.size > 0) parts.push(listed([...actions], " "));
	return new TelephonyError(kind, parts.join(" "), { nextStep: nextStep(actions.size > 0 ? "KycPending" : kind) });
}
