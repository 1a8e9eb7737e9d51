/** `telephony:limits`: how much one run may buy and release, counted within one provider process. */
import pLimit from "p-limit";
import type { Money } from "../api/contract";
import { isTelephonyError, TelephonyError } from "../api/errors";
import { defined, findJson, isObject } from "../api/json";
import { formatMoney, parseMoney, Sum } from "../api/money";
import { closestName } from "../api/names";
import type { Price, Priced } from "../reads/prices";

export interface Limits {
	readonly maxPurchases?: number;
	readonly maxReleases?: number;
	readonly maxSetup?: readonly Money[];
	/** Highest monthly cost of a run's purchases, an amount for each currency. */
	readonly maxMonthly?: readonly Money[];
	/** True if `maxReleases` also applies to `pulumi destroy`. */
	readonly destroy?: boolean;
}

export type LimitName = Exclude<keyof Limits, "destroy">;

export const moneyLimits = ["maxSetup", "maxMonthly"] as const;

/** Returns why a price can't be compared with these limits, in words; undefined if it can. */
export function findIncomparablePrice(
	{ incomparable }: Exclude<Priced, { unknown: string }>,
	names: readonly (typeof moneyLimits)[number][],
): string | undefined {
	const [reason] = names.flatMap((name) => incomparable?.[name === "maxSetup" ? "setup" : "monthly"] ?? []);
	return reason;
}

/** Returns the limits of purchases, or those of releases. */
export const limitsOf = (
	kind: Charge["kind"],
	{ maxPurchases, maxSetup, maxMonthly, maxReleases }: Limits = {},
): Limits => defined(kind === "release" ? { maxReleases } : { maxPurchases, maxSetup, maxMonthly });

interface RunTotal {
	purchases: number;
	releases: number;
	readonly setup: Sum;
	readonly monthly: Sum;
}

export const nothing = (): RunTotal => ({ purchases: 0, releases: 0, setup: new Sum(), monthly: new Sum() });

export interface Broken {
	readonly name: LimitName;
	readonly limit: string;
	/** The lowest limit that would do. */
	readonly needed: string;
	/** The setting's whole value with `needed`, and the amounts of other currencies as they are. */
	readonly setting: string;
}

/** Returns the limits that `total` exceeds. A limit of money allows nothing in currencies that it doesn't name. */
export function brokenBy(total: RunTotal, limits: Limits): Broken[] {
	const byCount = (name: "maxPurchases" | "maxReleases", count: number): Broken[] => {
		const limit = limits[name];
		if (limit === undefined || count <= limit) return [];
		return [{ name, limit: String(limit), needed: String(count), setting: String(count) }];
	};
	const byCost = (name: "maxSetup" | "maxMonthly", cost: Sum): Broken[] => {
		const limit = limits[name];
		if (limit === undefined) return [];
		const isOver = ({ currency }: Money) =>
			cost.isOver(limit.find((amount) => amount.currency === currency) ?? { currency, amount: "0" });
		const over = cost.amounts().filter(isOver);
		const setting = [...limit.filter((amount) => !isOver(amount)), ...over].map(
			({ amount, currency }) => amount + currency,
		);
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
	const given = findJson(text);
	if (!isObject(given))
		throw refused([
			`${JSON.stringify(text)} isn't an object. Set each limit by name, such as \`pulumi config set --path telephony:limits.maxPurchases 10\``,
		]);
	const problems: string[] = [];
	const limits: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(given)) {
		if (!Object.hasOwn(parsers, name)) problems.push(unknownLimit(name, value));
		else {
			const parsed = parsers[name as keyof Limits](value);
			if (typeof parsed === "string") problems.push(`${name}: ${parsed}`);
			else limits[name] = parsed;
		}
	}
	if (problems.length > 0) throw refused(problems);
	return limits;
}

function unknownLimit(name: string, value: unknown): string {
	const meant = closestName(name, limitNames);
	if (meant === undefined) return `${name}: there is no such limit. The limits are ${limitNames.join(", ")}`;
	const removal = `pulumi config rm --path 'telephony:limits[${JSON.stringify(name)}]'`;
	const text = /^\d[\d.,]*[A-Za-z]{0,3}$/.test(String(value)) ? String(value) : "…";
	return `${name}: there is no such limit. Did you mean ${meant}? Run \`${removal}\` and \`pulumi config set --path telephony:limits.${meant} ${text}\`, or correct the provider's \`limits\``;
}

