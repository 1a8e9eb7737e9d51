/** The numbers of a pool. Each has inputs and outputs as a Number has. */
import type { NumberRecord } from "../../api/contract";
import { defined, pickBy } from "../../api/json";
import type { MessageCode } from "../../api/message-codes";
import { nameOf, phaseOf } from "../../api/record";
import { openIn } from "../../properties/open";
import { changedProperties, type Properties, urnOf, type Values } from "../../properties/table";
import { numberProperties } from "../number/properties";
import { labelOf, nameIn } from "./properties";

export interface Member {
	readonly index: number;
	readonly id: string;
	/** The outputs that a Number in its place would have. */
	readonly outs: Values;
}

/** A number that the last read found deleted, or claimed by another stack. */
export interface Finding {
	readonly id: string;
	readonly code: MessageCode;
}

/** Returns the codes of the last read, by the number's id. */
export function findingsIn({ findings }: Values): ReadonlyMap<string, readonly MessageCode[]> {
	const codes = new Map<string, MessageCode[]>();
	for (const { id, code } of Array.isArray(findings) ? (findings as Finding[]) : [])
		codes.set(id, [...(codes.get(id) ?? []), code]);
	return codes;
}

/** Properties that all numbers have from their pool. The pool waits for all of them together. */
const shared: Properties = pickBy(
	numberProperties,
	(_, key) => !["waitForActive", "activationTimeoutSeconds", "generation", "adopt"].includes(key),
);
/** Properties in which a number may differ from its pool. */
const sharedValues: Properties = pickBy(shared, (_, key) => key !== "onDelete");

/** Outputs that each number has for itself. */
const ownOutputs = [
	"phoneNumber",
	"status",
	"token",
	"lease",
	"open",
	"spellings",
	"createdAt",
	"updatedAt",
	"adopt",
] as const;

/** Returns a number's inputs. `pool` has the pool's inputs or outputs. An adopted number always stays on the account. */
export function memberInputs(pool: Values, index: number, adopt?: unknown): Values {
	const inputs = pick(pool, Object.keys(shared));
	if (typeof pool.label === "string") inputs.label = labelOf(pool.label, index);
	if (typeof adopt === "string") Object.assign(inputs, { adopt, onDelete: "retain" });
	return {
		...inputs,
		waitForActive: false,
		__resourceUrn: `${urnOf(pool)}[${index}]`,
		organization: pool.organization,
	};
}

/** Returns the numbers in a pool's outputs, by index. */
export const membersIn = (pool: Values): Member[] =>
	savedIn(pool).map(({ index, id, different, ...saved }) => {
		const values = pickBy({ ...memberInputs(pool, index, saved.adopt), ...different }, (value) => value !== null);
		return { index, id, outs: { ...values, ...saved } };
	});

interface SavedMember extends Values {
	readonly index: number;
	readonly id: string;
	/** The values in which the number differs from the pool; null for an unset one. */
	readonly different?: Values;
}

const savedIn = ({ members }: Values): SavedMember[] => (Array.isArray(members) ? members : []);

/**
 * Returns the outputs that hold these numbers. As a pool may have ten thousand, `members` has only the values in
 * which a number differs from `pool`. Programs read `numbers`.
 */
export function membersOutputs(pool: Values, members: Iterable<Member>): Values {
	const sorted = [...members].sort((a, b) => a.index - b.index);
	return {
		numbers: sorted.map(({ index, id, outs }) => ({
			...{ name: nameIn(pool, index), id },
			...pick(outs, ["phoneNumber", "status"]),
		})),
		members: sorted.map(({ index, id, outs }) => ({
			...{ index, id },
			...pick(outs, ownOutputs),
			...(phaseOf(outs) === "active" ? {} : pick(outs, ["kyc"])),
			...differentValues(outs, differences(pool, index, outs)),
		})),
	};
}

const differentValues = (outs: Values, keys: readonly string[]): Values =>
	keys.length === 0 ? {} : { different: Object.fromEntries(keys.map((key) => [key, outs[key] ?? null])) };

const differences = (pool: Values, index: number, outs: Values): string[] =>
	changedProperties(sharedValues, memberInputs(pool, index), outs);

/** Returns the paths at which numbers differ from their pool, and those of references to be written again. */
export const driftedPaths = (pool: Values): string[] =>
	membersIn(pool).flatMap(({ index, outs }, at) =>
		[
			...differences(pool, index, outs),
			...(outs.lease === "" ? ["lease"] : []),
			...(openIn(outs).isDirty ? ["open.dirty"] : []),
		].map((path) => `members[${at}].${path}`),
	);

/** Returns the service's record as far as the outputs show it. */
export const recordOf = ({ id, outs }: Member): NumberRecord =>
	defined({
		id,
		number: outs.phoneNumber,
		status: outs.status,
		country: outs.country,
		type: outs.type,
		kyc: outs.kyc && { ...outs.kyc, profile_id: outs.kycProfileId },
		created_at: outs.createdAt,
		updated_at: outs.updatedAt,
	}) as unknown as NumberRecord;

/** `support[3] +31201234567 (num_4)` */
export const titleOf = (pool: Values, member: Member): string =>
	`${nameIn(pool, member.index)} ${nameOf(recordOf(member))}`;

export const pick = (values: Values, keys: readonly string[]): Values =>
	Object.fromEntries(keys.flatMap((key) => (values[key] == null ? [] : [[key, values[key]]])));
