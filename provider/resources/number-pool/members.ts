/**
 * The numbers of a pool, each as a Number in all but the engine's bookkeeping: with inputs and outputs of its own, made of
 * the pool's. The state keeps of each what the pool doesn't say already: a pool may have ten thousand.
 */
import type { PurchaseRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { phaseOf } from "../../api/record";
import { sameDeclaration, scalar } from "../../properties/form";
import { openIn, openOutputs } from "../../properties/open";
import type { Properties, Values } from "../../properties/table";
import { numberProperties } from "../number/properties";
import { indexOf, labelOf, nameIn } from "./properties";

export interface Member {
	readonly index: number;
	readonly id: string;
	/** What the state would hold of it if it were a Number, without what nobody needs. */
	readonly outs: Values;
}

/** The properties that all numbers of a pool have from it. The pool waits for all of them together. */
const shared: Properties = Object.fromEntries(
	Object.entries(numberProperties).filter(
		([key]) => !["waitForActive", "activationTimeoutSeconds", "generation", "adopt"].includes(key),
	),
);

/** What `numbers` shows of each, which programs read. */
const shown = ["phoneNumber", "status"] as const;
/** What only the provider reads, in `members`, at the same place. */
const internal = ["token", "lease", "createdAt", "updatedAt"] as const;

/** What a number of this index has from its pool. `pool` are the pool's inputs or outputs. */
export function memberInputs(pool: Values, index: number, adopted = false): Values {
	const inputs: Values = {};
	for (const key of Object.keys(shared)) if (pool[key] != null) inputs[key] = pool[key];
	if (typeof pool.label === "string") inputs.label = labelOf(pool.label, index);
	if (adopted) Object.assign(inputs, { adopted, onDelete: "retain" });
	return {
		...inputs,
		waitForActive: false,
		resourceUrn: `${String(pool.resourceUrn)}[${index}]`,
		organization: pool.organization,
	};
}

interface Internal extends Values {
	readonly index: number;
	readonly adopted?: true;
	/** Properties that the pool sets and this number lacks. An engine may drop a null. */
	readonly without?: readonly string[];
}

/** The numbers that a state holds, by their index. @throws TelephonyError Config, if somebody has edited them */
export function membersIn(pool: Values): Member[] {
	const numbers = listOf(pool.numbers);
	const members = listOf(pool.members) as Internal[];
	if (
		numbers.length !== members.length ||
		members.some(({ index }, at) => indexOf(String(numbers[at]?.name)) !== index)
	)
		throw new TelephonyError(
			"Config",
			"The outputs `numbers` and `members` of this pool don't match, so the state was probably edited. Nothing was changed. Restore an earlier state with `pulumi stack import`.",
		);
	return members.map(({ index, adopted, without = [], ...own }, at) => {
		const { name: _, id, ...seen } = numbers[at] as Values;
		const none = Object.fromEntries(without.map((key) => [key, null]));
		return {
			index,
			id: String(id),
			outs: { ...memberInputs(pool, index, adopted), ...seen, ...none, ...own },
		};
	});
}

/** The outputs that hold these numbers. `pool` are the outputs that they share; a number shows where it differs. */
export function membersOutputs(pool: Values, members: readonly Member[]): Values {
	const sorted = [...members].sort((one, other) => one.index - other.index);
	return {
		numbers: sorted.map(({ index, id, outs }) => {
			const other = differing(memberInputs(pool, index, outs.adopted === true), outs);
			return { name: nameIn(pool, index), id, ...pick(outs, shown), ...pick(other, Object.keys(other)) };
		}),
		members: sorted.map(({ index, outs }) => {
			const adopted = outs.adopted === true;
			const other = differing(memberInputs(pool, index, adopted), outs);
			const without = Object.keys(other).filter((key) => other[key] === null);
			return {
				index,
				...pick(outs, internal),
				...openOutputs(openIn(outs)),
				...(phaseOf(outs) === "active" ? {} : pick(outs, ["kyc"])),
				...(adopted ? { adopted } : {}),
				...(without.length === 0 ? {} : { without }),
			};
		}),
	};
}

/** The properties in which a number differs from its pool; null where it has none. It always has the pool's `onDelete`. */
function differing(wanted: Values, outs: Values): Values {
	const keys = Object.keys(shared).filter(
		(key) => key !== "onDelete" && !sameDeclaration(shared[key]?.form ?? scalar, wanted[key], outs[key]),
	);
	return Object.fromEntries(keys.map((key) => [key, outs[key] ?? null]));
}

/** The paths in which numbers differ from their pool, and those of references to be written again. */
export const driftedPaths = ({ numbers, members }: Values): string[] => [
	...listOf(numbers).flatMap((number, at) =>
		Object.keys(number).flatMap((key) => (key in shared ? [`numbers[${at}].${key}`] : [])),
	),
	...listOf(members).flatMap((member, at) => [
		...(member.without === undefined ? [] : [`members[${at}].without`]),
		...(member.lease === "" ? [`members[${at}].lease`] : []),
		...(openIn(member).isDirty ? [`members[${at}].open.dirty`] : []),
	]),
];

/** As the service's answers show it, as far as it is known without one. */
export const recordOf = ({ id, outs }: Member, pool: Values): PurchaseRecord & { readonly id: string } =>
	JSON.parse(
		JSON.stringify({
			id,
			status: outs.status,
			phoneNumber: outs.phoneNumber,
			country: pool.country,
			type: pool.type,
			kyc: outs.kyc === undefined ? undefined : { ...(outs.kyc as Values), profile_id: pool.kycProfileId },
			created_at: outs.createdAt,
			updated_at: outs.updatedAt,
		}),
	);

const pick = (values: Values, keys: readonly string[]): Values =>
	Object.fromEntries(keys.flatMap((key) => (values[key] == null ? [] : [[key, values[key]]])));

const listOf = (value: unknown): Values[] => (Array.isArray(value) ? (value as Values[]) : []);
