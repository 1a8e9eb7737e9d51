/** Waits for KYC, and describes how it stands. Pending is a state that every run can continue. */
import type { Client } from "../../api/client";
import type { BuyNumber, KycRequirementsRecord, NumberRecord, PurchaseRecord } from "../../api/contract";
import { isAbsent } from "../../api/errors";
import { isOwnWord, nameOf, phaseOf, showsStatus, statusOf } from "../../api/record";
import { pauses, until } from "../../api/until";
import { type CodedCondition, conditionError, type Fix, keepWaiting, statusText } from "../../drift/condition";
import { removalFix } from "../../lifecycle/on-delete";
import { listed } from "../../properties/display";
import { unknownValue, urnOf, type Values } from "../../properties/table";
import { unless } from "../../reads/shared";
import type { Session } from "../../session/session";
import { waitForOne } from "../../session/wait";
import { isProtected } from "./properties";

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
	const reading = until(session, read, () => true, { for: pauses.written, passes: isAbsent });
	// The service may lag behind its own write.
	const latest = (await unless(isAbsent, reading)) ?? record;
	numbers.wrote(record.id, latest);
	const complete = { kyc_required: record.kyc_required, ...latest };
	if (phaseOf(complete) === "unknown") warnUnknownKyc(session, inputs, [complete]);
	return complete;
}

/** Warns of numbers that need KYC at a service that doesn't show when it clears. */
export function warnUnknownKyc({ progress }: Session, inputs: Values, records: readonly PurchaseRecord[]): void {
	progress.warn(
		urnOf(inputs),
		"kyc-not-shown",
		`${listed(records.map(nameOf), ", ", 1)}: KYC is required, but the service doesn't show when it clears, so \`pulumi up\` doesn't wait. Check the service's dashboard before you use what you bought.`,
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
		isDone: (latest) => !isWaiting(latest),
		text: progressText,
	});
	const condition = numberCondition(inputs, record);
	if (condition !== undefined && condition.code !== "not-active")
		throw conditionError(session, nameOf(record), condition, {
			record,
			done: "bought and saved",
			wait: { ending, timeoutMs },
			waitsIf: "waitForActive",
		});
	if (isOwnWord(record)) session.progress.status(urn, progressText(record));
	const latest = { kyc_required: start.kyc_required, ...record };
	if (record !== start && phaseOf(latest) === "unknown") warnUnknownKyc(session, inputs, [latest]);
}

/** Returns KYC's status for a pending number, and otherwise the number's. */
function progressText(record: PurchaseRecord): string {
	const condition = numberCondition({}, record);
	return condition === undefined ? `status ${statusOf(record)}` : statusText(condition);
}

// ---- Why a number isn't active ----------------------------------------------------------------------------------------

/** True while the number may become active. */
export const isWaiting = (record: PurchaseRecord): boolean => numberCondition({}, record)?.kind === "waiting";

/**
 * Returns why a number isn't active; undefined if it is, or nothing shows that it isn't. `outputs` are the resource's, or
 * its inputs beside a record. Its code is kyc-pending while it may become active, kyc-rejected if it won't, and not-active
 * if the service has stopped it.
 */
export function numberCondition(
	outputs: Values,
	record: PurchaseRecord = outputs as PurchaseRecord,
): CodedCondition | undefined {
	const phase = phaseOf(record);
	if (phase === "active" || phase === "unknown") return undefined;
	const { kyc } = record;
	const isOver = kyc?.status === "rejected" || kyc?.status === "expired";
	const stopped = { goal: "active", status: statusOf(record) } as const;
	const change = { path: "status", declared: "active", live: stopped.status };
	const checked = { ...stopped, part: "KYC", status: kyc?.status ?? "pending", reasons: kyc?.reasons, change } as const;
	const action = actionOf(record, outputs);
	const removal = removalFix(outputs, "releases", isProtected(record, outputs));
	if (phase === "ended")
		return {
			...(isOver ? checked : stopped),
			kind: "problem",
			code: "kyc-rejected",
			isDue: false,
			fixes: [
				{
					code: "restore",
					text: "`pulumi up --refresh` removes the number from the state, because it no longer exists, and buys another one",
				},
				{ code: "accept", text: "remove it from the program" },
			],
		};
	if (phase === "stopped") {
		const support = "check the number in the service's dashboard, or contact its support";
		const fixes: Fix[] = [{ code: "restore", text: action ?? support }, removal];
		return { ...stopped, kind: "problem", code: "not-active", isDue: false, fixes };
	}
	if (!isOver) {
		const fixes: Fix[] = action === undefined ? [keepWaiting] : [{ code: "act", text: action }, keepWaiting];
		return { ...checked, kind: "waiting", code: "kyc-pending", deadline: kyc?.deadline, fixes };
	}
	// No program declares how KYC ends.
	const ended = { path: "kyc.status", live: kyc.status };
	const fixes: Fix[] = [{ code: "restore", text: `${action}, then run \`pulumi up\` again` }, removal];
	return { ...checked, kind: "problem", code: "kyc-rejected", change: ended, fixes };
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
	const step = profile === undefined ? "set `kycProfileId`" : `complete KYC profile ${profile}`;
	return `${step}, or submit the documents in the service's dashboard`;
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

/** Returns a sentence about the identity checks that numbers of these criteria need; undefined if none are known. Never fails. */
export async function checksOf(session: Session, { country, type }: Values): Promise<string | undefined> {
	if (typeof country !== "string" || typeof type !== "string" || [country, type].includes(unknownValue))
		return undefined;
	const market = await requirementsOf(session, { country, type } as Market);
	if (!market?.kyc_required) return undefined;
	const codes = market.requirements.map(({ code }) => code).join(", ");
	return `A ${type} number in ${country} needs identity checks${codes && ` (${codes})`} and stays pending until they clear.`;
}

/** Warns in a preview of a new number without a profile, if its market needs KYC. Never fails. */
export async function warnOfMarket(session: Session, inputs: Values): Promise<void> {
	if (inputs.kycProfileId != null) return;
	const checks = await checksOf(session, inputs);
	if (checks === undefined) return;
	session.progress.warn(urnOf(inputs), "kyc-requirements", `${checks} Declare a KycProfile and set \`kycProfileId\`.`);
}
