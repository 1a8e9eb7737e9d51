/** Buys a number exactly once: protocol S, steps 1 to 6 (docs/guarantees.md: what that guarantees on which service). */
import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { unreadHint } from "../../api/dialect/hint";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { patienceMs } from "../../api/until";
import { isHeldByAnother } from "../../lifecycle/claimed";
import { declarationOf, findOurs, isSameState, purchaseKey, stillOurs } from "../../ownership/claim";
import { bondsOf } from "../../ownership/ownership";
import { type Bonds, parseReference } from "../../ownership/reference";
import { allDeclared, liveValues, patchBody } from "../../properties/table";
import { ageOf, isKeyed } from "../../session/staleness";
import type { Acquired, Acquisition, Purchase } from "./acquisition";
import { adoptedNumber } from "./adopt";
import { bondsOfPurchase } from "./beside";
import {
	identify,
	isAfter,
	isDoubtful,
	isReferenced,
	isUntouched,
	lateLikes,
	refuseUnreadable,
	uncertain,
	unknownOutcome,
} from "./candidates";
import { flat, numberProperties } from "./properties";
import { findReplayed, readReplayed } from "./replay";

/** The number for this declaration: one that it names, one that an earlier run bought, or a new one. */
export async function acquire(purchase: Purchase): Promise<Acquisition & { readonly bonds: Bonds }> {
	const { session, service, claim, inputs } = purchase;
	const live = (await service.numbers.all()).filter((record) => !isReleasedOrFailed(record));
	refuseUnreadable(purchase, live);
	const account = await service.presence.refuseStrange(claim, live);
	const earlier = inputs.adopt === undefined ? await takenOver(purchase, live) : undefined;
	const acquired =
		earlier !== undefined
			? { record: earlier, earlier: true }
			: typeof inputs.adopt === "string"
				? { record: await adoptedNumber(purchase, inputs.adopt, live), earlier: false }
				: await bought(purchase, live);
	session.memory.number.acquire(claim.token, acquired.record.id);
	// Only its key has told of it.
	if (earlier === undefined && acquired.earlier && acquired.record.reference) refuseOthers(purchase, acquired.record);
	if (!acquired.earlier && inputs.adopt === undefined) session.memory.number.made.add(acquired.record.id);
	// What an earlier run has bought is this run's purchase too: nothing else may have been saved of it.
	return inputs.adopt === undefined
		? { ...acquired, bonds: await bondsOfPurchase(purchase, acquired.record, account) }
		: { ...acquired, bonds: { ...bondsOf(acquired.record, {}), account } };
}

/** The number that already belongs to this declaration, by its reference or else by what this run has seen. */
async function takenOver(purchase: Purchase, live: readonly NumberRecord[]): Promise<NumberRecord | undefined> {
	const { session, service, claim, urn } = purchase;
	const listed = isReferenced(purchase, live) ? findOurs(claim, live, "number", nameOf) : await seenHere(purchase);
	if (listed === undefined) {
		warnOfOthers(purchase, live);
		return undefined;
	}
	const memory = session.memory.number;
	if (await isHeldByAnother(session, memory, claim, listed.id)) return undefined;
	// What it shows replaces what a list that lags has shown.
	const ours = await stillOurs(listed, () => service.numbers.again(listed.id));
	if (ours === undefined) return undefined;
	if (memory.holderOf(ours.id) === undefined) refuseOthers(purchase, ours);
	session.progress.warn(
		urn,
		"taken-over",
		`Took over ${nameOf(ours)}, which an earlier run bought for this resource: nothing was bought. ${howItIs(ours)}`,
	);
	return ours;
}

/**
 * A number that is configured differently may belong to a stack that had this name, unless it was bought together with
 * what this state holds. Only the user can know.
 */
function refuseOthers({ session: { memory }, inputs }: Purchase, record: Acquired): void {
	const account = parseReference(record.reference)?.account;
	const kinds = [memory.number, memory.trunk, memory.webhook];
	if (account && kinds.some(({ accounts }) => (accounts.get(account)?.size ?? 0) > 0)) return;
	if (isBlank(record)) return;
	const live = liveValues(numberProperties, flat(record));
	const changes = patchBody(numberProperties, { olds: allDeclared(numberProperties), news: inputs, live });
	if (Object.keys(changes).length === 0) return;
	throw new TelephonyError(
		"Claimed",
		`${nameOf(record)} carries this resource's name, but is configured differently: it may belong to a stack that was renamed. ${howItIs(record)} Nothing was bought or changed. If it is this resource's, take it over with \`adopt: ${JSON.stringify(record.id)}\`. If it is a renamed stack's, run \`pulumi up\` there first.`,
		{ messageCode: "rename" },
	);
}

