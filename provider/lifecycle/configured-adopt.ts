/** Adopted trunks and webhooks: how one is taken over, left on the account, and reported as lost. */

import type { Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { ownership } from "../ownership/ownership";
import type { Values } from "../properties/table";
import type { Session } from "../session/session";
import { type Adoption, adopted } from "./adopt";
import { type Claimed, clearReference, mayRemove } from "./claimed";
import type { Configured, Operations } from "./configured-definition";

/** @throws TelephonyError Invalid, Claimed; in both cases nothing was created or changed. */
export const adoptedObject = <R extends Referenced>(
	{ kind, nameOf }: Configured<R>,
	{ get }: Operations<R>,
	wanted: string,
	run: Pick<Adoption<R>, "session" | "memory" | "claim" | "urn" | "live">,
): Promise<R> =>
	adopted<R>({
		...run,
		wanted,
		noun: kind,
		verbs: { made: "created", end: "delete", ended: "deleted" },
		nameOf,
		get,
		hint: `Name a ${kind} that the account has, by its id, or remove \`adopt\` to create one.`,
		handOver:
			"To hand it over, remove it there with `pulumi state delete`, then clear its reference in the service's dashboard.",
	});

/** What `destroy` does with an adopted object: it existed before this program, so it stays. */
export async function letGo<R extends Referenced>(
	{ progress }: Session,
	memory: Memory,
	{ patch, reads }: Operations<R>,
	{ claim, record, entry, what }: Claimed,
): Promise<void> {
	if (record.reference && ownership(claim, record, entry) === "ours")
		await clearReference(reads, record.id, () => patch(record.id, () => ({ reference: null })));
	reads.wrote(record.id);
	memory.forget(record.id);
	progress.warn(
		String(entry.resourceUrn ?? ""),
		"kept",
		`Kept ${what} on the account, because \`adopt\` took it over. If nobody needs it any more, delete it in the service's dashboard.`,
	);
}

/** Whether delete removes it. The old object of a replacement stays if this run has taken it over. */
export function isToBeRemoved(session: Session, memory: Memory, going: Claimed): boolean {
	const { claim, record, entry, what } = going;
	// A service without references can't show that it was taken over: there, a replacement is a different object.
	const current = claim.kept ? undefined : memory.idOf(String(entry.token));
	if (current !== undefined && current !== record.id) return true;
	const isDeclared = [memory.holderOf(record.id), String(entry.token)].some(
		(token) => token !== undefined && memory.declares(token),
	);
	// What was adopted stays on the account, whoever has claimed it.
	if (!isDeclared && entry.adopt !== undefined) return true;
	if (!isDeclared) return mayRemove(session, going);
	session.progress.warn(
		String(entry.resourceUrn ?? ""),
		"kept",
		`Kept ${what}: this program still declares it. It is taken over, not removed.`,
	);
	return false;
}

interface Lost {
	readonly consequence: string;
	readonly way: string;
}

/** How to put back a lost object: no new one can be created while `adopt` names it. */
export const lostUnlessAdopted =
	(lost: Lost) =>
	({ adopt }: Values): Lost =>
		adopt === undefined
			? lost
			: {
					consequence: `${lost.consequence}, once you remove \`adopt\`, which names the lost one`,
					way: `remove \`adopt\` from the program, then ${lost.way}`,
				};
