/** The plan as a report: what is bought and what goes, with money, the dearest first. */
import type { BuyNumber, Money, NumberRecord } from "../provider/api/contract";
import { formatMoney, Sum } from "../provider/api/money";
import { nameOf } from "../provider/api/record";
import { listed } from "../provider/properties/display";
import { unknownValue, type Values } from "../provider/properties/table";
import { type Priced, soldOut } from "../provider/reads/prices";
import { isLike } from "../provider/resources/number/beside";
import { isKnown } from "../provider/resources/number/limits";
import { criteriaKeys, criteriaOf } from "../provider/resources/number/properties";
import { brokenBy, type LimitName, type Limits, nothing } from "../provider/session/limits";
import type { Origin } from "./origin";
import { type BuyReason, type Deeds, type Ending, type Fate, isRefused, type Purchase } from "./plan-run";

/** Like numbers that are bought for the same reason. */
export interface Buy extends Criteria {
	readonly why: BuyReason;
	readonly count: number;
	/** Of the resources, or of the numbers in their pools. */
	readonly names: readonly string[];
	/** For `rename`: the old names, in the same order. */
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
	/** What it costs each month, if that is known. */
	readonly monthly?: Money;
	/** The run may not release it: see `warnings`. */
	readonly doubt?: Ending["doubt"];
}

/** A number whose entry goes, and that stays on the account. */
export interface Stay extends Pick<ReleaseEntry, "name" | "id" | "e164"> {
	/** In words. */
	readonly why: string;
	/** The run ends in an error because of it. */
	readonly isRefused: boolean;
}

/** The JSON of `--json`. */
export interface PlanReport extends Origin {
	readonly stack: string;
	readonly buys: readonly Buy[];
	readonly takesOver: Deeds["takeOvers"];
	readonly adopts: Deeds["adopts"];
	readonly releases: readonly ReleaseEntry[];
	/** Whether what is released can come back. Absent if nothing is. */
	readonly comesBack?: string;
	readonly stays: readonly Stay[];
	readonly changes: Deeds["changes"];
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
	readonly deeds: Deeds;
	/** By `criteriaKey`. */
	readonly prices: ReadonlyMap<string, Priced>;
	readonly live: readonly NumberRecord[] | undefined;
	readonly comesBack: string;
	readonly limits: readonly NamedLimits[];
	/** Why the account wasn't looked at. */
	readonly warnings: readonly string[];
}

/** What the inventory is asked by. */
export const criteriaKey = ({ country, type, area }: Values): string => JSON.stringify([country, type, area ?? null]);

/** The different criteria of what can be priced, each once. */
export function criteriaIn({ purchases }: Deeds): BuyNumber[] {
	const known = purchases.filter(({ criteria, provider }) => provider === undefined && isKnown(criteria));
	return [...new Map(known.map(({ criteria }) => [criteriaKey(criteria), criteriaOf(criteria)])).values()];
}

