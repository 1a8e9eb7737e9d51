/** Matches the fields of a service's record with ours, by name and shape. */
import { type Description, type FieldDescription, fieldOf } from "../../provider/api/description/description";
import { defined } from "../../provider/api/json";
import { fold } from "../../provider/api/names";
import { isDeleted } from "../../provider/api/record";
import { about, type Finding } from "./finding";
import { otherNames, fields as synonyms } from "./names";
import { type Shape, type Shapes, shapesIn } from "./shape";
import { type Conversion, conversionOf, pairWords, type Words } from "./values";

interface Match extends Conversion {
	readonly ours: string;
	readonly theirs: string;
}

/** A record as the service has it. */
export interface RecordShape {
	readonly record: string;
	readonly ours: Shape;
	readonly theirs: Shape;
	readonly given: Description;
}

type Stated = NonNullable<Description["records"]>[string];

const leafOf = (path: string): string => path.split(".").at(-1) ?? path;
const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".");
const depthOf = (path: string): number => path.split(".").length;

/** True for another name of our field, which the contract reads too. */
const isAlias = (record: string, path: string) => record === "number" && path === "state";

/** Returns possible names of a path, folded: by the names of each part, or one name for all. The first is ours. */
function namesOf(record: string, path: string): readonly string[] {
	const parts = path.split(".").map((part) => [fold(part), ...otherNames(record, part)]);
	const combined = parts.reduce<string[]>(
		(all, names) => all.flatMap((head) => names.map((name) => head + name)),
		[""],
	);
	const whole = depthOf(path) === 1 ? [] : synonyms(path);
	return [...new Set([fold(path), ...whole, ...combined])];
}

/** @param free their fields without a match */
function findMatch(record: string, ours: string, shape: Shape, free: Shapes): Match | undefined {
	const certain = [fold(ours), fold(`${record}_${ours}`)];
	for (const name of namesOf(record, ours))
		for (const [path, theirs] of free) {
			const conversion = fold(path) === name ? conversionOf(ours, shape, path, theirs) : undefined;
			if (conversion === undefined) continue;
			const guess = conversion.guess ?? (certain.includes(name) ? undefined : "by its name");
			return { ...conversion, ours, theirs: path, guess };
		}
	return undefined;
}

/** @param stated fields of the given description */
function matchFields(record: string, ours: Shapes, theirs: Shapes, stated: Stated): ReadonlyMap<string, Match> {
	const matches = new Map<string, Match>();
	const placeOf = (path: string): string => {
		const parent = matches.get(parentOf(path));
		const place = fieldOf(stated[path] ?? {})?.at;
		return place ?? (parent === undefined ? path : `${parent.theirs}.${leafOf(path)}`);
	};
	const isMoved = (path: string) => Object.keys(stated).some((place) => `${place}.`.startsWith(`${path}.`));
	const isWanted = (path: string) => !isAlias(record, path) && stated[path] !== false;
	const isFree = (place: string, taken: ReadonlySet<string>) =>
		!taken.has(place) && !(ours.has(place) && isWanted(place));
	const depths = [...ours.keys()].map(depthOf);
	for (let depth = 1; depth <= Math.max(...depths); depth++) {
		const fields = [...ours].filter(([path]) => depthOf(path) === depth && isWanted(path));
		for (const [path, shape] of fields) {
			const place = placeOf(path);
			const there = theirs.get(place);
			const conversion = there && conversionOf(path, shape, place, there);
			const isStated = stated[path] !== undefined;
			if (there && (conversion ?? isStated)) matches.set(path, { ...conversion, ours: path, theirs: place });
		}
		for (const [path, shape] of fields.filter(([unmatched]) => !matches.has(unmatched) && !isMoved(unmatched))) {
			const taken = new Set([...matches.values()].map((match) => match.theirs));
			const free = new Map([...theirs].filter(([place]) => isFree(place, taken)));
			const match = findMatch(record, path, shape, free);
			if (match !== undefined) matches.set(path, match);
		}
	}
	return matches;
}

