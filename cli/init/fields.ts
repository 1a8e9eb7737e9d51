/** Pairs the fields of a service's record with ours, by name and shape. */

import { fold, otherNames, fields as synonyms } from "../service-names";
import { pathsIn, type Shape } from "./document";
import { type Finding, listed, type Stated } from "./finding";
import { type Written, wordsOf, writtenAs } from "./writing";

interface Match extends Written {
	readonly ours: string;
	readonly theirs: string;
	readonly guess?: string | undefined;
}

const leafOf = (path: string): string => path.split(".").at(-1) ?? path;
const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".");
const depthOf = (path: string): number => path.split(".").length;

/** Another name of a field of ours, which the contract reads too. */
const isAlias = (record: string, path: string) => record === "number" && path === "state";

/** Possible names of a path, folded: by the names of each part, or one name for all. The first is ours. */
function namesOf(record: string, path: string): readonly string[] {
	const parts = path.split(".").map((part) => [fold(part), ...otherNames(record, part)]);
	const joint = parts.reduce<string[]>((all, names) => all.flatMap((head) => names.map((name) => head + name)), [""]);
	const whole = depthOf(path) === 1 ? [] : synonyms(path);
	return [...new Set([fold(path), ...whole, ...joint])];
}

/** The service's field for one of ours; `free` are its fields without a match so far. */
function searched(record: string, ours: string, shape: Shape, free: ReadonlyMap<string, Shape>): Match | undefined {
	const own = [fold(ours), fold(`${record}_${ours}`)];
	for (const name of namesOf(record, ours))
		for (const [path, theirs] of free) {
			if (fold(path) !== name) continue;
			const written = writtenAs(ours, shape, path, theirs);
			if (written === undefined) continue;
			const guess = written.guess ?? (own.includes(name) ? undefined : "by its name");
			return { ...written, ours, theirs: path, guess };
		}
	return undefined;
}

function matched(record: string, ours: ReadonlyMap<string, Shape>, theirs: ReadonlyMap<string, Shape>): Match[] {
	const matches = new Map<string, Match>();
	const placed = (path: string): string => {
		const parent = matches.get(parentOf(path));
		return parent === undefined ? path : `${parent.theirs}.${leafOf(path)}`;
	};
	const isOurs = (path: string) => ours.has(path) && !isAlias(record, path);
	for (let depth = 1; depth <= Math.max(...[...ours.keys()].map(depthOf)); depth++) {
		const here = [...ours].filter(([path]) => depthOf(path) === depth && !isAlias(record, path));
		for (const [path, shape] of here) {
			const there = theirs.get(placed(path));
			const written = there && writtenAs(path, shape, placed(path), there);
			if (written !== undefined) matches.set(path, { ...written, ours: path, theirs: placed(path) });
		}
		for (const [path, shape] of here.filter(([each]) => !matches.has(each))) {
			const taken = new Set([...matches.values()].map((match) => match.theirs));
			const free = new Map([...theirs].filter(([each]) => !taken.has(each) && !isOurs(each)));
			const match = searched(record, path, shape, free);
			if (match !== undefined) matches.set(path, match);
		}
	}
	return [...matches.values()];
}

/** A resource doesn't work without these. */
const needed: Readonly<Record<string, readonly string[]>> = {
	number: ["id", "number", "status", "label", "routing.type", "routing.trunk_id", "created_at"],
	trunk: ["id", "name", "auth.mode", "auth.allowed_cidrs", "capacity", "enabled"],
	webhook: ["id", "url", "events", "enabled"],
};
/** A service may lack these. */
const optional = ["reference", "metadata"];

/** @param whose the record's name */
export function fieldFindings(whose: string, ours: Shape, theirs: Shape): Finding[] {
	const [own, other] = [pathsIn(ours), pathsIn(theirs)];
	const matches = matched(whose, own, other);
	const found = new Map(matches.map((match) => [match.ours, match]));
	const used = new Set(matches.map((match) => match.theirs.split(".")[0]));
	const left = [...other.keys()].filter((path) => !used.has(path) && !own.has(path) && !path.includes("."));
	const stated = matches.flatMap((match) => statedOf(whose, match, own, other, found));
	const missing = (needed[whose] ?? []).filter((path) => !found.has(path));
	const hint = left.length === 0 ? "" : ` Fields of the service that stand for none of ours: ${listed(left)}.`;
	return [
		...stated,
		...optional
			.filter((path) => own.has(path) && !found.has(path) && needed[whose] !== undefined)
			.map(
				(path): Stated => ({
					at: ["records", whose, path],
					value: false,
					guess: `the document shows no field for it.${hint}`,
				}),
			),
		...tagged(whose, found, own),
		...(missing.length === 0
			? []
			: [
					{
						decide: `The ${whose} of the document shows no ${listed(missing)}: state the place of each in records.${whose}.${hint}`,
					},
				]),
	];
}

/** A map of any entries has a place for the reference, which names the owner. */
const tagged = (whose: string, found: ReadonlyMap<string, Match>, own: Shapes): Finding[] => {
	const map = found.get("metadata");
	if (map === undefined || found.has("reference") || !own.has("reference")) return [];
	return [
		{
			decide: `A ${whose} has no field for our reference, which names its owner. If ${map.theirs} takes any entry, state \`reference: ${map.theirs}.pulumi\` and \`metadata: false\` in records.${whose}.`,
		},
	];
};

type Shapes = ReadonlyMap<string, Shape>;

/** The findings about one field. */
function statedOf(
	whose: string,
	match: Match,
	own: Shapes,
	other: Shapes,
	found: ReadonlyMap<string, Match>,
): Finding[] {
	const { words, unknown, guess: why } = wordsOf(own.get(match.ours), other.get(match.theirs));
	const parent = found.get(parentOf(match.ours));
	const moves = parent === undefined ? match.ours : `${parent.theirs}.${leafOf(match.ours)}`;
	const { as, each } = match;
	const how = {
		...(as === undefined ? {} : { as }),
		...(words === undefined ? {} : { words }),
		...(each === undefined ? {} : { each }),
	};
	const isPlain = Object.keys(how).length === 0;
	const decide = unknownWords(whose, match, unknown);
	if (isPlain && match.theirs === moves) return decide;
	const at = match.theirs === match.ours ? {} : { at: match.theirs };
	const guess = [match.guess, why].filter(Boolean).join("; ");
	return [
		{
			at: ["records", whose, match.ours],
			value: isPlain ? match.theirs : { ...at, ...how },
			guess: guess === "" ? undefined : guess,
		},
		...decide,
	];
}

/** Fields whose words matter to the provider; others are only shown. */
const telling = ["status", "routing.type", "auth.mode", "events"];

const unknownWords = (whose: string, match: Match, unknown: readonly string[]): Finding[] =>
	unknown.length === 0 || !telling.includes(match.ours)
		? []
		: [
				{
					decide: `${match.theirs} of a ${whose} may be ${listed(unknown)}, which we don't know: if one means one of our words, state that in records.${whose}.${match.ours}.words.`,
				},
			];
