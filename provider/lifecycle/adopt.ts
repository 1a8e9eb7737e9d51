/** Adopts a number, trunk or webhook that is already on the account, instead of buying or creating one. */
import { z } from "zod";
import { handOver, isAbsent, TelephonyError } from "../api/errors";
import type { MessageCode } from "../api/message-codes";
import { declarationOf, type Identity, ownerName, type Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { leftLease, parseReference } from "../ownership/reference";
import { type Form, sameDeclaration, words } from "../properties/form";
import { type CheckFailure, failure, type Property, unknownValue, type Values } from "../properties/table";

/** Returns the property `adopt` of one kind of object. `form` decides which spellings name the same object. */
export const adoptProperty = (
	noun: string,
	description: string,
	named = `the id of a ${noun}`,
	form: Form = words,
): Property => ({
	type: z.string().trim().min(1, `must be ${named}`),
	description,
	change: {
		does: "replaces",
		words: `replaces the ${noun}, unless it names the current one; removing it changes nothing`,
	},
	form,
});

/** Returns the property `adopt` of a kind of objects that cost nothing. */
export const adoptFree = (noun: string, rules = "Read only when the resource is created."): Property =>
	adoptProperty(
		noun,
		`Id of a ${noun} that is already on the account and not claimed by another stack: it is adopted, and none is created. \`destroy\` leaves it on the account.

${rules}`,
	);

/**
 * Keeps `adopt` in the inputs if the program drops it, as only create reads it. `olds` are the inputs of the last write.
 * `inputs` are completed in place. `changed` are the other properties whose change replaces the object.
 */
export function keepAdopt(
	{ noun, changed = [] }: { noun: string; changed?: readonly string[] },
	olds: Values,
	inputs: Values,
): CheckFailure[] {
	if (olds.resourceUrn === undefined || olds.adopt === undefined) return [];
	if (inputs.adopt == null && changed.length === 0) inputs.adopt = olds.adopt;
	if (inputs.adopt !== olds.adopt) return [];
	return changed.map((key) =>
		failure(`${key}: this change replaces the ${noun}, but \`adopt\` names the current one. Remove \`adopt\` too`),
	);
}

export function adoptsAnother(form: Form, id: string, names: readonly unknown[], { adopt }: Values): boolean {
	if (adopt == null || adopt === unknownValue) return false;
	return ![id, ...names].some((name) => typeof name === "string" && sameDeclaration(form, name, adopt));
}

export interface Adoption<R extends Referenced> {
	readonly memory: Memory;
	readonly claim: Identity;
	/** The value of `adopt`. */
	readonly wanted: string;
	readonly live: readonly R[];
	readonly noun: string;
	/** Verbs for messages: `bought`, `release`, `released`. */
	readonly verbs: { readonly made: string; readonly end: string; readonly ended: string };
	nameOf(record: R): string;
	/** Returns true if `adopt` names this record, although not by its id. */
	isNamed?(record: R): boolean;
	/** Reads an object that the list doesn't show. @throws TelephonyError NotFound */
	get(id: string): Promise<R>;
	/** The fix if there is no such object, as a sentence. */
	readonly hint: string;
	/** Returns why the object can't become what the program declares. */
	contradiction?(record: R): string | undefined;
}

/** Returns the object that `adopt` names. @throws TelephonyError Invalid, Claimed; nothing is changed then */
export async function adopted<R extends Referenced>(adoption: Adoption<R>): Promise<R> {
	const { claim, nameOf } = adoption;
	const record = await find(adoption);
	const problem = adoption.contradiction?.(record);
	if (problem !== undefined) {
		throw new TelephonyError("Invalid", `adopt: ${nameOf(record)} ${problem} ${nothing(adoption)}`, {
			messageCode: "adopt-refused",
		});
	}
	refuseClaimed(adoption, record);
	// Another resource may adopt the object at the same time.
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
			`adopt: there is no ${noun} ${wanted} on the account, or it was ${verbs.ended}. ${hint} ${nothing(adoption)}`,
			{ messageCode: "adopt-refused" },
		);
	}
}

function refuseClaimed<R extends Referenced>(adoption: Adoption<R>, record: R): void {
	const { claim, nameOf } = adoption;
	const refuse = (messageCode: MessageCode, why: string): never => {
		throw new TelephonyError("Claimed", `adopt: ${nameOf(record)} ${why} ${nothing(adoption)}`, { messageCode });
	};
	if (adoption.memory.isTaken(record.id, [claim.token]))
		refuse("shared-object", "belongs to another resource of this program.");
	const reference = parseReference(record.reference);
	if (!record.reference || reference?.lease === leftLease) return;
	const ownDeclarations = [claim, claim.earlier].flatMap((each) => (each === undefined ? [] : declarationOf(each)));
	// This declaration made the object, perhaps on another machine.
	if (reference !== undefined && ownDeclarations.includes(declarationOf(reference))) return;
	refuse("claimed", `is claimed by ${ownerName(record.reference, claim)}. To adopt it here, ${handOver}`);
}
