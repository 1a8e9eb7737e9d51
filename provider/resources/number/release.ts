/** Deletes a number: rule 2 of design.md. Only a saved `onDelete: "release"` releases it. */
import type { Client } from "../../api/client";
import type { NumberRecord } from "../../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import type { Run } from "../../lifecycle/definition";
import { isMissed, leave, removalOf } from "../../lifecycle/removal";
import { identityFor } from "../../lifecycle/resource";
import { type Identity, parseUrn } from "../../ownership/claim";
import type { Memory } from "../../ownership/memory";
import type { Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { isYoung, settled } from "../../session/staleness";
import { countedRelease } from "./limits";

/** Releases the number, or leaves it on the account, as the saved outputs say. */
export async function releaseNumber(run: Run<NumberRecord>, id: string, props: Values): Promise<void> {
	const { session, service, definition } = run;
	const { client, numbers } = service;
	const memory = session.memory.number;
	const claim = identityFor(definition.source, props, service);
	// 1. A number that isn't found on the right account is done.
	const record = await findNumber(run, claim, id, props);
	if (record === undefined) return;

	// 2 and 3. A number that is claimed by another, or still declared, stays.
	const target = { claim, record, outs: props, what: `number ${nameOf(record)}` };
	const reason = retainedBecause(memory, record, props);
	const removal = removalOf(session, memory, target, reason !== undefined);

	// 4. A retained number is left.
	if (removal === "left") {
		await leave(memory, { ...target, reads: numbers, patch: (body) => client.numbers.patch(id, body) });
		warnOfLeft(session, record, props, reason);
	}

	// 5. Any 2xx response to the release counts.
	if (removal !== "removed") return;
	try {
		await countedRelease(session, service, () => releaseAtService(client, record));
	} catch (error) {
		if (!isGone(error)) throw withFix(error, record);
	}
	numbers.wrote(id);
	memory.forget(id);
}

/** Returns why a delete leaves the number on the account; undefined if it releases the number. */
export function retainedBecause(
	memory: Memory,
	{ id, release_protection: isProtected }: Pick<NumberRecord, "id" | "release_protection">,
	props: Values,
): string | undefined {
	if (props.onDelete !== "release") return "`onDelete` is `retain`";
	if (props.releaseProtection === true || isProtected === true) return "`releaseProtection` is set";
	return isMissed(memory, id, props) ? "its resource replaced it and was set to keep it" : undefined;
}

/** Returns the number as it is now; undefined if it certainly no longer exists. */
async function findNumber(
	run: Run<NumberRecord>,
	claim: Identity,
	id: string,
	props: Values,
): Promise<NumberRecord | undefined> {
	const { session, service, definition } = run;
	try {
		const read = () => settled(session, service, props, () => service.numbers.readCurrent(id));
		const record = await service.account.judge({ kind: definition.noun, id, claim, saved: props }, read);
		return isReleasedOrFailed(record) ? undefined : record;
	} catch (error) {
		if (!isGone(error)) throw error;
		await assertNotJustBought(run, { id, props }, error);
		return undefined;
	}
}

function warnOfLeft({ progress }: Session, record: NumberRecord, props: Values, reason: string | undefined): void {
	const urn = String(props.resourceUrn ?? "");
	const rent = record.price?.monthly;
	const cost = rent == null ? "for it" : `${rent.amount} ${rent.currency} a month`;
	progress.warn(
		urn,
		"kept",
		`Left number ${nameOf(record)} on the account, because ${reason}. You are still billed ${cost}. To release it, run \`telephony release ${record.number ?? record.id} --stack ${parseUrn(urn).stack}\`.`,
	);
}

/**
 * A service may lag a minute behind its own sale: a younger number may exist even if it isn't found.
 * @throws TelephonyError Unavailable, unless the number certainly no longer exists
 */
export async function assertNotJustBought(
	{ session, service }: { readonly session: Session; readonly service: Service },
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

/** Releases the number. Some services want its routing cleared first. */
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

/** Adds to a refusal how to forget the number instead. */
function withFix(error: unknown, record: NumberRecord): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The number ${nameOf(record)} was not released: ${error.message} To leave it on the account, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}
