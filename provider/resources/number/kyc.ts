/** Waits for KYC, and describes how it stands. Pending is a state that every run can continue. */
import { kycStatuses, type NumberRecord, type PurchaseRecord } from "../../api/contract";
import { isAbsent, nextStep, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { isOwnWord, isReleasedOrFailed, nameOf, phaseOf, showsStatus, statusOf } from "../../api/record";
import { requestIdOf } from "../../api/response";
import { pauses, until } from "../../api/until";
import type { Condition } from "../../drift/states";
import { listed } from "../../properties/display";
import type { Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { duration, waitForOne } from "../../session/wait";
import { type Action, actionOf, detailedAction, needsAction, reasonWords } from "./kyc-action";

/** Returns the record with its status. A write may show less than a read; the state may know that no read shows it. */
export async function readStatus(
	session: Session,
	record: NumberRecord,
	inputs: Values,
	olds: Values,
): Promise<NumberRecord> {
	const isKnown = olds.status !== undefined && !showsStatus(olds);
	if (showsStatus(record) || isKnown) return record;
	const { numbers } = await session.service();
	const read = () => numbers.readCurrent(record.id);
	const latest = await until(session, read, () => true, { for: pauses.written, passes: isAbsent }).catch((error) => {
		// The service lags behind its own write.
		if (isAbsent(error)) return record;
		throw error;
	});
	numbers.wrote(record.id, latest);
	const complete = { kyc_required: record.kyc_required, ...latest };
	if (phaseOf(complete) === "untold") warnUntold(session, inputs, [complete]);
	return complete;
}

/** Warns of numbers that need KYC at a service that doesn't show when it clears. */
export function warnUntold({ progress }: Session, { resourceUrn }: Values, records: readonly PurchaseRecord[]): void {
	const needs = records.length === 1 ? "needs" : "need";
	progress.warn(
		String(resourceUrn ?? ""),
		"kyc-not-shown",
		`${listed(records.map(nameOf), ", ")} ${needs} KYC, but the service doesn't show when it clears, so \`pulumi up\` doesn't wait. Check the service's dashboard before you use ${records.length === 1 ? "the number" : "the numbers"}.`,
	);
}

/** Waits until the number is active, up to the program's timeout. @throws TelephonyError KycPending, KycRefused */
export async function waitForActive(
	session: Session,
	start: NumberRecord,
	inputs: Values,
	keep: (record: NumberRecord) => void,
): Promise<void> {
	if (inputs.waitForActive === false) return;
	const service = await session.service();
	const urn = String(inputs.resourceUrn ?? "");
	const timeoutMs = Number(inputs.activationTimeoutSeconds ?? 600) * 1000;
	const { record, ending } = await waitForOne<NumberRecord>(session, service, {
		...{ urn, start, timeoutMs, keep },
		reads: service.numbers,
		poller: service.waits.number,
		isDone: (latest) => phaseOf(latest) !== "pending" || refusalText(latest) !== undefined,
		text: (latest) => kycText(latest, actionOf(latest, inputs)?.short),
	});
	const refused = refusalText(record);
	if (refused !== undefined) {
		const next = afterRefusal(record, actionOf(record, inputs));
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
	const todo = actionText((await detailedAction(session, record, inputs))?.sentence);
	throw new TelephonyError(
		"KycPending",
		`${nameOf(record)} is bought and saved, but not active yet${end}: ${kycText(record)}${reasonsText(record)}${deadlineText(record)}${why}. ${todo}${todo && " "}${nextStep("KycPending")} (To skip the wait, set \`waitForActive: false\`.)`,
	);
}

/** Returns an action as a sentence; "" if no action is needed. */
export const actionText = (sentence = ""): string => (sentence === "" ? "" : `${sentence}.`);

export function afterRefusal(record: PurchaseRecord, action: Action | undefined): string {
	if (isReleasedOrFailed(record)) {
		return "The number no longer exists: `pulumi refresh` removes it from the state, and the next `pulumi up` buys another one.";
	}
	return action === undefined ? nextStep("KycRefused") : `${action.sentence}. Then run \`pulumi up\` again.`;
}

/** Returns why waiting won't make the number active, with the service's reasons; undefined while it may. */
export function refusalText(record: PurchaseRecord): string | undefined {
	const refused = refusedKyc(record);
	if (!isReleasedOrFailed(record) && refused === undefined) return undefined;
	const kyc = record.kyc?.status;
	const words = refused ?? (kyc === undefined ? "" : `KYC ${kyc}${reasonsText(record)}`);
	return `will not become active: its status is ${statusOf(record)}${words && ", "}${words}`;
}

/** Returns `KYC rejected: The scan is blurred. (blurred)` for a pending number; undefined if KYC isn't over. */
export function refusedKyc(record: PurchaseRecord): string | undefined {
	const kyc = record.kyc?.status;
	return phaseOf(record) === "pending" && (kyc === "rejected" || kyc === "expired")
		? `KYC ${kyc}${reasonsText(record)}`
		: undefined;
}

/** Returns the status in words, with `action` if a person has to act. */
export function kycText(record: PurchaseRecord, action = ""): string {
	if (phaseOf(record) !== "pending") return `status ${statusOf(record)}`;
	const kyc = record.kyc?.status;
	if (kyc === undefined) return "KYC pending";
	return `KYC ${kycWords(kyc)}${needsAction(record) && action !== "" ? `: ${action}` : ""}`;
}

/** Returns a KYC status in words. An unknown value stays as it is. */
export const kycWords = (status: string): string =>
	(kycStatuses as readonly string[]).includes(status) ? status.replaceAll("_", " ") : status;

export function requestText(record: object): string {
	const requestId = requestIdOf(record);
	return requestId === undefined ? "" : ` (request_id ${requestId})`;
}

/** Texts of a drift report for a pending number. */
export const nothingToRepair = "nothing to repair: a pending number is not drift";
export const goOnWaiting = "wait: `pulumi up` continues to wait and changes nothing else";

export type NumberCondition = Condition & { readonly code: MessageCode };

/** Returns why a number isn't active; undefined if it is. */
export function numberCondition(outputs: Values): NumberCondition | undefined {
	const record = outputs as PurchaseRecord;
	const [status, phase] = [statusOf(record), phaseOf(record)];
	if (phase === "active" || phase === "untold") return undefined;
	const refused = refusalText(record);
	if (phase === "pending" && refused === undefined) {
		const change = { path: "status", declared: "active", live: "pending" };
		const action = actionOf(record, outputs);
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
		...(phase !== "pending" && { isDue: false }),
		change,
		consequence: `cannot be repaired by Pulumi: ${refused === undefined ? `its status is ${status}` : `it ${refused}`}`,
		ways: [
			refused === undefined
				? "restore it: check the number in the service's dashboard, or contact its support"
				: `restore it: ${small(afterRefusal(record, actionOf(record, outputs))).replace(/\.$/, "")}`,
			'accept it: remove it from the program, then `pulumi up` releases it (unless an `up` before has saved `onDelete: "retain"`)',
		],
	};
}

/** Warns of a problem, and of a wait that needs a person or has a deadline. */
export function warnOfProblem(session: Session, record: NumberRecord, outs: Values): void {
	const condition = numberCondition(outs);
	const { kyc } = outs as PurchaseRecord;
	const isUrgent = condition?.kind === "problem" || needsAction({ kyc }) || Boolean(kyc?.deadline);
	if (condition !== undefined && isUrgent) warnOfCondition(session, outs, nameOf(record), condition);
}

export function warnOfCondition(
	{ progress }: Session,
	{ resourceUrn }: Values,
	name: string,
	{ code, consequence, ways }: NumberCondition,
): void {
	const text = ways.map((way) => `${way.charAt(0).toUpperCase()}${way.slice(1)}.`).join(" ");
	progress.warn(String(resourceUrn ?? ""), code, `${name} ${consequence}. ${text}`);
}

const reasonsText = ({ kyc }: PurchaseRecord): string => {
	const reasons = reasonWords(kyc?.reasons);
	return reasons === "" ? "" : `: ${reasons}`;
};

const small = (text: string): string => text.replace(/^./, (letter) => letter.toLowerCase());

export const deadlineText = ({ kyc }: PurchaseRecord): string =>
	kyc?.deadline ? `; the service waits until ${kyc.deadline}` : "";
