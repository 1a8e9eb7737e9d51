/** Caps on a whole stack. The engine asks for them at the end of a preview, before `up` does anything, and again after it. */
import Big from "big.js";
import { knownItems, knownNumber, knownText, knownValue, type Seen, stackPolicy, textsOf } from "./define";

export const stackCapacity = stackPolicy(
	{
		name: "stack-capacity",
		description: "All trunks of a stack together have at most the allowed channels.",
		settings: {
			capacity: {
				type: "integer",
				minimum: 0,
				description: "Highest number of channels of all trunks; unset allows any.",
			},
		},
	},
	(resources, { capacity }) => {
		const trunks = resources.filter(({ kind }) => kind === "SipTrunk");
		const sum = trunks.reduce((all, { props }) => all + (knownNumber(props, "capacity") ?? 0), 0);
		return over("channels of SIP trunks", sum, capacity);
	},
);

export const stackNumbers = stackPolicy(
	{
		name: "stack-numbers",
		description: "A stack has at most the allowed numbers. A pool counts as many as its `count`.",
		settings: { numbers: { type: "integer", minimum: 0, description: "Highest count of numbers; unset allows any." } },
	},
	(resources, { numbers }) =>
		over(
			"numbers",
			resources.reduce((all, resource) => all + countOf(resource), 0),
			numbers,
		),
);

const over = (what: string, sum: number, limit: unknown): readonly string[] =>
	typeof limit !== "number" || sum <= limit ? [] : [`The stack has ${sum} ${what}, and may have at most ${limit}.`];

const countOf = ({ kind, props }: Seen): number =>
	kind === "Number" ? 1 : kind === "NumberPool" ? (knownNumber(props, "count") ?? 0) : 0;

const amount = { type: "string", pattern: "^\\d+(\\.\\d+)? ?[A-Za-z]{3}$" } as const;
const amounts = (cost: string) => ({
	type: "array" as const,
	items: amount,
	default: [],
	description: `Highest ${cost}, such as ["500EUR"]. Empty allows any; other currencies than those named are not allowed.`,
});

export const stackCosts = stackPolicy(
	{
		name: "stack-costs",
		description: "All numbers of a stack together cost at most the allowed amounts.",
		settings: {
			monthly: amounts("monthly cost of all numbers"),
			setup: amounts("setup cost of all numbers"),
			prices: {
				type: "array",
				items: {
					type: "object",
					properties: {
						country: { type: "string" },
						type: { type: "string" },
						setup: amount,
						monthly: amount,
					},
					required: ["setup", "monthly"],
					additionalProperties: false,
				},
				default: [],
				description:
					"Your own price list, for pools and for numbers whose output `price` is unknown yet. The first matching entry counts; an entry without country or type matches all.",
			},
			unpriced: {
				type: "string",
				enum: ["allow", "forbid"],
				default: "allow",
				description: "Decides about numbers without any price.",
			},
		},
	},
	(resources, { monthly, setup, prices, unpriced }) => {
		const priced = resources
			.filter((resource) => countOf(resource) > 0)
			.map((resource) => [resource, priceOf(resource, prices)] as const);
		const unknown = priced.flatMap(([{ name }, price]) => (price === undefined ? [name] : []));
		const isLimited = textsOf(monthly).length + textsOf(setup).length > 0;
		return [
			...overBudget("each month", "monthly", priced, textsOf(monthly)),
			...overBudget("once", "setup", priced, textsOf(setup)),
			...(isLimited && unpriced === "forbid" && unknown.length > 0
				? [`No price is known for ${unknown.join(", ")}: add what they cost to the setting \`prices\`.`]
				: []),
		];
	},
);

type Part = "setup" | "monthly";
type Price = Readonly<Record<Part, Money>>;

interface Money {
	readonly amount: Big;
	readonly currency: string;
}

/** Returns the service's price if the state has it, otherwise the price list's. */
function priceOf({ props }: Seen, prices: unknown): Price | undefined {
	const [setup, monthly] = [shownPrice(props, "setup"), shownPrice(props, "monthly")];
	if (setup !== undefined && monthly !== undefined) return { setup, monthly };
	const entry = knownItems(prices).find((price) =>
		["country", "type"].every((key) => {
			const wanted = knownText(price, key);
			return wanted === undefined || wanted === knownText(props, key);
		}),
	);
	if (entry === undefined) return undefined;
	return { setup: moneyOf(knownValue(entry, "setup")), monthly: moneyOf(knownValue(entry, "monthly")) };
}

function shownPrice(props: unknown, part: Part): Money | undefined {
	const value = knownText(props, "price", part, "amount");
	const currency = knownText(props, "price", part, "currency");
	if (value === undefined || currency === undefined || !/^-?\d+(\.\d+)?$/.test(value)) return undefined;
	return { amount: new Big(value), currency: currency.toUpperCase() };
}

function moneyOf(value: unknown): Money {
	const [, digits, currency] = /^(\d+(?:\.\d+)?) ?([A-Z]{3})$/.exec(String(value).toUpperCase()) ?? [];
	if (digits === undefined || currency === undefined)
		throw new Error(`The policy stack-costs can't read ${JSON.stringify(value)} as money: write it as 500EUR.`);
	return { amount: new Big(digits), currency };
}

function overBudget(
	when: string,
	part: Part,
	priced: readonly (readonly [Seen, Price | undefined])[],
	limits: readonly string[],
): readonly string[] {
	if (limits.length === 0) return [];
	const allowed = new Map(limits.map(moneyOf).map(({ amount, currency }) => [currency, amount]));
	const sums = new Map<string, Big>();
	for (const [resource, price] of priced) {
		if (price === undefined) continue;
		const { amount, currency } = price[part];
		sums.set(currency, (sums.get(currency) ?? new Big(0)).plus(amount.times(countOf(resource))));
	}
	return [...sums]
		.filter(([currency, sum]) => sum.gt(allowed.get(currency) ?? 0))
		.map(
			([currency, sum]) =>
				`The stack's numbers cost ${sum.round(2).eq(sum) ? sum.toFixed(2) : sum.toFixed()} ${currency} ${when}, and may cost at most ${limits.join(", ")}.`,
		);
}
