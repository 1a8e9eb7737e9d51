/** Which numbers on the account a purchase may have bought, when its answer didn't say. */
import type { Unreadable } from "../api/answer";
import type { NumberRecord } from "../api/contract";
import { TelephonyError } from "../api/errors";
import { parseReference } from "./claim";
import type { Acquired, Purchase } from "./purchase";
import { isOver, nameOf } from "./record";
import { ageOf } from "./settled";

/** Of the kind that is asked for, as far as the list shows it, and not known to be another entry's. */
export function isLike({ session, criteria, claim }: Purchase, record: NumberRecord): boolean {
	const holder = session.memory.holderOf(record.id);
	return (
		(holder === undefined || holder === claim.token) &&
		(record.country ?? criteria.country) === criteria.country &&
		(record.type ?? criteria.type) === criteria.type &&
		// Without a wish, the service chooses the area.
		(criteria.area === undefined || (record.area ?? criteria.area) === criteria.area)
	);
}

/** Bought, it seems, and then left alone. */
export const isUntouched = (purchase: Purchase, record: NumberRecord): boolean =>
	isLike(purchase, record) && !record.reference && !record.label && record.routing == null;

/** Milliseconds; undefined where the list doesn't say. */
export function knownAge({ session, service }: Purchase, { created_at }: NumberRecord): number | undefined {
	const age = ageOf(session, service, created_at);
	return Number.isNaN(age) ? undefined : age;
}

const day = 86_400_000;

/** Keys live for a day, and no purchase takes as long; true where the age isn't known. */
export const isOfToday = (purchase: Purchase, record: NumberRecord): boolean => (knownAge(purchase, record) ?? 0) < day;

/**
 * The number that was bought when the answer didn't say which: what the list has now and had not before.
 *
 * `sure` and `perhaps`: like numbers that this run buys at once can't be told apart and needn't be; more candidates than
 * purchases mean that somebody else buys too. `unsure` whether anything was bought: only a single candidate is taken.
 *
 * @throws TelephonyError OutcomeUnknown, naming the candidates; not where there are none and one is due only `perhaps`
 */
export async function findBought(
	purchase: Purchase,
	before: readonly NumberRecord[],
	certainty: "sure" | "unsure",
	cause?: unknown,
): Promise<Acquired>;
export async function findBought(
	purchase: Purchase,
	before: readonly NumberRecord[],
	certainty: "perhaps",
): Promise<Acquired | undefined>;
export async function findBought(
	purchase: Purchase,
	before: readonly NumberRecord[],
	certainty: "sure" | "unsure" | "perhaps",
	cause?: unknown,
): Promise<Acquired | undefined> {
	const { session, service, claim, criteria } = purchase;
	const known = new Set(before.map(({ id }) => id));
	const why = cause === undefined ? "the answer named no number." : (cause as Error).message;
	const look = async () => {
		const now = await service.numbers.fresh().catch((error: Error) => {
			throw certainty === "perhaps" ? error : unknownOutcome(purchase, error, why, cause ?? error);
		});
		return now.filter(
			(record) =>
				// A list that has changed while it was read may not have shown what was there before.
				!known.has(record.id) && isOfToday(purchase, record) && !isOver(record) && isUntouched(purchase, record),
		);
	};
	let candidates = await look();
	if (candidates.length === 0 && certainty !== "unsure") {
		// A list may lag behind a purchase.
		await session.clock.sleep(10_000, session.ending);
		candidates = await look();
	}
	const most = certainty === "unsure" ? 1 : session.memory.underWay(JSON.stringify(criteria));
	const [first] = candidates;
	if (first !== undefined && candidates.length <= most) {
		session.memory.own(claim.token, first.id);
		return first;
	}
	if (first === undefined && certainty === "perhaps") return undefined;
	throw unknownOutcome(purchase, candidates, why, cause);
}

/** `candidates`, or the error that kept them from being looked for. */
export function unknownOutcome(
	{ criteria }: Purchase,
	candidates: readonly NumberRecord[] | Error,
	why: string,
	cause?: unknown,
): TelephonyError {
	const next = "Nothing more was bought. Look at the account's numbers before you run `pulumi up` again";
	const found =
		candidates instanceof Error
			? `The list that would show it could not be read: ${candidates.message} ${next}.`
			: candidates.length === 0
				? `The list shows no new number that could be it. ${next}.`
				: `It may be one of ${candidates.map(nameOf).join(", ")}. If one is yours, take it over with \`adopt\`. ${next}.`;
	return new TelephonyError(
		"OutcomeUnknown",
		`Whether a ${criteria.type} number in ${criteria.country} was bought is unknown: ${why} ${found}`,
		{ operation: "buyNumber", cause },
	);
}

/** Refused for numbers of which nobody knows whose they are. */
export const uncertain = (candidates: readonly NumberRecord[], why: string): TelephonyError =>
	new TelephonyError(
		"OutcomeUnknown",
		`${why} It may be ${candidates.map(nameOf).join(" or ")}. If it is this resource's, take it over with \`adopt: ${JSON.stringify(candidates[0]?.id)}\`. If it belongs to something else, give it a label or routing; on a service without references, also wait a day. If nobody needs it, release it.`,
		{ operation: "buyNumber" },
	);

/** A number that can't be read may be the one that an earlier run has bought, unless what can be read says otherwise. */
export function refuseUnreadable({ claim, criteria }: Purchase, unreadable: readonly Unreadable[]): void {
	const isOthers = ({ fields }: Unreadable) =>
		(typeof fields.reference === "string" && parseReference(fields.reference)?.token !== claim.token) ||
		(["country", "type", "area"] as const).some(
			(key) => criteria[key] !== undefined && fields[key] != null && fields[key] !== criteria[key],
		);
	const odd = unreadable.find((each) => !isOthers(each));
	if (odd === undefined) return;
	throw new TelephonyError(
		"ContractMismatch",
		`Nothing was bought: the account has a number that can't be read, and it may be this resource's. ${odd.error.message}`,
		{ operation: "listNumbers", cause: odd.error },
	);
}
