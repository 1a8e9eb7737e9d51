/** The end of a number: released once, and only if rule 2a allows it, as it may be gone for ever. */

import type { Client } from "../../api/client";
import type { NumberRecord } from "../../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { codeOf } from "../../api/message-codes";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { othersMs } from "../../api/until";
import { clearReference, mayRemove } from "../../lifecycle/claimed";
import { type Claimant, identityFor } from "../../lifecycle/resource";
import { decideRelease, type ReleaseFacts, type Remembered } from "../../ownership/beside";
import { declarationOf, type Identity } from "../../ownership/claim";
import type { Memory } from "../../ownership/memory";
import { ownership } from "../../ownership/ownership";
import { parseReference } from "../../ownership/reference";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { isYoung, settled } from "../../session/staleness";
import { matchesName, rememberedBy } from "./beside";
import { holdRelease, releasing } from "./limits";
import { changedCriteria, numberClaim } from "./properties";
import { type Refusal, refusal } from "./refusal";

/** Releases the number for `destroy`, a removed declaration or a replacement, unless it is kept, or that is refused. */
export async function releaseNumber(
	session: Session,
	id: string,
	props: Values,
	kind: Claimant = numberClaim,
): Promise<void> {
	const service = await session.service();
	const record = await found(session, service, id, props);
	if (record === undefined) return;
	const claim = identityFor(kind, props, service);
	const going: Going = { session, service, claim, record, props, what: `number ${nameOf(record)}` };
	const early = decideRelease(factsOf(going));
	const others = early === "look" ? await othersOf(going) : [];
	// The rest may have changed during that look.
	const verdict =
		early === "look" ? decideRelease({ ...factsOf(going), remembered: rememberedOf(going, others) }) : early;
	switch (verdict) {
		case "kept":
			return keep(going);
		case "replaced":
			throw duplicatePurchaseError(going);
		case "retained":
			return retain(going);
		case "not ours":
			return void mayRemove(session, { claim, record, entry: props, what: going.what });
		case "adopted":
			throw adoptedError(going);
		case "release":
			return release(going, () => releaseNumber(session, id, props, kind));
		default:
			throw refusal(verdict, refusedOf(going, others));
	}
}

/** `again` decides once more when a successor is bought. */
async function release(going: Going, again: () => Promise<void>): Promise<void> {
	const { session, service, record } = going;
	const { id } = record;
	const isDeferred = waitsForSuccessor(going, again);
	const held = isDeferred ? undefined : await holdRelease(session, service);
	// Only what really goes frees what it remembers.
	session.memory.number.going.add(id);
	if (isDeferred) return;
	try {
		await releasing(held, () => releaseAtService(service.client, record, isNamed(going)));
	} catch (error) {
		if (!isGone(error)) throw notReleased(error, going.what);
	}
	service.numbers.wrote(id);
	session.memory.number.forget(id);
}

/** A number whose entry is to go. */
export interface Leaving {
	readonly session: Pick<Session, "memory">;
	readonly service: Pick<Service, "config">;
	readonly claim: Identity;
	readonly record: NumberRecord;
	/** The entry's outputs. */
	readonly props: Values;
}

interface Going extends Leaving {
	readonly session: Session;
	readonly service: Service;
	/** The number in messages. */
	readonly what: string;
}

/** As it is now; undefined if it is certainly gone. */
async function found(session: Session, service: Service, id: string, props: Values): Promise<NumberRecord | undefined> {
	try {
		const look = () => settled(session, service, props, () => service.numbers.now(id));
		const record = await service.presence.judge(id, String(props.account ?? ""), look);
		return isReleasedOrFailed(record) ? undefined : record;
	} catch (error) {
		if (!isGone(error)) throw error;
		await assertNotJustBought(session, service, { id, props }, error);
		return undefined;
	}
}

/** The declaration of this run that has held it. Without references, only this run knows that. */
function takerOf({ session: { memory }, record, props }: Leaving): string | undefined {
	const held = [memory.number.holderOf(record.id), props.token];
	return held.find((token): token is string => typeof token === "string" && memory.number.declares(token));
}

