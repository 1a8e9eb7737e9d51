/** Buying a number exactly once: protocol S, steps 1 to 6 (docs/guarantees.md says what that gives on which service). */
import type { BuyNumber, NumberRecord, PurchaseRecord } from "../api/contract";
import { isAbsent, isGone, isTelephonyError, TelephonyError } from "../api/errors";
import type { Service, Session } from "../session";
import {
	findBought,
	isLike,
	isOfToday,
	isUntouched,
	knownAge,
	refuseUnreadable,
	uncertain,
	unknownOutcome,
} from "./candidates";
import { type Claim, declarationOf, findOurs, parseReference, purchaseKey, sameWho } from "./claim";
import { adoptedNumber } from "./number-adopt";
import { isOver, nameOf } from "./record";
import { isYoung, liveBefore } from "./settled";

export interface Purchase {
	readonly session: Session;
	readonly service: Service;
	readonly claim: Claim;
	readonly urn: string;
	readonly criteria: BuyNumber;
	/** Id or E.164 of the number to take over instead of buying one. */
	readonly adopt?: string | undefined;
}

/** A number as an answer shows it, which may be little. */
export type Acquired = PurchaseRecord & { readonly id: string };

/** What a purchase is judged by. */
interface Account {
	/** The live numbers before the purchase. */
	readonly before: readonly NumberRecord[];
	/** Whether the service says whose a number is. */
	readonly referenced: boolean;
}

export interface Acquisition {
	readonly record: Acquired;
	/** Bought for this declaration by an earlier run, which may have declared more. */
	readonly earlier: boolean;
}

/** The number for this declaration: one that it names, one that an earlier run bought, or a new one. */
export async function acquire(purchase: Purchase): Promise<Acquisition> {
	const { session, service, claim } = purchase;
	const before = (await liveBefore(service, service.numbers)).filter((record) => !isOver(record));
	refuseUnreadable(purchase, service.numbers.unreadable());
	const account = { before, referenced: showsReferences(service, before) };
	const { adopt } = purchase;
	const earlier = adopt === undefined ? await takenOver(purchase, account) : undefined;
	const record =
		earlier ?? (adopt === undefined ? await bought(purchase, account) : await adoptedNumber(purchase, adopt, before));
	session.memory.own(claim.token, record.id);
	// A key may tell of one that bears our reference already, though no list showed it.
	const isOurs = adopt === undefined && parseReference(record.reference)?.token === claim.token;
	return { record, earlier: earlier !== undefined || isOurs };
}

/** Without a word of the service on it, what its answers show. */
const showsReferences = ({ client }: Service, records: readonly PurchaseRecord[]): boolean =>
	client.knows("reference") ? client.offers("reference") : records.some(({ reference }) => reference !== undefined);

/** The number that already belongs to this declaration, by the service's word or else by what this run has seen. */
async function takenOver(purchase: Purchase, { before, referenced }: Account): Promise<NumberRecord | undefined> {
	const { session, claim, urn } = purchase;
	const ours = referenced ? findOurs(claim, before, "number", nameOf) : await seenHere(purchase);
	if (ours === undefined) {
		if (referenced) warnOfOthers(purchase, before);
		return undefined;
	}
	session.progress.warn(
		urn,
		`Took over ${nameOf(ours)}, which an earlier run bought for this resource: nothing was bought.`,
	);
	return ours;
}

async function seenHere({ session, service, claim }: Purchase): Promise<NumberRecord | undefined> {
	const id = session.memory.idOf(claim.token);
	if (id === undefined) return undefined;
	try {
		const record = await service.client.numbers.get(id);
		if (!isOver(record)) return record;
	} catch (error) {
		if (!isGone(error)) throw error;
	}
	session.memory.forget(id);
	return undefined;
}