/** A resource doesn't work without these fields. */
const required: Readonly<Record<string, readonly string[]>> = {
	number: ["id", "number", "status", "label", "routing.type", "routing.trunk_id", "created_at"],
	trunk: ["id", "name", "auth.mode", "auth.allowed_cidrs", "capacity"],
	webhook: ["id", "url", "events"],
};

/** Every record shows these fields. */
const always: Readonly<Record<string, readonly string[]>> = {
	number: ["id", "number", "status"],
	trunk: ["id", "name", "capacity"],
	webhook: ["id", "url", "events"],
};

/** A service may lack these fields. */
const optional: Readonly<Record<string, readonly string[]>> = {
	number: ["reference", "metadata", "release_protection", "kyc_profile_id", "sms_webhook_url"],
	trunk: ["reference", "label", "metadata", "enabled", "cps", "targets", "media_encryption", "codecs"],
	webhook: ["reference", "description", "enabled", "secret"],
};
/** Fields whose values matter to the provider; others are only shown. */
const meaningful = ["status", "routing.type", "auth.mode"];

export function fieldFindings({ record, ours, theirs, given }: RecordShape): Finding[] {
	const ourFields = shapesIn(ours);
	const theirFields = shapesIn(theirs);
	const stated = given.records?.[record] ?? {};
	const matches = matchFields(record, ourFields, theirFields, stated);
	const used = new Set([...matches.values()].map((match) => match.theirs));
	const others = [...theirFields]
		.filter(([path, { fields }]) => fields.size === 0 && !used.has(path) && !ourFields.has(path))
		.map(([path]) => path);
	const isObserved = theirs.isObserved === true;
	// A record that was observed may leave out empty fields.
	const needed = (isObserved ? always : required)[record] ?? [];
	const isAsked = (path: string) => path === "id" || !isObserved || others.length > 0;
	const missing = needed.filter((path) => !matches.has(path) && stated[path] === undefined && isAsked(path));
	const findings = [...matches.values()].flatMap((match) => {
		const shapes = [ourFields.get(match.ours), theirFields.get(match.theirs)] as const;
		return matchFindings(record, match, shapes, matches, stated);
	});
	findings.push(...missing.map((path) => missingFinding(record, path, others)));
	if (!isObserved) findings.push(...optionalFindings(record, { ours: ourFields, matches, stated, others }));
	return findings;
}

function matchFindings(
	record: string,
	match: Match,
	[ours, theirs]: readonly [Shape | undefined, Shape | undefined],
	matches: ReadonlyMap<string, Match>,
	stated: Stated,
): Finding[] {
	const { ours: field, theirs: place } = match;
	const given = fieldOf(stated[field] ?? {}) ?? {};
	const pairs = wordsOf(ours, theirs, given);
	const expected = expectedPlace(field, matches);
	if (separate.has(field)) return [];
	const most = mostOf(field, ours, theirs);
	if (field === "reference" && most !== undefined && stated[field] === undefined)
		return [shortReference(record, place, most)];
	const how = missingForm(match, pairs, given, most);
	const isPlain = Object.keys(how).length === 0;
	const isExpected = isPlain && (stated[field] !== undefined || place === expected);
	const moved = place === field ? how : { at: place, ...how };
	const value = isPlain ? place : moved;
	const forms = [place, ...Object.entries(how).map(([key, form]) => `${key} ${JSON.stringify(form)}`)].join(", ");
	const hint = [match.guess, pairs.guess].filter(Boolean).join("; ") || undefined;
	const words = meaningful.includes(field) ? pairs.unmatched : [];
	const unknown = words.filter((word) => !standsForNull(word, field, stated) && !isRemoval(word, record, field));
	const findings = unknown.map((word) => wordFinding(record, field, place, word));
	if (isExpected) return findings;
	const state = { records: { [record]: { [field]: value } } };
	return [about(`${record}: ${field}`, given.at ?? expected).state(forms, state, hint), ...findings];
}

