/** Waits for KYC, and describes how it stands. Pending is a state that every run can continue. */
import type { Client } from "../../api/client";
import type { BuyNumber, KycRequirementsRecord, NumberRecord, PurchaseRecord } from "../../api/contract";
import { isAbsent, nextStep, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { isOwnWord, isReleasedOrFailed, nameOf, phaseOf, showsStatus, statusOf } from "../../api/record";
import { requestIdOf } from "../../api/response";
import { pauses, until } from "../../api/until";
import type { Condition } from "../../drift/states";
import { listed } from "../../properties/display";
import { unknownValue, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { duration, waitForOne } from "../../session/wait";

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
	progress.warn(
		String(resourceUrn ?? ""),
		"kyc-not-shown",
		`${listed(records.map(nameOf), ", ")}: KYC is required, but the service doesn't show when it clears, so \`pulumi up\` doesn't wait. Check the service's dashboard before you use what you bought.`,
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
		text: kycText,
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
	const todo = actionText(actionOf(record, inputs));
	throw new TelephonyError(
		"KycPending",
		`${nameOf(record)} is bought and saved, but not active yet${end}: ${kycText(record)}${deadlineText(record)}${why}. ${todo}${todo && " "}${nextStep("KycPending")} (To skip the wait, set \`waitForActive: false\`.)`,
	);
}

/** Returns an action as a sentence; "" if no action is needed. */
export const actionText = (sentence = ""): string => (sentence === "" ? "" : `${sentence}.`);

export function afterRefusal(record: PurchaseRecord, action: string | undefined): string {
	if (isReleasedOrFailed(record)) {
		return "The number no longer exists: `pulumi refresh` removes it from the state, and the next `pulumi up` buys another one.";
	}
	return action === undefined ? nextStep("KycRefused") : `${action}. Then run \`pulumi up\` again.`;
}

/** Returns why waiting won't make the number active, with the service's reasons; undefined while it may. */
export function refusalText(record: PurchaseRecord): string | undefined {
	if (!isReleasedOrFailed(record) && refusedKyc(record) === undefined) return undefined;
	const kyc = decisionText(record);
	return `will not become active: its status is ${statusOf(record)}${kyc && ", "}${kyc}`;
}

/** Returns `KYC rejected: The scan is blurred. (blurred)` for a pending number; undefined if KYC isn't over. */
export const refusedKyc = (record: PurchaseRecord): string | undefined =>
	phaseOf(record) === "pending" && ["rejected", "expired"].includes(String(record.kyc?.status))
		? decisionText(record)
		: undefined;

/** Returns the status in words, with the service's reasons. */
export const kycText = (record: PurchaseRecord): string =>
	phaseOf(record) === "pending" ? decisionText(record) || "KYC pending" : `status ${statusOf(record)}`;

function decisionText({ kyc }: PurchaseRecord): string {
	if (kyc?.status === undefined) return "";
	const reasons = reasonWords(kyc.reasons);
	return `KYC ${kyc.status.replaceAll("_", " ")}${reasons && ": "}${reasons}`;
}

/** The service's reasons: `The name differs. (name_mismatch)`. */
export const reasonWords = (reasons: readonly { readonly code: string; readonly message: string }[] = []): string =>
	reasons.map(({ code, message }) => `${message} (${code})`).join("; ");

export function requestText(record: object): string {
	const requestId = requestIdOf(record);
	return requestId === undefined ? "" : ` (request_id ${requestId})`;
}

/** Texts of a drift report for a pending number. */
export const nothingToRepair = "nothing to repair: a pending number is not drift";
export const goOnWaiting = "wait: `pulumi up` continues to wait and changes nothing else";

export type CodedCondition = Condition & { readonly code: MessageCode };

/** Returns why a number isn't active; undefined if it is. */
export function numberCondition(outputs: Values): CodedCondition | undefined {
	const record = outputs as PurchaseRecord;
	const [status, phase] = [statusOf(record), phaseOf(record)];
	if (phase === "active" || phase === "untold") return undefined;
	const refused = refusalText(record);
	const isPending = phase === "pending";
	const [change, action] = [{ path: "status", declared: "active", live: status }, actionOf(record, outputs)];
	if (isPending && refused === undefined) {
		const consequence = `${nothingToRepair} (${kycText(record)})`;
		const ways = [...(action === undefined ? [] : [`act on it: ${small(action)}`]), goOnWaiting];
		return { kind: "waiting", code: "kyc-pending", change, consequence, ways };
	}
	const [code, why, fix] =
		refused === undefined
			? ([
					"not-active",
					`its status is ${status}`,
					"check the number in the service's dashboard, or contact its support",
				] as const)
			: (["kyc-rejected", `it ${refused}`, small(afterRefusal(record, action)).replace(/\.$/, "")] as const);
	return {
		kind: "problem",
		code,
		...(!isPending && { isDue: false }),
		// No program declares how KYC ends.
		change: isPending ? { path: "kyc.status", live: record.kyc?.status } : change,
		consequence: `cannot be repaired by Pulumi: ${why}`,
		ways: [
			`restore it: ${fix}`,
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
	{ code, consequence, ways }: CodedCondition,
): void {
	const text = ways.map((way) => `${way.charAt(0).toUpperCase()}${way.slice(1)}.`).join(" ");
	progress.warn(String(resourceUrn ?? ""), code, `${name} ${consequence}. ${text}`);
}

const small = (text: string): string => text.replace(/^./, (letter) => letter.toLowerCase());

export const deadlineText = ({ kyc }: PurchaseRecord): string =>
	kyc?.deadline ? `; the service waits until ${kyc.deadline}` : "";

// ---- The steps of a person --------------------------------------------------------------------------------------------

/** True if KYC can't continue until a person acts. */
export const needsAction = ({ kyc }: PurchaseRecord): boolean =>
	kyc != null && ["action_required", "rejected", "expired"].includes(kyc.status);

/** A service needn't show the profile of a number, so `declared` has the inputs. */
const profileOf = ({ kyc }: PurchaseRecord, { kycProfileId }: Values): string | undefined =>
	typeof kycProfileId === "string" && kycProfileId !== "" ? kycProfileId : (kyc?.profile_id ?? undefined);

/** Returns what a person has to do, without a full stop. */
export function actionOf(record: PurchaseRecord, declared: Values = {}): string | undefined {
	if (!needsAction(record)) return undefined;
	const profile = profileOf(record, declared);
	const step =
		profile === undefined ? "Set `kycProfileId` to a KYC profile of the account" : `Complete KYC profile ${profile}`;
	return `${step}, or submit the missing documents in the service's dashboard`;
}

type Market = Pick<BuyNumber, "country" | "type">;

/** A request only serves a message, so it is given up after this time. */
const longestReadMs = 5_000;

/** The requests of each run by market, as they serve a whole fleet. */
const reads = new WeakMap<Client, Map<string, Promise<KycRequirementsRecord>>>();

/** Returns the requirements of a market; undefined if the service doesn't show them. Never fails. */
export async function requirementsOf(
	session: Session,
	{ country, type }: Market,
): Promise<KycRequirementsRecord | undefined> {
	try {
		const { client } = await session.service();
		if (client.offers("kyc") === false) return undefined;
		const cached = reads.get(client) ?? new Map<string, Promise<KycRequirementsRecord>>();
		reads.set(client, cached);
		const key = `${country} ${type}`;
		const read =
			cached.get(key) ?? client.kyc.requirements({ country, type, signal: AbortSignal.timeout(longestReadMs) });
		cached.set(key, read);
		return await read;
	} catch {
		return undefined;
	}
}

/** Warns in a preview of a new number without a profile, if its market needs KYC. Never fails. */
export async function warnOfMarket(session: Session, inputs: Values): Promise<void> {
	const { country, type, kycProfileId, resourceUrn } = inputs;
	if (kycProfileId != null || [country, type].some((each) => typeof each !== "string" || each === unknownValue)) return;
	const market = await requirementsOf(session, { country, type } as Market);
	if (!market?.kyc_required) return;
	const codes = market.requirements.map(({ code }) => code).join(", ");
	session.progress.warn(
		String(resourceUrn ?? ""),
		"kyc-requirements",
		`A ${type} number in ${country} needs identity checks${codes && ` (${codes})`} and stays pending until they clear. Declare a KycProfile and set \`kycProfileId\`.`,
	);
}
