/** Decides which numbers of a pool stay, leave the pool and are removed, and which are missing. */
import type { NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { isReleasedOrFailed } from "../../api/record";
import { identityFor, type KnownService } from "../../lifecycle/resource";
import { isRetained, parseReference } from "../../ownership/reference";
import { writtenName } from "../../properties/phone";
import type { Values } from "../../properties/table";
import { matchesName } from "../number/candidates";
import { type Member, memberInputs, recordOf } from "./members";
import { indexOf, listIn, memberClaim, mostNumbers, nameIn } from "./properties";

export interface Plan {
	readonly staying: readonly Member[];
	/** Numbers that `exclude` names. They stay on the account. */
	readonly leaving: readonly Member[];
	/** Surplus numbers. They are removed by their saved `onDelete`. */
	readonly removing: readonly Member[];
	/** Values of `adopt` that the pool doesn't have yet. */
	readonly adopting: readonly string[];
	/** Count of the numbers to acquire, with the adopted ones. None are missing while there is a surplus. */
	readonly missing: number;
}

/** `olds` are the outputs of the last write, `news` what the program declares. An unknown count changes nothing. */
export function planOf(members: readonly Member[], olds: Values, news: Values): Plan {
	const [excluded, first] = [indicesIn(news, "exclude"), indicesIn(news, "releaseFirst")];
	const rest = members.filter(({ index }) => !excluded.has(index));
	const count = typeof news.count === "number" ? news.count : rest.length;
	// The named ones first, then those that the account no longer has, then the highest index.
	const rank = (member: Member) => (first.has(member.index) ? 2 : Number(isReleasedOrFailed(recordOf(member))));
	const order = [...rest].sort((a, b) => rank(b) - rank(a) || b.index - a.index);
	const surplus = new Set(order.slice(0, Math.max(0, rest.length - count)));
	const before = listIn(olds, "adopt").map(writtenName);
	return {
		leaving: members.filter(({ index }) => excluded.has(index)).map(retaining),
		staying: rest.filter((member) => !surplus.has(member)),
		removing: [...surplus],
		adopting: listIn(news, "adopt").filter(
			(wanted) => !before.includes(writtenName(wanted)) && !members.some((member) => isNamed(member, wanted)),
		),
		missing: Math.max(0, count - rest.length),
	};
}

const retaining = (member: Member): Member => ({ ...member, outs: { ...member.outs, onDelete: "retain" } });

/** Returns the numbers of a pool that is removed. Those that a declaration excludes stay on the account. */
export function retainingExcluded(
	members: readonly Member[],
	...declarations: readonly (Values | undefined)[]
): Member[] {
	const excluded = new Set(declarations.flatMap((values = {}) => [...indicesIn(values, "exclude")]));
	return members.map((member) => (excluded.has(member.index) ? retaining(member) : member));
}

const indicesIn = (values: Values, key: "releaseFirst" | "exclude"): Set<number> =>
	new Set(listIn(values, key).map(indexOf));

export const isNamed = (member: Member, wanted: string): boolean => matchesName(recordOf(member), wanted);

/** @throws TelephonyError Invalid, before anything is bought, changed or released */
export function assertPossible(
	{ leaving, removing, adopting, missing }: Plan,
	members: readonly Member[],
	olds: Values,
	news: Values,
): void {
	const names = [
		...listIn(olds, "exclude"),
		...listIn(olds, "releaseFirst"),
		...members.map(({ index }) => nameIn(news, index)),
	];
	for (const key of removing.length > 0 ? (["exclude", "releaseFirst"] as const) : (["exclude"] as const)) {
		const strange = listIn(news, key).find((name) => !names.includes(name));
		if (members.length > 0 && strange !== undefined)
			throw refused(`${key}: ${strange} is not in the pool. Use a name from the output \`numbers\`.`);
	}
	const bought = missing - adopting.length;
	if (bought < 0)
		throw refused(
			`adopt: the pool can't adopt ${adopting.join(", ")}, because \`count\` leaves room for ${missing}. Raise \`count\` by ${-bought}.`,
		);
	if (leaving.length === 0 || bought === 0) return;
	const remaining = members.length - leaving.length;
	throw refused(
		remaining === 0
			? 'exclude: the pool would be empty. To keep all numbers on the account, set `onDelete: "retain"` and run `pulumi up`, then remove the pool.'
			: `count: \`exclude\` removes ${leaving.length} numbers, so this count would buy ${bought} more. Set \`count\` to ${remaining}. To buy more, raise it in a later \`pulumi up\`.`,
	);
}

const refused = (text: string): TelephonyError => new TelephonyError("Invalid", `${text} Nothing was changed.`);

export interface Slot {
	readonly index: number;
	/** The number that `adopt` names for it. */
	readonly adopt: string | undefined;
	/** True if an earlier run acquired it. */
	readonly isClaimed: boolean;
}

interface PoolSides {
	readonly members: readonly Member[];
	/** The inputs of the pool. */
	readonly news: Values;
	/** Outputs that this run has seen in the state, by the number's id. */
	readonly saved: ReadonlyMap<string, Values>;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Returns the missing numbers: those that an earlier run has claimed, the adopted ones, then the lowest free indices. An
 * adopted number has its place before a claimed one that `adopt` doesn't name.
 */
export function slotsOf(
	service: KnownService,
	live: readonly NumberRecord[],
	{ missing, adopting }: Plan,
	{ members, news, saved }: PoolSides,
): Slot[] {
	const taken = new Set([...members.map(({ index }) => index), ...indicesIn(news, "exclude")]);
	const held = new Set(members.map(({ id }) => id));
	const unheld = live.filter(({ id }) => !held.has(id));
	const claimed = claimedByPool(service, unheld, news);
	for (const index of taken) claimed.delete(index);
	// A replaced pool may have adopted a number that the program no longer names.
	const adoptOf = (record: NumberRecord) =>
		adopting.find((wanted) => matchesName(record, wanted)) ?? textOf(saved.get(record.id)?.adopt);
	const resumed = [...claimed.values()].map(adoptOf);
	const others = adopting.filter((wanted) => !resumed.includes(wanted));
	const isAdopted = ([, record]: readonly [number, NumberRecord]) => adoptOf(record) !== undefined;
	const surplus = indicesIn(news, "releaseFirst");
	const isSurplus = ([index]: readonly [number, NumberRecord]) => surplus.has(index);
	const first = [...claimed].sort(
		(a, b) => Number(isSurplus(a)) - Number(isSurplus(b)) || Number(isAdopted(b)) - Number(isAdopted(a)),
	);
	const resuming = first.slice(0, missing - others.length).map(([index]) => index);
	const free = [...Array(mostNumbers).keys()].filter((index) => !taken.has(index) && !claimed.has(index));
	return [...resuming, ...free].slice(0, missing).map((index) => {
		const record = claimed.get(index);
		return { index, isClaimed: record !== undefined, adopt: record ? adoptOf(record) : others.shift() };
	});
}

/** Returns the live numbers that carry the pool's claims, by index. Numbers that the pool has retained come last. */
export function claimedByPool(
	service: KnownService,
	live: readonly NumberRecord[],
	pool: Values,
): Map<number, NumberRecord> {
	const claims = live.filter((record) => record.reference && !isReleasedOrFailed(record));
	const byToken = new Map(claims.map((record) => [parseReference(record.reference)?.token, record]));
	const claimed: [number, NumberRecord][] = [];
	// A reference shows no index, so the tokens of all possible ones are compared.
	for (let index = 0; byToken.size > 0 && index < mostNumbers; index++) {
		const { token, earlier } = identityFor(memberClaim, memberInputs(pool, index), service);
		const record = byToken.get(token) ?? (earlier && byToken.get(earlier.token));
		if (record !== undefined) claimed.push([index, record]);
	}
	return new Map(claimed.sort(([, a], [, b]) => Number(isRetained(a.reference)) - Number(isRetained(b.reference))));
}
