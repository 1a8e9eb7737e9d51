/** What somebody has to do for KYC, read from the number, or looked up in its profile and the market's requirements. */
import type { BuyNumber, KycProfileRecord, PurchaseRecord } from "../../api/contract";
import { isTelephonyError } from "../../api/errors";
import { unknownValue, type Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";

export interface Action {
	/** For the status column: "set `kycProfileId`". */
	readonly short: string;
	/** A sentence, without its full stop. */
	readonly sentence: string;
}

/** A look that takes longer is given up, as it only serves a message. */
const longestLookMs = 5_000;
/** One look serves a whole fleet with the same profile. */
const freshMs = 60_000;

const handIn = "submit the missing documents in the service's dashboard";

/** Whether KYC can't continue until somebody has done something. */
export const needsAction = ({ kyc }: PurchaseRecord): boolean =>
	kyc != null && ["action_required", "rejected", "expired"].includes(kyc.status);

/** The service's reasons in words: `The name differs. (name_mismatch)`. */
export const reasonWords = (reasons: readonly { readonly code: string; readonly message: string }[] = []): string =>
	reasons.map(({ code, message }) => `${message} (${code})`).join("; ");

/** `declared` holds the known inputs, as a service needn't say which profile a number has. */
const profileOf = ({ kyc }: PurchaseRecord, { kycProfileId }: Values): string | undefined =>
	typeof kycProfileId === "string" && kycProfileId !== "" ? kycProfileId : (kyc?.profile_id ?? undefined);

/** The action as far as it is known without a request; undefined if nobody has to act. */
export function knownAction(record: PurchaseRecord, declared: Values = {}): Action | undefined {
	if (!needsAction(record)) return undefined;
	const reasons = reasonWords(record.kyc?.reasons);
	if (profileOf(record, declared) !== undefined) return { short: reasons, sentence: capital(handIn) };
	return {
		short: reasons || "set `kycProfileId`",
		sentence: `Set \`kycProfileId\` to a KYC profile of the account, or ${handIn}`,
	};
}

/** For the start of a wait: looks only if the number has a profile, as most are approved without anybody's help. */
export const firstAction = async (session: Session, record: PurchaseRecord, declared: Values) =>
	profileOf(record, declared) === undefined ? knownAction(record, declared) : learntAction(session, record, declared);

/**
 * The action, with what the profile lacks, or what the market asks for if there is no profile. It never fails: what
 * can't be learnt in time is left out.
 */
export async function learntAction(
	session: Session,
	record: PurchaseRecord,
	declared: Values = {},
): Promise<Action | undefined> {
	const known = knownAction(record, declared);
	const profileId = profileOf(record, declared);
	// Reasons are more specific than the market's whole list.
	const isTold = profileId === undefined && reasonWords(record.kyc?.reasons) !== "";
	if (known === undefined || isTold) return known;
	try {
		const look = await lookOf(session);
		if (look === undefined) return known;
		const market = {
			country: String(declared.country ?? record.country ?? ""),
			type: String(declared.type ?? record.type ?? "") as BuyNumber["type"],
		};
		if (profileId === undefined) {
			const asked = (await look.market(market)).requirements.map(({ code, holders }) =>
				holders.length === 1 ? `${code} (${holders[0]})` : code,
			);
			if (asked.length === 0) return known;
			const about = `a ${market.type} number in ${market.country} requires ${asked.join(", ")}`;
			return { ...known, sentence: `${known.sentence}; ${about}` };
		}
		return (await ofProfile(look, profileId, market, record)) ?? known;
	} catch {
		return known;
	}
}

/** Most numbers of a fleet need the same: each sentence comes once, and at most ten numbers are looked up. */
export async function fleetActions(session: Session, records: readonly PurchaseRecord[]): Promise<string[]> {
	const actions = await Promise.all(records.slice(0, 10).map((record) => learntAction(session, record)));
	return [...new Set(actions.flatMap((action) => action?.sentence ?? []))];
}

// ---- The profile ------------------------------------------------------------------------------------------------------

export interface Market {
	readonly country: string;
	readonly type: BuyNumber["type"];
}

async function ofProfile(look: Look, id: string, market: Market, { kyc }: PurchaseRecord): Promise<Action | undefined> {
	let profile: KycProfileRecord;
	try {
		profile = await look.profile(id);
	} catch (error) {
		if (!isTelephonyError(error, "NotFound")) throw error;
		return {
			short: `profile ${id} doesn't exist`,
			sentence: `Set \`kycProfileId\` to another profile: the account has no KYC profile ${id}`,
		};
	}
	// The number usually has the same reasons.
	const said = kyc?.reasons?.length ? "" : reasonWords(profile.reasons);
	const missing = await missingIn(look, profile, market).catch(() => []);
	const lacks = missing.length === 0 ? "" : `: it lacks ${missing.join(", ")}`;
	switch (profile.status) {
		case "draft":
			return lacks === ""
				? { short: `profile ${id} is a draft`, sentence: `Submit KYC profile ${id}, which is still a draft` }
				: {
						short: `profile ${id} lacks ${missing.join(", ")}`,
						sentence: `Complete and submit KYC profile ${id}${lacks}`,
					};
		case "rejected":
			return {
				short: `profile ${id} was rejected`,
				sentence: `Correct KYC profile ${id} and submit it again${lacks || (said && `: ${said}`)}`,
			};
		case "expired":
			return {
				short: `profile ${id} has expired`,
				sentence: `Set \`kycProfileId\` to another profile: KYC profile ${id} has expired`,
			};
		case "in_review":
			return {
				short: `profile ${id} is in review`,
				sentence: `Wait: the service is reviewing KYC profile ${id}`,
			};
		default:
			return undefined;
	}
}

/** Document kinds and property names that the market asks for and the profile lacks, as far as it shows. */
async function missingIn(look: Look, profile: KycProfileRecord, market: Market): Promise<string[]> {
	const { holder, document_ids } = profile;
	const properties = profile as Values;
	const asked = (await look.market(market)).requirements.filter(({ holders }) =>
		holders.some((each) => holder === undefined || each === holder),
	);
	const kinds = document_ids && (await Promise.all(document_ids.map((id) => look.kindOf(id))));
	return asked
		.filter(({ code, kind }) => {
			// If a document doesn't say its kind, nobody can tell what is missing.
			if (kind === "document") return kinds !== undefined && !kinds.includes(undefined) && !kinds.includes(code);
			return properties[`${code}_set`] === false || properties[code] === null;
		})
		.map(({ code }) => code);
}

// ---- The look ---------------------------------------------------------------------------------------------------------

type Look = NonNullable<Awaited<ReturnType<typeof lookOf>>>;

const seen = new WeakMap<Service["client"], Map<string, { readonly at: number; readonly answer: Promise<unknown> }>>();

/** Requests that are shared for a minute and given up after five seconds; undefined if the service has no profiles. */
export async function lookOf(session: Session) {
	const { client } = await session.service();
	if (client.offers("kyc") === false) return undefined;
	const signal = AbortSignal.timeout(longestLookMs);
	const answers = seen.get(client) ?? new Map();
	seen.set(client, answers);
	const shared = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
		const now = session.clock.now();
		const last = answers.get(key);
		if (last !== undefined && now - last.at < freshMs) return last.answer as Promise<T>;
		const answer = ask();
		answers.set(key, { at: now, answer });
		return answer;
	};
	return {
		market: ({ country, type }: Market) =>
			shared(`${country} ${type}`, () => client.kyc.requirements({ country, type, signal })),
		profile: (id: string) => shared(id, () => client.kyc.profiles.get(id, { signal })),
		kindOf: (id: string) => shared(id, async () => (await client.kyc.documents.get(id, { signal })).kind),
	};
}

export const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

/** Warns in a preview of a new number without a profile, if its market needs KYC. Never fails. */
export async function warnOfMarket(session: Session, inputs: Values): Promise<void> {
	const { country, type, kycProfileId, resourceUrn } = inputs;
	if (kycProfileId != null || [country, type].some((each) => typeof each !== "string" || each === unknownValue)) return;
	try {
		const look = await lookOf(session);
		const market = await look?.market({ country, type } as BuyNumber);
		if (!market?.kyc_required) return;
		const codes = market.requirements.map(({ code }) => code).join(", ");
		session.progress.warn(
			String(resourceUrn ?? ""),
			"kyc-requirements",
			`A ${type} number in ${country} needs identity checks${codes && ` (${codes})`} and stays pending until they clear. Declare a KycProfile and set \`kycProfileId\`.`,
		);
	} catch {
		// The service may not say. Then the purchase does.
	}
}
