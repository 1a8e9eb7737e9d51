/** The plan as a report: what is bought and what goes, with money, the dearest first. */
import type { BuyNumber, Money, NumberRecord } from "../provider/api/contract";
import { formatMoney, Sum } from "../provider/api/money";
import { nameOf } from "../provider/api/record";
import { listed } from "../provider/properties/display";
import { unknownValue, type Values } from "../provider/properties/table";
import { type Priced, soldOut } from "../provider/reads/prices";
import { isUnused } from "../provider/resources/number/candidates";
import { isLikeCriteria } from "../provider/resources/number/criteria";
import { isKnown } from "../provider/resources/number/limits";
import { criteriaKeys, criteriaOf } from "../provider/resources/number/properties";
import { brokenBy, type LimitName, type Limits, nothing } from "../provider/session/limits";
import type { Origin } from "./origin";
import type { BuyReason, Ending, Forecast, FoundNumber, Purchase } from "./plan-forecast";

/** Like numbers that are bought for the same reason. */
export interface Buy extends Criteria {
	readonly why: BuyReason;
	readonly count: number;
	/** Of the resources, or of the numbers in their pools. */
	readonly names: readonly string[];
	/** For `rename` and `move`: the resources that are removed, in the same order. */
	readonly were?: readonly string[];
	/** Of all of them. Absent where it isn't known. */
	readonly setup?: Money;
	/** Each month, of all of them. */
	readonly monthly?: Money;
}

interface Criteria {
	/** Absent where it isn't known yet. */
	readonly country?: string;
	readonly type?: string;
	readonly area?: string;
}

export interface ReleaseEntry extends Criteria {
	readonly why: Ending["why"];
	readonly name: string;
	readonly id: string;
	readonly e164?: string;
	/** Its rent, if that is known. */
	readonly monthly?: Money;
}

/** A number that stays on the account, and that the stack no longer has. */
export interface LeftNumber extends ReleaseEntry {
	/** Why it stays. */
	readonly because: string;
}

/** The JSON of `--json`. */
export interface PlanReport extends Origin {
	readonly stack: string;
	readonly buys: readonly Buy[];
	readonly resumes: Forecast["resumes"];
	readonly adopts: Forecast["adopts"];
	readonly releases: readonly ReleaseEntry[];
	/** Whether what is released can come back. Absent if nothing is. */
	readonly comesBack?: string;
	/** The rent goes on. */
	readonly leaves: readonly LeftNumber[];
	/** Numbers that another resource or stack has claimed: the state forgets them. */
	readonly forgets: readonly (FoundNumber & { readonly owner: string })[];
	readonly changes: Forecast["changes"];
	/** How many numbers the stack keeps. */
	readonly keeps: number;
	readonly waits: readonly string[];
	/** Of all purchases whose price is known. */
	readonly setup: readonly Money[];
	readonly monthly: readonly Money[];
	/** What the purchases add, less what the releases save, as far as that is known. */
	readonly monthlyChange: readonly Money[];
	readonly unpriced: readonly { readonly names: readonly string[]; readonly count: number; readonly why: string }[];
	/** What `up` would fail at half-way, and what the plan can't know. */
	readonly warnings: readonly string[];
	/** The limits that it breaks. */
	readonly over: readonly { readonly limit: string; readonly needed: string }[];
}

/** Limits, and what people call each: `--max-setup`, `telephony:limits.maxSetup`. */
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
	/** The service is known to honour idempotency keys. */
	readonly isKeyed: boolean;
	readonly limits: readonly NamedLimits[];
	/** Why the account's numbers weren't read. */
	readonly warnings: readonly string[];
}

/** What the inventory is asked by. */
export const criteriaKey = ({ country, type, area }: Values): string => JSON.stringify([country, type, area ?? null]);

/** The different criteria of what can be priced, each once. */
export function criteriaIn({ purchases }: Forecast): BuyNumber[] {
	const known = purchases.filter(({ criteria, provider }) => provider === undefined && isKnown(criteria));
	return [...new Map(known.map(({ criteria }) => [criteriaKey(criteria), criteriaOf(criteria)])).values()];
}

