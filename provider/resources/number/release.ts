/** Releases a number: step 5 of rule 2 in docs/guarantees.md. Only a saved `onDelete: "release"` releases it. */
import type { Removal } from "../../api/client";
import { type NumberRecord, type PatchNumber, unreadFieldsOf } from "../../api/contract";
import { isNotFound, isTelephonyError, isTransient, TelephonyError } from "../../api/errors";
import { isReleasedOrFailed, nameOf } from "../../api/record";
import type { Waiter } from "../../api/until";
import { isReferenced } from "../../lifecycle/acquire";
import { confirmRemoval } from "../../lifecycle/confirm";
import type { Run } from "../../lifecycle/definition";
import { parseUrn } from "../../ownership/claim";
import { canonicalNumber } from "../../properties/canonical";
import { urnOf, type Values } from "../../properties/table";
import { unless } from "../../reads/shared";
import type { Service, Session } from "../../session/session";
import { isYoung } from "../../session/staleness";
import { countedRelease } from "./limits";

/** @throws TelephonyError; the number is then as it was */
export async function releaseNumber(run: Run<NumberRecord>, record: NumberRecord): Promise<void> {
	const { session, service } = run;
	const { client, numbers } = service;
	try {
		await countedRelease(session, service, () =>
			releaseConfirmed(session, record, {
				release: () => client.numbers.release(record.id),
				read: () => numbers.readCurrent(record.id),
				patch: (body) => client.numbers.patch(record.id, body),
			}),
		);
	} catch (error) {
		throw withFix(error, record);
	}
	session.progress.inform("released", `Released ${nameOf(record)}.`);
}

/** The requests of a release, which the command `telephony release` sends too. */
interface ReleaseRequests {
	release(): Promise<Removal>;
	/** Reads the number as it is now. */
	read(): Promise<NumberRecord>;
	patch(body: PatchNumber): Promise<unknown>;
}

/** Releases the number, and confirms it. A service may refuse while the number has a routing, which is cleared then. */
export async function releaseConfirmed(waiter: Waiter, record: NumberRecord, requests: ReleaseRequests): Promise<void> {
	// A routing that can't be read whole can't be written back.
	const routing = unreadFieldsOf(record).has("routing") ? undefined : record.routing;
	const release = () =>
		confirmRemoval(waiter, {
			what: `number ${nameOf(record)}`,
			remove: requests.release,
			read: requests.read,
			isOver: isReleasedOrFailed,
		});
	try {
		return await release();
	} catch (error) {
		if (!isTelephonyError(error) || error.errorCode !== "number_in_use" || !routing) throw error;
	}
	try {
		await requests.patch({ routing: null });
		await release();
	} catch (error) {
		if (!isNotFound(error)) await restoreRouting(requests, routing, error);
		throw error;
	}
}

/** Calls must arrive as before at a number that stays. @throws TelephonyError if the routing can't be written back */
async function restoreRouting(
	{ patch }: ReleaseRequests,
	routing: NumberRecord["routing"],
	cause: unknown,
): Promise<void> {
	try {
		// The service's own record is sent back as it was.
		await patch({ routing } as PatchNumber);
	} catch (error) {
		if (!isTelephonyError(error) || isNotFound(error)) return;
		throw new TelephonyError(
			error.kind,
			`The routing was cleared for the release and couldn't be written back: ${error.message} Run \`pulumi up --refresh\` to restore it. The release failed before: ${(cause as Error).message}`,
			{ cause: error },
		);
	}
}

/** Returns the cost of a retained number, and how to release it. */
export function whenRetained({ id, number, price, reference }: NumberRecord, outs: Values): string {
	const monthly = price?.monthly;
	const cost = monthly == null ? "for it" : `${monthly.amount} ${monthly.currency} a month`;
	if (reference === undefined)
		return `You are still billed ${cost}. The service keeps no references, so no later run recognizes the number: note its id. To use it again, set \`adopt: ${JSON.stringify(id)}\`. To release it, use the service's dashboard, or a program that adopts it with \`onDelete: "release"\`.`;
	const { project, stack } = parseUrn(urnOf(outs));
	const name = typeof outs.organization === "string" ? `${outs.organization}/${project}/${stack}` : stack;
	return `You are still billed ${cost}. To release it, run \`telephony release ${number ?? id} --stack ${name}\`.`;
}

/**
 * A service may lag a minute behind its own sale: a younger number may exist even if it isn't found. It may also have given
 * the number another id.
 * @throws TelephonyError Unavailable, Conflict, unless the number certainly no longer exists
 */
export async function assertNotJustBought(
	{ session, service }: { readonly session: Session; readonly service: Service },
	{ id, props }: { readonly id: string; readonly props: Values },
	cause: unknown,
): Promise<void> {
	await assertNotRenamed({ session, service }, { id, props });
	// An error without a status comes from this run, not from the service.
	const isFromService = isTelephonyError(cause) && cause.status !== undefined;
	if (!isFromService || !isYoung(session, service, props.createdAt) || (await service.account.isDeleted(id))) return;
	const name = nameOf({ id, number: typeof props.phoneNumber === "string" ? props.phoneNumber : null });
	throw new TelephonyError(
		"Unavailable",
		`${name} was bought less than a minute ago, and the service doesn't list it yet. Nothing was changed. Run again in a minute.`,
		{ messageCode: "not-shown", cause },
	);
}

/** @throws TelephonyError if the list has the phone number under another id, and the service keeps no claim on it */
async function assertNotRenamed(
	{ session, service }: { readonly session: Session; readonly service: Service },
	{ id, props: { phoneNumber, adopt, lease } }: { readonly id: string; readonly props: Values },
): Promise<void> {
	// A reference shows whose number it is, and the next create adopts a number that `adopt` names by its E.164.
	const isShown = isReferenced(service, []) && lease !== "";
	if (isShown || (typeof adopt === "string" && canonicalNumber(adopt) === phoneNumber)) return;
	const { number: memory } = session.memory;
	const isSame = (record: NumberRecord) =>
		record.id !== id && record.number != null && canonicalNumber(record.number) === phoneNumber;
	if (typeof phoneNumber !== "string") return;
	const live = await unless((error) => isTelephonyError(error) && !isTransient(error), service.numbers.all());
	const same = live?.find((record) => isSame(record) && !record.reference && !isReleasedOrFailed(record));
	// Another resource may have adopted it.
	if (same === undefined || memory.holderOf(same.id) !== undefined || memory.older.has(same.id)) return;
	throw new TelephonyError(
		"Conflict",
		`The account has no number with the id ${id}, but has ${phoneNumber} with the id ${same.id}. Nothing was changed. To use this number, run \`pulumi state delete\` for the resource, and set \`adopt: ${JSON.stringify(same.id)}\`.`,
	);
}

/** Adds to a refusal how to forget the number instead. */
function withFix(error: unknown, record: NumberRecord): unknown {
	if (!isTelephonyError(error, "Conflict") && !isTelephonyError(error, "NotOffered")) return error;
	return new TelephonyError(
		error.kind,
		`The number ${nameOf(record)} was not released: ${error.message} To retain it, set \`onDelete: "retain"\` and run \`pulumi up\` before you remove it.`,
		{ cause: error },
	);
}
