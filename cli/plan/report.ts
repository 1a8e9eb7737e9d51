/** The plan as a report, with money, the most expensive first. */
import type { BuyNumber, Money, NumberRecord } from "../../provider/api/contract";
import { formatMoney, Sum } from "../../provider/api/money";
import { nameOf } from "../../provider/api/record";
import { unknownValue, type Values } from "../../provider/properties/table";
import { type Priced, soldOut } from "../../provider/reads/prices";
import { isUnused } from "../../provider/resources/number/candidates";
import { isKnown } from "../../provider/resources/number/limits";
import { criteriaKeys, criteriaOf, isLikeCriteria } from "../../provider/resources/number/properties";
import { brokenBy, type LimitName, type Limits } from "../../provider/session/limits";
import { grouped, type Origin, shortList, sumOf } from "../report/model";
import type { BuyReason, Forecast, FoundNumber, Purchase, RemovedNumber } from "./forecast";

interface Criteria {
	/** Absent if the value isn't known yet. */
	readonly country?: string;
	readonly type?: string;
	readonly area?: string;
}

/** Matching numbers that are bought for the same reason. */
export interface Buy extends Criteria {
	readonly why: BuyReason;
	readonly count: number;
	/** Names of the resources, or of the numbers in their pools. */
	readonly names: readonly string[];
	/** For `rename` and `move`: the removed resources, in the same order. */
	readonly were?: readonly string[] | undefined;
	/** For all of them; absent if the price is unknown. */
	readonly setup?: Money | undefined;
	/** Each month, for all of them. */
	readonly monthly?: Money | undefined;
}

export interface ReleaseEntry extends Criteria {
	readonly why: RemovedNumber["why"];
	readonly name: string;
	readonly id: string;
	readonly e164?: string | undefined;
	/** Absent if the rent is unknown. */
	readonly monthly?: Money | undefined;
}

/** A number that stays on the account but no longer belongs to the stack. */
export interface LeftNumber extends ReleaseEntry {
	readonly because: string;
}

/** The JSON of `--json`. */
export interface PlanReport extends Origin {
	readonly stack: string;
	readonly buys: readonly Buy[];
	readonly resumes: Forecast["resumes"];
	readonly adopts: Forecast["adopts"];
	readonly releases: readonly ReleaseEntry[];
	/** Says if a released number can be restored; absent without releases. */
	readonly comesBack?: string | undefined;
	readonly leaves: readonly LeftNumber[];
	/** Numbers that another resource or stack has claimed: the state forgets them. */
	readonly forgets: readonly (FoundNumber & { readonly owner: string })[];
	readonly changes: Forecast["changes"];
	/** How many numbers the stack keeps. */
	readonly keeps: number;
	readonly waits: readonly string[];
	/** Cost of the purchases with a known price. */
	readonly setup: readonly Money[];
	readonly monthly: readonly Money[];
	/** Rent of the purchases, less that of the releases, as far as it is known. */
	readonly monthlyChange: readonly Money[];
	readonly unpriced: readonly { readonly names: readonly string[]; readonly count: number; readonly why: string }[];
	/** Reasons why `up` may fail, and what the plan can't know. */
	readonly warnings: readonly string[];
	/** Exceeded limits. */
	readonly over: readonly { readonly limit: string; readonly needed: string }[];
}

/** Limits with their names for people, such as `--max-setup` or `telephony:limits.maxSetup`. */
export interface NamedLimits {
	readonly limits: Limits;
	nameOf(limit: LimitName): string;
}

export interface Facts {
	readonly forecast: Forecast;
	/** By `criteriaKey`. */
	readonly prices: ReadonlyMap<string, Priced>;
	readonly live: readonly NumberRecord[] | undefined;
	readonly comesBack: string;
	/** True if the service is known to honor idempotency keys. */
	readonly isKeyed: boolean;
	readonly limits: readonly NamedLimits[];
	/** Says why the account's numbers weren't read. */
	readonly warnings: readonly string[];
}

export const criteriaKey = ({ country, type, area }: Values): string => JSON.stringify([country, type, area ?? null]);

/** `NL geographic 20`. */
export const criteriaText = ({ country, type, area }: Values): string =>
	[country, type, area].filter((each) => each != null && each !== unknownValue).join(" ") || "unknown";

/** Purchases on this account whose criteria are known. */
const comparable = ({ purchases }: Forecast): Purchase[] =>
	purchases.filter(({ criteria, provider }) => provider === undefined && isKnown(criteria));

/** Returns the different criteria that the inventory can price. */
export const criteriaIn = (forecast: Forecast): BuyNumber[] => [
	...new Map(comparable(forecast).map(({ criteria }) => [criteriaKey(criteria), criteriaOf(criteria)])).values(),
];

