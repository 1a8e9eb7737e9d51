/** The places of lists, records and their fields. */
import { numberStatuses } from "../provider/api/contract";
import { type Description, fieldOf } from "../provider/api/description/description";
import { fieldsOf, type Holds } from "../provider/api/description/records";
import { at, isObject, type Json } from "../provider/api/json";
import { isOk, type Seen } from "./service-checkup";
import { fold, manners, meaningOf, otherNames, pathIn, seenAs } from "./service-names";
import {
	about,
	envelopeIn,
	itemsOf,
	type Kind,
	type Look,
	type Looking,
	listOf,
	placeOf,
	proposal,
	type Row,
	recordAt,
	samplesOf,
	singles,
} from "./service-rows";

// ---- Lists ------------------------------------------------------------------------------------------------------------

export const lookAtLists: Look = (looking) => {
	const list = listOf(looking);
	if (list === undefined) return [];
	return [itemsRow(list, looking.description), nextRow(list, looking.description), ...limitRows(looking)];
};

function itemsRow({ json }: Seen, { lists }: Description): Row {
	const assumed = lists?.items ?? "data";
	const row = about("items of a list", assumed);
	if (Array.isArray(at(json, assumed))) return row.holds();
	if (Array.isArray(json))
		return row.decide("the answer is a bare list", "a list must be in an object: no description can change this");
	const found = pathIn(json, manners("items"), Array.isArray);
	if (found !== undefined) return row.state(found, { lists: { items: found } });
	return row.decide("no list", "state lists.items: where the answer has its list");
}

const isCursor = (value: unknown) => value === null || (typeof value === "string" && !/^https?:/.test(value));

function nextRow({ json }: Seen, { lists }: Description): Row {
	const assumed = lists?.next ?? "next_cursor";
	const row = about("cursor of the next page", assumed);
	if (at(json, assumed) !== undefined) return row.holds();
	const found = pathIn(json, manners("next"), isCursor);
	if (found !== undefined) return row.state(found, { lists: { next: found } });
	const more = pathIn(json, manners("more"), (value) => value === true);
	if (more !== undefined)
		return row.decide(
			`${more}, but no cursor`,
			"state lists.next: otherwise the list is incomplete, and nothing is bought",
		);
	return row.unseen("none: probably the last page");
}

function limitRows({ description: { lists }, last }: Looking): readonly Row[] {
	const row = about("size of a page", `${lists?.limit ?? "limit"}=100`);
	const [list, without] = [last("list"), last("listWithoutLimit")];
	if (list === undefined || lists?.limit === false) return [];
	if (isOk(list)) return [row.holds()];
	if (without === undefined || !isOk(without)) return [];
	return [
		row.state(`refused (HTTP ${list.answer.status})`, {
			lists: { limit: false },
		}),
	];
}

/** If the second page is the first one again, the cursor has another name. */
export const lookAtPages: Look = ({ all, description, last }) => {
	const assumed = description.lists?.cursor ?? "cursor";
	const row = about("parameter for the next page", assumed);
	const first = last("firstPage");
	const seconds = all.filter(({ step }) => step === "secondPage");
	if (first === undefined || seconds.length === 0) return [];
	const [shown] = itemsOf(first, description);
	const right = seconds.find((each) => isOk(each) && isAnother(itemsOf(each, description)[0], shown));
	if (right === undefined)
		return [
			row.decide("the first page again", "state lists.cursor: otherwise the list is incomplete, and nothing is bought"),
		];
	return [
		right.instead === undefined || right.instead === assumed
			? row.holds()
			: row.state(right.instead, { lists: { cursor: right.instead } }),
	];
};

const isAnother = (one: Json | undefined, other: Json | undefined) =>
	one !== undefined && JSON.stringify(one) !== JSON.stringify(other);

// ---- Records ----------------------------------------------------------------------------------------------------------

const kinds = Object.keys(singles) as Kind[];

/** Fields that are reported even if nothing shows them, and sought under other names. */
const sought: Readonly<Record<Kind, readonly string[]>> = {
	number: "id number status kyc_required label reference country type area created_at".split(" "),
	trunk: "id name capacity enabled".split(" "),
	webhook: "id url events enabled".split(" "),
};

export const lookAtRecords: Look = (looking) =>
	kinds.flatMap((kind) => {
		const envelope = envelopeRows(looking, kind);
		const description = proposal(envelope, looking.description);
		return [...envelope, ...fieldRows({ ...looking, description }, kind)];
	});

function envelopeRows({ all, description }: Looking, kind: Kind): readonly Row[] {
	const said = description.envelopes?.[kind]?.answer;
	const assumed = said === undefined ? "the answer itself" : said;
	const row = about(`one ${kind}`, assumed);
	const steps: readonly string[] = singles[kind];
	const answers = all.filter((each) => steps.includes(each.step) && isOk(each) && isObject(each.json));
	const found = answers.flatMap((each) => envelopeIn(each.json, kind, description, each.id) ?? [])[0];
	if (found === undefined) return [];
	const place = found === "" ? undefined : found;
	if (place === said) return [row.holds()];
	if (place === undefined) return [row.decide("the answer itself", `remove envelopes.${kind}.answer`)];
	const request = description.envelopes?.[kind]?.request;
	const envelope = { answer: place, ...(request === undefined ? {} : { request }) };
	return [row.state(place, { envelopes: { [kind]: envelope } })];
}

