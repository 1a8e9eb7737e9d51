/** Ends a resource's object, or retains it: rule 2 of docs/guarantees.md, for every kind. */
import type { Removal } from "../api/client";
import { isAbsent, isNotFound, isTelephonyError, isTransient } from "../api/errors";
import type { Referenced } from "../ownership/claim";
import { ownership } from "../ownership/ownership";
import { formatReference, isCutTo, retainedLease } from "../ownership/reference";
import { spellingsIn } from "../properties/spelling";
import { lostBody, type Values } from "../properties/table";
import { unless } from "../reads/shared";
import { settled } from "../session/staleness";
import { confirmRemoval, notApplied, referenceCut, shownAfterWrite } from "./confirm";
import { type DeleteAction, decideDelete } from "./decide";
import type { Run } from "./definition";
import { type Claimed, notReplaced, warnOfStay } from "./messages";
import { identityFor, savedObject } from "./resource";

/** Thrown if the service can't remove the object, so that it is retained. The message is the warning. */
export class MustStay extends Error {}

export async function end<R extends Referenced>(run: Run<R>, id: string, outs: Values): Promise<void> {
	const { session, memory, operations, definition } = run;
	const read = () => operations.reads.readCurrent(id);
	const ending = await decideEnding(run, { id, outs }, read);
	if (ending === undefined) return operations.reads.wrote(id);
	const { target, record } = ending;
	let { action, stays } = ending;
	if (action.do === "end") {
		stays = await remove(run, target.what, record, outs);
		if (stays === undefined) return;
		action = { do: "retain", why: "stays" };
	}
	if (action.do === "refuse") throw notReplaced(`The ${target.what} stays`);
	if (action.do === "retain") await retain(run, target, record);
	// The create that follows finds the object, even without a reference.
	if (action.do === "keep" && memory.holderOf(id) === undefined) memory.setHolder(String(outs.token), id);
	const next =
		action.do === "keep"
			? afterReplacement(run, outs)
			: (definition.whenRetained?.(record, outs) ?? "Any stack can adopt it.");
	warnOfStay(session, action, target, { stays, next });
}

/**
 * Returns how to keep an object that the replaced resource was set to retain, and the new resource isn't. With `--replace`,
 * the engine passes no old inputs, so that check can't put back an `adopt` that the program dropped before.
 */
function afterReplacement<R extends Referenced>({ memory, definition }: Run<R>, { token, onDelete }: Values): string {
	const { end } = definition.verbs;
	const successor = typeof token === "string" ? memory.declaredLike(token) : undefined;
	if (onDelete !== "retain" || successor?.inputs.onDelete !== end) return "";
	return ` A later delete will ${end} it, although the replaced resource retained it. To retain it, set \`onDelete: "retain"\` and run \`pulumi up\`.`;
}

interface Ending<R> {
	readonly record: R;
	readonly target: Claimed;
	readonly action: DeleteAction;
	/** Why the service can no longer end the object, as a sentence. */
	readonly stays: string | undefined;
}

/** Gathers the facts of a delete, and decides it. Returns undefined if the object certainly no longer exists. */
export async function decideEnding<R extends Referenced>(
	run: Run<R>,
	{ id, outs }: { readonly id: string; readonly outs: Values },
	read: () => Promise<R>,
): Promise<Ending<R> | undefined> {
	const record = await findObject(run, { id, outs }, read);
	return record === undefined ? undefined : endingOf(run, record, outs);
}

/** Decides the delete of an object that was just read. */
export function endingOf<R extends Referenced>(run: Run<R>, record: R, outs: Values): Ending<R> {
	const { service, memory, definition } = run;
	// The responses so far show what the service keeps, on which a claim depends.
	const claim = identityFor(definition.source, outs, service);
	const stays = definition.stays?.(record);
	const action = decideDelete({
		claim,
		record,
		outs,
		memory,
		stays,
		ending: definition.verbs.end,
		isProtected: definition.isProtected?.(record, outs) === true,
	});
	const target = { claim, record, outs, what: `${definition.noun} ${definition.nameOf(record)}` };
	return { record, target, action, stays };
}

