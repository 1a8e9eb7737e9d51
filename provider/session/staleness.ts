/**
 * Responses that lag behind what this state knows. An older or still reconciling response isn't drift, and a young object
 * that is missing isn't lost. They are read again for ten seconds before they are believed.
 */
import { isNotFound, isTelephonyError, unlisted } from "../api/errors";
import { lagMs, patienceMs, pauses, until } from "../api/until";
import { compareTimes, instantOf } from "../properties/canonical";
import { withoutOpen } from "../properties/open";
import type { Properties, Values } from "../properties/table";
import type { SavedObject } from "../reads/account-check";
import type { Seen, SharedReads } from "../reads/reads";
import type { Service, Session } from "./session";

export interface Dated {
	readonly created_at?: string | null | undefined;
	readonly updated_at?: string | null | undefined;
	/** True while the service carries out a change. It may still show the old values. */
	readonly reconciling?: boolean | undefined;
}

/** Reads until the response is as new as the outputs `known` and not reconciling, for ten seconds at most. */
export async function settled<R extends Dated>(
	session: Session,
	service: Service,
	saved: Values,
	read: () => Promise<R>,
): Promise<R> {
	const doubts = doubtful<R>(session, service, saved);
	const passes = (error: unknown) => isNotFound(error) && doubts(undefined);
	return until(session, read, (record) => !doubts(record), { for: pauses.known, passes });
}

/** Returns the result of a write, once the service has carried it out. */
export const applied = async <R extends Dated>(
	session: Session,
	service: Service,
	record: R,
	read: () => Promise<R>,
): Promise<R> =>
	record.reconciling === true ? settled(session, service, { updatedAt: record.updated_at }, read) : record;

/** Returns a filter for responses that are older than `known`, still reconciling, or miss a young object. */
const doubtful =
	<R extends Dated>(session: Session, service: Service, saved: Values) =>
	(record: R | undefined): boolean =>
		record === undefined
			? isYoung(session, service, saved.createdAt)
			: record.reconciling === true || isOlder(record.updated_at, saved.updatedAt);

interface SettledRead<R extends { readonly id: string }> {
	readonly object: SavedObject;
	readonly reads: SharedReads<R>;
	/** True if the list shows too little of the object. */
	isPartial(record: R): boolean;
}

/** Reads an object of the state through the shared reads. "Not found" needs a proven account. */
export async function settledRead<R extends Dated & { readonly id: string }>(
	session: Session,
	service: Service,
	{ object, reads, isPartial }: SettledRead<R>,
): Promise<R> {
	const { id, saved } = object;
	const isDoubtful = doubtful<R>(session, service, saved);
	try {
		// An object that a program only looks up isn't this state's.
		if (saved.token === undefined) return await reads.read(id, { isDoubtful });
		return await service.account.judge(object, () => reads.read(id, { isDoubtful, isPartial }));
	} catch (error) {
		const { phoneNumber, pool } = saved;
		if (!isTelephonyError(error, "Unlisted")) throw error;
		throw unlisted(typeof phoneNumber === "string" ? `${phoneNumber} (${id})` : id, pool !== undefined);
	}
}

/**
 * Returns true if a value that the state has is missing from what was read: a list may show less than a single read. A
 * live null isn't missing: the value was cleared.
 */
export const isPartial = (properties: Properties, saved: Values, outputs: Values, live: Values): boolean =>
	Object.entries(withoutOpen(saved)).some(
		([key, value]) =>
			key !== "__provider" &&
			value != null &&
			(outputs[key] == null || properties[key]?.leftOut) &&
			live[key] === undefined,
	);

/** Returns a filter for a wait that begins now: it drops responses that are older than the saved record. */
export function lagBehind(session: Session, service: Service): (saved: Dated, found: Seen<Dated>) => boolean {
	const started = session.clock.now();
	return (saved, found) => {
		if ("record" in found) return isOlder(found.record.updated_at, saved.updated_at);
		const early = session.clock.now() - started < patienceMs;
		return early && isNotFound(found.error) && isYoung(session, service, saved.created_at);
	};
}

/** Returns the live objects before a create. Without keys, an object that one scan misses would be made twice. */
export async function liveBefore<R extends { readonly id: string }>(
	service: Service,
	reads: SharedReads<R>,
): Promise<readonly R[]> {
	// The first scan shows what the service offers.
	const seen = await reads.all();
	return isKeyed(service) ? seen : reads.all(2);
}

/** False if a time is unknown. */
const isOlder = (a: unknown, b: unknown): boolean => compareTimes(a, b) < 0;

/** True if the service is known to honor idempotency keys. */
export const isKeyed = ({ client }: Pick<Service, "client">): boolean =>
	client.knows("idempotencyKey") && client.offers("idempotencyKey");

const dayMs = 86_400_000;
/** The least difference of two time zones. Clocks differ by less. */
const leastZoneMs = 15 * 60_000;

/**
 * Returns the age in ms, by the service's clock or ours: the smaller one, as either may be wrong. A date counts to its end.
 * NaN if unknown, also for a time that is far in the future by both clocks: it is in another zone than it seems.
 */
export function ageOf({ clock }: Session, { client }: Service, createdAt: unknown): number {
	const isDate = typeof createdAt === "string" && !/T/i.test(createdAt);
	const made = instantOf(createdAt) + (isDate ? dayMs : 0);
	const ages = [client.now(), clock.now()].map((time) => time - made).filter((age) => age > -leastZoneMs);
	return ages.length === 0 ? Number.NaN : Math.min(...ages);
}

/** True for an object that is younger than a minute: some reads may not show it yet. */
export const isYoung = (session: Session, service: Service, createdAt: unknown): boolean =>
	ageOf(session, service, createdAt) < lagMs;

/** True if made after `moment` (service time); undefined if unknown. Allows 2 s for times in whole seconds. */
export function isAfter(createdAt: string | null | undefined, moment: number): boolean | undefined {
	const made = instantOf(createdAt);
	return Number.isNaN(made) ? undefined : made >= moment - 2_000;
}
