/** The rows of the report of `telephony service check`, and helpers to make them. */
import type { Feature } from "../provider/api/contract";
import { type Description, fieldOf } from "../provider/api/description/description";
import type { ServiceDescription } from "../provider/api/description/service-description";
import { at, isObject, type Json } from "../provider/api/json";
import { isOk, type Seen, type Step } from "./service-checkup";
import { mergedDescription } from "./service-description";
import { fold, otherNames, pathsIn } from "./service-names";

/** `holds`: as assumed. `state`: needs a line of description. `decide`: a person decides. `unseen`: no answer showed it. */
export type Verdict = "holds" | "state" | "decide" | "unseen";

export interface Row {
	readonly what: string;
	readonly assumed: string;
	readonly seen: string;
	readonly verdict: Verdict;
	/** The line of description. */
	readonly state?: Description;
	/** For a person: the decision, or why to check the line. */
	readonly hint?: string | undefined;
}

/** The input of a look. The description includes the findings of earlier looks. */
export interface Looking {
	readonly all: readonly Seen[];
	/** The last answer to a question. */
	readonly last: (step: Step) => Seen | undefined;
	readonly description: Description;
	readonly dialect: ServiceDescription;
	/** By the stack or the description; undefined if neither states it. */
	readonly says: (feature: Feature) => boolean | undefined;
}
export type Look = (looking: Looking) => readonly Row[];

/** Makes the rows about one assumption. */
export const about = (what: string, assumed: string) => ({
	holds: (seen = assumed): Row => ({ what, assumed, seen, verdict: "holds" }),
	unseen: (seen: string): Row => ({ what, assumed, seen, verdict: "unseen" }),
	state: (seen: string, state: Description, hint?: string): Row => ({
		what,
		assumed,
		seen,
		verdict: "state",
		state,
		hint,
	}),
	decide: (seen: string, hint: string): Row => ({ what, assumed, seen, verdict: "decide", hint }),
});

/** The service's place of a field of ours, by the description. */
export const placeOf = ({ records }: Description, record: string, field: string): string => {
	const said = records?.[record]?.[field];
	return (said === undefined ? undefined : fieldOf(said)?.at) ?? field;
};

/** HTTP statuses for an operation that the service doesn't have. */
export const absent: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** The last list of numbers that was answered. */
export const listOf = ({ last }: Looking): Seen | undefined =>
	[last("listAfter"), last("listWithoutLimit"), last("list")].find((each) => each !== undefined && isOk(each));

export const itemsOf = (seen: Seen | undefined, { lists }: Description): readonly Json[] => {
	const items = at(seen?.json, lists?.items ?? "data");
	return Array.isArray(items) ? items.filter(isObject) : [];
};

/** The steps whose answers are one record. */
export const singles = {
	number: ["single", "buy", "replay", "change", "release"],
	trunk: ["trunk"],
	webhook: ["webhook"],
} as const;
export type Kind = keyof typeof singles;

/** The record in an answer, by the description. */
export const recordAt = ({ json }: Seen, kind: Kind, { envelopes }: Description): Json | undefined => {
	const envelope = envelopes?.[kind]?.answer;
	const record = envelope === undefined ? json : at(json, envelope);
	return isObject(record) ? record : undefined;
};

const idOf = (record: Json | undefined, kind: Kind, description: Description): string | undefined => {
	const id = at(record, placeOf(description, kind, "id"));
	return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;
};

/** The id in an answer that is one record. */
export const idIn = (seen: Seen, kind: Kind, description: Description): string | undefined =>
	idOf(recordAt(seen, kind, description), kind, description);

/** The id of the first item of a list. */
export const firstIdIn = (list: Seen, kind: Kind, description: Description): string | undefined =>
	idOf(itemsOf(list, description)[0], kind, description);

/** The path of the record in an answer; "" for the whole answer, undefined if nothing looks like a record. */
export function envelopeIn(
	json: unknown,
	kind: Kind,
	description: Description,
	id: string | undefined,
): string | undefined {
	const names = [placeOf(description, kind, "id"), "id", ...otherNames(kind, "id")].map(fold);
	const idsIn = (value: Json) => Object.keys(value).filter((key) => names.includes(fold(key)));
	const places = ["", ...pathsIn(json, 2)].flatMap((path) => {
		const value = path === "" ? json : at(json, path);
		return isObject(value) ? [{ path, value }] : [];
	});
	const exact = places.find(({ value }) => id !== undefined && idsIn(value).some((key) => String(value[key]) === id));
	return (exact ?? places.find(({ value }) => idsIn(value).length > 0))?.path;
}

/** All records of a kind that the answers show. */
export function samplesOf({ all, description, ...looking }: Looking, kind: Kind): readonly Json[] {
	const lists = {
		number: listOf({ all, description, ...looking }),
		trunk: looking.last("trunks"),
		webhook: looking.last("webhooks"),
	};
	const ones = all.flatMap((each): readonly Json[] => {
		const isOne = (singles[kind] as readonly Step[]).includes(each.step) && isOk(each);
		return isOne ? [recordAt(each, kind, description) ?? []].flat() : [];
	});
	return [...itemsOf(lists[kind], description), ...ones];
}

/** The description that fits all findings. */
export const proposal = (rows: readonly Row[], given: Description = {}): Description =>
	rows.reduce((all, { state }) => (state === undefined ? all : mergedDescription(all, state)), given);