export function planReportOf(stack: string, origin: Origin, facts: Facts): PlanReport {
	const { endings, resumes, adopts, changes, keeps, waits } = facts.forecast;
	const releases = endings.filter(({ outcome }) => outcome === "removed").map(endedOf);
	const money = moneyOf(facts);
	const unpriced = unpricedIn(facts);
	return {
		...{ stack, ...origin },
		buys: buysIn(facts),
		...{ resumes, adopts },
		releases: releases.sort((one, other) => byMoney([other.monthly], [one.monthly])),
		...(releases.length === 0 ? {} : { comesBack: facts.comesBack }),
		leaves: endings.flatMap(leftOf),
		forgets: endings.flatMap(({ name, id, e164, owner }) =>
			owner === undefined ? [] : [{ name, id, ...(e164 === undefined ? {} : { e164 }), owner }],
		),
		...{ changes, keeps, waits },
		...{ setup: money.setup.amounts(), monthly: money.monthly.amounts(), monthlyChange: money.change.amounts() },
		unpriced,
		warnings: [...facts.warnings, ...warningsOf(facts)],
		over: facts.limits.flatMap((each) => overOf(facts, each, unpriced.length > 0)),
	};
}

// ---- Purchases ----------------------------------------------------------------------------------------------------------

const priceOf = ({ prices }: Facts, { criteria, provider }: Purchase): Priced => {
	if (provider !== undefined)
		return {
			unknown: `the program's provider ${provider} has a key or an address of its own, which may be another account`,
		};
	const unknown = criteriaKeys.filter((key) => criteria[key] === unknownValue);
	if (unknown.length > 0)
		return { unknown: `its ${unknown.join(" and ")} isn't known before other resources are made` };
	return prices.get(criteriaKey(criteria)) ?? { unknown: "the inventory wasn't asked" };
};

const shownCriteria = (criteria: Values): Criteria =>
	Object.fromEntries(
		criteriaKeys.flatMap((key) =>
			criteria[key] == null || criteria[key] === unknownValue ? [] : [[key, criteria[key]]],
		),
	);

/** Like items together, in the order of the first ones. */
export const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] => {
	const groups = new Map<string, T[]>();
	for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
	return [...groups.values()];
};

function buysIn(facts: Facts): Buy[] {
	const groups = grouped(
		facts.forecast.purchases,
		({ why, criteria, provider }) => `${why} ${provider} ${criteriaKey(criteria)}`,
	);
	const buys = groups.flatMap((group): Buy[] => {
		const [first] = group;
		if (first === undefined) return [];
		const priced = priceOf(facts, first);
		const count = group.length;
		return [
			{
				...{ why: first.why, count, ...shownCriteria(first.criteria) },
				names: group.map(({ name }) => name),
				...(first.former === undefined ? {} : { were: group.map(({ former }) => former?.name ?? "") }),
				...("unknown" in priced
					? {}
					: { setup: times(priced.next.setup, count), monthly: times(priced.next.monthly, count) }),
			},
		];
	});
	return buys.sort((one, other) => byMoney([other.monthly, other.setup], [one.monthly, one.setup]));
}

export function times(amount: Money, count: number): Money {
	const sum = new Sum();
	sum.add(amount, count);
	return sum.amounts()[0] ?? amount;
}

