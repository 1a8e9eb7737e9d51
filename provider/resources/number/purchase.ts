/** Buys a number under one idempotency key: steps 5 to 7 of rule 1 in docs/guarantees.md. */
import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { unreadHint } from "../../api/description/hint";
import {
	type ErrorKind,
	handOverSteps,
	isAbsent,
	isNotFound,
	isTelephonyError,
	serviceCodes,
	TelephonyError,
} from "../../api/errors";
import { defined } from "../../api/json";
import { isReleasedOrFailed, nameOf, statusOf } from "../../api/record";
import type { ServiceResponse } from "../../api/response";
import { patienceMs, pauses, until } from "../../api/until";
import { isReferenced } from "../../lifecycle/acquire";
import type { Made, MakeRequest, Run } from "../../lifecycle/definition";
import { adoptLines, uncertain } from "../../lifecycle/messages";
import { findClaims, ownerName } from "../../ownership/claim";
import type { Turn } from "../../ownership/memory";
import { ownership } from "../../ownership/ownership";
import { isCutFrom, parseReference } from "../../ownership/reference";
import { capitalized } from "../../properties/display";
import type { Session } from "../../session/session";
import { ageOf, isAfter, isKeyed } from "../../session/staleness";
import {
	candidatesIn,
	contradiction,
	findUnreadable,
	isClaimed,
	isUnclaimed,
	isUnclaimedMatch,
	isUnusedMatch,
	type Purchase,
	purchaseOf,
	purchaseUnknown,
	unknownOutcome,
} from "./candidates";
import { countedPurchase } from "./limits";

type PurchaseResult = Made<NumberRecord>;

const tryNextKey: PurchaseResult = { is: "TryNextKey" };
/** A response without a mark that probably repeats an earlier one, whose number has ended. */
const tryNextUnmarked: PurchaseResult = { is: "TryNextKey", isUnmarked: true };

/** A purchase isn't claimed yet: only the PATCH that follows carries the reference. */
const bought = (record: NumberRecord): PurchaseResult => ({ is: "Made", record, lease: "", response: record });

export function buyUnderKey(
	run: Run<NumberRecord>,
	{ key, live: before, ...target }: MakeRequest<NumberRecord>,
): Promise<PurchaseResult> {
	const purchase = purchaseOf(run, target);
	const { session, service, claim, criteria } = purchase;
	const memory = session.memory.number;
	warnOfPlace(purchase);
	const inTurn = async ({ isNameless, failure }: Turn, noteEffect: () => void): Promise<PurchaseResult> => {
		if (failure !== undefined) throw notSent(failure.error);
		service.references.assertKept(claim);
		const listed = isNameless ? await service.numbers.fresh() : before;
		const result = await order(purchase, listed, { key, noteEffect });
		if (result.is === "TryNextKey") return result;
		memory.acquire(claim.token, result.record.id);
		if (result.is === "Made") warnOfCandidates(purchase, listed);
		return result;
	};
	// Until a response has shown an id, purchases run one at a time. One that waits for a limit has no turn yet: a search
	// for another purchase's number waits for all that have.
	return countedPurchase(session, service, criteria, (noteEffect) =>
		memory.turns.take((turn) => inTurn(turn, noteEffect)),
	);
}

/** Nothing more is sent in this run, so the purchase doesn't count towards a limit. */
const notSent = (cause: unknown): TelephonyError =>
	new TelephonyError(
		"Interrupted",
		"Nothing was bought for this resource, because the response to another purchase of this run can't be read. Follow that resource's error, then run `pulumi up` again.",
		{ operation: "buyNumber", messageCode: "purchase-unknown", cause },
	);

interface Order extends Pick<MakeRequest<NumberRecord>, "key"> {
	/** Called once the service may have sold a number, which counts towards a limit even if this run doesn't find it. */
	noteEffect(): void;
}

/** Sends the purchase, and decides what its response means. */
async function order(
	purchase: Purchase,
	before: readonly NumberRecord[],
	{ key, noteEffect }: Order,
): Promise<PurchaseResult> {
	const { service, criteria } = purchase;
	// Service time of the first try: the request may wait for its turn.
	let since: number | undefined;
	let tries = 0;
	const body = () => {
		since ??= service.client.now();
		tries += 1;
		return criteria;
	};
	let response: ServiceResponse<PurchaseRecord>;
	try {
		response = await service.client.numbers.buy(body, { idempotencyKey: key });
	} catch (error) {
		if (maySell(error)) noteEffect();
		return withoutResponse(purchase, before, since ?? service.client.now(), error);
	}
	noteEffect();
	return resultOf(purchase, before, { response, since: since ?? 0, tries });
}

