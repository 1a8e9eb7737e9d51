/** `telephony:limits`: counts the purchases and releases of a run, and checks them in a preview. */
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { coded } from "../../api/message-codes";
import { formatMoney, Sum } from "../../api/money";
import { isReleasedOrFailed } from "../../api/record";
import { plannedIdentity } from "../../lifecycle/resource";
import type { Identity } from "../../ownership/claim";
import type { PlannedPurchase } from "../../ownership/memory";
import { parseReference } from "../../ownership/reference";
import { type CheckFailure, failure, unknownValue, type Values } from "../../properties/table";
import type { Price } from "../../reads/prices";
import { brokenBy, type Limits, limitsOf, nothing, type Total } from "../../session/limits";
import type { Service, Session } from "../../session/session";
import { howToRaise, type Reservation } from "../../session/spending";
import { changedCriteria, criteriaKeys, criteriaOf, numberClaim } from "./properties";

// ---- During the run -----------------------------------------------------------------------------------------------------

interface Result {
	readonly is: string;
	/** The number that was bought. */
	readonly record?: Pick<NumberRecord, "price">;
}

/** Buys within the limits of the run. @throws TelephonyError Invalid, before anything is bought */
export async function countedPurchase<T extends Result>(
	session: Session,
	service: Service,
	criteria: BuyNumber,
	buy: () => Promise<T>,
): Promise<T> {
	const { limits } = service.config;
	if (limits === undefined) return buy();
	const price = hasMoney(limits) ? await knownPrice(service, criteria, limits) : undefined;
	const reservation = await session.spending.reserve({ charge: "purchase", ...(price && { price }) }, limits);
	const result = await counted(reservation, buy);
	if (result.is === "Bought") reservation.confirm(result.record?.price);
	else reservation.cancel();
	return result;
}

/** Releases within the limits of the run. @throws TelephonyError Invalid, before anything is released */
export async function countedRelease(
	session: Session,
	{ config: { limits } }: Service,
	release: () => Promise<void>,
): Promise<void> {
	const isLimited = limits?.maxReleases !== undefined && (limits.destroy === true || !(await isDestroy(session)));
	if (!isLimited) return release();
	const reservation = await session.spending.reserve({ charge: "release" }, limits);
	await counted(reservation, release);
	reservation.confirm();
}

/** Errors that prove that the service changed nothing. */
const refusals = new Set(["Conflict", "NotOffered", "Invalid", "Forbidden"]);

/** Sends a counted request. A request that failed counts unless the service refused it. */
async function counted<T>(reservation: Reservation, send: () => Promise<T>): Promise<T> {
	try {
		return await send();
	} catch (error) {
		if (isTelephonyError(error) && refusals.has(error.kind)) reservation.cancel();
		else reservation.confirm();
		throw error;
	}
}

/** True if the engine runs no program and declares nothing. */
const isDestroy = async ({ memory, progress }: Session): Promise<boolean> =>
	!Object.values(memory).some(({ declaresAny }) => declaresAny) && (await progress.hasProgram?.()) !== true;

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

// ---- In a preview -------------------------------------------------------------------------------------------------------

/** Counts the purchases that the program needs so far, and fails this resource's check if they exceed a limit. */
export async function refusedByLimits(
	session: Session,
	urn: unknown,
	plan: () => Promise<PlannedPurchase | undefined>,
): Promise<CheckFailure[]> {
	const { planned } = session.memory.number;
	planned.delete(String(urn));
	const { limits } = await session.config();
	const purchase = limits && (await plan());
	if (limits === undefined || purchase === undefined) return [];
	planned.set(String(urn), purchase);
	const all = [...planned.values()];
	const exceeded = async (counts: readonly number[]) =>
		brokenBy(await totalOf(session, limits, all, counts), limitsOf("purchase", limits));
	if ((await exceeded(all.map(({ count }) => count))).length === 0) return [];
	const live = await liveNumbers(session);
	if (live === undefined) return [];
	const missing = await Promise.all(all.map(async ({ count, found }) => Math.max(0, count - (await found(live)))));
	const broken = await exceeded(missing);
	if (broken.length === 0) return [];
	const allowed = broken.map(({ name, limit }) => `${name} ${limit}`).join(" and ");
	const text = `This program would buy at least ${missing.reduce((sum, count) => sum + count, 0)} numbers, and \`telephony:limits\` allows ${allowed}. Nothing was bought for this resource. ${howToRaise(broken)}`;
	return [failure(coded(text, "limit"))];
}

/** Undefined if the list can't be read: the run itself checks its limits again. */
async function liveNumbers(session: Session): Promise<readonly NumberRecord[] | undefined> {
	const { numbers } = await session.service();
	const all = await numbers.all().catch(() => undefined);
	return all?.filter((record) => !isReleasedOrFailed(record));
}

/** Returns the least that the purchases cost: at the lowest price in the inventory, or nothing if it shows none. */
async function totalOf(
	session: Session,
	limits: Limits,
	all: readonly PlannedPurchase[],
	counts: readonly number[],
): Promise<Total> {
	const total = nothing();
	for (const [index, { criteria }] of all.entries()) {
		const count = counts[index] ?? 0;
		total.purchases += count;
		if (!hasMoney(limits)) continue;
		const priced = await (await session.service()).prices.of(criteria);
		if ("unknown" in priced) continue;
		total.setup.add(priced.least.setup, count);
		total.monthly.add(priced.least.monthly, count);
	}
	return total;
}

/** Returns the purchase that a number's declaration needs; undefined if it needs none or some values are unknown. */
export async function plannedNumber(
	session: Session,
	olds: Values,
	inputs: Values,
): Promise<PlannedPurchase | undefined> {
	const isNew = Object.keys(olds).length === 0;
	const isReplaced = olds.country !== undefined && changedCriteria(olds, inputs).length > 0;
	if ((!isNew && !isReplaced) || inputs.adopt !== undefined || !isKnown(inputs)) return undefined;
	const claim = await plannedIdentity(session, numberClaim, inputs);
	return claim && { count: 1, criteria: criteriaOf(inputs), found: claimedCount([claim]) };
}

/** Counts the live numbers that carry one of these claims. */
export const claimedCount =
	(claims: readonly Pick<Identity, "token" | "earlier">[]): PlannedPurchase["found"] =>
	async (live) => {
		const tokens = new Set(claims.flatMap(({ token, earlier }) => [token, earlier?.token ?? token]));
		return live.filter(({ reference }) => tokens.has(parseReference(reference)?.token ?? "")).length;
	};

export const isKnown = (inputs: Values): boolean => criteriaKeys.every((key) => inputs[key] !== unknownValue);

/** The longest time that a preview waits for a price, ms. */
const longestMs = 3_000;

/** Shows in a preview the price of `count` numbers, and warns if the inventory has none. Never fails. */
export async function showPrice(session: Session, inputs: Values, count: number): Promise<void> {
	if (!isKnown(inputs) || count < 1) return;
	const read = async () => {
		const { prices } = await session.service();
		return prices.of(criteriaOf(inputs));
	};
	const priced = await Promise.race([
		read().catch(() => undefined),
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
