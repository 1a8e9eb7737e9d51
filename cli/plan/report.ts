/** The plan as a report, with money, the most expensive first. */
import type { Money } from "../../provider/api/contract";
import { formatMoney, type Sum } from "../../provider/api/money";
import { nameOf } from "../../provider/api/record";
import { unknownValue, type Values } from "../../provider/properties/table";
import { type Price, type Priced, type Prices, soldOut } from "../../provider/reads/prices";
import { checksOf } from "../../provider/resources/number/kyc";
import { criteriaKeys, criteriaOf } from "../../provider/resources/number/properties";
import {
	brokenBy,
	findIncomparablePrice,
	type LimitName,
	type Limits,
	moneyLimits,
} from "../../provider/session/limits";
import type { Session } from "../../provider/session/session";
import { grouped, type Origin, shortList, sumOf } from "../report/model";
import {
	type BuyReason,
	type Criteria,
	type Forecast,
	knownCriteria,
	type Purchase,
	type RemovedObject,
} from "./forecast";

/** Matching numbers that are bought for the same reason. */
export interface Buy extends Criteria {
	readonly why: BuyReason;
	readonly count: number;
	/** Names of the resources, or of the numbers in their pools. */
	readonly names: readonly string[];
	/** For `rename` and `move`: the removed resources, in the same order. */
	readonly formerNames?: readonly string[] | undefined;
	/** For `rename` and `move`: the option that keeps the numbers. */
	readonly alias?: string | undefined;
	/** For all of them; absent if the price is unknown. */
	readonly setup?: Money | undefined;
	/** Each month, for all of them. */
	readonly monthly?: Money | undefined;
}

/** The value of `telephony:account`, or one that would pin the account, if it is known. */
export interface Pin {
	readonly pinned?: string | undefined;
	readonly proposed?: string | undefined;
}

/** The JSON of `--json`. */
export interface PlanReport extends Origin, Omit<Forecast, "purchases" | "uncounted"> {
	readonly stack: string;
	readonly buys: readonly Buy[];
	/** Says if a released number can be restored; absent without releases. */
	readonly comesBack?: string | undefined;
	/** Cost of the purchases with a known price. */
	readonly setup: readonly Money[];
	readonly monthly: readonly Money[];
	/** Monthly price of the purchases, less that of the releases, as far as it is known. */
	readonly monthlyChange: readonly Money[];
	readonly unpriced: readonly { readonly names: readonly string[]; readonly count: number; readonly why: string }[];
	/** Reasons why `up` may fail or buy more than necessary, and what the plan can't know. */
	readonly warnings: readonly string[];
	/** The account's pin, or the command that pins it. */
	readonly pin: Pin;
	/** Exceeded limits. */
	readonly over: readonly { readonly limit: string; readonly needed: string }[];
}

/** Limits with their names for people, such as `--max-setup` or `telephony:limits.maxSetup`. */
export interface NamedLimits {
	readonly limits: Limits;
	nameOf(limit: LimitName): string;
	/** True for the purchases and releases that count; default: all. */
	counts?(process: string | undefined): boolean;
}

export type PricedPurchase = Purchase & { readonly price: Priced };

export interface ReportFacts {
	readonly forecast: Forecast;
	readonly purchases: readonly PricedPurchase[];
	readonly comesBack: string;
	readonly limits: readonly NamedLimits[];
	/** Says why the account's numbers weren't read. */
	readonly warnings: readonly string[];
	readonly pin: Pin;
}

