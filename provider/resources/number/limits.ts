/** The limits of a run (`telephony:limits`): counts purchases and releases, and checks them in a preview. */
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { coded } from "../../api/message-codes";
import { formatMoney, Sum } from "../../api/money";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { plannedIdentity } from "../../lifecycle/resource";
import type { PlannedPurchase } from "../../ownership/memory";
import { parseReference } from "../../ownership/reference";
import { type CheckFailure, failure, unknownValue, type Values } from "../../properties/table";
import type { Price } from "../../reads/prices";
import { brokenBy, type Limits, limitsOf, nothing, type Total } from "../../session/limits";
import type { Service, Session } from "../../session/session";
import { howToRaise, type Reservation } from "../../session/spending";
import { isKeyed } from "../../session/staleness";
import type { Purchase, ShownNumber } from "./acquisition";
import { isAfter, isUntouched } from "./candidates";
import type { Ordered, Outcome } from "./order";
import { changedCriteria, criteriaKeys, criteriaOf, numberClaim } from "./properties";

// ---- Purchases --------------------------------------------------------------------------------------------------------

/** Counts a purchase; undefined if the stack has no limits. @throws TelephonyError Invalid, before anything is bought */
export async function holdPurchase(
	purchase: Purchase,
	before: readonly NumberRecord[],
): Promise<Reservation | undefined> {
	const { session, service, criteria } = purchase;
	const { limits } = service.config;
	if (limits === undefined) return undefined;
	const price = hasMoney(limits) ? await knownPrice(service, criteria, limits) : undefined;
	try {
		return await session.spending.reserve({ charge: "purchase", ...(price && { price }) }, limits);
	} catch (error) {
		const untouched = before.filter((record) => isUntouched(purchase, record));
		if (!isTelephonyError(error, "Invalid") || untouched.length === 0) throw error;
		// The purchase's key might lead to one of these, or to a new number.
		const hint = `If an interrupted run bought ${untouched.map(nameOf).join(" or ")} for this resource, name that number in \`adopt\`.`;
		throw new TelephonyError("Invalid", `${error.text} ${hint}`, { messageCode: "limit", cause: error });
	}
}

const hasMoney = ({ maxSetup, maxMonthly }: Limits): boolean => maxSetup !== undefined || maxMonthly !== undefined;

/** @throws TelephonyError Invalid */
async function knownPrice({ prices }: Service, criteria: BuyNumber, limits: Limits): Promise<Price> {
	const priced = await prices.of(criteria, { again: true });
	if (!("unknown" in priced)) return priced.most;
	const names = (["maxSetup", "maxMonthly"] as const).filter((name) => limits[name] !== undefined).join(" and ");
	throw new TelephonyError(
		"Invalid",
		`Nothing was bought for this resource: \`telephony:limits\` has ${names}, but the price is unknown: ${priced.unknown}. To buy at an unknown price, set only \`maxPurchases\`.`,
		{ messageCode: "limit" },
	);
}

/** Settles the reservation after the response, unless a read has to show whether the number is new. */
export function settleOrder(
	held: Reservation | undefined,
	purchase: Purchase,
	ordered: Ordered,
	outcome: Outcome,
): void {
	if (outcome.is === "sold" && outcome.isOlder) return;
	if (isBought(purchase, ordered, outcome)) held?.confirm("record" in outcome ? outcome.record.price : undefined);
	else held?.cancel();
}

/** True if this run bought it, or may have. */
function isBought({ service }: Purchase, { since, tries }: Ordered, outcome: Outcome): boolean {
	switch (outcome.is) {
		case "spent":
			return false;
		case "failed":
			// Without keys, one that was refused for its rate may have been carried out.
			return outcome.error.kind === "RateLimited" && !isKeyed(service);
		case "repeated without an id":
			return tries > 1;
		case "repeated":
			// Only a repeated request can have been carried out by a try of this run whose answer was lost.
			return tries > 1 && isAfter(outcome.record.created_at, since) !== false;
		default:
			return true;
	}
}

/** Settles the reservation after a read; `record` is undefined if the order led to no new number. */
export function settleLook(held: Reservation | undefined, record: ShownNumber | undefined): void {
	if (record === undefined || record.reference) held?.cancel();
	else held?.confirm(record.price);
}

// ---- Releases ---------------------------------------------------------------------------------------------------------

/** Counts a release; undefined if nothing limits it. @throws TelephonyError Invalid, before anything is released */
export async function holdRelease(session: Session, { config: { limits } }: Service): Promise<Reservation | undefined> {
	if (limits?.maxReleases === undefined) return undefined;
	if (limits.destroy !== true && (await isDestroy(session))) return undefined;
	return session.spending.reserve({ charge: "release" }, limits);
}

/** A run without a program, as far as the engine says, that declares nothing. */
const isDestroy = async ({ memory, progress }: Session): Promise<boolean> =>
	!Object.values(memory).some(({ declaresAny }) => declaresAny) && (await progress.hasProgram?.()) !== true;

/** Errors that prove that the service released nothing. */
const certain = new Set(["Conflict", "NotOffered", "Invalid", "Forbidden"]);

