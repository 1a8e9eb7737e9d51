/**
 * A service may lag behind what it has told this state before. An older answer is no drift, and neither is one that is
 * still reconciling. A young object that is missing isn't lost. All are read again for a while before they are
 * believed.
 */
import { isGone, isTelephonyError, unlisted } from "../api/errors";
import { lagMs, patienceMs, pauses, until } from "../api/until";
import { stateIdentity } from "../ownership/claim";
import { compareTimes } from "../properties/canonical";
import { withoutOpen } from "../properties/open";
import type { Properties, Values } from "../properties/table";
import type { Seen } from "../reads/poller";
import type { SharedReads } from "../reads/reads";
import type { Service, Session } from "./session";

/** The same in words, for the output `updatedAt`. */
export const lagSays = "never drift; an older response is read again for up to 10 s";

interface Dated {
	readonly created_at?: string | null | undefined;
	readonly updated_at?: string | null | undefined;
	/** A change is still being carried out. Until it is done, the old values may be shown. */
	readonly reconciling?: boolean | undefined;
}

/** Reads until the answer is as new as `known` (a state's outputs) and not reconciling, for ten seconds at most. */
export async function settled<R extends Dated>(
	session: Session,
	service: Service,
	known: Values,
	look: () => Promise<R>,
): Promise<R> {
	const doubts = doubtful<R>(session, service, known);
	const passes = (error: unknown) => isGone(error) && doubts(undefined);
	return until(session, look, (record) => !doubts(record), { for: pauses.known, passes });
}

/** The result of a write. While it is carried out, answers may show the old values instead of those written. */
export const applied = async <R extends Dated>(
	session: Session,
	service: Service,
	record: R,
	look: () => Promise<R>,
): Promise<R> =>
	record.reconciling === true ? settled(session, service, { updatedAt: record.updated_at }, look) : record;

/** Whether an answer is older than `known`, still reconciling, or says that a young object is missing. */
const doubtful =
	<R extends Dated>(
		session: Session,
		service: Service,
		known: Values,
		isBehind = (record: R) => isOlder(record.updated_at, known.updatedAt),
	) =>
	(record: R | undefined): boolean =>
		record === undefined ? isYoung(session, service, known.createdAt) : record.reconciling === true || isBehind(record);

interface SettledRead<R extends { readonly id: string }> {
	readonly id: string;
	/** The entry's outputs. */
	readonly known: Values;
	readonly reads: SharedReads<R>;
	isBehind?(record: R): boolean;
}

/** The same from the shared reads, which doubt for ten seconds in all. An object that is missing then is gone. */
export async function settledRead<R extends Dated & { readonly id: string }>(
	session: Session,
	service: Service,
	{ id, known, reads, isBehind }: SettledRead<R>,
): Promise<R> {
	try {
		const doubts = doubtful<R>(session, service, known, isBehind);
		const look = () => reads.read(id, doubts);
		// What a program only looks up is no entry of its state.
		if (known.token === undefined) return await look();
		return await service.account.judge(id, stateIdentity(known, service.config), look);
	} catch (error) {
		const { phoneNumber, pool } = known;
		if (!isTelephonyError(error, "Unlisted")) throw error;
		throw unlisted(typeof phoneNumber === "string" ? `${phoneNumber} (${id})` : id, pool !== undefined);
	}
}

/**
 * Returns true if a value that the state has is missing from what was read: a list may show less than a single read. A
 * live null isn't missing: the value was cleared.
 */
export const isPartial = (properties: Properties, known: Values, outputs: Values, live: Values): boolean =>
	Object.entries(withoutOpen(known)).some(
		([key, value]) =>
			key !== "__provider" &&
			value != null &&
			(outputs[key] == null || properties[key]?.leftOut) &&
			live[key] === undefined,
	);

/** For a wait that begins now: whether an answer is older than the known record, and is to be ignored. */
export function lagBehind(session: Session, service: Service): (known: Dated, found: Seen<Dated>) => boolean {
	const started = session.clock.now();
	return (known, found) => {
		if ("record" in found) return isOlder(found.record.updated_at, known.updated_at);
		const early = session.clock.now() - started < patienceMs;
		return early && isGone(found.error) && isYoung(session, service, known.created_at);
	};
}

/** The live objects before a create. Without keys, an object that one scan of the list has missed would be made twice. */
export async function liveBefore<R extends { readonly id: string }>(
	service: Service,
	reads: SharedReads<R>,
): Promise<readonly R[]> {
	const seen = await reads.all();
	return isKeyed(service) ? seen : reads.twice();
}

/** An unknown time is not older. */
const isOlder = (one: unknown, other: unknown): boolean => compareTimes(one, other) < 0;

/** Whether a request repeated under the same key is known to be carried out only once. */
export const isKeyed = ({ client }: Pick<Service, "client">): boolean =>
	client.knows("idempotencyKey") && client.offers("idempotencyKey");

/** Milliseconds, by the service's clock or ours: the smaller age, as either clock may be wrong. NaN if unknown. */
export const ageOf = ({ clock }: Session, { client }: Service, createdAt: unknown): number =>
	Math.min(client.now(), clock.now()) - timeOf(createdAt);

/** Whether it was made less than a minute ago: some reads may not show it yet. */
export const isYoung = (session: Session, service: Service, createdAt: unknown): boolean =>
	ageOf(session, service, createdAt) < lagMs;

const timeOf = (time: unknown): number => Date.parse(String(time));