/** Decides what a readable response means. */
async function resultOf(
	purchase: Purchase,
	before: readonly NumberRecord[],
	{ response, since, tries }: { response: ServiceResponse<PurchaseRecord>; since: number; tries: number },
): Promise<PurchaseResult> {
	const { session, service } = purchase;
	const { turns } = session.memory.number;
	const { data: sold, replayed } = response;
	if (!hasId(sold)) {
		turns.learn(false);
		if (replayed) return identifyReplay(purchase, tries > 1);
		const cause = new Error(`The response to POST /numbers has no number id. ${unreadHint(sold)}`);
		return turns.identify(() => identifyNew(purchase, before, since, cause));
	}
	const sale = { sold, replayed, since, tries };
	const result = await resultOfId(purchase, before, sale);
	// Without an honored key, another request would buy another number.
	const isRepeatable = replayed || isKeyed(service);
	return result.is !== "TryNextKey" || isRepeatable ? result : identifyOther(purchase, before, sale);
}

interface Sale {
	readonly sold: NumberRecord;
	/** True if the response is marked as a repeated one. */
	readonly replayed: boolean;
	/** Service time of the first try. */
	readonly since: number;
	readonly tries: number;
}

/** Decides what a response with an id means. */
async function resultOfId(purchase: Purchase, before: readonly NumberRecord[], sale: Sale): Promise<PurchaseResult> {
	const { session, claim } = purchase;
	const { sold, replayed, since, tries } = sale;
	const memory = session.memory.number;
	const listed = before.find(({ id }) => id === sold.id);
	if (memory.isOthers(claim.token, sold.id)) {
		if (replayed) return tryNextKey;
		// With the same E.164, it is the number of a renamed resource. Otherwise the id is an order's.
		const isRepeated = sold.number != null && sold.number === listed?.number;
		return isRepeated ? tryNextUnmarked : identifyOther(purchase, before, sale);
	}
	// The id of an order may be an earlier number's as well.
	const isReplay = replayed || (listed !== undefined && showsNumber(sold));
	const isNewer = isAfter(sold.created_at, since);
	// A time before the request is another clock's, or the service doesn't mark its replays. A service may give a new number a
	// reference of its own.
	const mayBeNew = !isReplay && isNewer !== false && !isClaimed(sold);
	if (mayBeNew && !(isNewer && sold.number != null)) return verifySold(purchase, before, sale);
	memory.turns.learn(true);
	return mayBeNew
		? bought(sold)
		: readReplayed(purchase, { sold, listed, isReplay, isOwnRetry: tries > 1 && isNewer !== false });
}

/** True if the record is a number's. An order that a purchase has made may have an id and a status too. */
const showsNumber = ({ number, country, type }: NumberRecord): boolean =>
	number != null || (country !== undefined && type !== undefined);

/**
 * Reads the number of a response that shows no new number: its id may be an order's, or the response may repeat an earlier
 * one. Unless the id leads to a new number or to this declaration's own, the lists before and after the purchase decide.
 */
async function verifySold(purchase: Purchase, before: readonly NumberRecord[], sale: Sale): Promise<PurchaseResult> {
	const { session, service, claim, criteria } = purchase;
	const { sold } = sale;
	const isListed = (id: string) => before.some((record) => record.id === id);
	let mayBeSold = false;
	try {
		const record = await service.client.numbers.get(sold.id);
		const isLive = statusOf(record) !== "released";
		const isMatch = contradiction(criteria, record) === undefined;
		// A service may sell another type than ordered.
		const isSold = isMatch || (sold.number != null && sold.number === record.number);
		const isNew = isLive && isSold && !record.reference && !isListed(sold.id) && !isListed(record.id);
		if (isNew || (isLive && isMatch && ownership(claim, record) === "superseded")) {
			session.memory.number.turns.learn(true);
			return isNew ? bought(record) : { is: "Resumed", record };
		}
	} catch (error) {
		mayBeSold = !isAbsent(error) && !isListed(sold.id);
		if (mayBeSold && sold.number != null) return bought(sold);
	}
	return identifyOther(purchase, before, sale, mayBeSold);
}

/**
 * Finds the number just bought, where the response may have another id. With `mayBeSold`, the id of the response counts
 * unless the lists show only other new numbers: the state must have it, even if the number can't be read now.
 */
