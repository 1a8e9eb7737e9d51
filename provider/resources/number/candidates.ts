/** Finds the numbers that a purchase may have bought when its answer didn't name one. */

import type { NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import type { Unreadable } from "../../api/response";
import { patienceMs, pauses, until } from "../../api/until";
import { parseReference } from "../../ownership/reference";
import { allDeclared, liveValues, patchBody } from "../../properties/table";
import { ageOf } from "../../session/staleness";
import type { Purchase, ShownNumber } from "./acquisition";
import { isLikeCriteria } from "./criteria";
import { flat, numberProperties } from "./properties";

/** Whether the service keeps references: as far as that is known, else as the account's numbers show. */
export const isReferenced = (
	{ service: { client } }: { readonly service: Pick<Purchase["service"], "client"> },
	live: readonly NumberRecord[],
): boolean =>
	client.knows("reference") ? client.offers("reference") : live.some(({ reference }) => reference !== undefined);

/** True if nothing claims or uses the number: probably bought and then left alone. */
export const isUnused = ({ reference, label, routing }: NumberRecord): boolean =>
	!reference && !label && routing == null;

/** Whether an interrupted run of this resource may have bought it: unused, and not another resource's. */
export const isUntouched = (purchase: Purchase, record: NumberRecord): boolean =>
	isUnused(record) && isLike(purchase, record);

function isLike({ session, criteria, claim }: Purchase, record: NumberRecord): boolean {
	const holder = session.memory.number.holderOf(record.id);
	return (holder === undefined || holder === claim.token) && isLikeCriteria(criteria, record);
}

const day = 86_400_000;

/**
 * Whether a killed run may have bought it: nobody claims it, nothing uses it or it is configured as declared, and it is
 * younger than a day or of unknown age.
 */
export function isDoubtful(purchase: Purchase, record: NumberRecord): boolean {
	if (ageOf(purchase.session, purchase.service, record.created_at) >= day) return false;
	if (record.reference || !isLike(purchase, record)) return false;
	return isUnused(record) || isAsDeclared(purchase, record);
}

function isAsDeclared({ inputs }: Purchase, record: NumberRecord): boolean {
	const live = liveValues(numberProperties, flat(record));
	const changes = patchBody(numberProperties, { olds: allDeclared(numberProperties), news: inputs, live });
	return Object.keys(changes).length === 0;
}

/** Whether it was made after `moment` (service time); undefined if unknown. Allows 2 s for times in whole seconds. */
export function isAfter(createdAt: string | null | undefined, moment: number): boolean | undefined {
	const made = Date.parse(createdAt ?? "");
	return Number.isNaN(made) ? undefined : made >= moment - 2_000;
}

/** Similar numbers that the list didn't show before the purchase; an Error if it can't be read. */
async function newLikes(purchase: Purchase, before: readonly NumberRecord[]): Promise<NumberRecord[] | Error> {
	const known = new Set(before.map(({ id }) => id));
	try {
		return (await purchase.service.numbers.fresh()).filter(
			(record) => !known.has(record.id) && !isReleasedOrFailed(record) && isUntouched(purchase, record),
		);
	} catch (error) {
		return error as Error;
	}
}

/** The same by the time that a list which lags shows them. */
export async function lateLikes(purchase: Purchase, before: readonly NumberRecord[]): Promise<NumberRecord[] | Error> {
	await purchase.session.clock.sleep(patienceMs, purchase.session.ending);
	return newLikes(purchase, before);
}

/**
 * Finds the number just bought when the answer doesn't name it: the only similar one that is new in the list. One that
 * says it is older may have its time from another clock: it counts if no other comes to light.
 * That is safe, as such purchases run one at a time in this process.
 * @throws TelephonyError OutcomeUnknown, naming the candidates
 */
export async function identify(
	purchase: Purchase,
	before: readonly NumberRecord[],
	since: number,
	cause: Error,
): Promise<ShownNumber> {
	const { session, service } = purchase;
	const answered = service.client.now();
	const look = async () => {
		const found = await newLikes(purchase, before);
		const odd = oddIn(purchase, before, service.numbers.unreadable());
		if (found instanceof Error || odd !== undefined) return { found, odd, isClear: true };
		const recent = found.filter(({ created_at }) => isAfter(created_at, since) !== false);
		return recent.length > 0 ? { found: recent, isClear: true } : { found, isClear: false };
	};
	const { found, odd } = await until(session, look, ({ isClear }) => isClear, { for: pauses.bought });
	const [only, ...more] = found instanceof Error ? [] : found;
	const isMade = (moment: number) => isAfter(only?.created_at, moment + 4_000) === true;
	// Made after the answer: it isn't ours, and ours isn't shown yet. A time to come is another clock's.
	const isLater = isMade(answered) && !isMade(service.client.now());
	// One that can't be read may be ours just as well.
	if (odd === undefined && only !== undefined && more.length === 0 && !isLater) return only;
	throw unknownOutcome(purchase, odd?.error ?? found, cause.message, cause);
}

/** `candidates` is an Error if the list couldn't be read. */
export function unknownOutcome(
	{ criteria }: Purchase,
	candidates: readonly NumberRecord[] | Error,
	why: string,
	cause?: unknown,
): TelephonyError {
	const next = "Nothing else was bought. Check the account's numbers before you run `pulumi up` again";
	const found =
		candidates instanceof Error
			? `Reading the list of numbers failed: ${candidates.message} ${next}.`
			: candidates.length === 0
				? `The account's list has no new number that matches. ${next}.`
				: `It may be one of ${candidates.map(nameOf).join(", ")}. If one is this resource's, name it in \`adopt\`. ${next}.`;
	return new TelephonyError(
		"OutcomeUnknown",
		`A ${criteria.type} number in ${criteria.country} may have been bought: ${why} ${found}`,
		{ operation: "buyNumber", messageCode: "purchase-unknown", cause },
	);
}

/** The error for a refused purchase: nobody can tell who owns these numbers. */
export const uncertain = (candidates: readonly NumberRecord[], why: string): TelephonyError =>
	new TelephonyError(
		"OutcomeUnknown",
		`${why} It may be ${candidates.map(nameOf).join(" or ")}. If it is this resource's, set \`adopt: ${JSON.stringify(candidates[0]?.id)}\`. If something else uses it, give it a label or routing. Otherwise release it.`,
		{ operation: "buyNumber", messageCode: "purchase-unknown" },
	);

/**
 * An unreadable number may be one that an earlier run bought, unless its readable fields say otherwise. Of a list that
 * shows nothing readable, no answer to a purchase can be expected to be.
 */
export function refuseUnreadable(purchase: Purchase, readable: readonly NumberRecord[]): void {
	const odd = oddIn(purchase, readable, purchase.service.numbers.unreadable());
	if (odd === undefined) return;
	throw new TelephonyError(
		"ContractMismatch",
		`Nothing was bought: the account has a number that can't be read and may be this resource's. ${odd.error.message}`,
		{ operation: "listNumbers", cause: odd.error },
	);
}

/** One that can't be read, and that may be this resource's. Before a purchase there is none. */
function oddIn(
	{ claim, criteria }: Purchase,
	readable: readonly NumberRecord[],
	unreadable: readonly Unreadable[],
): Unreadable | undefined {
	const isOthers = ({ fields }: Unreadable) =>
		(typeof fields.reference === "string" && parseReference(fields.reference)?.token !== claim.token) ||
		(["country", "type", "area"] as const).some(
			(key) => criteria[key] !== undefined && fields[key] != null && fields[key] !== criteria[key],
		);
	return unreadable.find((each) => readable.length === 0 || !isOthers(each));
}
