/** `telephony:limits`: how much one run may buy and release, counted within one provider process (`spending.ts`). */
import type { Money } from "../api/contract";
import { TelephonyError } from "../api/errors";
import { defined, isObject, type Json } from "../api/json";
import { formatMoney, parseMoney, Sum } from "../api/money";
import { unknownProperty } from "../properties/table";

export interface Limits {
	readonly maxPurchases?: number;
	readonly maxReleases?: number;
	readonly maxSetup?: readonly Money[];
	/** Highest monthly cost of a run's purchases, an amount for each currency. */
	readonly maxMonthly?: readonly Money[];
	/** True if `maxReleases` also applies to `pulumi destroy`. */
	readonly destroy?: boolean;
}

export const limitNames = ["maxPurchases", "maxReleases", "maxSetup", "maxMonthly", "destroy"] as const;
export type LimitName = Exclude<(typeof limitNames)[number], "destroy">;

export type Charge = "purchase" | "release";

export const limitsOf = (charge: Charge, limits: Limits): Limits =>
	Object.fromEntries(Object.entries(limits).filter(([name]) => (name === "maxReleases") === (charge === "release")));

/** Counts and costs of a run. */
export interface Total {
	purchases: number;
	releases: number;
	readonly setup: Sum;
	readonly monthly: Sum;
}

export const nothing = (): Total => ({ purchases: 0, releases: 0, setup: new Sum(), monthly: new Sum() });

export interface Broken {
	readonly name: LimitName;
	readonly limit: string;
	/** The lowest limit that would do. */
	readonly needed: string;
	/** The setting's whole value with `needed`, and the amounts of other currencies as they are. */
	readonly setting: string;
}

/** Returns the limits that `total` exceeds. A limit of money allows nothing in currencies that it doesn't name. */
export function brokenBy(total: Total, limits: Limits): Broken[] {
	const byCount = (name: "maxPurchases" | "maxReleases", count: number): Broken[] => {
		const limit = limits[name];
		if (limit === undefined || count <= limit) return [];
		return [{ name, limit: String(limit), needed: String(count), setting: String(count) }];
	};
	const byCost = (name: "maxSetup" | "maxMonthly", cost: Sum): Broken[] => {
		const limit = limits[name];
		if (limit === undefined) return [];
		const isOver = ({ currency }: Money) =>
			cost.isOver(limit.find((each) => each.currency === currency) ?? { currency, amount: "0" });
		const over = cost.amounts().filter(isOver);
		const setting = [...limit.filter((each) => !isOver(each)), ...over].map((each) => each.amount + each.currency);
		const shared = { name, limit: limit.map(formatMoney).join(", "), setting: setting.join(",") };
		return over.map((amount) => ({ ...shared, needed: formatMoney(amount) }));
	};
	return [
		...byCount("maxPurchases", total.purchases),
		...byCount("maxReleases", total.releases),
		...byCost("maxSetup", total.setup),
		...byCost("maxMonthly", total.monthly),
	];
}

/**
 * @param text JSON, as structured configuration holds it
 * @throws TelephonyError of kind Config, with a sentence for each wrong value
 */
export function limitsIn(text: string | undefined): Limits | undefined {
	if (!text) return undefined;
	const given = objectIn(text);
	if (given === undefined)
		throw refused([
			`${JSON.stringify(text)} isn't an object. Set each limit by name, such as \`pulumi config set --path telephony:limits.maxPurchases 10\``,
		]);
	const problems: string[] = [];
	const read = <T>(name: string, parse: (value: unknown) => T | string): T | undefined => {
		if (given[name] == null) return undefined;
		const parsed = parse(given[name]);
		if (typeof parsed !== "string") return parsed;
		problems.push(`${name}: ${parsed}`);
		return undefined;
	};
	const limits = {
		maxPurchases: read("maxPurchases", countOf),
		maxReleases: read("maxReleases", countOf),
		maxSetup: read("maxSetup", amountsOf),
		maxMonthly: read("maxMonthly", amountsOf),
		destroy: read("destroy", flagOf),
	};
	for (const name of Object.keys(given))
		if (!(limitNames as readonly string[]).includes(name))
			problems.push(`${name}: ${unknownProperty(name, limitNames).replace(/\.$/, "")}`);
	if (problems.length > 0) throw refused(problems);
	return defined(limits);
}

const refused = (problems: readonly string[]) =>
	new TelephonyError("Config", `telephony:limits can't be used. ${problems.map((each) => `${each}.`).join(" ")}`);

function objectIn(text: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Configuration that was set without `--path` holds every value as a text. */
export function countOf(value: unknown): number | string {
	const count = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
	if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) return count;
	const wrong = typeof count === "number" && count < 0 ? "is negative" : "isn't a whole number";
	return `${JSON.stringify(value)} ${wrong}: write zero or more, such as 10`;
}

export function amountsOf(value: unknown): readonly Money[] | string {
	const amounts: Money[] = [];
	// A comma after a currency separates amounts; the one in `1,5EUR` doesn't.
	const given = [value].flat().flatMap((each) => (typeof each === "string" ? each.split(/(?<=[a-z]\s*),/i) : each));
	for (const each of given) {
		const amount = parseMoney(
			typeof each === "number" || typeof each === "string" ? String(each) : JSON.stringify(each),
		);
		if (typeof amount === "string") return amount;
		if (amounts.some(({ currency }) => currency === amount.currency))
			return `it has two amounts in ${amount.currency}: write one for each currency`;
		amounts.push(amount);
	}
	return amounts;
}

function flagOf(value: unknown): boolean | string {
	if (value === true || value === "true") return true;
	if (value === false || value === "false") return false;
	return `${JSON.stringify(value)} is neither true nor false`;
}