const refused = (problems: readonly string[]) =>
	new TelephonyError("Config", `telephony:limits can't be used. ${problems.map((problem) => `${problem}.`).join(" ")}`);

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
	const given = [value].flat().flatMap((item) => (typeof item === "string" ? item.split(/(?<=[a-z]\s*),/i) : item));
	for (const item of given) {
		const amount = parseMoney(
			typeof item === "number" || typeof item === "string" ? String(item) : JSON.stringify(item),
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

/** Each returns the value, or a clause about the mistake. */
const parsers: { readonly [N in keyof Limits]-?: (value: unknown) => NonNullable<Limits[N]> | string } = {
	maxPurchases: countOf,
	maxReleases: countOf,
	maxSetup: amountsOf,
	maxMonthly: amountsOf,
	destroy: flagOf,
};

export const limitNames = Object.keys(parsers) as (keyof Limits)[];

// ---- The count ---------------------------------------------------------------------------------------------------------

/** A purchase or release that counts towards a limit. */
export interface Charge {
	readonly kind: "purchase" | "release";
	/** The highest price that it may have. */
	readonly price?: Price;
	/** Purchases of the same market may have the same price. */
	readonly market?: string;
}

/** Errors after which the service has changed nothing, or nothing more is sent in this run. */
const uncounted: ReadonlySet<string> = new Set(["Conflict", "NotOffered", "Invalid", "Forbidden", "Interrupted"]);

const isEffectPossible = (error: unknown): boolean =>
	!isTelephonyError(error) || !uncounted.has(error.kind) || error.messageCode === "not-applied";

export class Spending {
	/** Requests that were carried out, or may have been. */
	#charges: Charge[] = [];
	/** Only the outcome of a request shows how much of a limit is left, so limited requests run one at a time. */
	readonly #turns = pLimit(1);

	/**
	 * Sends a request within the limits, and counts it. A request that fails counts if it has called `noteEffect`, unless
	 * the service refused it.
	 * @param request calls `noteEffect` once the service may have carried it out
	 * @param chargeOf returns what a successful request counts as, by its result and the expected charge; undefined if it
	 * bought nothing
	 * @throws TelephonyError Invalid, before a request that would exceed a limit
	 */
	send<T>(
		wanted: Charge,
		limits: Limits | undefined,
		request: (noteEffect: () => void) => Promise<T>,
		chargeOf: (result: T, expected: Charge) => Charge | undefined = (_, expected) => expected,
	): Promise<T> {
		const ownLimits = limitsOf(wanted.kind, limits);
		let hasEffect = false;
		const noteEffect = () => {
			hasEffect = true;
		};
		if (Object.keys(ownLimits).length === 0) return request(noteEffect);
		return this.#turns(async () => {
			const expected = this.#expected(wanted);
			const broken = brokenBy(totalOf([...this.#charges, expected]), ownLimits);
			if (broken.length > 0) throw this.#refusal(expected, broken);
			try {
				const result = await request(noteEffect);
				this.#count(chargeOf(result, expected));
				return result;
			} catch (error) {
				if (hasEffect && isEffectPossible(error)) this.#count(expected);
				throw error;
			}
		});
	}

	/** The service may sell at a higher price than its inventory shows, as earlier purchases of this run tell. */
	#expected({ price, ...charge }: Charge): Charge {
		if (price === undefined) return charge;
		const isSame = ({ market }: Charge) => market !== undefined && market === charge.market;
		const paid = this.#charges.flatMap((earlier) => (isSame(earlier) && earlier.price ? [earlier.price] : []));
		const highest = (kind: keyof Price) => [price, ...paid].map((candidate) => candidate[kind]).reduce(higher);
		return { ...charge, price: { setup: highest("setup"), monthly: highest("monthly") } };
	}

	/** Starts from zero, for the next operation in the same process. */
	clear(): void {
		this.#charges = [];
	}

	#count(charge: Charge | undefined): void {
		if (charge !== undefined) this.#charges.push(charge);
	}

	#refusal({ kind, price }: Charge, broken: readonly Broken[]): TelephonyError {
		const { purchases, releases, setup, monthly } = totalOf(this.#charges);
		const allowed = broken.map(({ name, limit }) => `${name} ${limit}`).join(" and ");
		const used =
			kind === "purchase" ? `bought ${purchases} (setup ${setup}, monthly ${monthly})` : `released ${releases}`;
		const cost =
			price && broken.some(({ name }) => name === "maxSetup" || name === "maxMonthly")
				? ` This number would cost ${priceText(price)}.`
				: "";
		return new TelephonyError(
			"Invalid",
			`Nothing was ${kind === "purchase" ? "bought" : "released"} for this resource. \`telephony:limits\` allows ${allowed}, and this run has ${used} so far.${cost} ${howToRaise(broken)}`,
			{ messageCode: "limit" },
		);
	}
}

/** Names the command that raises each exceeded limit. */
export const howToRaise = (broken: readonly Broken[]): string =>
	`To allow more, run ${[...new Map(broken.map(({ name, setting }) => [name, setting]))]
		.map(([name, setting]) => `\`pulumi config set --path telephony:limits.${name} ${setting}\``)
		.join(" and ")}, or raise the provider resource's \`limits\`.`;

const priceText = ({ setup, monthly }: Price): string =>
	`${setup.amount} ${setup.currency} setup, ${monthly.amount} ${monthly.currency} a month`;

/** Of several currencies, the first one counts. */
function higher(a: Money, b: Money): Money {
	const sum = new Sum();
	sum.add(b);
	return a.currency === b.currency && sum.isOver(a) ? b : a;
}

function totalOf(charges: readonly Charge[]): RunTotal {
	const total = nothing();
	for (const { kind, price } of charges) {
		if (kind === "release") {
			total.releases += 1;
			continue;
		}
		total.purchases += 1;
		if (price === undefined) continue;
		total.setup.add(price.setup);
		total.monthly.add(price.monthly);
	}
	return total;
}
