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

/** `gone` if the account has no such number. */
export type AwaitedNumber = NumberRecord | "gone";
type Members = ReadonlyMap<string, AwaitedNumber>;

/**
 * Waits until no number is pending, and updates `members` in place. Each refusal is a warning at once, and an error at
 * the end.
 * @throws TelephonyError KycPending, KycRefused
 */
export async function untilActive(
	session: Session,
	{
		urn,
		members,
		timeoutMs,
	}: { readonly urn: string; readonly members: Map<string, AwaitedNumber>; readonly timeoutMs: number },
): Promise<void> {
	const service = await session.service();
	const lags = lagBehind(session, service);
	const warn = (id: string) => {
		const problem = problemOf(id, members.get(id));
		if (problem !== undefined) session.progress.warn(urn, problem.code, problem.text);
	};
	for (const id of members.keys()) warn(id);
	const outcome = await service.waits.number.wait({
		open: () => [...members].flatMap(([id, record]) => (isPending(record) ? [id] : [])),
		see: (id, found) => {
			const last = members.get(id);
			if (typeof last === "object" && lags(last, found)) return;
			if ("error" in found && !isGone(found.error)) throw found.error;
			const record = "record" in found ? found.record : undefined;
			members.set(id, record ?? "gone");
			service.numbers.wrote(id, record);
			warn(id);
		},
		timeoutMs,
		report: (leftMs) => session.progress.status(urn, `${countText(members)}, ${duration(leftMs)} left`),
	});
	const unknown = recordsOf(members).filter((record) => phaseOf(record) === "untold");
	if (unknown.length > 0) warnUntold(session, { resourceUrn: urn }, unknown);
	const hasProblem = [...members].some(([id, record]) => problemOf(id, record) !== undefined);
	if (outcome === "done" && !hasProblem) return;
	const time = outcome === "late" ? ` after ${duration(timeoutMs)}` : "";
	const reason = outcome === "stopped" ? ` (${session.ending.reason})` : "";
	throw notActive(members, `${countText(members)}${time}${reason}.`);
}

const recordsOf = (members: Members): NumberRecord[] => [...members.values()].filter((record) => record !== "gone");

const isPending = (record: AwaitedNumber): boolean =>
	record !== "gone" && phaseOf(record) === "pending" && refusalText(record) === undefined;

/** Why waiting can't make the number active; undefined if it is active, or may still become so. */
function problemOf(
	id: string,
	record: AwaitedNumber | undefined,
): { readonly code: MessageCode; readonly text: string } | undefined {
	if (record === undefined || record === "gone") return { code: "not-found", text: `${id} no longer exists` };
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

function wordOf(record: AwaitedNumber): string {
	if (record === "gone") return record;
	const phase = phaseOf(record);
	if (phase === "active") return phase;
	const kyc = phase === "pending" ? record.kyc?.status : undefined;
	return (kyc ?? statusOf(record)).replaceAll("_", " ");
}

function notActive(members: Members, count: string): TelephonyError {
	const problems = [...members].flatMap(([id, record]) => problemOf(id, record)?.text ?? []);
	const records = recordsOf(members);
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
