/** The end of a number: rule 2 of the design. Only a saved `onDelete: "release"` releases it. */
import type { Client } from "../../api/client";
import type { NumberRecord } from "../../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import { isMissed, leave, removalOf } from "../../lifecycle/removal";
import { type Claimant, identityFor } from "../../lifecycle/resource";
import type { Identity } from "../../ownership/claim";
import { parseUrn } from "../../ownership/claim";
import type { Memory } from "../../ownership/memory";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { isYoung, settled } from "../../session/staleness";
import { countedRelease } from "./limits";
import { numberClaim } from "./properties";

/** Releases the number, or leaves it on the account, as the saved outputs say. Nothing is released that is claimed. */
export async function releaseNumber(
	session: Session,
	id: string,
	props: Values,
	kind: Claimant = numberClaim,
): Promise<void> {
	const service = await session.service();
	const claim = identityFor(kind, props, service);
	const record = await find(session, service, claim, id, props);
	if (record === undefined) return;
	const memory = session.memory.number;
	const going = { claim, record, outs: props, what: `number ${nameOf(record)}` };
	const why = retainedBecause(memory, record, props);
	switch (removalOf(session, memory, going, why !== undefined)) {
		case "left": {
			const { client, numbers } = service;
			await leave(memory, { ...going, reads: numbers, patch: (body) => client.numbers.patch(id, body) });
			return warnOfLeft(session, record, props, why);
		}
		case "removed":
			return release(session, service, record);
		default:
			return;
	}
}

/** Why a delete leaves the number on the account. Undefined if it releases it, as the saved `onDelete` says. */
export function retainedBecause(
	memory: Memory,
	{ id, release_protection: isProtected }: Pick<NumberRecord, "id" | "release_protection">,
	props: Values,
): string | undefined {
	if (props.onDelete !== "release") return "`onDelete` is `retain`";
	if (props.releaseProtection === true || isProtected === true) return "`releaseProtection` is set";
	return isMissed(memory, id, props) ? "its resource replaced it and was set to keep it" : undefined;
}

/** Returns the number as it is now, or undefined if it certainly no longer exists. */
async function find(
	session: Session,
	service: Service,
	claim: Identity,
	id: string,
	props: Values,
): Promise<NumberRecord | undefined> {
	try {
		const read = () => settled(session, service, props, () => service.numbers.now(id));
		const record = await service.account.judge(id, claim, read);
		return isReleasedOrFailed(record) ? undefined : record;
	} catch (error) {
		if (!isGone(error)) throw error;
		await assertNotJustBought(session, service, { id, props }, error);
		return undefined;
	}
}

async function release(session: Session, service: Service, record: NumberRecord): Promise<void> {
	const { id } = record;
	try {
		await countedRelease(session, service, () => releaseAtService(service.client, record));
	} catch (error) {
		if (!isGone(error)) throw explained(error, `number ${nameOf(record)}`);
	}
	service.numbers.wrote(id);
	session.memory.number.forget(id);
}

function warnOfLeft({ progress }: Session, record: NumberRecord, props: Values, why: string | undefined): void {
	const urn = String(props.resourceUrn ?? "");
	const rent = record.price?.monthly;
	const cost =
		rent == null ? "You are still billed for it" : `You are still billed ${rent.amount} ${rent.currency} a month`;
	progress.warn(
		urn,
		"kept",
		`Left number ${nameOf(record)} on the account, because ${why}. ${cost}. To release it, run \`telephony release ${id(record)} --stack ${parseUrn(urn).stack}\`.`,
	);
}

const id = ({ number, id: own }: NumberRecord): string => number ?? own;

/**
 * A service may lag a minute behind its own sale: a younger number may exist even if it isn't found.
 * @throws TelephonyError Unavailable, unless the number certainly no longer exists
 */
export async function assertNotJustBought(
	session: Session,
	service: Service,
	{ id, props }: { readonly id: string; readonly props: Values },
	cause: unknown,
): Promise<void> {
	// An error without a status comes from this run, not from the service.
	const isFromService = isTelephonyError(cause) && cause.status !== undefined;
	if (!isFromService || !isYoung(session, service, props.createdAt) || (await service.account.isGone(id))) return;
	const name = nameOf({ id, number: typeof props.phoneNumber === "string" ? props.phoneNumber : null });
	throw new TelephonyError(
		"Unavailable",
		`${name} was bought less than a minute ago, and the service doesn't list it yet. Nothing was changed. Run again in a minute.`,
		{ messageCode: "not-shown", cause },
	);
}

/** Releases a number that is still routed somewhere too: some services refuse that at first. */
export async function releaseAtService(client: Client, { id, routing }: NumberRecord): Promise<void> {
	try {
		await client.numbers.release(id);
	} catch (error) {
		const isRouted = isTelephonyError(error, "Conflict") && error.errorCode === "number_in_use" && routing;
		if (!isRouted) throw error;
		await client.numbers.patch(id, { routing: null });
		await client.numbers.release(id);
	}
}

/** The error for a release that the service refuses, with the way to forget the number instead. */
function explained(error: unknown, what: string): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The ${what} was not released: ${error.message} To leave it on the account, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}
