/** KYC as a state that a run can continue from: its messages, its end, and the wait for it. */

import { kycStatuses, type NumberRecord, type PurchaseRecord } from "../../api/contract";
import { boughtIn, unreadHint } from "../../api/description/hint";
import { isAbsent, nextStep, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { isOwnWord, isReleasedOrFailed, nameOf, phaseOf, showsStatus, statusOf } from "../../api/record";
import { requestIdOf } from "../../api/response";
import { pauses, until } from "../../api/until";
import type { Condition } from "../../drift/definition";
import { listed } from "../../properties/display";
import type { Values } from "../../properties/table";
import { duration, waitForOne } from "../../reads/wait";
import type { Service, Session } from "../../session/session";
import { lagBehind } from "../../session/staleness";
import type { ShownNumber } from "./acquisition";
import { type Action, firstAction, knownAction, learntAction, needsAction, reasonWords } from "./kyc-action";

/** A write may answer less than a read shows: what shows no status is read, unless the state knows that there is none. */
export async function withStatus(
	session: Session,
	record: ShownNumber,
	inputs: Values,
	olds: Values,
): Promise<ShownNumber> {
	const isKnown = olds.status !== undefined && !showsStatus(olds);
	if (showsStatus(record) || isKnown) return record;
	const latest = { kyc_required: record.kyc_required, ...(await readOnceShown(session, record)) };
	if (phaseOf(latest) === "untold") warnUntold(session, inputs, [latest]);
	return latest;
}

/** Of a service that lags, what the write has answered has to do. */
async function readOnceShown(session: Session, record: ShownNumber): Promise<ShownNumber> {
	const { numbers }: Service = await session.service();
	const look = () => numbers.now(record.id);
	try {
		const latest = await until(session, look, () => true, { for: pauses.written, passes: isAbsent });
		numbers.wrote(record.id, latest);
		return latest;
	} catch (error) {
		if (!isAbsent(error)) throw error;
		return record;
	}
}

/** These need KYC, and nothing shows when it clears: there is nothing to wait for. */
export function warnUntold({ progress }: Session, { resourceUrn }: Values, records: readonly PurchaseRecord[]): void {
	const needs = records.length === 1 ? "needs" : "need";
	progress.warn(
		String(resourceUrn ?? ""),
		"kyc-not-shown",
		`${listed(records.map(nameOf), ", ")} ${needs} KYC, but the service doesn't show when it clears, so \`pulumi up\` doesn't wait. Check the service's dashboard before you use ${records.length === 1 ? "the number" : "the numbers"}.`,
	);
}

/** Nothing shows the phone number itself, though the number is there to be used. */
export function warnUnnamed({ progress, memory }: Session, { resourceUrn }: Values, record: ShownNumber): void {
	const { warned } = memory.number;
	if (record.number != null || phaseOf(record) !== "active" || warned.has("number")) return;
	// Another field may hold it.
	if (boughtIn(record).every((shown) => /^\w*id /i.test(shown))) return;
	warned.add("number");
	progress.warn(
		String(resourceUrn ?? ""),
		"unreadable-answer",
		`The service's record of ${record.id} has no \`number\`, so the output \`phoneNumber\` stays empty. ${unreadHint(record)}`,
	);
}

/** Waits until the number is active, as long as the program allows. @throws TelephonyError KycPending, KycRefused */
export async function waitForActive(
	session: Session,
	start: ShownNumber,
	inputs: Values,
	keep: (record: typeof start) => void,
): Promise<void> {
	if (inputs.waitForActive === false) return;
	const service = await session.service();
	const urn = String(inputs.resourceUrn ?? "");
	const timeoutMs = Number(inputs.activationTimeoutSeconds ?? 600) * 1000;
	const lags = lagBehind(session, service);
	const action = isSettled(start) ? undefined : await firstAction(session, start, inputs);
	const { record, ending } = await waitForOne<NumberRecord, typeof start>(
		{
			id: start.id,
			start,
			done: isSettled,
			keep: (latest) => {
				service.numbers.wrote(start.id, latest);
				keep(latest);
			},
			// A service may lag behind the purchase.
			passes: (found) => lags(start, found),
			timeoutMs,
			report: (latest, leftMs) => {
				const text = kycText(latest, action?.short || knownAction(latest, inputs)?.short);
				session.progress.status(urn, `${text}, ${duration(leftMs)} left`);
			},
		},
		service.waits.number,
	);
	const refused = refusalText(record);
	if (refused !== undefined) {
		const next = afterRefusal(record, await learntAction(session, record, inputs));
		throw new TelephonyError("KycRefused", `${nameOf(record)} ${refused}. ${next}${requestText(record)}`);
	}
	if (ending === "done") {
		if (isOwnWord(record)) session.progress.status(urn, kycText(record));
		const latest = { kyc_required: start.kyc_required, ...record };
		if (record !== start && phaseOf(latest) === "untold") warnUntold(session, inputs, [latest]);
		return;
	}
	const end = ending === "late" ? ` after ${duration(timeoutMs)}` : "";
	const why = ending === "late" ? "" : `; ${session.ending.reason}`;
	const todo = actionText((await learntAction(session, record, inputs))?.sentence);
	throw new TelephonyError(
		"KycPending",
		`${nameOf(record)} is bought and saved, but not active yet${end}: ${kycText(record)}${reasonsText(record)}${deadlineText(record)}${why}. ${todo}${todo && " "}${nextStep("KycPending")} (To skip the wait, set \`waitForActive: false\`.)`,
	);
}

/** True when there is nothing left to wait for. */
const isSettled = (record: PurchaseRecord): boolean =>
	phaseOf(record) !== "pending" || refusalText(record) !== undefined;

/** What somebody has to do, as a sentence; "" if there is nothing to do. */
export const actionText = (sentence = ""): string => (sentence === "" ? "" : `${sentence}.`);

/** The next step after a refusal. For a number that is gone, there is nothing left to hand in. */
export function afterRefusal(record: PurchaseRecord, action: Action | undefined): string {
	if (isReleasedOrFailed(record)) {
		return "The number no longer exists: `pulumi refresh` removes it from the state, and the next `pulumi up` buys another one.";
	}
	return action === undefined ? nextStep("KycRefused") : `${action.sentence}. Then run \`pulumi up\` again.`;
}

/** Why waiting won't make the number active, with the service's reasons; undefined while it still may. */
export function refusalText(record: PurchaseRecord): string | undefined {
	const refused = refusedKyc(record);
	if (!isReleasedOrFailed(record) && refused === undefined) return undefined;
	const kyc = record.kyc?.status;
	const words = refused ?? (kyc === undefined ? "" : `KYC ${kyc}${reasonsText(record)}`);
	return `will not become active: its status is ${statusOf(record)}${words && ", "}${words}`;
}

/** `KYC rejected: The scan is blurred. (blurred)`, of a pending number; undefined if KYC isn't over. */
export function refusedKyc(record: PurchaseRecord): string | undefined {
	const kyc = record.kyc?.status;
	return phaseOf(record) === "pending" && (kyc === "rejected" || kyc === "expired")
		? `KYC ${kyc}${reasonsText(record)}`
		: undefined;
}

/** The status in words, with `action` added if somebody has to act. */
export function kycText(record: PurchaseRecord, action = ""): string {
	if (phaseOf(record) !== "pending") return `status ${statusOf(record)}`;
	const kyc = record.kyc?.status;
	if (kyc === undefined) return "KYC pending";
	return `KYC ${kycWords(kyc)}${needsAction(record) && action !== "" ? `: ${action}` : ""}`;
}

/** A KYC status in words; an unknown one is left as the service spells it. */
export const kycWords = (status: string): string =>
	(kycStatuses as readonly string[]).includes(status) ? status.replaceAll("_", " ") : status;

/** The id of the request that said so, for the service's support. */
export function requestText(record: PurchaseRecord): string {
	const requestId = requestIdOf(record);
	return requestId === undefined ? "" : ` (request_id ${requestId})`;
}

/** What a drift report says about a number that is still pending. */
export const nothingToRepair = "nothing to repair: a pending number is not drift";
export const goOnWaiting = "wait: `pulumi up` continues to wait and changes nothing else";

/** A number that is not active: on its way, refused, or stopped by the service. */
export function numberCondition(outputs: Values): (Condition & { readonly code: MessageCode }) | undefined {
	const record = outputs as PurchaseRecord;
	const [status, phase] = [statusOf(record), phaseOf(record)];
	if (phase === "active" || phase === "untold") return undefined;
	const refused = refusalText(record);
	if (phase === "pending" && refused === undefined) {
		const change = { path: "status", declared: "active", live: "pending" };
		const action = knownAction(record, outputs);
		const ways = [...(action === undefined ? [] : [`act on it: ${small(action.sentence)}`]), goOnWaiting];
		return {
			kind: "waiting",
			code: "kyc-pending",
			change,
			consequence: `${nothingToRepair} (${kycText(record)})`,
			ways,
		};
	}
	const change =
		phase === "pending"
			? // No program declares how KYC ends.
				{ path: "kyc.status", live: record.kyc?.status }
			: { path: "status", declared: "active", live: status };
	return {
		kind: "problem",
		code: refused === undefined ? "not-active" : "kyc-rejected",
		change,
		consequence: `cannot be repaired by Pulumi: ${refused === undefined ? `its status is ${status}` : `it ${refused}`}`,
		ways: [
			refused === undefined
				? "restore it: check the number in the service's dashboard, or contact its support"
				: `restore it: ${small(afterRefusal(record, knownAction(record, outputs))).replace(/\.$/, "")}`,
			'accept it: remove it from the program, then `pulumi up` releases it (`onDelete: "retain"` keeps it)',
		],
	};
}

const reasonsText = ({ kyc }: PurchaseRecord): string => {
	const reasons = reasonWords(kyc?.reasons);
	return reasons === "" ? "" : `: ${reasons}`;
};

const small = (text: string): string => text.replace(/^./, (letter) => letter.toLowerCase());

export const deadlineText = ({ kyc }: PurchaseRecord): string =>
	kyc?.deadline ? `; the service waits until ${kyc.deadline}` : "";
