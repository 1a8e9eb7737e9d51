/** Decides which numbers on the account a declaration may have bought, and which ones a program names. */
import type { BuyNumber, NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf, phaseOf, repeatsName } from "../../api/record";
import type { Unreadable } from "../../api/response";
import type { CreateTarget } from "../../lifecycle/definition";
import { adoptLines } from "../../lifecycle/messages";
import type { Identity } from "../../ownership/claim";
import { isCut, isCutFrom, parseReference } from "../../ownership/reference";
import { canonicalNumber, writtenE164 } from "../../properties/canonical";
import { isShown, scalar } from "../../properties/form";
import { writtenName } from "../../properties/phone";
import { isSpelling } from "../../properties/spelling";
import { liveValues, urnOf, type Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { ageOf, isKeyed } from "../../session/staleness";
import { contradictedCriteria, criteriaOf, differentCriteria, flat, numberProperties } from "./properties";

/** One declaration that needs a number. */
export interface Purchase {
	readonly session: Session;
	readonly service: Service;
	readonly claim: Identity;
	readonly urn: string;
	readonly criteria: BuyNumber;
	readonly inputs: Values;
}

export const purchaseOf = (
	{ session, service }: Pick<Purchase, "session" | "service">,
	{ claim, inputs }: Pick<CreateTarget<NumberRecord>, "claim" | "inputs">,
): Purchase => ({
	session,
	service,
	claim,
	inputs,
	urn: urnOf(inputs),
	criteria: criteriaOf(inputs),
});

/** True without a label of a person or a program: a service may label a number with its own digits. */
const isUnlabeled = (record: NumberRecord): boolean => !record.label || repeatsName(record.label, record);

/** True for a routing without a destination, such as `{ type: "none" }`. */
const isUnrouted = ({ routing }: NumberRecord): boolean =>
	Object.entries(routing ?? {}).every(([field, value]) => undirected.has(field) || !isShown(value));

/** Fields of a routing that name no destination. */
const undirected: ReadonlySet<string> = new Set(["type", "ring_timeout_seconds"]);

/** True if nobody claims, names or routes the number. */
export const isUnused = (record: NumberRecord): boolean =>
	!record.reference && isUnlabeled(record) && isUnrouted(record);

/** True if a declaration of this provider has claimed the number. */
export const isClaimed = ({ reference }: NumberRecord): boolean =>
	parseReference(reference) !== undefined || isCut(reference);

/**
 * True for an unclaimed number whose label and routing are unset or as declared. A run may end between the requests that
 * write them.
 */
function isLikePurchase(inputs: Values, record: NumberRecord): boolean {
	if (isClaimed(record)) return false;
	const live = liveValues(numberProperties, flat(record));
	const isSame = (key: "label" | "routing") =>
		isSpelling(numberProperties[key]?.form ?? scalar, inputs[key], live[key]);
	return (isUnlabeled(record) || isSame("label")) && (isUnrouted(record) || isSame("routing"));
}

const isLikeCriteria = (criteria: Values, record: Values): boolean =>
	contradictedCriteria(criteria, record).length === 0;

/** True if no resource is known to have the number. */
export const isUnclaimed = (purchase: Purchase, record: NumberRecord): boolean =>
	!isClaimed(record) && !isKnown(purchase, record);

/** True if also nothing contradicts the criteria. */
export const isUnclaimedMatch = (purchase: Purchase, record: NumberRecord): boolean =>
	isUnclaimed(purchase, record) && isLikeCriteria(purchase.criteria, record);

/** True for a routing that shows only a type, such as `reject`: another person may have chosen it. */
const hasOnlyType = ({ routing }: NumberRecord): boolean =>
	isShown(routing?.type) &&
	routing?.type !== "none" &&
	Object.keys(routing ?? {}).every((field) => undirected.has(field));

/** True if the number also matches the criteria, and nothing uses it. */
export const isUnusedMatch = (purchase: Purchase, record: NumberRecord): boolean =>
	isUnclaimedMatch(purchase, record) &&
	isUnused(record) &&
	!hasOnlyType(record) &&
	differentCriteria({ ...purchase.criteria }, record).length === 0;

/** True if the state has the number, this run knows it as another resource's, or an `adopt` of this program names it. */
function isKnown({ session, claim }: Purchase, record: NumberRecord): boolean {
	const { number: memory, pool } = session.memory;
	if (memory.isOthers(claim.token, record.id) || memory.older.has(record.id)) return true;
	return [...memory.adopted(), ...pool.adopted()].some((wanted) => matchesName(record, wanted));
}

const day = 86_400_000;

/**
 * True for a number that an interrupted run may still wait for, that has the declared label, or that is younger than a day
 * or of unknown age. The wait for KYC lasts days, and may end before the next run. A carrier may have made the number long
 * before it sells it.
 */
function isRecent({ session, service, inputs }: Purchase, record: NumberRecord): boolean {
	if (["pending", "unknown"].includes(phaseOf(record))) return true;
	if (record.label && record.label === inputs.label) return true;
	const { created_at, updated_at, activated_at } = record;
	const isYoungBy = (time: unknown) => ageOf(session, service, time) < day;
	return !(ageOf(session, service, created_at) >= day) || isYoungBy(updated_at) || isYoungBy(activated_at);
}

/**
 * Returns the matching numbers that an interrupted run may have bought. Their label and routing are unset or as declared. No
 * resource of this state and no `adopt` of this program has them. They have the declared label, or are pending, younger than
 * a day, or of unknown age.
 */
export function candidatesIn(purchase: Purchase, live: readonly NumberRecord[]): NumberRecord[] {
	// A service may give each new number a reference of its own. Otherwise a reference is another program's claim.
	const isGiven = live.every(({ reference }) => reference);
	return live.filter(
		(record) => (isGiven || !record.reference || isOwnCut(purchase, record)) && isCandidate(purchase, record),
	);
}

const isOwnCut = ({ claim }: Purchase, { reference }: NumberRecord): boolean => isCutFrom(reference, claim);

function isCandidate(purchase: Purchase, listed: NumberRecord): boolean {
	const { criteria, inputs } = purchase;
	const record = isOwnCut(purchase, listed) ? { ...listed, reference: null } : listed;
	const isLike = isLikePurchase(inputs, record) && isLikeCriteria(criteria, record);
	return isLike && isRecent(purchase, record) && !isKnown(purchase, record);
}

/** True if the list leaves out what tells whether something uses the number. */
export const isPartlyListed = ({ label, routing }: NumberRecord): boolean =>
	label === undefined || routing === undefined;

/** @throws TelephonyError ContractMismatch if the list has an unreadable number that may be this resource's */
export function assertReadable(purchase: Purchase, readable: readonly NumberRecord[]): void {
	const unreadable = findUnreadable(purchase, readable);
	if (unreadable === undefined) return;
	throw new TelephonyError(
		"ContractMismatch",
		`Nothing was bought: the account has a number that can't be read and may be this resource's. ${unreadable.error.message}`,
		{ operation: "listNumbers", cause: unreadable.error },
	);
}

/**
 * Finds an unreadable number whose readable fields don't rule out that it is this resource's. If the list has no
 * readable number at all, the response to a purchase won't be readable either.
 */
export function findUnreadable(
	{ claim, criteria, service }: Purchase,
	readable: readonly NumberRecord[],
): Unreadable | undefined {
	const isOthers = ({ fields }: Unreadable) =>
		(typeof fields.reference === "string" &&
			parseReference(fields.reference)?.token !== claim.token &&
			!isCutFrom(fields.reference, claim)) ||
		!isLikeCriteria(criteria, fields);
	return service.numbers.unreadable().find((unreadable) => readable.length === 0 || !isOthers(unreadable));
}

/** @param ids the numbers of which one may have been bought */
export const purchaseUnknown = (text: string, cause?: unknown, ids: readonly string[] = []): TelephonyError =>
	new TelephonyError("OutcomeUnknown", text, {
		operation: "buyNumber",
		messageCode: "purchase-unknown",
		values: { ids },
		cause,
	});

/**
 * Returns the error for a purchase whose number isn't known. `candidates` is an Error if the list couldn't be read.
 * @param why the reason, as a sentence
 */
export function unknownOutcome(
	{ criteria, service }: Purchase,
	candidates: readonly NumberRecord[] | Error,
	why: string,
	cause?: unknown,
): TelephonyError {
	const isListed = !(candidates instanceof Error);
	const records = isListed ? candidates : [];
	const list = isListed
		? adoptLines(records, nameOf)
		: `\nReading the list of numbers failed: ${isTelephonyError(candidates) ? candidates.text : candidates.message}`;
	const step = records.length > 0 ? toAdopt : toCheck;
	// Without a mark, a repeated response looks like a new one.
	const mayRepeat = isListed && records.length === 0 && isKeyed(service);
	return purchaseUnknown(
		`A ${criteria.type} number in ${criteria.country} may have been bought, but the service doesn't show which. Nothing else was bought for this resource. ${step}${mayRepeat ? ` ${afterRepeat}` : ""}${list}\n${why}`,
		cause,
		records.map(({ id }) => id),
	);
}

const toAdopt = "If one of these is this resource's, adopt it before you run `pulumi up` again.";
const toCheck = "Check the account's numbers before you run `pulumi up` again.";
const afterRepeat =
	"If another resource has the number, or it was released, give this one another `generation` (a pool has none).";

/** Returns the id of the number that a program names by id or E.164; undefined for an E.164 that the account lacks. */
export async function findId({ numbers }: Service, wanted: string): Promise<string | undefined> {
	return writtenE164(wanted) === undefined ? wanted.trim() : idIn(await numbers.all(), wanted);
}

const idIn = (records: readonly NumberRecord[], wanted: string): string | undefined =>
	records.find((record) => !isReleasedOrFailed(record) && matchesName(record, wanted))?.id;

/** @throws TelephonyError NotFound for an E.164 that the account lacks */
export async function idByName(service: Service, wanted: string): Promise<string> {
	// The program's process may have read the list before its `up` bought the number.
	const id = (await findId(service, wanted)) ?? idIn(await service.numbers.fresh(), wanted);
	if (id !== undefined) return id;
	throw new TelephonyError(
		"NotFound",
		`The account's list has no number ${wanted}. Use the id or E.164 of a number that it shows.`,
	);
}

/** Returns how the number contradicts the criteria; undefined if it doesn't. */
export function contradiction(criteria: BuyNumber, record: NumberRecord): string | undefined {
	const difference = differenceOf(criteria, record);
	if (difference === "") return undefined;
	return `doesn't match the program: ${difference}. Declare these values, or adopt another number.`;
}

function differenceOf(criteria: BuyNumber, record: NumberRecord): string {
	const wrong = contradictedCriteria(criteria, record);
	return wrong
		.map((key) => `its ${key} is ${JSON.stringify(record[key])}, not ${JSON.stringify(criteria[key])}`)
		.join(", ");
}

/** @throws TelephonyError if the service has sold another number than the program declares */
export function assertAsOrdered(inputs: Values, record: NumberRecord): void {
	const difference = differenceOf(criteriaOf(inputs), record);
	if (difference === "") return;
	throw new TelephonyError(
		"Conflict",
		`The service sold another number than the program declares: ${difference}. The number is saved, and you are billed for it. To keep it, declare these values with \`adopt: ${JSON.stringify(record.id)}\`. To buy another one, raise \`generation\`.`,
		{ messageCode: "not-applied", values: { ids: [record.id] } },
	);
}

export function matchesName({ id, number }: Pick<NumberRecord, "id" | "number">, wanted: string): boolean {
	const name = writtenName(wanted);
	return id === name || (number != null && canonicalNumber(number) === name);
}