function identifyOther(
	purchase: Purchase,
	before: readonly NumberRecord[],
	{ sold, since }: Sale,
	mayBeSold = false,
): Promise<PurchaseResult> {
	const cause = new Error(`The response to POST /numbers names ${sold.id}, which isn't the id of a new number.`);
	return purchase.session.memory.number.turns.identify(async () => {
		try {
			return await identifyNew(purchase, before, since, cause);
		} catch (error) {
			const ids = isTelephonyError(error) ? error.values?.ids : undefined;
			const isOthers = Array.isArray(ids) && ids.length > 0 && !ids.includes(sold.id);
			if (mayBeSold && !isOthers) return bought(sold);
			throw error;
		}
	});
}

/** True if the service may have sold a number, although the response is missing or can't be read. */
const maySell = (error: unknown): boolean =>
	!isTelephonyError(error) || error.kind === "OutcomeUnknown" || error.kind === "ContractMismatch";

/** Decides what an error in place of a readable response means. */
async function withoutResponse(
	purchase: Purchase,
	before: readonly NumberRecord[],
	since: number,
	error: unknown,
): Promise<PurchaseResult> {
	if (!isTelephonyError(error)) throw error;
	if (error.kind === "ContractMismatch") {
		const memory = purchase.session.memory.number;
		return memory.turns.identify(() => identifyNew(purchase, before, since, error));
	}
	// A repeated refusal stays until its key expires, even if its cause no longer exists.
	if (error.replayed) return tryNextKey;
	if (error.kind !== "OutcomeUnknown") throw await refusedPurchase(purchase, error);
	if (!isKeyed(purchase.service)) throw await unknownPurchase(purchase, before, error);
	// A matching number in the list may belong to another buyer. The key is certain.
	throw purchaseUnknown(
		`${error.text} Run \`pulumi up\` again: it reuses the idempotency key, so nothing is bought twice.`,
		error,
	);
}

/** Kinds of refusals that may be due to an earlier request, which has bought a number. */
const mayFollowSale: ReadonlySet<ErrorKind> = new Set(["Conflict", "Invalid", "Config"]);

/** Adds to a refusal without a known reason the numbers that this resource may have bought before. */
async function refusedPurchase(purchase: Purchase, error: TelephonyError): Promise<TelephonyError> {
	const isExplained = serviceCodes.includes(error.errorCode ?? "");
	if (isExplained || !mayFollowSale.has(error.kind)) return error;
	// Other purchases of this run may have just bought the numbers that the list shows.
	const records = await purchase.session.memory.number.turns.afterOthers(async () => {
		const live = await purchase.service.numbers.fresh().catch(() => []);
		return candidatesIn(purchase, live).filter((record) => !isReleasedOrFailed(record));
	});
	if (records.length === 0) return error;
	const { kind, operation } = error;
	const text = `${error.text} An earlier request may have bought one of these for this resource. If so, adopt it before you run \`pulumi up\` again.${adoptLines(records, nameOf)}`;
	const values = { ids: records.map(({ id }) => id) };
	return new TelephonyError(kind, text, { ...defined({ operation }), values, cause: error });
}

const hasId = (record: PurchaseRecord): record is NumberRecord => record.id !== undefined;

// ---- A response that names a number which existed before --------------------------------------------------------------

interface Replayed {
	readonly sold: NumberRecord;
	/** The number as the list showed it before the purchase. */
	readonly listed: NumberRecord | undefined;
	/** True if the response certainly repeats an earlier one. */
	readonly isReplay: boolean;
	/** True if an earlier try of this request, whose response was lost, may have bought the number. */
	readonly isOwnRetry: boolean;
}

