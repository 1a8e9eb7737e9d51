/** Rule 2a at the service: which numbers a purchase may have left behind, and what remembers a number. */
import type { NumberRecord } from "../../api/contract";
import { isReleasedOrFailed } from "../../api/record";
import { othersMs, pauses, until } from "../../api/until";
import { quietMs } from "../../lifecycle/claimed";
import { isMarked, type Marked, marksOf, marksSaid } from "../../ownership/beside";
import { declarationOf, type Identity, isFor, isSameState } from "../../ownership/claim";
import type { Memory } from "../../ownership/memory";
import { bondsOf } from "../../ownership/ownership";
import { type Bonds, everyMark, formatReference, parseReference, type Reference } from "../../ownership/reference";
import { canonicalE164 } from "../../properties/canonical";
import { writtenName } from "../../properties/phone";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import type { Purchase, ShownNumber } from "./acquisition";
import { criteriaKeys, isLikeCriteria } from "./criteria";

/** What is known of a purchase before it is made. */
export interface Buyer extends Pick<Purchase, "claim" | "inputs" | "criteria"> {
	readonly session: Pick<Session, "memory">;
}

/** What a purchase is compared by: what the numbers are, and not what was declared. */
type NumberKind = Pick<NumberRecord, "country" | "type" | "area">;

/** An area that isn't shown may be any. */
export const isLike = (one: NumberKind, other: NumberKind): boolean => isLikeCriteria(one, other);

/** What a number that this run has bought carries from here on. */
export async function bondsOfPurchase(purchase: Purchase, bought: ShownNumber, account: string): Promise<Bonds> {
	const { session, service, claim, criteria } = purchase;
	const kind = { ...criteria, ...shownKind(bought) };
	// It replaces what its own resource had, as the engine has shown, and stands for no other.
	const isSuccessor = session.memory.number.hasOther(claim.token);
	if (!isSuccessor) session.memory.number.bought.add(bought.id);
	const look = async () => {
		const live = (await service.numbers.all()).filter((record) => !isReleasedOrFailed(record));
		const others = isSuccessor ? [] : live.filter(({ id }) => id !== bought.id);
		return { live, left: others.filter((record) => isLeft(purchase, account, kind, record)) };
	};
	// The program may declare later what seems to be left.
	const isSettled = ({ left }: Awaited<ReturnType<typeof look>>) =>
		left.length === 0 || quietMs(session) >= othersMs.quiet;
	const { live, left } = await until(session, look, isSettled, { for: pauses.heard });
	const own = [bought, ...live].flatMap(({ reference }) => {
		const said = parseReference(reference);
		return said !== undefined && said.beside !== "" && isOwn(claim, said) ? [said.beside] : [];
	});
	const marks = await marksOfLeft(purchase, left, own);
	const beside = claim.kept ? marksOf(marks, own) : exactMarks(marks);
	// What is taken over from another stays, whoever is declared later.
	const doubted = own.length > 0 ? [] : left;
	session.memory.number.remember(
		bought.id,
		beside,
		doubted.map(({ id }) => id),
	);
	// The word that it was bought under stays.
	return { account: bondsOf(bought, {}).account || account, beside };
}

/** A list may lag behind their last write, and a mark names that. Too many share one mark, which nothing more can change. */
async function marksOfLeft(
	{ service, claim }: Purchase,
	left: readonly NumberRecord[],
	own: readonly string[],
): Promise<Marked[]> {
	const marks = left.map((record) => marked(claim, record));
	if (marksOf(marks, own) === everyMark) return marks;
	const fresh = await Promise.all(left.map((record) => service.numbers.again(record.id).catch(() => record)));
	return [...marks, ...fresh.map((record) => marked(claim, record))];
}

const shownKind = (record: ShownNumber): Partial<NumberKind> =>
	Object.fromEntries(criteriaKeys.flatMap((key) => (record[key] == null ? [] : [[key, record[key]]])));