/** Removes the object. Returns why it stays; undefined if it no longer exists. */
async function remove<R extends Referenced>(
	run: Run<R>,
	what: string,
	record: R,
	outs: Values,
): Promise<string | undefined> {
	const { memory, operations, definition } = run;
	try {
		await definition.remove(run, record, outs);
	} catch (error) {
		if (error instanceof MustStay) return `Retained ${what} on the account: ${error.message}`;
		if (!isNotFound(error)) throw error;
	}
	operations.reads.wrote(record.id);
	memory.forget(record.id);
	return undefined;
}

/** Returns the object as it is now; undefined if it certainly no longer exists. */
async function findObject<R extends Referenced>(
	run: Run<R>,
	{ id, outs }: { readonly id: string; readonly outs: Values },
	read: () => Promise<R>,
): Promise<R | undefined> {
	const { session, service, definition } = run;
	try {
		const record = await service.account.judge(savedObject(run, id, outs), () => settled(session, service, outs, read));
		return definition.ended?.(record) === undefined ? record : undefined;
	} catch (error) {
		if (!isNotFound(error)) throw error;
		const moved = await findMoved(run, id, outs);
		if (moved === undefined) await definition.assertNotJustBought?.(run, { id, props: outs }, error);
		return moved;
	}
}

/** Finds the object of this state under another id: a service may give it a new one. Only a lease of this state proves it. */
async function findMoved<R extends Referenced>(
	{ service, operations, definition }: Run<R>,
	id: string,
	outs: Values,
): Promise<R | undefined> {
	const claim = identityFor(definition.source, outs, service);
	const isMoved = (record: R) =>
		record.id !== id &&
		Boolean(record.reference && outs.lease) &&
		ownership(claim, record, outs) === "ours" &&
		definition.ended?.(record) === undefined;
	// Some services have no list, or one that can't be read to its end.
	const live = await unless((error) => isTelephonyError(error) && !isTransient(error), operations.reads.all());
	const listed = live?.find(isMoved);
	const record = listed && (await unless(isAbsent, operations.reads.readCurrent(listed.id)));
	return record && isMoved(record) ? record : undefined;
}

/** Removes an object by one request, and confirms that. */
export async function removeObject<R extends Referenced>(
	{ session, operations, definition }: Run<R>,
	record: R,
	remove: () => Promise<Removal>,
): Promise<void> {
	await confirmRemoval<R>(session, {
		what: `${definition.noun} ${definition.nameOf(record)}`,
		remove,
		read: () => operations.reads.readCurrent(record.id),
		isOver: (latest) => definition.ended?.(latest) !== undefined,
	});
}

/**
 * Marks the reference of an object that stays on the account. Any stack may adopt it.
 * @throws TelephonyError, also if the service has cleared other values and they can't be written back
 */
async function retain<R extends Referenced>(run: Run<R>, { claim, what, outs }: Claimed, record: R): Promise<void> {
	const { session, memory, operations, definition } = run;
	const { reads, patch } = operations;
	const { properties, live } = definition;
	const { id } = record;
	const sent = { reference: formatReference(claim, retainedLease) };
	const { reference } = sent;
	const isShown = ({ reference: current }: Referenced) => current === undefined || current === reference;
	// Calls must arrive as before.
	const lostIn = (current: R) =>
		lostBody(properties, {
			sent,
			before: live(record),
			after: live(current),
			declared: outs,
			spellings: spellingsIn(outs),
		});
	const hasLost = (current: R) => Object.keys(lostIn(current)).length > 0;
	let latest: R | undefined = record;
	if (claim.kept && !isShown(record))
		try {
			const write = async (body: Values) => {
				const response = await patch(id, () => body);
				return shownAfterWrite<R>(session, { response, read: () => reads.readCurrent(id), isShown });
			};
			let current = await write(sent);
			if (hasLost(current)) current = await write({ ...sent, ...lostIn(current) });
			if (isCutTo(current.reference, reference)) throw referenceCut(`the ${what}`, current);
			if (!isShown(current))
				throw notApplied(what, [{ property: "reference", declared: reference, live: current.reference }]);
			latest = current;
		} catch (error) {
			reads.wrote(id);
			// The service may refuse a write and carry it out all the same.
			latest = await reads.readCurrent(id).catch(() => undefined);
			const isDone = latest?.reference === reference && !hasLost(latest);
			if (!isDone && !isTelephonyError(error, "NotOffered")) throw error;
		}
	// A create of this run may adopt it.
	reads.wrote(id, latest);
	memory.forget(id);
}
