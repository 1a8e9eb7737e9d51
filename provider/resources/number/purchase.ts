/** Buys a number exactly once: protocol S, steps 1 to 6 (docs/guarantees.md: what that guarantees on which service). */
import type { Client } from "../../api/client";
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { isHeldByAnother } from "../../lifecycle/claimed";
import { createOnce, declarationOf, findOurs, isSameState, parseUrn, stillOurs } from "../../ownership/claim";
import { isLeft, parseReference } from "../../ownership/reference";
import type { Reservation } from "../../session/spending";
import { ageOf, isKeyed, liveBefore } from "../../session/staleness";
import type { Acquisition, Purchase, ShownNumber } from "./acquisition";
import { adoptedNumber } from "./adopt";
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
import { holdPurchase, settleLook, settleOrder } from "./limits";
import { hasId, order, outcomeOf } from "./order";
import { findReplayed, readReplayed } from "./replay";

/** The number for this declaration: one that it names, one that an earlier run bought, or a new one. */
export async function acquire(purchase: Purchase): Promise<Acquisition> {
	const { session, service, claim, inputs } = purchase;
	service.account.noteCreate();
	const live = (await liveBefore(service, service.numbers)).filter((record) => !isReleasedOrFailed(record));
	refuseUnreadable(purchase, live);
	await service.account.assertOwn(claim, live);
	const memory = session.memory.number;
	if (typeof inputs.adopt === "string") {
		const record = await adoptedNumber(purchase, inputs.adopt, live);
		memory.acquire(claim.token, record.id);
		return { record, earlier: false };
	}
	const acquired = await buyOnce(purchase, live);
	memory.acquire(claim.token, acquired.record.id);
	if (!acquired.earlier) memory.made.add(acquired.record.id);
	return acquired;
}

/** Resumes what an earlier run bought, or buys under the first key that leads to a new number. */
function buyOnce(purchase: Purchase, before: readonly NumberRecord[]): Promise<Acquisition> {
	const { session, service, claim } = purchase;
	const memory = session.memory.number;
	const find = async () => {
		const earlier = await findEarlier(purchase, before);
		if (earlier === undefined && !isKeyed(service)) refuseDoubtful(purchase, before);
		return again(earlier);
	};
	let losses = 0;
	const post = (key: string) =>
		memory.turns.take(async (alone) => {
			warnOfPlace(purchase);
			// Another purchase may have been made while this one waited for its turn.
			const listed = alone ? await service.numbers.fresh() : before;
			const sold = await ask(purchase, listed, key).catch((error) => tryAgain(purchase, error, ++losses));
			if (sold !== undefined) memory.setHolder(claim.token, sold.record.id);
			return sold;
		});
	return createOnce(claim, { find, post });
}

/** The number that already belongs to this declaration, by its reference or else by what this run has seen. */
async function findEarlier(purchase: Purchase, live: readonly NumberRecord[]): Promise<NumberRecord | undefined> {
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
	const why = isLeft(ours.reference) ? "this stack had kept it on the account" : "an earlier run bought it";
	session.progress.warn(
		urn,
		"taken-over",
		`Resumed ${nameOf(ours)} for this resource: ${why}. Nothing was bought. ${howItIs(ours)}`,
	);
	return ours;
}

const howItIs = ({ created_at, label, routing }: ShownNumber): string =>
	`It was created at ${created_at ?? "an unknown time"} and has ${label ? `the label ${JSON.stringify(label)}` : "no label"} and ${routing ? `routing ${routing.type}` : "no routing"}.`;

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
		// The state still holds what is being replaced, and `telephony orphans` lists what was left.
		const isKnown = session.memory.number.holderOf(record.id) !== undefined || isLeft(record.reference);
		if (isKnown || !record.reference?.startsWith(own)) return false;
		const reference = parseReference(record.reference);
		return reference !== undefined && isSameState(claim, reference) && declarationOf(reference) === own;
	});
	if (others.length === 0) return;
	session.progress.warn(
		urn,
		"duplicate",
		`This resource also has ${others.map(nameOf).join(", ")}, bought for other criteria or another generation. If no resource holds it after this run, release it with \`telephony release ${others.map(({ id }) => id).join(" ")} --stack ${parseUrn(urn).stack}\`.`,
	);
}

/** In CI with a file backend, ownership depends on the machine's name, so no other machine can continue a run. */
function warnOfPlace({ session, service: { config }, urn }: Purchase): void {
	const isShared = config.ci && config.owner === undefined && config.place?.startsWith("file:") === true;
	if (!isShared || session.memory.number.warned.has("place")) return;
	session.memory.number.warned.add("place");
	session.progress.warn(
		urn,
		"owner-missing",
		"This run is a CI job, and its state is in a folder on this machine. A job on another machine won't recognize this job's numbers. Name the owner: `pulumi config set telephony:owner NAME`.",
	);
}