export function planReportOf(stack: string, origin: Origin, facts: Facts): PlanReport {
	const { removals, resumes, adopts, changes, keeps, waits } = facts.forecast;
	const releases = removedIn(facts).map(entryOf);
	const unpriced = unpricedIn(facts);
	return {
		...{ stack, ...origin },
		buys: buysIn(facts),
		...{ resumes, adopts },
		releases: releases.sort((a, b) => amountOf(b.monthly) - amountOf(a.monthly)),
		comesBack: releases.length === 0 ? undefined : facts.comesBack,
		leaves: removals.flatMap(leftNumbers),
		forgets: removals.flatMap(({ name, id, e164, owner }) => (owner === undefined ? [] : [{ name, id, e164, owner }])),
		...{ changes, keeps, waits },
		...moneyOf(facts),
		unpriced,
		warnings: [...facts.warnings, ...warningsOf(facts)],
		over: facts.limits.flatMap((each) => exceeded(facts, each, unpriced.length > 0)),
	};
}

// ---- Purchases ----------------------------------------------------------------------------------------------------------

const priceOf = ({ prices }: Facts, { criteria, provider }: Purchase): Priced => {
	if (provider !== undefined)
		return { unknown: `the program's provider ${provider} has its own key or address, which may be another account's` };
	const unknown = criteriaKeys.filter((key) => criteria[key] === unknownValue);
	if (unknown.length > 0)
		return { unknown: `its ${unknown.join(" and ")} isn't known before other resources are made` };
	return prices.get(criteriaKey(criteria)) ?? { unknown: "the inventory wasn't read" };
};

/** Returns the price of each purchase for which it is known. */
const knownPrices = (facts: Facts): Exclude<Priced, { unknown: string }>[] =>
	facts.forecast.purchases.flatMap((purchase) => {
		const price = priceOf(facts, purchase);
		return "unknown" in price ? [] : [price];
	});

const knownCriteria = (criteria: Values): Criteria =>
	Object.fromEntries(
		criteriaKeys.flatMap((key) =>
			criteria[key] == null || criteria[key] === unknownValue ? [] : [[key, criteria[key]]],
		),
	);

function buysIn(facts: Facts): Buy[] {
	const groups = grouped(
		facts.forecast.purchases,
		({ why, criteria, provider }) => `${why} ${provider} ${criteriaKey(criteria)}`,
	);
	const buys = groups.map((group): Buy => {
		const [first] = group;
		const price = priceOf(facts, first);
		const count = group.length;
		return {
			...{ why: first.why, count, ...knownCriteria(first.criteria) },
			names: group.map(({ name }) => name),
			were: first.former && group.map(({ former }) => former?.name ?? ""),
			setup: "unknown" in price ? undefined : times(price.next.setup, count),
			monthly: "unknown" in price ? undefined : times(price.next.monthly, count),
		};
	});
	return buys.sort((a, b) => amountOf(b.monthly) - amountOf(a.monthly) || amountOf(b.setup) - amountOf(a.setup));
}

export function times(amount: Money, count: number): Money {
	const sum = new Sum();
	sum.add(amount, count);
	return sum.amounts()[0] ?? amount;
}

/** For sorting, without the currency: different currencies have no order. */
const amountOf = (money: Money | undefined): number => Number(money?.amount ?? 0);

function unpricedIn(facts: Facts): PlanReport["unpriced"] {
	const { purchases, uncounted } = facts.forecast;
	const unknown = purchases.flatMap((purchase) => {
		const price = priceOf(facts, purchase);
		return "unknown" in price ? [{ name: purchase.name, why: price.unknown }] : [];
	});
	const pools = uncounted.map((name) => ({ name, why: "its count isn't known before other resources are made" }));
	return grouped([...unknown, ...pools], ({ why }) => why).map((group) => ({
		names: group.map(({ name }) => name),
		count: group.length,
		why: group[0].why,
	}));
}

function moneyOf(facts: Facts): Pick<PlanReport, "setup" | "monthly" | "monthlyChange"> {
	const prices = knownPrices(facts);
	const monthly = sumOf(prices.map(({ next }) => next.monthly));
	const change = sumOf([]);
	change.addAll(monthly);
	change.addAll(sumOf(removedIn(facts).map((removed) => removed.monthly)), -1);
	return {
		setup: sumOf(prices.map(({ next }) => next.setup)).amounts(),
		monthly: monthly.amounts(),
		monthlyChange: change.amounts(),
	};
}

// ---- Removed numbers ----------------------------------------------------------------------------------------------------

const removedIn = ({ forecast: { removals } }: Facts): RemovedNumber[] =>
	removals.filter(({ outcome }) => outcome === "removed");

