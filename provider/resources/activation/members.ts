/** Numbers that are waited for together: what is known of each, the wait, and all of them in words. */
import type { NumberRecord } from "../../api/contract";
import { isGone, nextStep, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { nameOf, type Phase, phaseOf, showsStatus, statusOf } from "../../api/record";
import { listed } from "../../properties/display";
import type { Values } from "../../properties/table";
import type { Seen } from "../../reads/poller";
import { duration } from "../../reads/wait";
import type { Session } from "../../session/session";
import { lagBehind, settledRead } from "../../session/staleness";
import { actionText, deadlineText, kycText, kycWords, refusalText, requestText, warnUntold } from "../number/kyc";
import { fleetActions } from "../number/kyc-action";

/** What is known of one of the numbers; "gone" where the service has no such number. */
export type AwaitedNumber = NumberRecord | "gone";

/** What a program sees of one of the numbers, as an output. */
export interface NumberState {
	readonly id: string;
	readonly phoneNumber?: string;
	readonly status: string;
}

export const statesIn = ({ numbers }: Values): NumberState[] =>
	Array.isArray(numbers) ? (numbers as NumberState[]) : [];

/** Where it stood; "gone" is our own word. */
export const phaseIn = (state: NumberState | undefined): Phase | undefined =>
	state && (state.status === "gone" ? "gone" : phaseOf(state));

/** Reads all at once, so that one scan answers them. It may lag behind what this run or the state knows. */
export async function look(
	session: Session,
	ids: readonly string[],
	olds: Values = {},
): Promise<Map<string, AwaitedNumber>> {
	const service = await session.service();
	const before = new Map(statesIn(olds).map((state) => [state.id, state]));
	const now = new Date(session.clock.now()).toISOString();
	const isBehind = (record: NumberRecord) =>
		phaseOf(record) === "pending" && phaseIn(before.get(record.id)) === "active";
	const one = async (id: string): Promise<[string, AwaitedNumber]> => {
		// Nothing here says when a number of this program was bought: it may have been just now.
		const createdAt = session.memory.number.holderOf(id) === undefined ? olds.createdAt : now;
		try {
			const record = await settledRead(session, service, {
				id,
				known: { createdAt },
				reads: service.numbers,
				isBehind,
			});
			const state = before.get(id);
			// A list may show less than a single read, unless the state knows that there is no status.
			const isLess = !showsStatus(record) && (state === undefined || showsStatus(state));
			return [id, isLess && service.client.offers("getById") ? await service.numbers.again(id) : record];
		} catch (error) {
			return [id, memberOf({ error })];
		}
	};
	return new Map(await Promise.all(ids.map(one)));
}

interface Waited {
	readonly urn: string;
	/** Updated in place. */
	readonly members: Map<string, AwaitedNumber>;
	readonly timeoutMs: number;
}

/**
 * Waits for the numbers that are not active yet. Each refusal is reported at once, and fails the wait at its end.
 * @throws TelephonyError KycPending, KycRefused
 */
export async function untilActive(session: Session, { urn, members, timeoutMs }: Waited): Promise<void> {
	const service = await session.service();
	const lags = lagBehind(session, service);
	const refused = new Set<string>();
	const note = (id: string, member: AwaitedNumber) => {
		const problem = problemOf(id, member);
		if (problem === undefined) return;
		refused.add(id);
		session.progress.warn(urn, problem.code, problem.text);
	};
	for (const [id, member] of members) note(id, member);
	const ending = await service.waits.number.wait({
		open: () => [...members].flatMap(([id, member]) => (isWaiting(member) ? [id] : [])),
		see: (id, found) => {
			const known = members.get(id);
			if (typeof known === "object" && lags(known, found)) return;
			const member = memberOf(found);
			members.set(id, member);
			if (member === "gone") service.numbers.wrote(id);
			else service.numbers.wrote(id, member);
			note(id, member);
		},
		timeoutMs,
		report: (leftMs) => session.progress.status(urn, `${countText(members)}, ${duration(leftMs)} left`),
	});
	const untold = [...members.values()].filter((member) => phaseOfMember(member) === "untold");
	if (untold.length > 0) warnUntold(session, { resourceUrn: urn }, untold as NumberRecord[]);
	if (ending === "done" && refused.size === 0) return;
	const time = ending === "late" ? ` after ${duration(timeoutMs)}` : "";
	const why = ending === "stopped" ? ` (${session.ending.reason})` : "";
	throw await notActive(session, members, `${countText(members)}${time}${why}`);
}

function memberOf(found: Seen<NumberRecord>): AwaitedNumber {
	if ("record" in found) return found.record;
	if (!isGone(found.error)) throw found.error;
	return "gone";
}

const phaseOfMember = (member: AwaitedNumber): Phase => (member === "gone" ? "gone" : phaseOf(member));

const isWaiting = (member: AwaitedNumber): member is NumberRecord =>
	member !== "gone" && phaseOf(member) === "pending" && refusalText(member) === undefined;

/** Why waiting can't make it active; undefined while it can, or if there is nothing to wait for. */
function problemOf(id: string, member: AwaitedNumber): Problem | undefined {
	if (member === "gone") return { code: "not-found", text: `${id} no longer exists` };
	const refusal = refusalText(member);
	if (refusal !== undefined)
		return { code: "kyc-rejected", text: `${nameOf(member)} ${refusal}${requestText(member)}` };
	// KYC is over: somebody else has to act.
	return phaseOf(member) === "stopped"
		? { code: "not-active", text: `${nameOf(member)} is ${statusOf(member)}` }
		: undefined;
}

interface Problem {
	readonly code: MessageCode;
	readonly text: string;
}

/** `37 of 40 active, 2 in review, 1 rejected`. */
function countText(members: ReadonlyMap<string, AwaitedNumber>): string {
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

function wordOf(member: AwaitedNumber): string {
	const phase = phaseOfMember(member);
	if (member === "gone" || phase === "active") return phase;
	if (phase === "untold") return "not shown";
	const kyc = member.kyc?.status;
	return phase === "pending" && kyc !== undefined ? kycWords(kyc) : statusOf(member).replaceAll("_", " ");
}

async function notActive(
	session: Session,
	members: ReadonlyMap<string, AwaitedNumber>,
	count: string,
): Promise<TelephonyError> {
	const refused: string[] = [];
	const waiting: string[] = [];
	const pending: NumberRecord[] = [];
	for (const [id, member] of members) {
		const problem = problemOf(id, member);
		if (problem !== undefined) refused.push(problem.text);
		else if (isWaiting(member)) waiting.push(`${nameOf(member)} ${kycText(member)}${deadlineText(member)}`);
		if (member !== "gone" && phaseOf(member) === "pending") pending.push(member);
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