/** What that declaration has now. */
function takenInstead({ session: { memory }, record }: Leaving, taker: string): string | undefined {
	const id = memory.number.idOf(taker);
	return id === record.id ? undefined : id;
}

function keep(going: Going): void {
	const { session, record, props, what } = going;
	session.progress.warn(
		String(props.resourceUrn ?? ""),
		"kept",
		`Kept ${what}: this program still declares it. It is taken over, not released. To get a different one, change \`generation\`.`,
	);
	// A replacement may delete before it creates: the create finds the number here.
	session.memory.number.setHolder(String(takerOf(going)), record.id);
}

/** Leaves it on the account, unclaimed. */
async function retain({ session, service, claim, record, props, what }: Going): Promise<void> {
	const { id } = record;
	if (ownership(claim, record, props) === "ours")
		await clearReference(service.numbers, id, () => service.client.numbers.patch(id, { reference: null }));
	service.numbers.wrote(id);
	session.memory.number.forget(id);
	session.progress.warn(
		String(props.resourceUrn ?? ""),
		"kept",
		`Kept ${what} on the account, because \`onDelete: "retain"\` says so. It goes on costing money.`,
	);
}

/** `telephony:release` names it. */
const isNamed = ({ service, record }: Leaving): boolean =>
	service.config.release.some((wanted) => matchesName(record, wanted));

export function factsOf(going: Leaving): ReleaseFacts {
	const { session, claim, record, props } = going;
	const { number: memory, pool } = session.memory;
	const taker = takerOf(going);
	const successor = successorOf(going);
	return {
		declared: taker === undefined ? undefined : takenInstead(going, taker) === undefined ? "it" : "another",
		isRetained: props.onDelete === "retain",
		isOurs: ["ours", "unknown"].includes(ownership(claim, record, props)),
		isAdopted: [memory, pool].some((each) => each.adopts((wanted) => matchesName(record, wanted))),
		isNamed: isNamed(going),
		successor: successor && {
			isAsked:
				successor.inputs.allowReplacement === true || (successor.inputs.generation ?? 0) !== (props.generation ?? 0),
			isSame: changedCriteria(props, successor.inputs).length === 0,
		},
		isProtected: props.releaseProtection === true,
	};
}

export function rememberedOf({ session, props }: Leaving, others: readonly NumberRecord[]): Remembered {
	const memory = session.memory.number;
	const isOwn = (token: string) => declarationOf({ token }) === declarationOf({ token: String(props.token) });
	return others.map((other) => {
		const token = tokenOf(memory, other);
		return {
			isAllowed: isOwn(token) && memory.declaredLike(token)?.inputs.allowReplacement === true,
			isLeaving: memory.going.has(other.id),
		};
	});
}

const successorOf = ({ session: { memory }, props }: Leaving) =>
	memory.number.declaredAt(props.resourceUrn) ?? memory.number.declaredLike(String(props.token));

const tokenOf = (memory: Memory, { id, reference }: NumberRecord): string =>
	parseReference(reference)?.token ?? memory.holderOf(id) ?? "";

/** The numbers that remember it. The deletes of undeclared ones come at about the same time as this one. */
async function othersOf({ session, service, claim, record, props }: Going): Promise<NumberRecord[]> {
	const memory = session.memory.number;
	const others = await rememberedBy(session, service, claim, record, props);
	const mayLeave = (other: NumberRecord) =>
		memory.declaredLike(tokenOf(memory, other)) === undefined && !memory.going.has(other.id);
	for (; others.some(mayLeave); memory.waitedForOthers += othersMs.tick) {
		if (memory.waitedForOthers >= othersMs.leaving || session.ending.aborted) break;
		await session.clock.sleep(othersMs.tick, session.ending);
	}
	return others;
}

function refusedOf(going: Going, others: readonly NumberRecord[]): Refusal {
	const { session, record, props, what } = going;
	const memory = session.memory.number;
	const other = others.find(({ id }) => !memory.going.has(id));
	return {
		what,
		id: record.id,
		props,
		wanted: successorOf(going)?.inputs,
		isConfigured: Object.values(session.memory).some(({ declaresAny }) => declaresAny),
		other: other && { name: nameOf(other), urn: memory.declaredLike(tokenOf(memory, other))?.inputs.resourceUrn },
	};
}

