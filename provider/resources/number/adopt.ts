/** Finds the number that `adopt` or `Number.get` names, by id or E.164. Checks that an adopted one fits the program. */
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf, statusOf } from "../../api/record";
import { adopted } from "../../lifecycle/adopt";
import type { Memory } from "../../ownership/memory";
import { canonicalE164, writtenE164 } from "../../properties/canonical";
import { writtenName } from "../../properties/phone";
import type { Service } from "../../session/session";
import type { Purchase } from "./candidates";
import { criteriaKeys, sameCriterion } from "./properties";

/** The part of a purchase that adoption needs. */
interface Adopting extends Pick<Purchase, "claim" | "criteria"> {
	readonly session: { readonly memory: { readonly number: Memory } };
	readonly service: Pick<Service, "client">;
}

/** Returns the number that `adopt` names. @throws TelephonyError Invalid, Claimed; in both cases nothing was bought */
export function adoptedNumber(
	{ session, service, claim, criteria }: Adopting,
	wanted: string,
	live: readonly NumberRecord[],
): Promise<NumberRecord> {
	return adopted<NumberRecord>({
		memory: session.memory.number,
		claim,
		wanted,
		live,
		noun: "number",
		verbs: { made: "bought", end: "release", ended: "released" },
		nameOf,
		isNamed: (record) => matchesName(record, wanted),
		get: (id) => service.client.numbers.get(id),
		hint: "Set `adopt` to the id of an existing number, or to the E.164 of a listed one, or remove it to buy one.",
		contradiction: (record) =>
			isReleasedOrFailed(record)
				? `can't be adopted: its status is ${statusOf(record)}.`
				: contradiction(criteria, record),
	});
}

/** Returns the id of the number that a program names by id or E.164; undefined for an E.164 that the account lacks. */
export async function findId({ numbers }: Service, wanted: string): Promise<string | undefined> {
	if (writtenE164(wanted) === undefined) return wanted.trim();
	return (await numbers.all()).find((record) => !isReleasedOrFailed(record) && matchesName(record, wanted))?.id;
}

/** @throws TelephonyError NotFound for an E.164 that the account lacks */
export async function idByName(service: Service, wanted: string): Promise<string> {
	const id = await findId(service, wanted);
	if (id !== undefined) return id;
	throw new TelephonyError(
		"NotFound",
		`The account's list has no number ${wanted}. Use the id or E.164 of a number that it shows.`,
	);
}

/** Returns how the number contradicts the criteria; undefined if it doesn't. A field that isn't shown doesn't. */
export function contradiction(criteria: BuyNumber, record: NumberRecord): string | undefined {
	const wrong = criteriaKeys.filter(
		(key) => criteria[key] !== undefined && record[key] !== undefined && !sameCriterion(key, criteria, record),
	);
	if (wrong.length === 0) return undefined;
	const is = wrong.map((key) => `its ${key} is ${JSON.stringify(record[key])}, not ${JSON.stringify(criteria[key])}`);
	return `doesn't match the program: ${is.join(", ")}. Declare these values, or adopt another number.`;
}

export function matchesName({ id, number }: Pick<NumberRecord, "id" | "number">, wanted: string): boolean {
	const name = writtenName(wanted);
	return id === name || (number != null && (canonicalE164(number) ?? number) === name);
}