export async function releasing(held: Reservation | undefined, work: () => Promise<void>): Promise<void> {
	try {
		await work();
		held?.confirm();
	} catch (error) {
		if (certain.has((error as TelephonyError).kind)) held?.cancel();
		else held?.confirm();
		throw error;
	}
}

// ---- What a preview knows ---------------------------------------------------------------------------------------------

/** Counts the numbers that this resource surely buys, and fails its check if the program exceeds a limit with them. */
export async function refusedByLimits(
	session: Session,
	urn: unknown,
	plan: () => Promise<PlannedPurchase | undefined>,
): Promise<CheckFailure[]> {
	const { number: memory } = session.memory;
	const key = String(urn);
	memory.planned.delete(key);
	const { limits } = await session.config();
	if (limits === undefined) return [];
	const planned = await plan();
	if (planned === undefined) return [];
	memory.planned.set(key, planned);
	const all = [...memory.planned.values()];
	const isOver = async (of: (each: PlannedPurchase) => number) =>
		brokenBy(await totalOf(session, limits, all, of), limitsOf("purchase", limits));
	if ((await isOver(({ count }) => count)).length === 0) return [];
	const service = await session.service();
	memory.seen ??= service.numbers.all().then(
		(records) => records.filter((record) => !isReleasedOrFailed(record)),
		() => undefined,
	);
	const live = await memory.seen;
	if (live === undefined) return [];
	const missing = new Map<PlannedPurchase, number>();
	for (const each of all) missing.set(each, Math.max(0, each.count - (await each.found(live))));
	const broken = await isOver((each) => missing.get(each) ?? 0);
	if (broken.length === 0) return [];
	const count = [...missing.values()].reduce((sum, each) => sum + each, 0);
	const text = `This program would buy at least ${count} numbers, and \`telephony:limits\` allows ${broken.map(({ name, limit }) => `${name} ${limit}`).join(" and ")}. Nothing was bought for this resource. ${howToRaise(broken)}`;
	return [failure(coded(text, "limit"))];
}

/** The least that the purchases cost: the lowest price in the inventory, or nothing if it shows none. */
async function totalOf(
	session: Session,
	limits: Limits,
	all: readonly PlannedPurchase[],
	countOf: (each: PlannedPurchase) => number,
): Promise<Total> {
	const total = nothing();
	for (const each of all) total.purchases += countOf(each);
	if (!hasMoney(limits)) return total;
	const { prices } = await session.service();
	for (const each of all) {
		const priced = await prices.of(each.criteria);
		if ("unknown" in priced) continue;
		total.setup.add(priced.least.setup, countOf(each));
		total.monthly.add(priced.least.monthly, countOf(each));
	}
	return total;
}

/** The purchase of a number's declaration; undefined if it buys nothing, or if that isn't known. */
export async function plannedNumber(
	session: Session,
	olds: Values,
	inputs: Values,
): Promise<PlannedPurchase | undefined> {
	const isNew = Object.keys(olds).length === 0;
	const isReplaced = olds.country !== undefined && changedCriteria(olds, inputs).length > 0;
	if ((!isNew && !isReplaced) || inputs.adopt !== undefined || !isKnown(inputs)) return undefined;
	const claim = await plannedIdentity(session, numberClaim, inputs);
	if (claim === undefined) return undefined;
	const tokens = [claim.token, claim.earlier?.token];
	return {
		count: 1,
		criteria: criteriaOf(inputs),
		found: async (live) => live.filter(({ reference }) => tokens.includes(parseReference(reference)?.token)).length,
	};
}

export const isKnown = (inputs: Values): boolean => criteriaKeys.every((key) => inputs[key] !== unknownValue);

/** How long a preview waits for a price, ms. */
const longestMs = 3_000;

/** Shows in a preview the price of `count` numbers, and warns if the inventory has none. Never fails. */
export async function showPrice(session: Session, inputs: Values, count: number): Promise<void> {
	if (!isKnown(inputs) || count < 1) return;
	const asking = async () => {
		const { prices } = await session.service();
		return prices.of(criteriaOf(inputs));
	};
	const priced = await Promise.race([
		asking().catch(() => undefined),
		new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), longestMs).unref()),
	]);
	if (priced === undefined) return;
	const urn = String(inputs.resourceUrn);
	if ("unknown" in priced) {
		const text = `No ${inputs.type} number in ${inputs.country}: ${priced.unknown}, so \`pulumi up\` would fail. Choose another \`country\`, \`type\` or \`area\`.`;
		if (priced.isNone) session.progress.warn(urn, "no-inventory", text);
		return;
	}
	const { setup, monthly } = priced.next;
	const [once, each] = [times(setup, count), times(monthly, count)];
	const what = count === 1 ? "" : `${count} numbers: `;
	session.progress.status(urn, `${what}${once} setup, ${each} a month`);
}

function times(amount: Price["setup"], count: number): string {
	const sum = new Sum();
	sum.add(amount, count);
	return sum.amounts().map(formatMoney).join();
}
