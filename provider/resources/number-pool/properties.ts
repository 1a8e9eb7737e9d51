/** A pool's properties: the values that its numbers share, their count, and the names of those that come and go. */
import { z } from "zod";
import { mapValues, pickBy } from "../../api/json";
import { type Claimant, parseUrn } from "../../ownership/claim";
import { listOf, setOf, typeOf, words } from "../../properties/form";
import { labels } from "../../properties/labels";
import { objectOf } from "../../properties/object";
import { aString } from "../../properties/outputs";
import { numberName, numberNameForm } from "../../properties/phone";
import { type Outputs, type Properties, type Property, unknownValue, urnOf, type Values } from "../../properties/table";
import { numberClaim, numberProperties } from "../number/properties";

/** The limit keeps an index at four digits, and a state at a few megabytes. */
export const mostNumbers = 10_000;

const named = () => z.array(z.string().regex(/\[\d{1,4}\]$/, "must be the name of a number, such as support[3]"));
const form = setOf(words);

/** A change needs other numbers. */
const criterion = {
	change: {
		does: "replaces",
		words:
			"replaces all numbers: buys new numbers, then retains or releases the old numbers as their saved `onDelete` says",
	},
} as const;

/** Differences from the properties of a number. */
const differences: Readonly<Record<string, Partial<Property>>> = {
	country: criterion,
	type: { description: "The kind of numbers.", ...criterion },
	area: criterion,
	label: {
		type: () =>
			labels.label
				.type()
				.refine((text) => !/\{(?!index\})[^{}]*\}/.test(text), "can only have the placeholder {index}"),
		description: "Display name. `{index}` is replaced by the number's index, such as `3` for `support[3]`.",
		example: "Support {index}",
	},
	releaseProtection: {
		description:
			"True if the numbers are protected from release: a delete retains them, and the service refuses to release them.",
	},
	onDelete: {
		description:
			"Effect on a number that leaves the pool: `release` gives it back to the service, and `retain` leaves it on the account. The pool always retains adopted and excluded numbers.",
		otherwise: "`telephony:onDelete` of the stack, `retain` without it",
	},
};

/** A pool has no `generation`, and its `adopt` names several numbers. */
const shared = pickBy(numberProperties, (_, key) => key !== "generation" && key !== "adopt");

export const poolProperties: Properties = {
	count: {
		type: () =>
			z.int("must be a whole number").min(1, "must be at least 1").max(mostNumbers, `must be at most ${mostNumbers}`),
		description: "Count of numbers.",
		example: 10,
		required: true,
		severity: "high",
		change: {
			does: "in place",
			words: "in place: buys missing numbers; retains or releases surplus numbers as their saved `onDelete` says",
		},
	},
	...mapValues(shared, (property, key) => ({ ...property, ...differences[key] })),
	releaseFirst: {
		type: named,
		description:
			"Names of the numbers that a lower `count` removes first, such as `support[3]`. The numbers with the highest index follow.",
		form,
	},
	exclude: {
		type: named,
		description:
			"Names of the numbers that leave the pool and stay on the account, such as `support[3]`. Lower `count` by the number of names. The pool doesn't use these names for other numbers.",
		form,
		change: { does: "in place", words: "in place: the pool retains the numbers" },
	},
	adopt: {
		type: () => z.array(numberName("must be the id of a number, or its E.164")),
		description:
			"Ids or E.164 of numbers on the account. At its creation, or when you raise `count`, the pool adopts these numbers instead of buying others.",
		form: setOf(numberNameForm),
		example: ["+31201234567"],
		change: {
			does: "in place",
			words: "in place: adopts the numbers; removing a number from the list changes nothing",
		},
	},
};

const state = objectOf(
	{
		name: { ...aString, required: true, description: "The number's name in the pool, such as `support[3]`." },
		id: { ...aString, required: true, description: "The service's id." },
		phoneNumber: { ...aString, description: "E.164; undefined until the carrier assigns a number." },
		status: { ...aString, required: true, description: "See `Number.status`." },
	},
	{ name: "PooledNumber", description: "One of the numbers." },
);

export const poolOutputs: Outputs = {
	numbers: {
		type: () => z.array(typeOf(state)),
		form: listOf(state.form),
		required: true,
		moves: true,
		description: "Numbers by index, lowest first.",
		drift:
			"the provider compares each number like a `Number`, and reports a difference under its index, such as `members[3].label`; a deleted number lowers `count`",
	},
};

/** Identifies a number of a pool by its name, such as `support[3]`, which no resource has. */
export const memberClaim: Claimant = { ...numberClaim, kind: "member" };

export const poolClaim: Claimant = { kind: "pool" };

export const nameIn = (pool: Values, index: number): string => `${parseUrn(urnOf(pool)).name}[${index}]`;

export const indexOf = (name: string): number => Number(/\[(\d+)\]$/.exec(name.trim())?.[1]);

/** Returns the names in a list of the program; none while the list is unknown. */
export const listIn = (values: Values, key: "releaseFirst" | "exclude" | "adopt"): string[] =>
	Array.isArray(values[key])
		? values[key].filter((name) => name !== unknownValue).map((name) => String(name).trim())
		: [];

export const labelOf = (template: string, index: number): string => template.replaceAll("{index}", String(index));
