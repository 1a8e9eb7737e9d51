/** A change counts as done only when the service shows it: rule 6 of docs/guarantees.md. */
import type { Removal } from "../api/client";
import { secretFields } from "../api/contract";
import { isAbsent, isNotFound, TelephonyError } from "../api/errors";
import { isObject } from "../api/json";
import { pauses, until, type Waiter } from "../api/until";
import type { Referenced } from "../ownership/claim";
import { withoutReferences } from "../ownership/kept-references";
import { displayed } from "../properties/display";
import type { Unapplied } from "../properties/spelling";
import { unless } from "../reads/shared";

/** The response shows the object at once, or a read does. A service may lag behind its own write. */
const patience = [0, ...pauses.known];

/**
 * True if a response shows all that the object had before, except what the request has sent and secrets. A service may show
 * only the changed fields, and the others must not count as cleared.
 */
export function isWhole(response: object, before: object, sent: object = {}): boolean {
	const visible = response as Readonly<Record<string, unknown>>;
	return Object.entries(before).every(([field, value]) => {
		if (value == null || field in sent || secretFields.has(field)) return true;
		const current = visible[field];
		if (current === undefined) return false;
		return !isObject(value) || !isObject(current) || isWhole(current, value);
	});
}

interface Written<R> {
	/** The object as the response shows it; undefined if only a read counts. */
	readonly response: R | undefined;
	/** Reads the object as the service has it now. */
	read(): Promise<R>;
	/** True if the record shows what was sent. */
	isShown(record: R): boolean;
}

/** Returns the first record that shows the write; the last one read if none does. */
export async function shownAfterWrite<R>(waiter: Waiter, { response, read, isShown }: Written<R>): Promise<R> {
	let unread = response;
	const readNext = async () => {
		const record = unread ?? (await read());
		unread = undefined;
		return record;
	};
	return until(waiter, readNext, isShown, { for: patience, passes: isAbsent });
}

interface RemovalRequest<R> {
	/** The object's name in messages, such as `number +31201234567 (num_01)`. */
	readonly what: string;
	remove(): Promise<Removal>;
	read(): Promise<R>;
	/** True for an object that has ended, although the service still shows it. */
	isOver(record: R): boolean;
}

/** Removes an object, and reads it unless the response confirms that. @throws TelephonyError if the object is still there */
export async function confirmRemoval<R>(
	waiter: Waiter,
	{ what, remove, read, isOver }: RemovalRequest<R>,
): Promise<void> {
	// A service may respond so to any request that it doesn't know.
	const unfound = (error: unknown): Removal => {
		if (isNotFound(error)) return { isConfirmed: false };
		throw error;
	};
	const { isConfirmed } = await remove().catch(unfound);
	if (isConfirmed) return;
	const findLive = async () => {
		const record = await unless(isAbsent, read());
		return record === undefined || isOver(record) ? undefined : record;
	};
	const live = await until(waiter, findLive, (record) => record === undefined, { for: patience });
	if (live === undefined) return;
	throw new TelephonyError(
		"Conflict",
		`The service still shows the ${what} after the request to remove it. Nothing else was changed. Run again. If it fails again, contact the service's support.`,
		{ messageCode: "not-applied" },
	);
}

/** Returns the error for an object whose reference the service has cut. */
export const referenceCut = (what: string, { id, reference }: Referenced): TelephonyError =>
	new TelephonyError(
		"Conflict",
		`The service has cut the \`reference\` of ${what}: it shows ${JSON.stringify(reference)}. The id is saved. ${withoutReferences} Then run \`pulumi up\` again.`,
		{ messageCode: "reference-cut", values: { ids: [id] } },
	);

/** Returns the error for values that the service accepted, but doesn't show. */
export function notApplied(what: string, unapplied: readonly Unapplied[]): TelephonyError {
	const values = unapplied.map(({ property, declared, live }) =>
		declared === undefined
			? `${property}: not cleared, still ${displayed(live)}`
			: `${property}: declared ${displayed(declared)}, shows ${displayed(live)}`,
	);
	const isCleared = unapplied.some(({ declared }) => declared === undefined);
	const next = isCleared ? " If the value is the service's default, declare it." : "";
	return new TelephonyError(
		"Conflict",
		`The service accepted the change of ${what}, but doesn't show it (${values.join("; ")}). The next \`pulumi up\` tries again.${next}`,
		{ messageCode: "not-applied", values: { unapplied } },
	);
}