/** By the amounts alone: different currencies have no order. */
const byMoney = (one: readonly (Money | undefined)[], other: readonly (Money | undefined)[]): number => {
	const of = (amounts: typeof one) => amounts.map((money) => Number(money?.amount ?? 0));
	const [these, those] = [of(one), of(other)];
	return these.map((amount, at) => amount - (those[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
};

function unpricedIn(facts: Facts): PlanReport["unpriced"] {
	const unknown = facts.forecast.purchases.flatMap((purchase) => {
		const priced = priceOf(facts, purchase);
		return "unknown" in priced ? [{ name: purchase.name, why: priced.unknown }] : [];
	});
	const pools = facts.forecast.uncounted.map((name) => ({
		name,
		why: "its count isn't known before other resources are made",
	}));
	return grouped([...unknown, ...pools], ({ why }) => why).map((group) => ({
		names: group.map(({ name }) => name),
		count: group.length,
		why: group[0]?.why ?? "",
	}));
}

function moneyOf(facts: Facts): { readonly setup: Sum; readonly monthly: Sum; readonly change: Sum } {
	const [setup, monthly, change] = [new Sum(), new Sum(), new Sum()];
	for (const purchase of facts.forecast.purchases) {
		const priced = priceOf(facts, purchase);
		if ("unknown" in priced) continue;
		setup.add(priced.next.setup);
		monthly.add(priced.next.monthly);
	}
	change.addAll(monthly);
	for (const { outcome, monthly: saved } of facts.forecast.endings)
		if (outcome === "removed" && saved) change.add(saved, -1);
	return { setup, monthly, change };
}

// ---- Numbers that the stack no longer has -------------------------------------------------------------------------------

const endedOf = ({ why, name, id, e164, criteria, monthly }: Ending): ReleaseEntry => ({
	...{ why, name, id },
	...(e164 === undefined ? {} : { e164 }),
	...shownCriteria(criteria),
	...(monthly === undefined ? {} : { monthly }),
});

function leftOf(ending: Ending): LeftNumber[] {
	const { outcome, why } = ending;
	if (outcome !== "left" && outcome !== "forgotten") return [];
	const because =
		outcome === "forgotten"
			? "`retainOnDelete` is set"
			: why === "excluded"
				? "`exclude` names it"
				: String(ending.because);
	return [{ ...endedOf(ending), because }];
}

// ---- Warnings and limits ------------------------------------------------------------------------------------------------

function warningsOf(facts: Facts): string[] {
	const { forecast, live = [] } = facts;
	const groups = grouped(
		forecast.purchases.filter(({ criteria, provider }) => provider === undefined && isKnown(criteria)),
		({ criteria }) => criteriaKey(criteria),
	);
	const short = groups.flatMap((group) => {
		const { criteria = {} } = group[0] ?? {};
		const [priced, kind] = [facts.prices.get(criteriaKey(criteria)), kindOf(criteria)];
		if (priced === undefined) return [];
		if ("unknown" in priced)
			return priced.unknown === soldOut
				? [`${kind} is sold out: \`up\` fails at ${some(group.map(({ name }) => name))}.`]
				: [];
		return priced.free !== undefined && priced.free < group.length
			? [`The inventory has ${priced.free} ${kind}, and ${group.length} are wanted: \`up\` fails half-way.`]
			: [];
	});
	const unclaimed = groups.flatMap((group) => {
		const { criteria = {} } = group[0] ?? {};
		const unused = live.filter((record) => isUnused(record) && isLikeCriteria(criteriaOf(criteria), record));
		return unused.length === 0
			? []
			: [
					`The account has ${some(unused.map(nameOf))}, ${kindOf(criteria)}, which nothing claims or uses. ${facts.isKeyed ? "If an interrupted run bought it, `up` resumes it." : "An interrupted run may have bought it. While it is younger than a day or of unknown age, `up` refuses to buy another: this service isn't known to honour idempotency keys."}`,
				];
	});
	const refusals = forecast.refusals.map(({ name, message }) => `\`up\` fails at ${name}: ${message}`);
	const late =
		refusals.length > 0 && forecast.endings.length > 0
			? ["`up` ends in an error, so it may keep the numbers of removed resources until a later run."]
			: [];
	return [...short, ...refusals, ...late, ...formerIn(facts), ...unclaimed];
}

/** Advice for resources that buy numbers in place of removed ones. Moves that need the same alias share a sentence. */
function formerIn({ forecast: { purchases } }: Facts): string[] {
	const withoutIndex = (name: string) => name.replace(/\[\d+\]$/, "");
	const pairs = purchases.flatMap(({ name, former }) =>
		former === undefined ? [] : [{ name: withoutIndex(name), former: withoutIndex(former.name), alias: former.alias }],
	);
	return grouped(pairs, ({ alias }) => alias).map((group) => {
		const names = [...new Set(group.map(({ name, former }) => (name === former ? name : `${name} (was ${former})`)))];
		const [who, it] = [names.length === 1 ? "buys" : "buy", names.length === 1 ? "it keeps its" : "each keeps its"];
		return `${some(names)} ${who} in place of removed resources of another name or parent. With \`${group[0]?.alias}\` ${it} numbers, and nothing is bought.`;
	});
}

const some = (names: readonly string[]): string => listed(names, ", ");

export const kindOf = ({ country, type, area }: Values): string =>
	[country, type, area].filter((each) => each != null && each !== unknownValue).join(" ") || "unknown";

/** By the highest price that each may have, as `up` counts it. */
function overOf(facts: Facts, { limits, nameOf: named }: NamedLimits, hasUnpriced: boolean): PlanReport["over"] {
	const total = nothing();
	total.releases = facts.forecast.endings.filter(({ outcome }) => outcome === "removed").length;
	for (const purchase of facts.forecast.purchases) {
		total.purchases += 1;
		const priced = priceOf(facts, purchase);
		if ("unknown" in priced) continue;
		total.setup.add(priced.most.setup);
		total.monthly.add(priced.most.monthly);
	}
	const broken = brokenBy(total, limits).map(({ name, limit, needed }) => ({
		limit: `${named(name)} ${limit}`,
		needed,
	}));
	const ofMoney = (["maxSetup", "maxMonthly"] as const).filter((name) => limits[name] !== undefined);
	const isBroken = (name: string) => broken.some(({ limit }) => limit.startsWith(`${name} `));
	return hasUnpriced
		? [
				...broken,
				...ofMoney
					.filter((name) => !isBroken(named(name)))
					.map((name) => ({
						limit: `${named(name)} ${limits[name]?.map(formatMoney).join(", ")}`,
						needed: "unknown: not every price is known",
					})),
			]
		: broken;
}