/** Nobody has configured it yet. */
const isBlank = ({ label, routing, sms_webhook_url, metadata }: Acquired): boolean =>
	!label && routing == null && !sms_webhook_url && Object.keys(metadata ?? {}).length === 0;

const howItIs = ({ created_at, label, routing }: Acquired): string =>
	`It has existed since ${created_at ?? "an unknown time"}, with ${label ? `the label ${JSON.stringify(label)}` : "no label"} and ${routing ? `routing ${routing.type}` : "no routing"}.`;

async function seenHere({ session, service, claim }: Purchase): Promise<NumberRecord | undefined> {
	const id = session.memory.number.idOf(claim.token);
	if (id === undefined) return undefined;
	try {
		const record = await service.client.numbers.get(id);
		if (!isReleasedOrFailed(record)) return record;
	} catch (error) {
		if (!isGone(error)) throw error;
	}
	session.memory.number.forget(id);
	return undefined;
}

/** Other numbers of the same resource are no error (a new generation replaces one), but a crash may have left them. */
function warnOfOthers({ session, claim, urn }: Purchase, live: readonly NumberRecord[]): void {
	const own = declarationOf(claim);
	const others = live.filter((record) => {
		if (!record.reference?.startsWith(own)) return false;
		const reference = parseReference(record.reference);
		return reference !== undefined && isSameState(claim, reference) && declarationOf(reference) === own;
	});
	if (others.length === 0) return;
	session.progress.warn(
		urn,
		"duplicate",
		`This resource also has ${others.map(nameOf).join(", ")}, bought for other criteria or another generation. If this run doesn't release it, release it in the service's dashboard.`,
	);
}

async function bought(purchase: Purchase, live: readonly NumberRecord[]): Promise<Acquisition> {
	const { session, service, claim } = purchase;
	warnOfPlace(purchase);
	let before = live;
	if (!isKeyed(service)) {
		before = await secondLook(purchase, live);
		const late = await takenOver(purchase, before);
		if (late !== undefined) return { record: late, earlier: true };
		refuseDoubtful(purchase, before, isReferenced(purchase, before));
	}
	return session.memory.number.turns.take(async (alone) => {
		// Another purchase may have been made while this one waited for its turn.
		const known = alone ? await service.numbers.fresh() : before;
		for (let counter = 0; ; counter++) {
			const found = await ask(purchase, known, purchaseKey(claim, counter));
			if (found === undefined) continue;
			session.memory.number.setHolder(claim.token, found.record.id);
			return found;
		}
	});
}

/** In CI with a file backend, ownership depends on the machine's name, so no other machine can continue a run. */
function warnOfPlace({ session, service: { config }, urn }: Purchase): void {
	const isShared = config.ci && config.owner === undefined && config.places[0]?.startsWith("file:") === true;
	if (!isShared || session.memory.number.warned.has("place")) return;
	session.memory.number.warned.add("place");
	session.progress.warn(
		urn,
		"owner-missing",
		"This run is a CI job, and its state is in a folder on this machine. If the next job runs on another machine, it will not recognise this job's numbers. Give the stack a name: `pulumi config set telephony:owner NAME`.",
	);
}

/** Without keys, only the list shows what a killed run has just bought. As it may lag, it is read again, once a run. */
async function secondLook({ session, service }: Purchase, live: readonly NumberRecord[]): Promise<NumberRecord[]> {
	const { clock, ending, memory } = session;
	memory.number.secondLook ??= clock.sleep(patienceMs, ending).then(() => service.numbers.fresh());
	const seen = new Map([...live, ...(await memory.number.secondLook)].map((record) => [record.id, record]));
	return [...seen.values()].filter((record) => !isReleasedOrFailed(record));
}

/** @throws TelephonyError OutcomeUnknown */
function refuseDoubtful(purchase: Purchase, before: readonly NumberRecord[], referenced: boolean): void {
	const doubtful = before.filter((record) => isDoubtful(purchase, record, referenced));
	if (doubtful.length === 0) return;
	const { criteria } = purchase;
	const without = referenced ? "idempotency keys" : "idempotency keys or references";
	throw uncertain(
		doubtful,
		`No ${criteria.type} number in ${criteria.country} was bought: an interrupted run may have bought one already, and this service is not known to honour ${without}, which would show it (\`telephony:features\` can state that it does).`,
	);
}