/** Other numbers of the same resource are no error (a new generation replaces one), but may be left over from a crash. */
function warnOfOthers({ session, claim, urn }: Purchase, live: readonly NumberRecord[]): void {
	const others = live.filter((record) => {
		const reference = parseReference(record.reference);
		return reference !== undefined && sameWho(claim, reference) && declarationOf(reference) === declarationOf(claim);
	});
	if (others.length === 0) return;
	session.progress.warn(
		urn,
		`This resource also has ${others.map(nameOf).join(", ")}, bought for other criteria or another generation. If this run doesn't release it, do so in the service's dashboard.`,
	);
}

async function bought(purchase: Purchase, account: Account): Promise<Acquired> {
	const { session, claim, criteria } = purchase;
	await refuseUncertain(purchase, account);
	const done = session.memory.startPurchase(JSON.stringify(criteria));
	try {
		for (let counter = 0; ; counter++) {
			const found = await ask(purchase, account, purchaseKey(claim, counter));
			if (found !== undefined) {
				session.memory.own(claim.token, found.id);
				return found;
			}
		}
	} finally {
		done();
	}
}

/**
 * A service without keys can't be asked again: what an interrupted run may have bought must be decided on first. Each
 * number in doubt gets a moment, in which another program may claim it, or the engine show that an entry has it.
 */
async function refuseUncertain(purchase: Purchase, { before, referenced }: Account): Promise<void> {
	const { session, service, criteria } = purchase;
	if (service.client.knows("idempotencyKey") && service.client.offers("idempotencyKey")) return;
	const inDoubt = (record: NumberRecord) => {
		if (isUntouched(purchase, record)) return true;
		return !referenced && isLike(purchase, record) && isOfToday(purchase, record);
	};
	let doubtful = before.filter(inDoubt);
	for (const pause of [2_000, 8_000]) {
		if (doubtful.length === 0) return;
		await session.clock.sleep(pause, session.ending);
		const now = referenced ? await service.numbers.fresh() : before;
		doubtful = doubtful
			// A list that misses it may have changed while it was read: the doubt remains.
			.map((record) => now.find(({ id }) => id === record.id) ?? record)
			.filter((record) => !isOver(record) && inDoubt(record));
	}
	if (doubtful.length === 0) return;
	const without = referenced ? "no idempotency keys" : "neither idempotency keys nor references";
	throw uncertain(
		doubtful,
		`No ${criteria.type} number in ${criteria.country} was bought: an interrupted run may have bought one already, and this service offers ${without} that would tell.`,
	);
}

/** One purchase under one key; undefined when that key has had its number or its refusal, and the next key is due. */
async function ask(purchase: Purchase, account: Account, idempotencyKey: string): Promise<Acquired | undefined> {
	const { session, service, claim, criteria } = purchase;
	let answer: Awaited<ReturnType<typeof service.client.numbers.buy>>;
	try {
		answer = await service.client.numbers.buy(criteria, { idempotencyKey });
	} catch (error) {
		if (isTelephonyError(error, "ContractMismatch")) return await findBought(purchase, account.before, "sure", error);
		// What was refused under this key stays refused as long as the key lives, whatever has changed since.
		if (isTelephonyError(error) && error.replayed) return undefined;
		if (!isTelephonyError(error, "OutcomeUnknown")) throw error;
		// A like number in the list may be somebody else's; the same key tells for certain, in the next run.
		if (service.client.knows("idempotencyKey") && service.client.offers("idempotencyKey")) {
			const next = "Run `pulumi up` again: it asks under the same key, so that nothing is bought twice.";
			throw new TelephonyError("OutcomeUnknown", `${error.message} ${next}`, { operation: "buyNumber", cause: error });
		}
		// Late enough for a purchase under way to show in the list.
		await session.clock.sleep(10_000, session.ending);
		return await findBought(purchase, account.before, "unsure", error);
	}
	const { data: record, replayed } = answer;
	if (!hasId(record)) {
		return replayed ? findReplayed(purchase, account) : findBought(purchase, account.before, "sure");
	}
	// A service that honours keys may not say so.
	if (replayed || account.before.some(({ id }) => id === record.id)) return readReplayed(purchase, account, record);
	const holder = session.memory.holderOf(record.id);
	// Another purchase of this run, whose answer got lost, has found this number first: its own is in the list.
	if (holder !== undefined && holder !== claim.token) return findBought(purchase, account.before, "sure");
	warnOfUntouched(purchase, account.before);
	return record;
}