async function readReplayed(purchase: Purchase, replay: Replayed): Promise<PurchaseResult> {
	const { claim } = purchase;
	const { isReplay, isOwnRetry } = replay;
	const next = isReplay ? tryNextKey : tryNextUnmarked;
	const record = await readSold(purchase, replay);
	if (record === undefined) return withoutNumber(purchase, replay, next);
	// Without a mark, a failed number may be the one just bought.
	if (!isReplay && statusOf(record) === "failed") return bought(record);
	if (isReleasedOrFailed(record)) return next;
	// A service that respells references shows this declaration's own claim in another form.
	if (isCutFrom(record.reference, claim)) return { is: "Resumed", record };
	const owner = ownership(claim, record);
	if (owner === "unknown" && isReplay && !isOwnRetry)
		throw uncertain(
			[record],
			"Nothing was bought, because this resource's idempotency key already bought the number below, and the service keeps no references that name its owner. If it is this resource's, adopt it. To buy another number, give the resource another `generation` (a pool has none).",
			{ nameOf },
		);
	const isBought = isReplay ? isOwnRetry : !record.reference;
	if (owner !== "foreign") return isBought ? bought(record) : { is: "Resumed", record };
	const reference = parseReference(record.reference);
	// The number is safe with its new owner, such as this resource's new name, or a stack that has adopted it. A service may
	// copy the reference of another number to a new one, and would do so again.
	if (isReplay && reference !== undefined && reference.token !== claim.token) return next;
	throw new TelephonyError(
		"Claimed",
		`${capitalized(ownerName(record.reference, claim))} has claimed ${nameOf(record)}, which this resource's idempotency key bought. Nothing else was bought. To use it here, ${handOverSteps}, then name it in \`adopt\`. To buy another one, raise \`generation\`. A pool has none: declare a Number instead, and adopt it into the pool.`,
	);
}

/** Decides about an id that leads nowhere. Without a phone number, it may be an order's: the order's number has another one. */
async function withoutNumber(
	purchase: Purchase,
	{ sold, isOwnRetry }: Replayed,
	next: PurchaseResult,
): Promise<PurchaseResult> {
	const isNumbers = sold.number != null || (await purchase.service.account.isReleased(sold.id));
	return isNumbers ? next : identifyReplay(purchase, isOwnRetry);
}

/**
 * Returns the pauses until the service shows its sale. Earlier runs made all sales but that of an own retry, so this run
 * waits for them once, from the first spent key on.
 */
function saleLag({ clock, memory }: Session, longest: readonly number[], isOwnRetry: boolean): readonly number[] {
	if (isOwnRetry) return longest;
	memory.number.spentSince ??= clock.now();
	let rest = memory.number.spentSince - clock.now();
	return longest.flatMap((pause) => {
		rest += pause;
		return rest > 0 ? [Math.min(pause, rest)] : [];
	});
}

/**
 * Reads the number as it is now; undefined if it is deleted. A service may lag behind its own sale, so "not found" is
 * believed only after the longest lag. @throws TelephonyError OutcomeUnknown if only a list could show the number
 */
async function readSold(
	{ session, service, urn }: Purchase,
	{ sold: { id }, listed, isReplay, isOwnRetry }: Replayed,
): Promise<NumberRecord | undefined> {
	const between = saleLag(session, pauses.sold, isOwnRetry || !isReplay);
	const read = async () => {
		try {
			return await service.client.numbers.get(id);
		} catch (error) {
			if (!isAbsent(error)) throw error;
			if (listed !== undefined) return listed;
			if (await service.account.isReleased(id)) return undefined;
			session.progress.status(urn, `waiting until the service lists ${id}, which was just bought`);
			throw error;
		}
	};
	try {
		return await until(session, read, () => true, { for: between, passes: isAbsent });
	} catch (error) {
		if (isNotFound(error)) return undefined;
		if (!isAbsent(error)) throw error;
		throw purchaseUnknown(
			`The service reports that this resource bought ${id}, but doesn't list it. Nothing else was bought for this resource. Run \`pulumi up\` again. If the number was released, give this resource another \`generation\`.`,
			error,
			[id],
		);
	}
}

// ---- A response that names no number ----------------------------------------------------------------------------------

/** Finds the number of a used key by its reference. */
async function identifyReplay(purchase: Purchase, isOwnRetry: boolean): Promise<PurchaseResult> {
	const { session, service, claim } = purchase;
	const between = saleLag(session, pauses.bought, isOwnRetry);
	const read = async (): Promise<PurchaseResult> => {
		const live = (await service.numbers.fresh()).filter((record) => !isReleasedOrFailed(record));
		const [record, ...others] = isReferenced(service, live) ? findClaims(claim, live).claimed : [];
		if (record !== undefined && others.length === 0) return { is: "Resumed", record };
		const listed = candidatesIn(purchase, live);
		if (listed.length === 0) return tryNextKey;
		// Other purchases of this run may have just bought these.
		const { turns } = session.memory.number;
		const candidates = await turns.afterOthers(async () => candidatesIn(purchase, listed));
		if (candidates.length === 0) return tryNextKey;
		throw unknownOutcome(purchase, candidates, "The response repeats an earlier one and has no number id.");
	};
	return until(session, read, ({ is }) => is !== "TryNextKey", { for: between });
}