/** One purchase under one key; undefined if the key already led to a number or a refusal, so that the next is due. */
async function ask(
	purchase: Purchase,
	before: readonly NumberRecord[],
	idempotencyKey: string,
): Promise<Acquisition | undefined> {
	const { session, service, claim } = purchase;
	const sent: Sent = {};
	const moment = () => sent.at ?? service.client.now();
	let answer: Awaited<ReturnType<typeof order>>;
	try {
		answer = await order(purchase, before, sent, idempotencyKey);
	} catch (error) {
		const since = moment();
		if (isTelephonyError(error, "ContractMismatch"))
			return fresh(await session.memory.number.clearUp(identify(purchase, before, since, error)));
		// What was refused under this key stays refused as long as the key lives, even if the cause is gone.
		if (isTelephonyError(error) && error.replayed) return undefined;
		if (!isTelephonyError(error, "OutcomeUnknown")) throw error;
		// A similar number in the list may be somebody else's. The same key gives certainty in the next run.
		const next = "Run `pulumi up` again: it asks with the same key, so nothing is bought twice.";
		if (isKeyed(service))
			throw new TelephonyError("OutcomeUnknown", `${error.message} ${next}`, {
				operation: "buyNumber",
				messageCode: "purchase-unknown",
				cause: error,
			});
		throw unknownOutcome(purchase, await lateLikes(purchase, before), error.message, error);
	}
	const since = moment();
	const { data: record, replayed } = answer;
	session.memory.number.turns.namesIds = hasId(record);
	if (!hasId(record))
		return replayed
			? again(await findReplayed(purchase))
			: fresh(await session.memory.number.clearUp(identify(purchase, before, since, namesNone(record))));
	const holder = session.memory.number.holderOf(record.id);
	// Sold under this key before, and another declaration's by now.
	if (holder !== undefined && holder !== claim.token) return undefined;
	const isReplay = replayed || before.some(({ id }) => id === record.id);
	// A time before the request is another clock's, or a service replays without saying so: a look at the number tells.
	const isOlder = isAfter(record.created_at, since) === false;
	const shown = isReplay || isOlder ? await readReplayed(purchase, before, record, isReplay, since) : record;
	// A replay of this very request, whose first answer was lost, is a purchase too.
	if (shown !== undefined && (!isReplay || isAfter(record.created_at, since))) warnOfUntouched(purchase, before);
	return isReplay || shown?.reference ? again(shown) : shown && fresh(shown);
}

const fresh = (record: Acquired): Acquisition => ({ record, earlier: false });

/** Sold before, perhaps to an earlier run that declared more. */
const again = (record: Acquired | undefined): Acquisition | undefined => record && { record, earlier: true };

interface Sent {
	/** Service time of the first try: a request may wait for its turn, and others buy meanwhile. */
	at?: number;
}

/** A rate-limited purchase may have been carried out anyway. Without a key, the list decides. */
async function order(purchase: Purchase, before: readonly NumberRecord[], sent: Sent, idempotencyKey: string) {
	const { session, service, criteria } = purchase;
	const body = () => {
		// It may have waited for its turn meanwhile.
		if (session.memory.number.isUnclear) throw new Unclear();
		sent.at ??= service.client.now();
		return criteria;
	};
	for (let tries = 1; ; tries++) {
		await onceClear(purchase);
		try {
			return await service.client.numbers.buy(body, { idempotencyKey });
		} catch (error) {
			if (error instanceof Unclear) continue;
			const isEarly = isTelephonyError(error, "RateLimited") && !isKeyed(service);
			if (!isEarly || tries === 3) throw error;
			const found = await lateLikes(purchase, before);
			if (found instanceof Error || found.length > 0) throw unknownOutcome(purchase, found, error.message, error);
		}
	}
}

/** Nothing was sent: another purchase of this run is to be cleared up first. */
class Unclear extends Error {}

/** @throws TelephonyError OutcomeUnknown, if nobody knows what another purchase of this run has bought */
async function onceClear({ session }: Purchase): Promise<void> {
	try {
		await session.memory.number.isClear();
	} catch (error) {
		throw new TelephonyError(
			"OutcomeUnknown",
			`Nothing was bought for this resource: another purchase of this run had an answer that can't be read, and what it bought is not known. ${isTelephonyError(error) ? error.text : String(error)}`,
			{ operation: "buyNumber", messageCode: "purchase-unknown", cause: error },
		);
	}
}

function namesNone(record: PurchaseRecord): Error {
	const hint = unreadHint("buyNumber", ["id"], record);
	return new Error(["The answer named no number.", hint].filter(Boolean).join(" "));
}

const hasId = (record: PurchaseRecord): record is Acquired => record.id !== undefined;

/** Such a number may have been bought under a key that has expired, and never claimed. Nothing else reports it. */
function warnOfUntouched(purchase: Purchase, before: readonly NumberRecord[]): void {
	const { session, service, urn } = purchase;
	const untouched = before.filter(
		(record) => isUntouched(purchase, record) && ageOf(session, service, record.created_at) > 60_000,
	);
	if (untouched.length === 0) return;
	session.progress.warn(
		urn,
		"duplicate",
		`Bought a number, though the account has ${untouched.map(nameOf).join(", ")} of the same kind, which nothing uses. If an interrupted run left it behind, release it in the service's dashboard.`,
	);
}