/** Of the numbers that aren't known to be this stack's, each is named or none. */
const exactMarks = (numbers: readonly Marked[]): string => {
	const marks = marksOf(numbers);
	return marks === everyMark ? "" : marks;
};

/** A service without references shows no lease. */
const marked = ({ kept }: Identity, { id, reference }: Pick<NumberRecord, "id" | "reference">): Marked => ({
	id,
	lease: kept ? parseReference(reference)?.lease : undefined,
});

/** Whether this run has found no declaration for it yet, and it may be what the purchase replaces. */
export function isLeft(
	{ session, claim, inputs, criteria }: Buyer,
	account: string,
	kind: NumberKind,
	record: NumberRecord,
): boolean {
	if (session.memory.number.made.has(record.id)) return false;
	const said = parseReference(record.reference);
	// Without references, a like number of the account may be anybody's. No delete of ours asks for another's.
	if (!claim.kept) return said === undefined && isLike(record, kind) && !isDeclared(session, claim, record, said);
	// Most of a large account's numbers are another stack's: what costs more is asked of the rest.
	if (said === undefined || !isOfStack(claim, account, said) || isDeclared(session, claim, record, said)) return false;
	if (isOwn(claim, said)) return !isAsked(inputs, record, said, criteria);
	// Under an owner that the stack had before, it may be what this very resource had.
	return isLike(record, kind) || !isSameState(claim, said);
}

/** Colleagues may have a stack of the same name, each with an owner: only what was made together is one's own then. */
const isOfStack = (claim: Identity, account: string, said: Reference): boolean =>
	(account !== "" && said.account === account) || (isSameState(claim, said) && ["", claim.home].includes(said.home));

/** Whether it was bought for the very same resource. */
export const isOwn = (claim: Identity, said: Reference): boolean =>
	[claim, claim.earlier].some((each) => each !== undefined && declarationOf(each) === declarationOf(said));

/**
 * Whether the program says that this number of its own may go. Check hasn't refused it: after a taint, and with
 * `--replace`, the engine shows no old inputs. Only the reference tells the generation.
 */
function isAsked(inputs: Values, record: NumberRecord, said: Reference, { country, type }: NumberKind): boolean {
	if (inputs.allowReplacement === true) return true;
	const is = { country: record.country ?? country, type: record.type ?? type, area: record.area ?? undefined };
	// Only these have an area, and not every list shows it.
	if (is.type === "geographic" && is.area === undefined) return false;
	const now = [is.area, undefined].map((area) => [is.country, is.type, area, inputs.generation ?? 0]);
	return !now.some((criteria) => isFor(said, criteria));
}

/** Whether a resource of this run has it, or is to have it. */
function isDeclared(
	{ memory }: Pick<Session, "memory">,
	claim: Identity,
	record: NumberRecord,
	said: Reference | undefined,
): boolean {
	const { number: numbers, pool } = memory;
	const holder = numbers.holderOf(record.id);
	if (holder !== undefined && numbers.declares(holder)) return true;
	// What a list that lags shows as this resource's own is another's by now: this one has bought.
	if (said !== undefined && said.token !== claim.token && numbers.declares(said.token)) return true;
	const named = (wanted: string) => matchesName(record, wanted);
	if (numbers.adopts(named) || pool.adopts(named)) return true;
	// Its own resource replaces it, and check has seen that it may.
	return said !== undefined && numbers.declaredLike(said.token)?.hasEntry === true;
}

/** Whether the program or the configuration means this number, by its id or its E.164. */
export function matchesName({ id, number }: Pick<NumberRecord, "id" | "number">, wanted: string): boolean {
	const name = writtenName(wanted);
	return id === name || (number != null && (canonicalE164(number) ?? number) === name);
}