/** Returns what the given description doesn't state about the value of a field. */
function missingForm(
	match: Match,
	{ values }: Words,
	given: FieldDescription,
	most: number | undefined,
): FieldDescription {
	const { as, each: item } = given.as === undefined && given.each === undefined ? match : {};
	return defined({ as, each: item, values, most: given.most === undefined ? most : undefined });
}

/** True for a value that the description states as empty for the object of the field. */
const standsForNull = (word: string, field: string, stated: Stated): boolean => {
	const { empty } = fieldOf(stated[parentOf(field)] ?? {}) ?? {};
	return JSON.stringify(empty ?? null).includes(JSON.stringify(word));
};

/** True for the status of a deleted object, which the contract's records don't have. */
const isRemoval = (word: string, record: string, field: string): boolean =>
	record !== "number" && field === "status" && isDeleted({ status: word });

const wordsOf = (ours: Shape | undefined, theirs: Shape | undefined, { values }: FieldDescription): Words =>
	ours && theirs ? pairWords(ours, theirs, values) : { unmatched: [] };

/** Returns the place of a field if only the object that it is in has moved. */
function expectedPlace(field: string, matches: ReadonlyMap<string, Match>): string {
	const parent = matches.get(parentOf(field));
	return parent === undefined || separate.has(parent.ours) ? field : `${parent.theirs}.${leafOf(field)}`;
}

/** Objects whose fields a service may keep in different objects, so that each field has a place of its own. */
const separate: ReadonlySet<string> = new Set(["auth"]);

/** Our references have up to 64 characters. */
const longestReference = 64;

const shortReference = (record: string, place: string, most: number): Finding =>
	about(`${record}: reference`, `${longestReference} characters`).state(
		`${place}, at most ${most} characters`,
		{ records: { [record]: { reference: false } } },
		`a reference needs ${longestReference} characters`,
	);

/** Returns the longest text that the service keeps, if it is shorter than ours may be. */
function mostOf(field: string, ours: Shape | undefined, theirs: Shape | undefined): number | undefined {
	const longest = field === "reference" ? longestReference : ours?.most;
	return theirs?.most !== undefined && longest !== undefined && theirs.most < longest ? theirs.most : undefined;
}

const wordFinding = (record: string, field: string, place: string, word: string): Finding =>
	about(`${record}: ${field} ${JSON.stringify(word)}`, "one of our values").decide(
		word,
		`${field === "status" ? "is it pending, active, suspended, released or failed? Set" : "if it means one of our values, set"} records.${record}.${field}: { at: ${place}, values: { …: ${word} } }`,
	);

function missingFinding(record: string, field: string, others: readonly string[]): Finding {
	const finding = about(`${record}: ${field}`, field);
	// The mode follows from the fields that the service has.
	if (field === "auth.mode")
		return finding.state(
			"not shown",
			{ records: { [record]: { [field]: false } } },
			"it follows from the other fields",
		);
	const hint = others.length === 0 ? "" : ` (other fields: ${others.join(", ")})`;
	return finding.decide("not shown", `set records.${record}.${field} to its place${hint}`);
}

interface Matched {
	readonly ours: Shapes;
	readonly matches: ReadonlyMap<string, Match>;
	readonly stated: Stated;
	readonly others: readonly string[];
}

/** Findings about fields that no record of the document has. */
function optionalFindings(record: string, { ours, matches, stated, others }: Matched): Finding[] {
	const map = matches.get("metadata");
	return (optional[record] ?? [])
		.filter((path) => ours.has(path) && !matches.has(path) && stated[path] === undefined)
		.map((path) => {
			const finding = about(`${record}: ${path}`, path);
			// A map that takes any entry has a place for the reference, which names the owner.
			if (path === "reference" && map !== undefined)
				return finding.decide(
					"not shown",
					`if ${map.theirs} takes any entry, set \`reference: ${map.theirs}.pulumi\` and \`metadata: false\` in records.${record}; otherwise \`reference: false\``,
				);
			const hint = others.length === 0 ? "" : `; other fields: ${others.join(", ")}`;
			return finding.state("not shown", { records: { [record]: { [path]: false } } }, `no field looks like it${hint}`);
		});
}