/**
 * Finds the number just bought as the only new match in the list. A match with a time before the purchase counts if no
 * other appears, as its time may be another clock's. @throws TelephonyError OutcomeUnknown, naming the candidates
 */
async function identifyNew(
	purchase: Purchase,
	before: readonly NumberRecord[],
	since: number,
	cause: Error,
): Promise<PurchaseResult> {
	const isRecent = ({ created_at }: NumberRecord) => isAfter(created_at, since) !== false;
	const read = async () => {
		const matches = await newMatches(purchase, before, isUnusedMatch);
		const unreadable = findUnreadable(purchase, before)?.error;
		if (matches instanceof Error || unreadable !== undefined) return unreadable ?? matches;
		return matches.some(isRecent) ? matches.filter(isRecent) : matches;
	};
	const isFinal = (found: readonly NumberRecord[] | Error) => found instanceof Error || found.some(isRecent);
	const found = await until(purchase.session, read, isFinal, { for: pauses.bought });
	const [only, ...more] = found instanceof Error ? [] : found;
	if (only !== undefined && more.length === 0) return bought(only);
	const candidates = found instanceof Error || only ? found : await newCandidates(purchase, before);
	throw unknownOutcome(purchase, candidates, isTelephonyError(cause) ? cause.text : cause.message, cause);
}

/** Returns matches that the list didn't show before the purchase; an Error if it can't be read. */
async function newMatches(
	purchase: Purchase,
	before: readonly NumberRecord[],
	isMatch: typeof isUnclaimedMatch,
): Promise<readonly NumberRecord[] | Error> {
	const knownIds = new Set(before.map(({ id }) => id));
	try {
		return (await purchase.service.numbers.fresh()).filter(
			(record) => !knownIds.has(record.id) && !isReleasedOrFailed(record) && isMatch(purchase, record),
		);
	} catch (error) {
		return error as Error;
	}
}

/** Returns the new matches for a person to choose from. A service may have sold a number that doesn't match. */
async function newCandidates(
	purchase: Purchase,
	before: readonly NumberRecord[],
): Promise<readonly NumberRecord[] | Error> {
	const found = await newMatches(purchase, before, isUnclaimed);
	if (found instanceof Error) return found;
	const matches = found.filter((record) => isUnclaimedMatch(purchase, record));
	return matches.length > 0 ? matches : found;
}

/** Returns the error for a purchase without a response, at a service without trusted keys. */
async function unknownPurchase(
	purchase: Purchase,
	before: readonly NumberRecord[],
	cause: TelephonyError,
): Promise<TelephonyError> {
	const { clock, ending } = purchase.session;
	// The list may lag.
	await clock.sleep(patienceMs, ending);
	// A service may give a new number a label and a routing.
	return unknownOutcome(purchase, await newCandidates(purchase, before), cause.text, cause);
}

/**
 * Warns of another number that an interrupted run may have bought under a key that has expired. No other message reports
 * it. Where the service keeps references, it is one that nobody claims.
 */
function warnOfCandidates(purchase: Purchase, before: readonly NumberRecord[]): void {
	const { session, service, urn } = purchase;
	const matches = isReferenced(service, before)
		? before.filter((record) => isUnusedMatch(purchase, record))
		: candidatesIn(purchase, before);
	const unused = matches.filter(({ created_at }) => ageOf(session, service, created_at) > 60_000);
	if (unused.length === 0) return;
	session.progress.warn(
		urn,
		"duplicate",
		`Bought a number, but an interrupted run of this stack may have bought ${unused.map(nameOf).join(", ")} before. If nothing needs it, release it in the service's dashboard.`,
	);
}

/** In CI with a file backend, the owner depends on the machine's name, so no other machine can continue a run. */
function warnOfPlace({ session, service: { config }, urn }: Purchase): void {
	const isShared = config.ci && config.owner === undefined && config.place?.startsWith("file:") === true;
	if (!isShared || session.memory.number.hasWarnedOfPlace) return;
	session.memory.number.hasWarnedOfPlace = true;
	session.progress.warn(
		urn,
		"owner-missing",
		"This run is a CI job, and its state is in a folder on this machine. A job on another machine won't recognize this job's numbers. Name the owner: `pulumi config set telephony:owner NAME`. If this job is interrupted, check the account's numbers first: the next job may buy a number again.",
	);
}