const entryOf = ({ why, name, id, e164, criteria, monthly }: RemovedNumber): ReleaseEntry => ({
	...{ why, name, id, e164 },
	...knownCriteria(criteria),
	monthly,
});

function leftNumbers(removed: RemovedNumber): LeftNumber[] {
	const { outcome, why, because } = removed;
	if (outcome === "forgotten") return [{ ...entryOf(removed), because: "`retainOnDelete` is set" }];
	if (outcome !== "left") return [];
	return [{ ...entryOf(removed), because: why === "excluded" ? "`exclude` names it" : String(because) }];
}

// ---- Warnings and limits ------------------------------------------------------------------------------------------------

function warningsOf(facts: Facts): string[] {
	const { removals, refusals } = facts.forecast;
	const groups = grouped(comparable(facts.forecast), ({ criteria }) => criteriaKey(criteria));
	const failures = refusals.map(({ name, message }) => `\`up\` fails at ${name}: ${message}`);
	const late =
		failures.length > 0 && removals.length > 0
			? ["`up` ends in an error, so it may keep the numbers of removed resources until a later run."]
			: [];
	return [
		...groups.flatMap((group) => shortageNotes(facts, group)),
		...failures,
		...late,
		...formerNotes(facts.forecast),
		...groups.flatMap(([{ criteria }]) => unclaimedNotes(facts, criteria)),
	];
}

/** @param purchases with the same criteria */
function shortageNotes({ prices }: Facts, purchases: readonly [Purchase, ...Purchase[]]): string[] {
	const [{ criteria }] = purchases;
	const [price, kind] = [prices.get(criteriaKey(criteria)), criteriaText(criteria)];
	if (price === undefined) return [];
	if ("unknown" in price) {
		const names = purchases.map(({ name }) => name);
		return price.unknown === soldOut ? [`${kind} is sold out: \`up\` fails at ${shortList(names)}.`] : [];
	}
	return price.free !== undefined && price.free < purchases.length
		? [`The inventory has ${price.free} ${kind}, and ${purchases.length} are wanted: \`up\` fails half-way.`]
		: [];
}

function unclaimedNotes({ live = [], isKeyed }: Facts, criteria: Values): string[] {
	const unused = live.filter((record) => isUnused(record) && isLikeCriteria(criteriaOf(criteria), record));
	if (unused.length === 0) return [];
	const consequence = isKeyed
		? "If an interrupted run bought it, `up` resumes it."
		: "An interrupted run may have bought it. While it is younger than a day or of unknown age, `up` refuses to buy another: this service isn't known to honor idempotency keys.";
	const names = shortList(unused.map(nameOf));
	return [`The account has ${names}, ${criteriaText(criteria)}, which nothing claims or uses. ${consequence}`];
}

/** Advice for resources that buy numbers in place of removed ones. Moves that need the same alias share a sentence. */
function formerNotes({ purchases }: Forecast): string[] {
	const withoutIndex = (name: string) => name.replace(/\[\d+\]$/, "");
	const pairs = purchases.flatMap(({ name, former }) =>
		former === undefined ? [] : [{ name: withoutIndex(name), former: withoutIndex(former.name), alias: former.alias }],
	);
	return grouped(pairs, ({ alias }) => alias).map((group) => {
		const names = [...new Set(group.map(({ name, former }) => (name === former ? name : `${name} (was ${former})`)))];
		const [buys, keeps] = names.length === 1 ? ["buys", "it keeps its"] : ["buy", "each keeps its"];
		return `${shortList(names)} ${buys} in place of removed resources of another name or parent. With \`${group[0].alias}\` ${keeps} numbers, and nothing is bought.`;
	});
}

/** Counts the highest possible price of each purchase, as `up` does. */
function exceeded(facts: Facts, { limits, nameOf: labelOf }: NamedLimits, hasUnpriced: boolean): PlanReport["over"] {
	const prices = knownPrices(facts);
	const total = {
		purchases: facts.forecast.purchases.length,
		releases: removedIn(facts).length,
		setup: sumOf(prices.map(({ most }) => most.setup)),
		monthly: sumOf(prices.map(({ most }) => most.monthly)),
	};
	const broken = brokenBy(total, limits);
	const unchecked = (["maxSetup", "maxMonthly"] as const).filter(
		(name) => hasUnpriced && limits[name] !== undefined && !broken.some((each) => each.name === name),
	);
	return [
		...broken.map(({ name, limit, needed }) => ({ limit: `${labelOf(name)} ${limit}`, needed })),
		...unchecked.map((name) => ({
			limit: `${labelOf(name)} ${limits[name]?.map(formatMoney).join(", ")}`,
			needed: "unknown: not every price is known",
		})),
	];
}