/** If the engine deletes first, the number goes once its successor is bought. */
function waitsForSuccessor({ session, record, props, what }: Going, work: () => Promise<void>): boolean {
	const memory = session.memory.number;
	const successor = memory.declaredLike(String(props.token));
	if (successor === undefined || memory.idOf(successor.token) !== undefined) return false;
	memory.defer(successor.token, work);
	session.progress.warn(
		String(props.resourceUrn ?? ""),
		"kept",
		`Kept ${what} until this run has bought its successor. If that fails, the number stays on the account: take it back with \`adopt: ${JSON.stringify(record.id)}\`, or release it in the service's dashboard.`,
	);
	return true;
}

/** Another resource is to take it over. If that has failed, the number must still be there for its next try. */
const adoptedError = ({ what }: Going): TelephonyError =>
	new TelephonyError(
		"Conflict",
		`The ${what} was not released: another resource of this program names it in \`adopt\`, and has not taken it over. Run \`pulumi up\` again once that resource has no error; to really release the number, remove it from \`adopt\`.`,
		{ messageCode: "kept" },
	);

/**
 * A service may lag a minute behind its own sale: a younger number may exist even if it isn't found.
 * @throws TelephonyError Unavailable, unless the number is certainly gone
 */
export async function assertNotJustBought(
	session: Session,
	service: Service,
	{ id, props }: { readonly id: string; readonly props: Values },
	cause: unknown,
): Promise<void> {
	// An error without a status comes from this run, not from the service.
	const isTold = isTelephonyError(cause) && cause.status !== undefined;
	if (!isTold || !isYoung(session, service, props.createdAt) || (await service.presence.isGone(id))) return;
	const name = nameOf({ id, number: typeof props.number === "string" ? props.number : null });
	throw new TelephonyError(
		"Unavailable",
		`${name} was bought less than a minute ago, and the service doesn't show it yet. Nothing was changed. Run again in a minute.`,
		{ messageCode: "not-shown", cause },
	);
}

/** If the engine deletes first, the old number is released once its successor is bought. */
export async function releasePredecessor({ memory, progress }: Session, claim: Identity, urn: string): Promise<void> {
	try {
		await memory.number.deferred(claim.token)?.();
	} catch (error) {
		const { message } = error as Error;
		progress.warn(urn, codeOf(message) ?? "kept", `The number that this one replaces was not released. ${message}`);
	}
}

/** The service didn't show the old number as this resource's, or not yet, so that the create bought another one. */
function duplicatePurchaseError(going: Going): TelephonyError {
	const { what } = going;
	const other = takenInstead(going, String(takerOf(going)));
	return new TelephonyError(
		"Conflict",
		`The ${what} was not released: this program still declares it, but has ${other} in its place, because the service didn't show that the old one is this resource's. To keep the old one, release ${other} in the service's dashboard and run \`pulumi up --refresh\`; if that refuses the old one, name it with \`adopt\`. To keep ${other}, release the old one in the dashboard and run \`pulumi up\`.`,
		{ messageCode: "duplicate" },
	);
}

/** Some services refuse to release a number that is still routed somewhere. `isNamed`: its protection no longer counts. */
export async function releaseAtService(client: Client, record: NumberRecord, isNamed: boolean): Promise<void> {
	const { id, routing } = record;
	if (isNamed && record.release_protection === true) await client.numbers.patch(id, { release_protection: false });
	try {
		await client.numbers.release(id);
	} catch (error) {
		const isRouted = isTelephonyError(error, "Conflict") && error.errorCode === "number_in_use" && routing;
		if (!isRouted) throw error;
		await client.numbers.patch(id, { routing: null });
		await client.numbers.release(id);
	}
}

/** The error for a release that the service refuses: why, and how to go on without one. */
function notReleased(error: unknown, what: string): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The ${what} was not released: ${error.message} To keep it on the account and only forget it here, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}