export function planReportOf(stack: string, origin: Origin, facts: Facts): PlanReport {
	const { deeds, comesBack } = facts;
	const releases = deeds.endings.filter(({ fate }) => fate === "released").map(releaseOf);
	const money = moneyOf(facts);
	const unpriced = unpricedIn(facts);
	return {
		...{ stack, ...origin },
		buys: buysIn(facts),
		...{ takesOver: deeds.takeOvers, adopts: deeds.adopts },
		releases: releases.sort((one, other) => byMoney([other.monthly], [one.monthly])),
		...(releases.length === 0 ? {} : { comesBack }),
		stays: deeds.endings.flatMap(stayOf),
		...{ changes: deeds.changes, keeps: deeds.keeps, waits: deeds.waits },
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
		facts.deeds.purchases,
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
				...(first.why === "rename" ? { were: group.map(({ was = "" }) => was) } : {}),
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
	const unknown = facts.deeds.purchases.flatMap((purchase) => {
		const priced = priceOf(facts, purchase);
		return "unknown" in priced ? [{ name: purchase.name, why: priced.unknown }] : [];
	});
	const pools = facts.deeds.uncounted.map((name) => ({
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
	for (const purchase of facts.deeds.purchases) {
		const priced = priceOf(facts, purchase);
		if ("unknown" in priced) continue;
		setup.add(priced.next.setup);
		monthly.add(priced.next.monthly);
	}
	change.addAll(monthly);
	for (const { fate, monthly: saved } of facts.deeds.endings) if (fate === "released" && saved) change.add(saved, -1);
	return { setup, monthly, change };
}

// ---- What goes and what stays -------------------------------------------------------------------------------------------

const releaseOf = ({ why, name, id, e164, criteria, monthly, doubt }: Ending): ReleaseEntry => ({
	...{ why, name, id },
	...(e164 === undefined ? {} : { e164 }),
	...shownCriteria(criteria),
	...(monthly === undefined ? {} : { monthly }),
	...(doubt === undefined ? {} : { doubt }),
});

/** As JavaScript reads it, without what would end a code span. */
const literal = (text: string): string => JSON.stringify(text).replaceAll("`", "\\u0060");

/** What keeps a number on the account; those at which the run fails are refused. */
const reasons: Readonly<Record<Exclude<Fate, "released" | "gone">, (ending: Ending) => string>> = {
	kept: () => "the program still declares it: it is taken over, not released",
	retained: () => '`onDelete: "retain"` keeps it on the account, where it goes on costing money',
	forgotten: () => "`retainOnDelete` keeps it on the account, where it goes on costing money",
	excluded: () => "`exclude` takes it out of its pool: it stays on the account",
	adopted: () => "another resource of the program adopts it",
	"not ours": () => "somebody else has claimed it: only the entry is forgotten",
	superseded: () =>
		"a run that this state doesn't know has written it: run `pulumi up --refresh` while the program still declares it",
	replaced: () => "the program still declares it, and another number is bought in its place",
	duplicate: () => "the program still declares the same, and another number is bought in its place",
	remembered: ({ instead, name, why }) => {
		if (instead.length === 0) return "a number was bought while no resource of the program had this one";
		const way =
			why === "removed"
				? `If it was renamed, give the new name \`aliases: [{ name: ${literal(name.replace(/\[\d+\]$/, ""))} }]\`: then nothing is bought`
				: "Release it in a run that buys nothing";
		return `\`up\` buys ${some(instead)} in its place, and nothing says that this one may go. ${way}`;
	},
	protected: () => "`releaseProtection` protects it",
	unasked: () =>
		"the program asks for other criteria, and doesn't say that this one may go: set `allowReplacement: true`",
};

function stayOf(ending: Ending): Stay[] {
	const { name, id, e164, fate } = ending;
	if (fate === "released" || fate === "gone") return [];
	return [
		{
			name,
			id,
			...(e164 === undefined ? {} : { e164 }),
			why: reasons[fate](ending),
			isRefused: isRefused(ending),
		},
	];
}

// ---- Warnings and limits ------------------------------------------------------------------------------------------------

function warningsOf(facts: Facts): string[] {
	const { deeds, live = [] } = facts;
	const groups = grouped(
		deeds.purchases.filter(({ criteria, provider }) => provider === undefined && isKnown(criteria)),
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
		const left = live.filter(
			(record) => !record.reference && !record.label && record.routing == null && isLike(record, criteria),
		);
		return left.length === 0
			? []
			: [
					`Nobody has claimed ${some(left.map(nameOf))} of the account, ${kindOf(criteria)}: if an interrupted run bought them, so many fewer are bought.`,
				];
	});
	const doubted = (doubt: Ending["doubt"]) =>
		deeds.endings.filter((each) => each.doubt === doubt).map(({ name }) => name);
	const [raced, late] = [doubted("order"), doubted("error")];
	const doubts = [
		...(raced.length === 0
			? []
			: [
					`Whether ${some(raced)} can be released depends on the order of the run's steps, as the run buys numbers too.`,
				]),
		...(late.length === 0
			? []
			: [`\`up\` ends in an error, and may leave the release of ${some(late)} to a later run.`]),
	];
	const refusals = deeds.refusals.map(({ name, message }) => `\`up\` refuses ${name}: ${message}`);
	return [...short, ...refusals, ...doubts, ...unclaimed];
}

const some = (names: readonly string[]): string => listed(names, ", ");

export const kindOf = ({ country, type, area }: Values): string =>
	[country, type, area].filter((each) => each != null && each !== unknownValue).join(" ") || "unknown";

/** By the highest price that each may have, as `up` counts it. */
function overOf(facts: Facts, { limits, nameOf: named }: NamedLimits, hasUnpriced: boolean): PlanReport["over"] {
	const total = nothing();
	total.releases = facts.deeds.endings.filter(({ fate }) => fate === "released").length;
	for (const purchase of facts.deeds.purchases) {
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
