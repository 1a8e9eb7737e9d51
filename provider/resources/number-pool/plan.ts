/** Decides which numbers of a pool stay, leave the pool and are removed, and which are missing. */
import type { NumberRecord } from "../../api/contract";
import { TelephonyError } from "../../api/errors";
import { isReleasedOrFailed } from "../../api/record";
import { identityFor, type KnownService } from "../../lifecycle/resource";
import { isSameState } from "../../ownership/claim";
import { isLeft, parseReference } from "../../ownership/reference";
import { writtenName } from "../../properties/phone";
import type { Values } from "../../properties/table";
import { matchesName } from "../number/adopt";
import { type Member, memberInputs, recordOf } from "./members";
import { indexOf, listIn, memberClaim, mostNumbers } from "./properties";

export interface Plan {
	readonly staying: readonly Member[];
	/** Numbers that `exclude` names. They are left on the account. */
	readonly leaving: readonly Member[];
	/** Surplus numbers. They are removed by their saved `onDelete`. */
	readonly removing: readonly Member[];
	/** Values of `adopt` that the pool doesn't have yet. */
	readonly adopting: readonly string[];
	/** Count of the numbers to acquire, with the adopted ones. */
	readonly missing: number;
}

/** `olds` are the outputs of the last write, `news` what the program declares. An unknown count changes nothing. */
export function planOf(members: readonly Member[], olds: Values, news: Values): Plan {
	const excluded = indicesIn(news, "exclude");
	const leaving = members.filter(({ index }) => excluded.has(index));
	const rest = members.filter(({ index }) => !excluded.has(index));
	const count = typeof news.count === "number" ? news.count : rest.length;
	const named = indicesIn(news, "releaseFirst");
	// The named ones first, then the highest index.
	const order = [...rest].sort((a, b) => Number(named.has(b.index)) - Number(named.has(a.index)) || b.index - a.index);
	const surplus = new Set(order.slice(0, Math.max(0, rest.length - count)));
	const before = listIn(olds, "adopt").map(writtenName);
	return {
		leaving,
		staying: rest.filter((member) => !surplus.has(member)),
		removing: [...surplus],
		adopting: listIn(news, "adopt").filter(
			(wanted) => !before.includes(writtenName(wanted)) && !members.some((member) => isNamed(member, wanted)),
		),
		missing: Math.max(0, count - rest.length),
	};
}

const indicesIn = (values: Values, key: "releaseFirst" | "exclude"): Set<number> =>
	new Set(listIn(values, key).map(indexOf));

const isNamed = (member: Member, wanted: string): boolean => matchesName(recordOf(member), wanted);

/** @throws TelephonyError Invalid, before anything is bought, changed or released */
export function assertPossible(
	{ removing, adopting, missing }: Plan,
	members: readonly Member[],
	olds: Values,
	news: Values,
): void {
	const has = (index: number) => members.some((member) => member.index === index);
	for (const key of removing.length > 0 ? (["exclude", "releaseFirst"] as const) : (["exclude"] as const)) {
		const strange = listIn(news, key).find((name) => !listIn(olds, key).includes(name) && !has(indexOf(name)));
		if (strange !== undefined)
			throw refused(
				`${key}: ${strange} is not in the pool. Nothing was changed. Use a name from the output \`numbers\`.`,
			);
	}
	if (adopting.length > missing)
		throw refused(
			`adopt: the pool can't adopt ${adopting.join(", ")}, because \`count\` leaves room for ${missing}. Nothing was changed. Raise \`count\` by ${adopting.length - missing}.`,
		);
}

const refused = (text: string): TelephonyError => new TelephonyError("Invalid", text);

export interface Slot {
	readonly index: number;
	/** The number that `adopt` names for it. */
	readonly adopt: string | undefined;
	/** True if an earlier run acquired it. */
	readonly isClaimed: boolean;
}

/** Returns the missing numbers: those that an earlier run has claimed, the adopted ones, then the lowest free indices. */
export function slotsOf(
	{ missing, adopting }: Plan,
	members: readonly Member[],
	news: Values,
	claimed: ReadonlyMap<number, NumberRecord>,
): Slot[] {
	const excluded = indicesIn(news, "exclude");
	const taken = new Set([...members.map(({ index }) => index), ...excluded]);
	const resumed = [...claimed].filter(([index]) => !taken.has(index)).slice(0, missing);
	const adoptOf = (record: NumberRecord) => adopting.find((wanted) => matchesName(record, wanted));
	const slots: Slot[] = resumed.map(([index, record]) => ({ index, adopt: adoptOf(record), isClaimed: true }));
	const wanted = adopting.filter((each) => !resumed.some(([, record]) => matchesName(record, each)));
	for (let index = 0; slots.length < missing; index++)
		if (!taken.has(index) && !claimed.has(index)) slots.push({ index, adopt: wanted.shift(), isClaimed: false });
	return slots;
}

/** Returns the live numbers that carry the pool's claims, by index. Numbers that the pool has left come last. */
export function claimedByPool(
	service: KnownService,
	live: readonly NumberRecord[],
	pool: Values,
): Map<number, NumberRecord> {
	const owner = identityFor(memberClaim, memberInputs(pool, 0), service);
	const byToken = new Map<string, NumberRecord>();
	for (const record of live) {
		const reference = parseReference(record.reference);
		const isOurs = [owner, owner.earlier].some((each) => each && reference && isSameState(each, reference));
		if (reference !== undefined && isOurs && !isReleasedOrFailed(record)) byToken.set(reference.token, record);
	}
	const claimed: [number, NumberRecord][] = [];
	// A reference shows no index, so the tokens of all possible ones are compared.
	for (let index = 0; byToken.size > 0 && index < mostNumbers; index++) {
		const { token, earlier } = identityFor(memberClaim, memberInputs(pool, index), service);
		const record = byToken.get(token) ?? byToken.get(earlier?.token ?? "");
		if (record !== undefined) claimed.push([index, record]);
	}
	return new Map(claimed.sort(([, a], [, b]) => Number(isLeft(a.reference)) - Number(isLeft(b.reference))));
}

/** Returns the three lists for the state: only what has been done, so that the next run does the rest. */
export function doneLists(members: Iterable<Member>, olds: Values, news: Values): Values {
	const all = [...members];
	const done = (key: "releaseFirst" | "exclude" | "adopt", isDone: (name: string) => boolean) => {
		if (!Array.isArray(news[key])) return {};
		return { [key]: listIn(news, key).filter((each) => listIn(olds, key).includes(each) || isDone(each)) };
	};
	return {
		...done("exclude", (name) => !all.some(({ index }) => index === indexOf(name))),
		...done("releaseFirst", () => true),
		...done("adopt", (wanted) => all.some((member) => isNamed(member, wanted))),
	};
}
