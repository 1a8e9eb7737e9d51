/** The wait for several numbers, of an Activation or a pool, and the report on all of them. */
import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { isNotFound, TelephonyError } from "../../api/errors";
import { nameOf, phaseOf, statusOf } from "../../api/record";
import { type CodedCondition, type Condition, conditionOf, inWords, stepsOf } from "../../drift/condition";
import { listed } from "../../properties/display";
import type { Session } from "../../session/session";
import { lagBehind } from "../../session/staleness";
import { duration } from "../../session/wait";
import { isWaiting, numberCondition, warnUnknownKyc } from "../number/kyc";

type Members = ReadonlyMap<string, NumberRecord>;

/** The status of a number that the account doesn't have. */
export const deleted = "deleted";

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
		const condition = memberCondition(record);
		if (condition?.kind === "problem")
			session.progress.warn(urn, condition.code, `${conditionOf(nameOf(record), condition, { record })}.`);
	};
	for (const record of members.values()) warn(record);
	const outcome = await service.waits.number.wait({
		open: () => [...members].flatMap(([id, record]) => (isWaiting(record) ? [id] : [])),
		see: (id, found) => {
			const last = members.get(id) ?? { id };
			if (lags(last, found)) return;
			if ("error" in found && !isNotFound(found.error)) throw found.error;
			const record = "record" in found ? found.record : undefined;
			const current = record ?? { ...last, status: deleted };
			members.set(id, current);
			service.numbers.wrote(id, record);
			warn(current);
		},
		timeoutMs,
		report: (leftMs) => session.progress.status(urn, `${countText(members)}, ${duration(leftMs)} left`),
	});
	const records = [...members.values()];
	const unknown = records.filter((record) => phaseOf(record) === "unknown");
	if (unknown.length > 0) warnUnknownKyc(session, { __resourceUrn: urn }, unknown);
	if (outcome === "done" && !records.some(memberCondition)) return;
	const time = outcome === "late" ? ` after ${duration(timeoutMs)}` : "";
	const reason = outcome === "stopped" ? ` (${session.ending.reason})` : "";
	throw notActive(records, `${countText(members)}${time}${reason}.`);
}

/** Returns why a number isn't active, even if the account no longer has it. */
export const memberCondition = (record: PurchaseRecord): CodedCondition | undefined =>
	record.status === deleted
		? {
				kind: "problem",
				code: "not-found",
				goal: "active",
				status: deleted,
				fixes: [{ code: "restore", text: "`pulumi up --refresh` removes deleted numbers from the state" }],
			}
		: numberCondition({}, record);

/** `37 of 40 active, 2 in review, 1 rejected`. */
function countText(members: Members): string {
	const counts = new Map<string, number>();
	for (const record of members.values()) {
		const isActive = phaseOf(record) === "active";
		const status = inWords(memberCondition(record)?.status ?? (isActive ? "active" : statusOf(record)));
		counts.set(status, (counts.get(status) ?? 0) + 1);
	}
	const others = [...counts].filter(([status]) => status !== "active").map(([status, count]) => `, ${count} ${status}`);
	return `${counts.get("active") ?? 0} of ${members.size} active${others.join("")}`;
}

function notActive(records: readonly NumberRecord[], count: string): TelephonyError {
	const conditions = records.flatMap((record) => memberCondition(record) ?? []);
	const textsOf = (kind: Condition["kind"]) =>
		records.flatMap((record) => {
			const condition = memberCondition(record);
			return condition?.kind === kind ? conditionOf(nameOf(record), condition, { record }) : [];
		});
	const problems = textsOf("problem");
	const texts = listed([...problems, ...textsOf("waiting")], "; ");
	return new TelephonyError(problems.length > 0 ? "KycRefused" : "KycPending", `${count} ${texts}.`, {
		nextStep: stepsOf(conditions),
	});
}
