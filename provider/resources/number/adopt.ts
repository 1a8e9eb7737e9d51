/** Finds the number that `adopt` or `Number.get` names, by id or E.164. Checks that an adopted one fits the program. */
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf, statusOf } from "../../api/record";
import { adopted, adoptProperty } from "../../lifecycle/adopt";
import type { Memory } from "../../ownership/memory";
import { canonicalE164, writtenE164 } from "../../properties/canonical";
import { numberName, numberNameForm, writtenName } from "../../properties/phone";
import type { Property } from "../../properties/table";
import type { Service } from "../../session/session";
import type { Purchase } from "./acquisition";
import { sameCriterion } from "./criteria";

const named = "the id of a number, or its E.164";

export const numberAdopt: Property = {
	...adoptProperty(
		"number",
		`Id or E.164 of an unclaimed or left number on the account. It is adopted, and nothing is bought. It must have the declared country, type and area. \`onDelete\` is \`retain\` by default.

A number of an open port order is adopted once it arrives: name it by its E.164.

Read only when the resource is created. Another number replaces the resource.`,
		named,
		numberNameForm,
	),
	type: numberName(`must be ${named}`),
};

/** The part of a purchase that adoption needs. */
interface Adopting extends Pick<Purchase, "claim" | "criteria"> {
	readonly session: { readonly memory: { readonly number: Memory } };
	readonly service: Pick<Service, "client">;
}

/** @throws TelephonyError Invalid, Claimed; in both cases nothing was bought. */
export function adoptedNumber(
	{ session, service, claim, criteria }: Adopting,
	wanted: string,
	live: readonly NumberRecord[],
): Promise<NumberRecord> {
	const e164 = writtenE164(wanted);
	return adopted<NumberRecord>({
		memory: session.memory.number,
		claim,
		wanted,
		live,
		noun: "number",
		verbs: { made: "bought", end: "release", ended: "released" },
		nameOf,
		isNamed: hasE164(e164),
		get: async (id) => {
			if (e164 !== undefined) throw new TelephonyError("NotFound", notListed(wanted));
			return service.client.numbers.get(id);
		},
		hint: withoutNumbers(live, e164)
			? shownById
			: "Set `adopt` to the id or E.164 of an existing number, or remove it to buy one.",
		contradiction: (record) =>
			isReleasedOrFailed(record)
				? `can't be adopted: its status is ${statusOf(record)}.`
				: contradiction(criteria, record),
		handOver: 'In that program, set `onDelete: "retain"`, remove the resource and run `pulumi up`. Then adopt it here.',
	});
}

const hasE164 =
	(e164: string | undefined) =>
	({ number }: NumberRecord): boolean =>
		e164 !== undefined && number != null && canonicalE164(number) === e164;

/** The id of the number that `Number.get` names in E.164. @throws TelephonyError NotFound */
export async function idByE164({ numbers }: Service, wanted: string): Promise<string> {
	const live = (await numbers.all()).filter((record) => !isReleasedOrFailed(record));
	const e164 = canonicalE164(wanted);
	const found = live.find(hasE164(e164));
	if (found !== undefined) return found.id;
	const hint = withoutNumbers(live, e164) ? shownById : "Use a number that the account has.";
	throw new TelephonyError("NotFound", `${notListed(wanted)} ${hint}`);
}

/** The ids of numbers that a program names by their ids or in E.164. What isn't on the account keeps its E.164. */
export async function idsOf({ numbers }: Service, wanted: readonly string[]): Promise<readonly string[]> {
	if (!wanted.some((each) => each.startsWith("+"))) return wanted;
	const live = (await numbers.all()).filter((record) => !isReleasedOrFailed(record));
	const idOf = (e164: string) => live.find(hasE164(canonicalE164(e164)))?.id;
	return wanted.map((each) => (each.startsWith("+") ? (idOf(each) ?? each) : each));
}

const shownById = "This service's list has no phone numbers: use the number's id.";

const withoutNumbers = (live: readonly NumberRecord[], e164: string | undefined): boolean =>
	e164 !== undefined && live.length > 0 && live.every(({ number }) => number == null);

const notListed = (wanted: string) => `The account's list has no number ${wanted}.`;

/** How the number differs from the criteria; undefined if it doesn't. A field that isn't shown can't differ. */
export function contradiction(criteria: BuyNumber, record: NumberRecord): string | undefined {
	const wrong = (["country", "type", "area"] as const).filter(
		(key) => criteria[key] !== undefined && record[key] !== undefined && !sameCriterion(key, criteria, record),
	);
	if (wrong.length === 0) return undefined;
	const is = wrong.map((key) => `its ${key} is ${JSON.stringify(record[key])}, not ${JSON.stringify(criteria[key])}`);
	return `doesn't match the program: ${is.join(", ")}. Declare these values, or adopt another number.`;
}

/** Whether a text names the number, by its id or in any spelling of its E.164. */
export function matchesName({ id, number }: Pick<NumberRecord, "id" | "number">, wanted: string): boolean {
	const name = writtenName(wanted);
	return id === name || (number != null && (canonicalE164(number) ?? number) === name);
}
