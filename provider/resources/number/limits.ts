/** `telephony:limits`: counts the purchases and releases of a run, and checks them in a preview. */
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { coded } from "../../api/message-codes";
import { findIncomparable, formatMoney, Sum } from "../../api/money";
import type { Made } from "../../lifecycle/definition";
import { type CheckFailure, failure, unknownValue, urnOf, type Values } from "../../properties/table";
import type { Price } from "../../reads/prices";
import {
	brokenBy,
	type Charge,
	findIncomparablePrice,
	howToRaise,
	type Limits,
	limitsOf,
	moneyLimits,
	nothing,
} from "../../session/limits";
import type { Service, Session } from "../../session/session";
import { warnOfMarket } from "./kyc";
import { changedCriteria, criteriaKeys, criteriaOf } from "./properties";

/** Buys within the limits of the run. @throws TelephonyError Invalid, before anything is bought */
export async function countedPurchase(
	session: Session,
	service: Service,
	criteria: BuyNumber,
	buy: (noteEffect: () => void) => Promise<Made<NumberRecord>>,
): Promise<Made<NumberRecord>> {
	const limits = limitsOf("purchase", service.config.limits);
	const isPriced = moneyLimits.some((name) => limits[name] !== undefined);
	const price = isPriced ? await knownPrice(service, criteria, limits) : undefined;
	const charge: Charge = { kind: "purchase", ...(price && { price, market: JSON.stringify(criteria) }) };
	return session.spending.send(charge, limits, buy, chargeOf);
}

/** Returns undefined if nothing was bought. A response without a mark may be a purchase, even if its number is useless. */
function chargeOf(result: Made<NumberRecord>, charge: Charge): Charge | undefined {
	if (result.is === "Made") return chargedAt(charge, result.record);
	return result.is === "TryNextKey" && result.isUnmarked ? charge : undefined;
}

/** The response has the exact price, unless no limit can be compared with it. */
function chargedAt(charge: Charge, { price }: NumberRecord): Charge {
	if (price == null || [price.setup, price.monthly].some((money) => findIncomparable(money) !== undefined))
		return charge;
	return { ...charge, price };
}

/** Releases within the limits of the run. @throws TelephonyError Invalid, before anything is released */
export async function countedRelease(
	session: Session,
	{ config: { limits } }: Service,
	release: () => Promise<void>,
): Promise<void> {
	const isLimited = limits?.maxReleases !== undefined && (limits.destroy === true || !(await isDestroy(session)));
	if (!isLimited) return release();
	return session.spending.send({ kind: "release" }, limits, (noteEffect) => {
		// A release that fails for any other reason than a refusal may have been carried out.
		noteEffect();
		return release();
	});
}

/** True if the engine runs no program and declares nothing. */
const isDestroy = async ({ memory, progress }: Session): Promise<boolean> =>
	!Object.values(memory).some(({ declaresAny }) => declaresAny) && (await progress.hasProgram?.()) !== true;

/** @throws TelephonyError Invalid */
async function knownPrice({ prices }: Service, criteria: BuyNumber, limits: Limits): Promise<Price> {
	const priced = await prices.of(criteria);
	const names = moneyLimits.filter((name) => limits[name] !== undefined);
	const reason = "unknown" in priced ? priced.unknown : findIncomparablePrice(priced, names);
	if (!("unknown" in priced) && reason === undefined) return priced.most;
	throw new TelephonyError(
		"Invalid",
		`Nothing was bought for this resource: \`telephony:limits\` has ${names.join(" and ")}, but the price is unknown: ${reason}. To buy at an unknown price, set only \`maxPurchases\`.`,
		{ messageCode: "limit" },
	);
}

/** Counts the purchases that the program declares so far, and fails this resource's check if they exceed the limit. */
export async function refusedByLimits(session: Session, olds: Values, inputs: Values): Promise<CheckFailure[]> {
	const { planned } = session.memory.number;
	const purchases = plannedPurchases(olds, inputs);
	planned.set(urnOf(inputs), purchases);
	const { maxPurchases } = (await session.config()).limits ?? {};
	const total = [...planned.values()].reduce((sum, count) => sum + count, 0);
	const broken = brokenBy({ ...nothing(), purchases: total }, maxPurchases === undefined ? {} : { maxPurchases });
	if (purchases === 0 || broken.length === 0) return [];
	const numbers = total === 1 ? "a number" : `up to ${total} numbers`;
	const text = `This program would buy ${numbers}, and \`telephony:limits\` allows maxPurchases ${maxPurchases}. Nothing was bought for this resource. ${howToRaise(broken)}`;
	return [failure(coded(text, "limit"))];
}

/** Counts the purchases that a declaration needs, as far as its values are known. A pool has a count and adopts several. */
function plannedPurchases(olds: Values, inputs: Values): number {
	const { count = 1, adopt = [] } = inputs;
	if (typeof count !== "number" || !isKnown(inputs) || adopt === unknownValue) return 0;
	const isKept = olds.country !== undefined && changedCriteria(olds, inputs).length === 0;
	const before = isKept ? olds : { count: 0 };
	const adopted = [adopt].flat().filter((name) => ![before.adopt].flat().includes(name));
	return Math.max(0, count - Number(before.count ?? 1) - adopted.length);
}

export const isKnown = (inputs: Values): boolean => criteriaKeys.every((key) => inputs[key] !== unknownValue);

/** The longest time that a preview waits for a price, ms. */
const longestMs = 3_000;

/** Shows in a preview what new numbers cost, and what their market needs. Never fails. */
export async function foreseePurchases(session: Session, inputs: Values): Promise<void> {
	const count = plannedPurchases({}, inputs);
	if (count > 0) await Promise.all([showPrice(session, inputs, count), warnOfMarket(session, inputs)]);
}

/** Shows the price of `count` numbers, and warns if the inventory has none. */
async function showPrice(session: Session, inputs: Values, count: number): Promise<void> {
	const read = session.service().then(({ prices }) => prices.of(criteriaOf(inputs)));
	const priced = await Promise.race([
		read.catch(() => undefined),
		new Promise<undefined>((resolve) => session.clock.schedule(longestMs, () => resolve(undefined))),
	]);
	if (priced === undefined) return;
	const urn = urnOf(inputs);
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
