/** The numbers that an activation waits for: what is known of each, and of all of them in words. */
import type { NumberRecord } from "../../api/contract";
import { isGone, nextStep, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { nameOf, statusOf } from "../../api/record";
import { listed } from "../../properties/display";
import type { Found } from "../../reads/poller";
import type { Session } from "../../session/session";
import { actionText, deadlineText, kycText, kycWords, refusalText, requestText } from "../number/kyc";
import { fleetActions } from "../number/kyc-action";

/** What is known of one of the numbers; "gone" where the service has no such number. */
export type Member = NumberRecord | "gone";

export function memberOf(found: Found<NumberRecord>): Member {
	if ("record" in found) return found.record;
	if (!isGone(found.error)) throw found.error;
	return "gone";
}

export const isWaiting = (member: Member): member is NumberRecord =>
	member !== "gone" && statusOf(member) !== "active" && problemOf(member.id, member) === undefined;

/** Why waiting can't make it active; undefined while it can, or if it is active already. */
export function problemOf(id: string, member: Member): Problem | undefined {
	if (member === "gone") return { code: "not-found", text: `${id} is gone` };
	const refusal = refusalText(member);
	if (refusal !== undefined)
		return { code: "kyc-rejected", text: `${nameOf(member)} ${refusal}${requestText(member)}` };
	const status = statusOf(member);
	// KYC is over: somebody else has to act.
	return status === "suspended" || status === "porting_out"
		? { code: "not-active", text: `${nameOf(member)} is ${status}` }
		: undefined;
}

interface Problem {
	readonly code: MessageCode;
	readonly text: string;
}

/** `37 of 40 active, 2 in review, 1 rejected`. */
export function countText(members: ReadonlyMap<string, Member>): string {
	const counts = new Map<string, number>();
	for (const member of members.values()) {
		const word = wordOf(member);
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	const { active = 0, ...others } = Object.fromEntries(counts);
	return [`${active} of ${members.size} active`, ...Object.entries(others).map(([word, n]) => `${n} ${word}`)].join(
		", ",
	);
}

function wordOf(member: Member): string {
	if (member === "gone") return "gone";
	const status = statusOf(member);
	const kyc = member.kyc?.status;
	return status === "pending" && kyc !== undefined ? kycWords(kyc) : status.replaceAll("_", " ");
}

export async function notActive(
	session: Session,
	members: ReadonlyMap<string, Member>,
	count: string,
): Promise<TelephonyError> {
	const refused: string[] = [];
	const waiting: string[] = [];
	const pending: NumberRecord[] = [];
	for (const [id, member] of members) {
		const problem = problemOf(id, member);
		if (problem !== undefined) refused.push(problem.text);
		else if (isWaiting(member)) waiting.push(`${nameOf(member)} ${kycText(member)}${deadlineText(member)}`);
		if (member !== "gone" && statusOf(member) === "pending") pending.push(member);
	}
	const todo = actionText((await fleetActions(session, pending)).join("; "));
	const parts = [
		`${count}.`,
		...(refused.length === 0 ? [] : [`Refused: ${listed(refused, "; ")}.`]),
		...(waiting.length === 0 ? [] : [`Waiting: ${listed(waiting, "; ")}.`]),
		...(todo === "" ? [] : [todo]),
		nextStep(refused.length > 0 && todo === "" ? "KycRefused" : "KycPending"),
	];
	return new TelephonyError(refused.length > 0 ? "KycRefused" : "KycPending", parts.join(" "));
}