export function planReportOf(stack: string, origin: Origin, facts: ReportFacts): PlanReport {
	const { purchases, uncounted, ...forecast } = facts.forecast;
	const releases = forecast.releases.toSorted((a, b) => amountOf(b.monthly) - amountOf(a.monthly));
	const { setup, monthly, change } = costOf(facts, ({ next }) => next);
	return {
		stack,
		...origin,
		...forecast,
		buys: buysIn(facts.purchases),
		releases,
		comesBack: releases.length === 0 ? undefined : facts.comesBack,
		setup: setup.amounts(),
		monthly: monthly.amounts(),
		monthlyChange: change.amounts(),
		unpriced: unpricedIn(facts),
		pin: facts.pin,
		warnings: [...facts.warnings, ...purchaseWarnings(facts.purchases)],
		over: facts.limits.flatMap((limit) => exceeded(facts, limit)),
	};
}

// ---- Purchases ----------------------------------------------------------------------------------------------------------

/** Reads the prices, with one request for each different criteria. */
export const withPrices = (purchases: readonly Purchase[], prices: Prices): Promise<PricedPurchase[]> =>
	Promise.all(purchases.map(async (purchase) => ({ ...purchase, price: await priceOf(purchase, prices) })));

async function priceOf({ criteria, provider }: Purchase, prices: Prices): Promise<Priced> {
	if (provider !== undefined)
		return { unknown: `the program's provider ${provider} has settings of its own, perhaps of another account` };
	const unknown = criteriaKeys.filter((key) => criteria[key] === unknownValue);
	if (unknown.length > 0)
		return { unknown: `its ${unknown.join(" and ")} isn't known before other resources are made` };
	return prices.of(criteriaOf(criteria));
}

/** `NL geographic 20`. */
export const criteriaText = ({ country, type, area }: Values): string =>
	[country, type, area].filter((value) => value != null && value !== unknownValue).join(" ") || "unknown";

const criteriaKey = ({ country, type, area }: Values): string => JSON.stringify([country, type, area ?? null]);

function buysIn(purchases: readonly PricedPurchase[]): Buy[] {
	const groups = grouped(purchases, ({ why, criteria, provider, former }) =>
		[why, provider, criteriaKey(criteria), former?.alias].join(" "),
	);
	const buys = groups.map((group): Buy => {
		const [{ why, price, criteria, former }] = group;
		const total = (part: keyof Price) =>
			"unknown" in price ? undefined : sumOf(group.map(() => price.next[part])).amounts()[0];
		return {
			why,
			count: group.length,
			...knownCriteria(criteria),
			names: group.map(({ name }) => name),
			formerNames: former && group.map((purchase) => purchase.former?.name ?? ""),
			alias: former?.alias,
			setup: total("setup"),
			monthly: total("monthly"),
		};
	});
	return buys.sort((a, b) => amountOf(b.monthly) - amountOf(a.monthly) || amountOf(b.setup) - amountOf(a.setup));
}

/** For sorting, without the currency: different currencies have no order. */
const amountOf = (money: Money | undefined): number => Number(money?.amount ?? 0);

function unpricedIn({ purchases, forecast }: ReportFacts): PlanReport["unpriced"] {
	const unknown = forecast.uncounted.map((name) => ({
		name,
		why: "its count isn't known before other resources are made",
	}));
	for (const { name, price } of purchases) if ("unknown" in price) unknown.push({ name, why: price.unknown });
	return grouped(unknown, ({ why }) => why).map((group) => ({
		names: group.map(({ name }) => name),
		count: group.length,
		why: group[0].why,
	}));
}

/** Adds up the known prices: the next ones, or the highest. */
function costOf(
	{ purchases, forecast: { releases } }: ReportFacts,
	choose: (price: Exclude<Priced, { unknown: string }>) => Price,
): Record<"setup" | "monthly" | "change", Sum> {
	const prices = purchases.flatMap(({ price }) => ("unknown" in price ? [] : [choose(price)]));
	const monthly = sumOf(prices.map((price) => price.monthly));
	const change = sumOf([]);
	change.addAll(monthly);
	change.addAll(sumOf(releases.map((release: RemovedObject) => release.monthly)), -1);
	return { setup: sumOf(prices.map((price) => price.setup)), monthly, change };
}

// ---- Warnings and limits ------------------------------------------------------------------------------------------------