/** @throws TelephonyError OutcomeUnknown if a number without an owner may be one that a killed run bought */
function refuseDoubtful(purchase: Purchase, before: readonly NumberRecord[]): void {
	const doubtful = before.filter((record) => isDoubtful(purchase, record));
	if (doubtful.length === 0) return;
	const { criteria } = purchase;
	throw uncertain(
		doubtful,
		`No ${criteria.type} number in ${criteria.country} was bought, because an interrupted run may have bought one. This service isn't known to honor idempotency keys (\`telephony:features\` can declare it).`,
	);
}

/** How often a purchase may lose its number to another buyer. */
const mostLosses = 4;

/** Resolves if another buyer took the number while others are free: the next key asks for one. @throws the error otherwise */
async function tryAgain(
	{ service: { client }, criteria }: Purchase,
	error: unknown,
	losses: number,
): Promise<undefined> {
	if (!isTelephonyError(error) || error.errorCode !== "no_inventory" || !(await hasStock(client, criteria)))
		throw error;
	if (losses < mostLosses) return undefined;
	throw new TelephonyError(
		error.kind,
		`Nothing was bought for this resource: other buyers took its number ${losses} times, but more are free. Run \`pulumi up\` again. ${error.text}`,
		{ cause: error, messageCode: "no-inventory" },
	);
}

/** Whether the inventory shows a free number. It never fails: what can't be read shows none. */
async function hasStock(client: Client, criteria: BuyNumber): Promise<boolean> {
	if (!client.offers("inventory")) return false;
	try {
		for await (const page of client.numbers.searchPages(criteria)) if (page.length > 0) return true;
	} catch {
		return false;
	}
	return false;
}

/** One purchase under one key; undefined if the key already led to a number or a refusal, so that the next is due. */
async function ask(
	purchase: Purchase,
	before: readonly NumberRecord[],
	idempotencyKey: string,
): Promise<Acquisition | undefined> {
	const held = await holdPurchase(purchase, before);
	try {
		return await asked(purchase, before, idempotencyKey, held);
	} finally {
		// A purchase with an unknown outcome counts.
		held?.confirm();
	}
}

async function asked(
	purchase: Purchase,
	before: readonly NumberRecord[],
	idempotencyKey: string,
	held: Reservation | undefined,
): Promise<Acquisition | undefined> {
	const { memory } = purchase.session;
	const ordered = await order(purchase, before, idempotencyKey);
	const { since } = ordered;
	const outcome = outcomeOf(ordered, {
		isListed: (id) => before.some((record) => record.id === id),
		isAnothers: (id) => ![undefined, purchase.claim.token].includes(memory.number.holderOf(id)),
	});
	settleOrder(held, purchase, ordered, outcome);
	if ("answer" in ordered) memory.number.turns.namesIds = hasId(ordered.answer.data);
	switch (outcome.is) {
		case "spent":
			return undefined;
		case "failed":
			throw outcome.error;
		case "unanswered":
			throw await unanswered(purchase, before, outcome.error);
		case "unread":
			return fresh(await memory.number.clearUp(identify(purchase, before, since, outcome.cause)));
		case "repeated without an id":
			return again(await findReplayed(purchase));
		case "repeated": {
			const record = await readReplayed(purchase, { before, sold: outcome.record, isReplay: true, since });
			// The first answer to this very request was lost: that is a purchase too.
			if (record !== undefined && isAfter(outcome.record.created_at, since)) warnOfUntouched(purchase, before);
			return again(record);
		}
		case "sold": {
			const { record: sold, isOlder } = outcome;
			const record = isOlder ? await readReplayed(purchase, { before, sold, isReplay: false, since }) : sold;
			settleLook(held, record);
			if (record === undefined) return undefined;
			warnOfUntouched(purchase, before);
			return record.reference ? again(record) : fresh(record);
		}
	}
}

const fresh = (record: ShownNumber): Acquisition => ({ record, earlier: false });

/** Sold before, perhaps to an earlier run that declared more. */
const again = (record: ShownNumber | undefined): Acquisition | undefined => record && { record, earlier: true };

/** With a key, the next run is certain; a similar number in the list may be somebody else's. */
async function unanswered(purchase: Purchase, before: readonly NumberRecord[], cause: TelephonyError) {
	if (!isKeyed(purchase.service))
		return unknownOutcome(purchase, await lateLikes(purchase, before), cause.message, cause);
	const next = "Run `pulumi up` again: it reuses the idempotency key, so nothing is bought twice.";
	return new TelephonyError("OutcomeUnknown", `${cause.message} ${next}`, {
		operation: "buyNumber",
		messageCode: "purchase-unknown",
		cause,
	});
}

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
		`Bought a number, but the account already has the unused matching number ${untouched.map(nameOf).join(", ")}. If you don't need it, release it in the service's dashboard.`,
	);
}
