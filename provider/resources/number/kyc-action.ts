/** Decides what a person has to do for KYC, and reads what a market requires. */
import type { Client } from "../../api/client";
import type { BuyNumber, KycRequirementsRecord, PurchaseRecord } from "../../api/contract";
import { unknownValue, type Values } from "../../properties/table";
import type { Session } from "../../session/session";

export interface Action {
	/** For the status column: "set `kycProfileId`". */
	readonly short: string;
	/** A sentence, without its full stop. */
	readonly sentence: string;
}

/** True if KYC can't continue until a person acts. */
export const needsAction = ({ kyc }: PurchaseRecord): boolean =>
	kyc != null && ["action_required", "rejected", "expired"].includes(kyc.status);

/** The service's reasons: `The name differs. (name_mismatch)`. */
export const reasonWords = (reasons: readonly { readonly code: string; readonly message: string }[] = []): string =>
	reasons.map(({ code, message }) => `${message} (${code})`).join("; ");

/** A service needn't show the profile of a number, so `declared` has the inputs. */
const profileOf = ({ kyc }: PurchaseRecord, { kycProfileId }: Values): string | undefined =>
	typeof kycProfileId === "string" && kycProfileId !== "" ? kycProfileId : (kyc?.profile_id ?? undefined);

export function actionOf(record: PurchaseRecord, declared: Values = {}): Action | undefined {
	if (!needsAction(record)) return undefined;
	const reasons = reasonWords(record.kyc?.reasons);
	const profile = profileOf(record, declared);
	const submit = "submit the missing documents in the service's dashboard";
	return profile === undefined
		? {
				short: reasons || "set `kycProfileId`",
				sentence: `Set \`kycProfileId\` to a KYC profile of the account, or ${submit}`,
			}
		: { short: reasons, sentence: `Complete KYC profile ${profile}, or ${submit}` };
}

/** Returns the action with the market's requirements, if the number has neither a profile nor reasons. Never fails. */
export async function detailedAction(
	session: Session,
	record: PurchaseRecord,
	declared: Values = {},
): Promise<Action | undefined> {
	const action = actionOf(record, declared);
	if (action === undefined || profileOf(record, declared) !== undefined || record.kyc?.reasons?.length) return action;
	const country = String(declared.country ?? record.country ?? "");
	const type = String(declared.type ?? record.type ?? "") as BuyNumber["type"];
	const { requirements = [] } = (await requirementsOf(session, { country, type })) ?? {};
	if (requirements.length === 0) return action;
	const codes = requirements.map(({ code, holders }) => (holders.length === 1 ? `${code} (${holders[0]})` : code));
	return { ...action, sentence: `${action.sentence}; a ${type} number in ${country} requires ${codes.join(", ")}` };
}

/** Returns the sentences of a fleet. Most numbers need the same, so each comes once, for the first ten numbers. */
export async function fleetActions(session: Session, records: readonly PurchaseRecord[]): Promise<string[]> {
	const actions = await Promise.all(records.slice(0, 10).map((record) => detailedAction(session, record)));
	return [...new Set(actions.flatMap((action) => action?.sentence ?? []))];
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
