/** Which numbers of a pool stay, leave and go, and how many are missing. Pure, and refused before anything happens. */
import { TelephonyError } from "../../api/errors";
import { nameOf } from "../../api/record";
import { writtenName } from "../../properties/phone";
import type { Values } from "../../properties/table";
import { matchesName } from "../number/adopt";
import type { Member } from "./members";
import { indexOf, listIn, nameIn } from "./properties";

export interface Plan {
	readonly staying: readonly Member[];
	/** They are left on the account. */
	readonly leaving: readonly Member[];
	/** The surplus, which ends as the saved `onDelete` says. */
	readonly going: readonly Member[];
	/** What `adopt` names, and the pool doesn't have yet. */
	readonly adopting: readonly string[];
	/** How many there are to be, with the adopted ones. */
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
	const order = [...rest].sort(
		(one, other) => Number(named.has(other.index)) - Number(named.has(one.index)) || other.index - one.index,
	);
	const going = new Set(order.slice(0, Math.max(0, rest.length - count)));
	const before = listIn(olds, "adopt").map(writtenName);
	return {
		leaving,
		staying: rest.filter((member) => !going.has(member)),
		going: [...going],
		adopting: listIn(news, "adopt").filter(
			(wanted) => !before.includes(writtenName(wanted)) && !members.some((member) => isNamed(member, wanted)),
		),
		missing: Math.max(0, count - rest.length),
	};
}

const indicesIn = (values: Values, key: "releaseFirst" | "exclude"): Set<number> =>
	new Set(listIn(values, key).map(indexOf));

const isNamed = ({ id, outs: { phoneNumber } }: Member, wanted: string): boolean =>
	matchesName({ id, number: typeof phoneNumber === "string" ? phoneNumber : null }, wanted);

/** Indices that an earlier run bought, then the lowest free ones. */
export function freeIndices(
	count: number,
	taken: ReadonlySet<number>,
	news: Values,
	found: readonly number[],
): number[] {
	const excluded = indicesIn(news, "exclude");
	const chosen = found.filter((index) => !taken.has(index) && !excluded.has(index)).slice(0, count);
	const used = new Set([...taken, ...excluded, ...found]);
	for (let index = 0; chosen.length < count; index++) if (!used.has(index)) chosen.push(index);
	return chosen;
}

/** @throws TelephonyError Invalid, before anything is bought, changed or released */
export function refusePlan(
	{ going, leaving, adopting, missing }: Plan,
	members: readonly Member[],
	olds: Values,
	news: Values,
): void {
	const has = (index: number) => members.some((member) => member.index === index);
	for (const key of going.length > 0 ? (["exclude", "releaseFirst"] as const) : (["exclude"] as const)) {
		const strange = listIn(news, key).find((name) => !listIn(olds, key).includes(name) && !has(indexOf(name)));
		if (strange !== undefined)
			throw refused(
				`${key}: ${strange} is not in the pool. Nothing was changed. Use a name from the output \`numbers\`.`,
			);
	}
	if (leaving.length > 0 && missing > adopting.length)
		throw refused(
			`count: \`exclude\` removes ${leaving.length} numbers, so a count of ${String(news.count)} would buy ${missing} more. Nothing was changed. Set \`count\` to ${members.length - leaving.length}.`,
		);
	if (adopting.length > missing)
		throw refused(
			`adopt: the pool can't adopt ${adopting.join(", ")}, because \`count\` leaves room for ${missing}. Nothing was changed. Raise \`count\` by ${adopting.length - missing}.`,
		);
}

const refused = (text: string): TelephonyError => new TelephonyError("Invalid", text);

/** What the state says of the three lists: only what has been done, so that the next run does the rest. */
export function doneLists(members: readonly Member[], olds: Values, news: Values): Values {
	const isGone = (name: string) => !members.some(({ index }) => index === indexOf(name));
	const done = (key: "releaseFirst" | "exclude" | "adopt", isDone: (each: string) => boolean) => {
		if (!Array.isArray(news[key])) return {};
		return { [key]: listIn(news, key).filter((each) => listIn(olds, key).includes(each) || isDone(each)) };
	};
	return {
		...done("exclude", isGone),
		...done("releaseFirst", () => true),
		...done("adopt", (wanted) => members.some((member) => isNamed(member, wanted))),
	};
}

/** `support[3] +31201234567 (num_4)` */
export const titleOf = (pool: Values, { index, id, outs }: Member): string =>
	`${nameIn(pool, index)} ${nameOf({ id, number: typeof outs.phoneNumber === "string" ? outs.phoneNumber : null })}`;