/** What was bought while this number had no declaration of its own, and is still there. */
export async function rememberedBy(
	{ memory }: Session,
	service: Service,
	claim: Identity,
	record: NumberRecord,
	entry: Values,
): Promise<NumberRecord[]> {
	const remembers = remembering(memory.number, claim, record, entry);
	const shown = await service.numbers.all();
	// What this run has bought, and not written yet, is in no list.
	const ids = new Set(shown.map(({ id }) => id));
	const unshown = [...memory.number.besides.keys(), ...memory.number.bought].filter((id) => !ids.has(id));
	const all = [...shown, ...unshown.map((id) => ({ id }) as NumberRecord)];
	const isDeclared = memory.number.declaredAt(entry.resourceUrn) ?? memory.number.declaredLike(String(entry.token));
	if (isDeclared) return all.filter(remembers);
	const mayStandForIt = (other: NumberRecord) =>
		other.id !== record.id && memory.number.bought.has(other.id) && isLike(other, record) && !remembers(other);
	const late = all.filter(mayStandForIt);
	const own = writesOf(claim, record, entry);
	for (const { id } of late) await markLate(memory.number, service, id, own);
	return [...all.filter(remembers), ...late];
}

/** By which marks it is remembered. */
export function writesOf(claim: Identity, record: NumberRecord, entry: Values): Marked[] {
	// A write whose answer was an error may have been carried out: then only the service knows its lease.
	const leases = claim.kept ? [entry.lease, parseReference(record.reference)?.lease] : [];
	const known = leases.filter((each) => typeof each === "string");
	return (known.length > 0 ? known : [undefined]).map((lease) => ({ id: record.id, lease }));
}

/** Whether a number remembers this one, by its marks. */
export function remembering(
	{ besides }: Pick<Memory, "besides">,
	claim: Identity,
	record: NumberRecord,
	entry: Values,
): (other: NumberRecord) => boolean {
	const own = writesOf(claim, record, entry);
	const isOlder = ({ created_at }: NumberRecord) =>
		!(Date.parse(created_at ?? "") <= Date.parse(record.created_at ?? ""));
	const account = parseReference(record.reference)?.account;
	return (other) => {
		const copy = besides.get(other.id);
		if (other.id === record.id || isReleasedOrFailed(other) || (copy === undefined && isBare(other))) return false;
		const said = parseReference(other.reference);
		const isOurs = copy !== undefined || (said !== undefined && (isSameState(claim, said) || said.account === account));
		const isOlderLike = isOlder(other) && isLike(other, record);
		return isOurs && own.some((each) => isMarked(marksSaid(said, copy), each, isOlderLike));
	};
}

/** A list that lags may not have shown the number to this purchase, which remembers it from now on. */
async function markLate({ besides }: Memory, { client, numbers }: Service, id: string, own: readonly Marked[]) {
	const said = parseReference((await numbers.again(id)).reference);
	const beside = marksOf(own, [said?.beside ?? besides.get(id) ?? ""]);
	besides.set(id, beside);
	if (said === undefined) return;
	const reference = formatReference(said, said.lease, { account: said.account, beside });
	numbers.wrote(id, await client.numbers.patch(id, { reference }));
}

/** Most numbers carry no marks, and each of many deletes looks at all. */
const isBare = ({ reference }: NumberRecord): boolean => {
	const end = reference?.indexOf("~") ?? -1;
	return end < 1 || reference?.[end - 1] === ".";
};

/**
 * Declarations that came after the purchase: what seemed to be left has its own. Where nothing is left, the marks go,
 * under the lease that the entry knows.
 */
export function withoutMarks(session: Session, service: Service, claim: Identity, id: string, outs: Values): void {
	const { lease, account } = outs;
	if (!claim.kept || typeof lease !== "string" || lease === "") return;
	session.memory.number.onceDeclared(id, async () => {
		const reference = formatReference(claim, lease, { account: String(account ?? ""), beside: "" });
		const record = await service.client.numbers.patch(id, { reference });
		service.numbers.wrote(id, record);
	});
}
