/** Adopts a number, trunk or webhook that is already on the account, instead of buying or creating one. */
import { z } from "zod";
import { isAbsent, TelephonyError } from "../api/errors";
import type { MessageCode } from "../api/message-codes";
import { type Identity, isSameState, ownerName, type Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { parseReference } from "../ownership/reference";
import { type Form, sameDeclaration, words } from "../properties/form";
import { type CheckFailure, failure, type Property, unknownValue, type Values } from "../properties/table";
import type { Session } from "../session/session";

/** The property `adopt` of one kind of object. `form` says which spellings name the same one. */
export const adoptProperty = (
	noun: string,
	description: string,
	named = `the id of a ${noun}`,
	form: Form = words,
): Property => ({
	type: z.string().trim().min(1, `must be ${named}`),
	description,
	change: { does: "refused", words: `refused once the ${noun} is there; removing it changes nothing` },
	form,
});

/**
 * Only create reads `adopt`. If the program drops it later, it stays in the state; another value would need another
 * object. `olds` are the inputs of the last write, `inputs` are completed in place, and `changed` are the properties
 * whose change asks for another object.
 */
export function settleAdopt(
	{ noun, property, changed = [] }: { noun: string; property: Property | undefined; changed?: readonly string[] },
	olds: Values,
	inputs: Values,
): CheckFailure[] {
	const exists = olds.resourceUrn !== undefined;
	const stays = exists && inputs.adopt == null && olds.adopt !== undefined && changed.length === 0;
	if (stays) inputs.adopt = olds.adopt;
	if (!exists || stays || typeof inputs.adopt !== "string" || inputs.adopt === unknownValue) return [];
	if (!sameDeclaration(property?.form ?? words, olds.adopt, inputs.adopt)) {
		return [
			failure(
				`adopt: it is read only when a resource is created, and this one already has a ${noun}: put the old value back or remove it. To get another ${noun}, declare another resource`,
			),
		];
	}
	return changed.map((key) =>
		failure(`${key}: a change asks for another ${noun}, but \`adopt\` names the present one: remove \`adopt\` as well`),
	);
}

/** What differs between the three kinds of objects. */
export interface Adoption<R extends Referenced> {
	readonly session: Session;
	readonly memory: Memory;
	readonly claim: Identity;
	readonly urn: string;
	/** The value of `adopt`. */
	readonly wanted: string;
	/** Every live object of the kind. */
	readonly live: readonly R[];
	readonly noun: string;
	/** How one is made and ended, in words: `bought`, `release`, `released`. */
	readonly verbs: { readonly made: string; readonly end: string; readonly ended: string };
	nameOf(record: R): string;
	/** Whether `adopt` names this record in another way than by its id. */
	isNamed?(record: R): boolean;
	/** Reads one that the list doesn't show. @throws TelephonyError NotFound */
	get(id: string): Promise<R>;
	/** What to do if there is none. */
	readonly hint: string;
	/** Why it can't be what the program declares, no matter who owns it. */
	contradiction?(record: R): string | undefined;
	/** How another stack gives one up, as a sentence. */
	readonly handOver: string;
}

/** @throws TelephonyError Invalid, Claimed; in both cases nothing was bought, created or changed. */
export async function adopted<R extends Referenced>(adoption: Adoption<R>): Promise<R> {
	const { claim, nameOf } = adoption;
	const record = await find(adoption);
	// Its last write by another resource of this program must not come after ours.
	await adoption.memory.left(record.id);
	const problem = adoption.contradiction?.(record);
	if (problem !== undefined) {
		throw new TelephonyError("Invalid", `adopt: ${nameOf(record)} ${problem} ${nothing(adoption)}`, {
			messageCode: "adopt-refused",
		});
	}
	refuseClaimed(adoption, record);
	// Set at once, for another resource that adopts it at the same time.
	adoption.memory.setHolder(claim.token, record.id);
	return record;
}

const nothing = ({ verbs }: Pick<Adoption<Referenced>, "verbs">) => `Nothing was ${verbs.made} or changed.`;

async function find<R extends Referenced>(adoption: Adoption<R>): Promise<R> {
	const { live, noun, verbs, hint } = adoption;
	const wanted = adoption.wanted.trim();
	const listed = live.find((record) => record.id === wanted || adoption.isNamed?.(record));
	if (listed !== undefined) return listed;
	try {
		return await adoption.get(wanted);
	} catch (error) {
		if (!isAbsent(error)) throw error;
		throw new TelephonyError(
			"Invalid",
			`adopt: there is no ${noun} ${wanted} on the account: it is unknown or has been ${verbs.ended}. ${hint} ${nothing(adoption)}`,
			{ messageCode: "adopt-refused" },
		);
	}
}

function refuseClaimed<R extends Referenced>(adoption: Adoption<R>, record: R): void {
	const { session, claim, urn, live, verbs, nameOf } = adoption;
	const refuse = (messageCode: MessageCode, why: string): never => {
		throw new TelephonyError("Claimed", `adopt: ${nameOf(record)} ${why} ${nothing(adoption)}`, { messageCode });
	};
	const other = live.find((each) => {
		const reference = parseReference(each.reference);
		return each.id !== record.id && reference?.token === claim.token && isSameState(claim, reference);
	});
	if (other !== undefined) {
		refuse(
			"adopt-refused",
			`can't be taken over, because an earlier run ${verbs.made} ${nameOf(other)} for this resource: adopt that one, or ${verbs.end} it in the service's dashboard first.`,
		);
	}
	// A resource that the program no longer declares gives it up: its delete finds it taken.
	if (adoption.memory.isTaken(record.id, [claim.token]))
		refuse("shared-object", "belongs to another resource of this program.");
	const reference = parseReference(record.reference);
	// Bought for this very declaration, on any machine.
	if (reference?.token === claim.token || (reference !== undefined && reference.token === claim.earlier?.token)) return;
	if (record.reference && (reference === undefined || !isSameState(claim, reference))) {
		refuse("claimed", `is claimed by ${ownerName(record.reference, claim)}. ${adoption.handOver}`);
	}
	if (reference !== undefined) {
		if (adoption.memory.declares(reference.token))
			refuse("shared-object", "belongs to another resource of this program.");
		session.progress.warn(
			urn,
			"taken-over",
			`Took ${nameOf(record)} over from another resource, of ${ownerName(record.reference, claim)}. If that is still in a state, remove it there with \`pulumi state delete\`.`,
		);
	}
}
