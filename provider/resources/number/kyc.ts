/** Waits for KYC, and describes how it stands. Pending is a state that every run can continue. */
import type { Client } from "../../api/client";
import type { BuyNumber, KycRequirementsRecord, NumberRecord, PurchaseRecord } from "../../api/contract";
import { isAbsent, nextStep, TelephonyError } from "../../api/errors";
import { isOwnWord, nameOf, phaseOf, showsStatus, statusOf } from "../../api/record";
import { requestIdOf } from "../../api/response";
import { pauses, until } from "../../api/until";
import { type CodedCondition, type Fix, reasonsText, warnOfCondition } from "../../drift/condition";
import { listed, sentence } from "../../properties/display";
import { unknownValue, urnOf, type Values } from "../../properties/table";
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
export function warnUntold({ progress }: Session, inputs: Values, records: readonly PurchaseRecord[]): void {
	progress.warn(
		urnOf(inputs),
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
	const urn = urnOf(inputs);
	const timeoutMs = Number(inputs.activationTimeoutSeconds ?? 600) * 1000;
	const { record, ending } = await waitForOne<NumberRecord>(session, service, {
		...{ urn, start, timeoutMs, keep },
		reads: service.numbers,
		poller: service.waits.number,
		isDone: (latest) => standingOf(latest)?.code !== "kyc-pending",
		text: statusText,
	});
	const standing = standingOf(record, inputs);
	if (standing?.code === "kyc-rejected") {
		const text = `${nameOf(record)} ${standingText(standing)}. ${sentence(remedyOf(standing))}`;
		throw new TelephonyError("KycRefused", `${text}${requestText(record)}`);
	}
	if (ending === "done") {
		if (isOwnWord(record)) session.progress.status(urn, statusText(record));
		const latest = { kyc_required: start.kyc_required, ...record };
		if (record !== start && phaseOf(latest) === "untold") warnUntold(session, inputs, [latest]);
		return;
	}
	const end = ending === "late" ? ` after ${duration(timeoutMs)}` : "";
	const why = ending === "late" ? "" : `; ${session.ending.reason}`;
	const steps = [
		standing?.action && sentence(standing.action),
		nextStep("KycPending"),
		"(To skip the wait, set `waitForActive: false`.)",
	];
	throw new TelephonyError(
		"KycPending",
		`${nameOf(record)} is bought and saved, but not active yet${end}: ${waitText(record)}${why}. ${steps.filter(Boolean).join(" ")}`,
	);
}

// ---- How a number stands ----------------------------------------------------------------------------------------------

/** How a number stands that isn't active. */
export interface NumberStanding {
	/** kyc-pending: it may become active. kyc-rejected: it won't. not-active: the service has stopped it. */
	readonly code: "kyc-pending" | "kyc-rejected" | "not-active" | "not-found";
	readonly status: string;
	/** True while the number waits for KYC, even if KYC was rejected. */
	readonly isPending: boolean;
	/** True if the number has left the account. */
	readonly isEnded: boolean;
	readonly kyc?: PurchaseRecord["kyc"];
	/** The step of a person, without a full stop. */
	readonly action?: string | undefined;
}

/** Returns how the number stands; undefined if it is active, or nothing shows that it isn't. */
export function standingOf(record: PurchaseRecord, declared: Values = {}): NumberStanding | undefined {
	const phase = phaseOf(record);
	if (phase === "active" || phase === "untold") return undefined;
	const isPending = phase === "pending";
	const isRefused = phase === "gone" || (isPending && isOver(record));
	const open = isPending ? "kyc-pending" : "not-active";
	return {
		code: isRefused ? "kyc-rejected" : open,
		status: statusOf(record),
		isPending,
		isEnded: phase === "gone",
		kyc: record.kyc,
		action: actionOf(record, declared),
	};
}

const isOver = ({ kyc }: PurchaseRecord): boolean => kyc?.status === "rejected" || kyc?.status === "expired";

/** Returns `KYC rejected: The scan is blurred. (blurred)`. */
function kycText({ kyc }: Pick<PurchaseRecord, "kyc">): string | undefined {
	if (kyc?.status === undefined) return undefined;
	const reasons = reasonsText(kyc.reasons);
	return `KYC ${kyc.status.replaceAll("_", " ")}${reasons && ": "}${reasons}`;
}

/** Returns the standing in words that follow the number's name. */
export function standingText(standing: NumberStanding): string {
	const { code, status } = standing;
	if (code === "not-found") return "no longer exists";
	if (code === "not-active") return `is ${status}`;
	const kyc = kycText(standing);
	return `will not become active: its status is ${status}${kyc === undefined ? "" : `, ${kyc}`}`;
}

/** Returns KYC's status for a pending number, and otherwise the number's. */
export function statusText(record: PurchaseRecord): string {
	return phaseOf(record) === "pending" ? (kycText(record) ?? "KYC pending") : `status ${statusOf(record)}`;
}

/** Returns what a pending number waits for, and until when. */
export function waitText(record: PurchaseRecord): string {
	const deadline = record.kyc?.deadline;
	return `${statusText(record)}${deadline ? `; the service waits until ${deadline}` : ""}`;
}

/** Returns how to make the number active, without a full stop. */
function remedyOf({ isEnded, action }: NumberStanding): string {
	if (isEnded)
		return "the number no longer exists: `pulumi refresh` removes it from the state, and the next `pulumi up` buys another one";
	return action === undefined
		? "check the number in the service's dashboard, or contact its support"
		: `${action}. Then run \`pulumi up\` again`;
}

export function requestText(record: object): string {
	const requestId = requestIdOf(record);
	return requestId === undefined ? "" : ` (request_id ${requestId})`;
}

export const keepWaiting: Fix = { code: "wait", text: "`pulumi up` continues to wait and changes nothing else" };

/** Returns why a number isn't active; undefined if it is. */
export function numberCondition(outputs: Values): CodedCondition | undefined {
	const record = outputs as PurchaseRecord;
	const standing = standingOf(record, outputs);
	if (standing === undefined) return undefined;
	const { code, isPending, action } = standing;
	const change = { path: "status", declared: "active", live: standing.status };
	if (code === "kyc-pending") {
		const fixes: Fix[] = action === undefined ? [keepWaiting] : [{ code: "act", text: action }, keepWaiting];
		return { kind: "waiting", code, change, reason: waitText(record), fixes };
	}
	return {
		kind: "problem",
		code,
		...(!isPending && { isDue: false }),
		// No program declares how KYC ends.
		change: isPending ? { path: "kyc.status", live: record.kyc?.status } : change,
		reason: `it ${standingText(standing)}`,
		fixes: [
			{ code: "restore", text: remedyOf(standing) },
			{
				code: "accept",
				text: 'remove it from the program, then `pulumi up` releases it (unless an `up` before has saved `onDelete: "retain"`)',
			},
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

// ---- The steps of a person --------------------------------------------------------------------------------------------

/** True if KYC can't continue until a person acts. */
const needsAction = ({ kyc }: PurchaseRecord): boolean =>
	kyc != null && ["action_required", "rejected", "expired"].includes(kyc.status);

/** A service needn't show the profile of a number, so `declared` has the inputs. */
const profileOf = ({ kyc }: PurchaseRecord, { kycProfileId }: Values): string | undefined =>
	typeof kycProfileId === "string" && kycProfileId !== "" ? kycProfileId : (kyc?.profile_id ?? undefined);

/** Returns what a person has to do, without a full stop. */
function actionOf(record: PurchaseRecord, declared: Values): string | undefined {
	if (!needsAction(record)) return undefined;
	const profile = profileOf(record, declared);
	const step =
		profile === undefined ? "set `kycProfileId` to a KYC profile of the account" : `complete KYC profile ${profile}`;
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
	const { country, type, kycProfileId } = inputs;
	if (kycProfileId != null || [country, type].some((each) => typeof each !== "string" || each === unknownValue)) return;
	const market = await requirementsOf(session, { country, type } as Market);
	if (!market?.kyc_required) return;
	const codes = market.requirements.map(({ code }) => code).join(", ");
	session.progress.warn(
		urnOf(inputs),
		"kyc-requirements",
		`A ${type} number in ${country} needs identity checks${codes && ` (${codes})`} and stays pending until they clear. Declare a KycProfile and set \`kycProfileId\`.`,
	);
}