/** Warns of kinds that are sold out or scarce, and of unclaimed numbers that may be this stack's. */
function purchaseWarnings(purchases: readonly PricedPurchase[]): string[] {
	const groups = grouped(purchases, ({ criteria, provider }) => `${provider} ${criteriaKey(criteria)}`);
	return groups.flatMap((group) => {
		const [{ criteria, price }] = group;
		const kind = criteriaText(criteria);
		const warnings: string[] = [];
		if ("unknown" in price) {
			if (price.unknown === soldOut)
				warnings.push(`${kind} is sold out: \`up\` fails at ${shortList(group.map(({ name }) => name))}.`);
		} else if (price.free !== undefined && price.free < group.length)
			warnings.push(`The inventory has ${price.free} ${kind}, and ${group.length} are wanted: \`up\` fails half-way.`);
		const unclaimed = new Set(group.flatMap(({ candidates }) => candidates.map(nameOf)));
		if (unclaimed.size > 0)
			warnings.push(
				`The account has ${shortList([...unclaimed])}, ${kind}, which nothing claims or uses. If an interrupted run bought it, \`up\` resumes it.`,
			);
		return warnings;
	});
}

/** Warns of markets that need KYC, with one request for each. Says which purchases lack a profile. */
export async function kycWarnings(purchases: readonly Purchase[], session: Session): Promise<string[]> {
	// Another provider may use another service.
	const readable = purchases.filter(({ provider }) => provider === undefined);
	const markets = grouped(readable, ({ criteria: { country, type } }) => `${country} ${type}`);
	const warnings = await Promise.all(
		markets.map(async (market) => {
			const checks = await checksOf(session, market[0].criteria);
			const names = market.filter(({ hasProfile }) => !hasProfile).map(({ name }) => name);
			if (checks === undefined || names.length === 0) return checks;
			return `${checks} Declare a KycProfile and set \`kycProfileId\` of ${shortList(names)}.`;
		}),
	);
	return warnings.filter((warning) => warning !== undefined);
}

/** Counts the highest possible price of each purchase, as `up` does. */
function exceeded(facts: ReportFacts, { limits, nameOf: labelOf, counts = () => true }: NamedLimits) {
	const { forecast } = facts;
	const purchases = facts.purchases.filter(({ process }) => counts(process));
	const releases = forecast.releases.filter(({ process }) => counts(process));
	const { setup, monthly } = costOf({ ...facts, purchases }, ({ most }) => most);
	const total = { purchases: purchases.length, releases: releases.length, setup, monthly };
	const incomparable = new Map(
		moneyLimits.map((name) => [
			name as LimitName,
			findReason(purchases, (price) => findIncomparablePrice(price, [name])),
		]),
	);
	const broken = brokenBy(total, limits).filter(({ name }) => incomparable.get(name) === undefined);
	const hasUnpriced = forecast.uncounted.length > 0 || purchases.some(({ price }) => "unknown" in price);
	const unchecked = moneyLimits.filter(
		(name) =>
			limits[name] !== undefined &&
			(hasUnpriced || incomparable.get(name) !== undefined) &&
			!broken.some((limit) => limit.name === name),
	);
	return [
		...broken.map(({ name, limit, needed }) => ({ limit: `${labelOf(name)} ${limit}`, needed })),
		...unchecked.map((name) => ({
			limit: `${labelOf(name)} ${limits[name]?.map(formatMoney).join(", ")}`,
			needed: `unknown: ${incomparable.get(name) ?? "not every price is known"}`,
		})),
	];
}

/** Returns the first reason why a known price of a purchase can't be compared. */
function findReason(
	purchases: readonly PricedPurchase[],
	reasonOf: (price: Exclude<Priced, { unknown: string }>) => string | undefined,
): string | undefined {
	return purchases.flatMap(({ price }) => ("unknown" in price ? [] : (reasonOf(price) ?? [])))[0];
}