function fieldRows(looking: Looking, kind: Kind): readonly Row[] {
	const samples = samplesOf(looking, kind);
	if (samples.length === 0)
		return kind === "number"
			? [about("fields of a number", sought[kind].join(", ")).unseen("no number to look at")]
			: [];
	const known = fieldsOf(kind);
	const tops = [...known].filter(([path]) => !path.includes("."));
	const said = looking.description.records?.[kind] ?? {};
	const taken = new Set([
		...known.keys(),
		...Object.keys(said).map((field) => placeOf(looking.description, kind, field)),
	]);
	const rows: Row[] = [];
	for (const [field, type] of tops) {
		if (said[field] === false || field === "state") continue;
		const row = fieldRow(samples, kind, field, type, looking.description, (key) => !taken.has(key));
		if (row !== undefined) rows.push(row);
		const place = row?.state?.records?.[kind]?.[field];
		if (place !== undefined) taken.add(fieldOf(place)?.at ?? field);
	}
	return [...rows, ...strangers(samples, kind, taken)];
}

/** Undefined for an optional field that no record has. */
function fieldRow(
	samples: readonly Json[],
	kind: Kind,
	field: string,
	type: Holds,
	description: Description,
	isFree: (key: string) => boolean,
): Row | undefined {
	const assumed = placeOf(description, kind, field);
	const row = about(`${kind}: ${field}`, assumed);
	const isSought = sought[kind].includes(field);
	const names = [fold(field), ...(isSought ? otherNames(kind, field) : [])];
	const isThere = (place: string) => samples.some((sample) => at(sample, place) !== undefined);
	// The contract reads a number's `state` as its status, too.
	const expected = (kind === "number" && field === "status" ? [assumed, "state"] : [assumed]).find(isThere);
	const place = expected ?? keyIn(samples, names, isFree);
	if (place === undefined) return isSought ? missing(row, kind, field) : undefined;
	const as = isFormStated(description, kind, field)
		? undefined
		: seenAs(field, type, samples.map((sample) => at(sample, place)).find(isValue));
	if (expected !== undefined && as === undefined) return isSought ? row.holds(place) : undefined;
	const state = { records: { [kind]: { [field]: as === undefined ? place : { at: place, as } } } };
	const hint = expected !== undefined ? undefined : `${place} was chosen for ${field} by its name`;
	return row.state(as === undefined ? place : `${place}, as ${as}`, state, hint);
}

const missing = (row: ReturnType<typeof about>, kind: Kind, field: string): Row =>
	field === "id"
		? row.decide("not shown", `state records.${kind}.id: nothing works without it`)
		: row.unseen("not shown");

const isValue = (value: unknown): boolean => value !== null && value !== undefined;

function isFormStated({ records }: Description, kind: Kind, field: string): boolean {
	const said = records?.[kind]?.[field];
	return said !== undefined && fieldOf(said)?.as !== undefined;
}

/** The first key of any record that has one of these names. */
function keyIn(
	records: readonly Json[],
	names: readonly string[],
	isFree: (key: string) => boolean,
): string | undefined {
	const keys = [...new Set(records.flatMap((record) => Object.keys(record)))].filter(isFree);
	return names.flatMap((name) => keys.filter((key) => fold(key) === name))[0];
}

/** Fields that stand for none of ours: a person may recognise them. */
function strangers(samples: readonly Json[], kind: Kind, taken: ReadonlySet<string>): readonly Row[] {
	const tops = new Set([...taken].map((place) => place.split(".")[0]));
	const keys = [...new Set(samples.flatMap((sample) => Object.keys(sample)))].filter((key) => !tops.has(key));
	return keys.length === 0 ? [] : [about(`${kind}: other fields`, "none").unseen(keys.join(", "))];
}

// ---- Words ------------------------------------------------------------------------------------------------------------

export const lookAtWords: Look = (looking) => {
	const { description } = looking;
	const said = description.records?.number?.status;
	if (said === false) return [];
	const how = said === undefined ? undefined : fieldOf(said);
	const known = new Set(
		[...numberStatuses, ...Object.values(how?.words ?? {}).flat()].map((word) => word.toLowerCase()),
	);
	const samples = samplesOf(looking, "number");
	const place = how?.at ?? (samples.some(({ status }) => status !== undefined) ? "status" : "state");
	const words = new Set(
		samples.map((sample) => at(sample, place)).filter((word) => typeof word === "string" && word !== ""),
	);
	const released = new Set(releasedWords(looking, place));
	return [...words].map((word) => {
		const what = `status ${JSON.stringify(word)}`;
		const row = about(what, "a word of ours");
		if (known.has(String(word).trim().toLowerCase())) return row.holds(String(word));
		const meaning = released.has(word) ? "released" : meaningOf(String(word));
		if (meaning === undefined)
			return row.decide(
				String(word),
				`state what it means, as records.number.status: { at: ${place}, words: { …: ${String(word)} } } (of ${numberStatuses.join(", ")})`,
			);
		const state: Description = { records: { number: { status: { at: place, words: { [meaning]: [String(word)] } } } } };
		return row.state(`${word}, which means ${meaning}`, state, `${word} was taken as ${meaning} by its name`);
	});
};

/** Words that no number had before its release. */
function releasedWords({ last, description }: Looking, place: string): readonly unknown[] {
	const release = last("release");
	if (release === undefined || !isOk(release)) return [];
	const before = [last("buy"), last("change"), last("single")].flatMap((each) =>
		each === undefined ? [] : [at(recordAt(each, "number", description), place)],
	);
	const word = at(recordAt(release, "number", description), place);
	return before.includes(word) ? [] : [word];
}
