/**
 * The numbers of a pool. Each has inputs and outputs as a Number has. The state keeps only what differs from the pool's
 * own values, as a pool may have ten thousand numbers.
 */
import type { NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { pickBy } from "../../api/json";
import { nameOf, phaseOf } from "../../api/record";
import { sameDeclaration, scalar } from "../../properties/form";
import { openIn, openOutputs } from "../../properties/open";
import type { Properties, Values } from "../../properties/table";
import { numberProperties } from "../number/properties";
import { indexOf, labelOf, nameIn } from "./properties";

export interface Member {
	readonly index: number;
	readonly id: string;
	/** The outputs that a Number in its place would have. */
	readonly outs: Values;
}

/** Properties that all numbers have from their pool. The pool waits for all of them together. */
const shared: Properties = pickBy(
	numberProperties,
	(_, key) => !["waitForActive", "activationTimeoutSeconds", "generation", "adopt"].includes(key),
);

/** Outputs that `numbers` shows to programs. */
const shownOutputs = ["phoneNumber", "status"] as const;
/** Outputs that only the provider reads, in `members`. */
const internal = ["token", "lease", "createdAt", "updatedAt", "adopt"] as const;

/** Returns a number's inputs. `pool` has the pool's inputs or outputs. An adopted number always stays on the account. */
export function memberInputs(pool: Values, index: number, adopt?: unknown): Values {
	const inputs: Values = {};
	for (const key of Object.keys(shared)) if (pool[key] != null) inputs[key] = pool[key];
	if (typeof pool.label === "string") inputs.label = labelOf(pool.label, index);
	if (typeof adopt === "string") Object.assign(inputs, { adopt, onDelete: "retain" });
	return {
		...inputs,
		waitForActive: false,
		resourceUrn: `${String(pool.resourceUrn)}[${index}]`,
		organization: pool.organization,
	};
}

interface Internal extends Values {
	readonly index: number;
	/** Properties that the pool sets and this number lacks. An engine may drop a null. */
	readonly without?: readonly string[];
}

/** Returns the numbers in a pool's outputs, by index. @throws TelephonyError Config if the state was edited */
export function membersIn(pool: Values): Member[] {
	const numbers = listIn(pool.numbers);
	const members = listIn(pool.members) as Internal[];
	const isMoved = members.some(({ index }, at) => indexOf(String(numbers[at]?.name)) !== index);
	if (numbers.length !== members.length || isMoved)
		throw new TelephonyError(
			"Config",
			"The outputs `numbers` and `members` of this pool don't match, so the state was probably edited. Nothing was changed. Restore an earlier state with `pulumi stack import`.",
		);
	return members.map(({ index, without = [], ...saved }, at) => {
		const { name: _, id, ...seen } = numbers[at] as Values;
		const nulls = Object.fromEntries(without.map((key) => [key, null]));
		return { index, id: String(id), outs: { ...memberInputs(pool, index, saved.adopt), ...seen, ...nulls, ...saved } };
	});
}

/** Returns the outputs that hold these numbers. `pool` has the values that they share. */
export function membersOutputs(pool: Values, members: Iterable<Member>): Values {
	const sorted = [...members]
		.sort((a, b) => a.index - b.index)
		.map((member) => ({ ...member, deviations: deviationsOf(pool, member) }));
	return {
		numbers: sorted.map(({ index, id, outs, deviations }) => ({
			...{ name: nameIn(pool, index), id },
			...pick(outs, shownOutputs),
			...pick(deviations, Object.keys(deviations)),
		})),
		members: sorted.map(({ index, outs, deviations }) => {
			const without = Object.keys(deviations).filter((key) => deviations[key] === null);
			return {
				index,
				...pick(outs, internal),
				...openOutputs(openIn(outs)),
				...(phaseOf(outs) === "active" ? {} : pick(outs, ["kyc"])),
				...(without.length === 0 ? {} : { without }),
			};
		}),
	};
}

/** Returns the properties in which a number differs from its pool; null if it lacks one. `onDelete` never differs. */
function deviationsOf(pool: Values, { index, outs }: Member): Values {
	const inputs = memberInputs(pool, index, outs.adopt);
	const keys = Object.keys(shared).filter(
		(key) => key !== "onDelete" && !sameDeclaration(shared[key]?.form ?? scalar, inputs[key], outs[key]),
	);
	return Object.fromEntries(keys.map((key) => [key, outs[key] ?? null]));
}

/** Returns the paths at which numbers differ from their pool, and those of references to be written again. */
export const driftedPaths = ({ numbers, members }: Values): string[] => [
	...listIn(numbers).flatMap((number, at) =>
		Object.keys(number).flatMap((key) => (key in shared ? [`numbers[${at}].${key}`] : [])),
	),
	...listIn(members).flatMap((member, at) => [
		...(member.without === undefined ? [] : [`members[${at}].without`]),
		...(member.lease === "" ? [`members[${at}].lease`] : []),
		...(openIn(member).isDirty ? [`members[${at}].open.dirty`] : []),
	]),
];

/** Returns the service's record as far as the outputs show it. */
export const recordOf = ({ id, outs }: Member): NumberRecord =>
	JSON.parse(
		JSON.stringify({
			id,
			number: outs.phoneNumber,
			status: outs.status,
			country: outs.country,
			type: outs.type,
			kyc: outs.kyc && { ...(outs.kyc as Values), profile_id: outs.kycProfileId },
			created_at: outs.createdAt,
			updated_at: outs.updatedAt,
		}),
	);

/** `support[3] +31201234567 (num_4)` */
export const titleOf = (pool: Values, member: Member): string =>
	`${nameIn(pool, member.index)} ${nameOf(recordOf(member))}`;

export const pick = (values: Values, keys: readonly string[]): Values =>
	Object.fromEntries(keys.flatMap((key) => (values[key] == null ? [] : [[key, values[key]]])));

const listIn = (value: unknown): Values[] => (Array.isArray(value) ? (value as Values[]) : []);