const hasId = (record: PurchaseRecord): record is Acquired => record.id !== undefined;

/** Bought under a key that has expired since, and never claimed: nothing else tells of such a number. */
function warnOfUntouched(purchase: Purchase, before: readonly NumberRecord[]): void {
	const untouched = before.filter(
		(record) => isUntouched(purchase, record) && (knownAge(purchase, record) ?? Number.POSITIVE_INFINITY) > 60_000,
	);
	if (untouched.length === 0) return;
	purchase.session.progress.warn(
		purchase.urn,
		`Bought a number, though the account has ${untouched.map(nameOf).join(", ")} of the same kind, which nothing uses. If an interrupted run left it behind, release it in the service's dashboard.`,
	);
}

/** The number that a key bought before, as it is now; undefined when that one is gone. */
async function readReplayed(purchase: Purchase, account: Account, { id, created_at }: Acquired) {
	const { session, service, claim } = purchase;
	let record: NumberRecord;
	for (let tries = 0; ; tries++) {
		try {
			record = await service.client.numbers.get(id);
			break;
		} catch (error) {
			if (!isAbsent(error)) throw error;
			// A service may lag behind its own purchase: only what is older than a minute is gone at the first look.
			const fresh = created_at == null || isYoung(session, service, created_at);
			if (!fresh || tries === 5) return undefined;
			await session.clock.sleep(2_000, session.ending);
		}
	}
	if (isOver(record)) return undefined;
	const holder = session.memory.holderOf(id);
	// Adopted in this very run: its reference may not be written yet.
	const isAdopted = holder !== undefined && holder !== claim.token && session.declared.has(holder);
	if (isAdopted) throw claimedSince(record);
	if (!showsReferences(purchase.service, [record])) {
		// Bought since this run looked at the account, so by this run: the answer to its first try got lost.
		if (!account.before.some((each) => each.id === id)) return record;
		throw uncertain(
			[record],
			`Nothing was bought: under this resource's key the service sold ${nameOf(record)} before, and it keeps no references that would tell whether another resource has it by now.`,
		);
	}
	const reference = parseReference(record.reference);
	// What can't be read as one of our references is somebody else's claim all the same.
	const free = record.reference == null || record.reference === "";
	if (free || (reference?.token === claim.token && sameWho(claim, reference))) return record;
	throw claimedSince(record);
}

const claimedSince = (record: NumberRecord): TelephonyError =>
	new TelephonyError(
		"Claimed",
		`${nameOf(record)} was bought for this resource, but another one has claimed it since. Nothing was bought. Give this resource another \`generation\` to buy a new number, or remove the other one.`,
	);

/** The number of a key that was used before, when the answer doesn't name it; undefined when the list has none left. */
async function findReplayed(purchase: Purchase, { before, referenced }: Account): Promise<Acquired | undefined> {
	const { session, service, claim, urn } = purchase;
	const found = await findBought(purchase, before, "perhaps");
	if (found !== undefined) return found;
	const live = (await service.numbers.twice()).filter((record) => !isOver(record));
	const ours = referenced ? findOurs(claim, live, "number", nameOf) : undefined;
	if (ours !== undefined) return ours;
	// Keys live for a day: what is older was bought under none of ours.
	const candidates = live.filter((record) => isUntouched(purchase, record) && isOfToday(purchase, record));
	const [only, ...more] = candidates;
	if (only === undefined) return undefined;
	if (!referenced || more.length > 0 || knownAge(purchase, only) === undefined) {
		throw unknownOutcome(purchase, candidates, "The service repeated an earlier answer, which names no number.");
	}
	session.progress.warn(
		urn,
		`Took over ${nameOf(only)}: the service says that this resource bought a number before, and no other can be it.`,
	);
	return only;
}
