/** Envelopes, lists, errors and headers, by the shapes of answers. */
import { type ErrorCode, errorCodes, type OperationName } from "../../provider/api/contract";
import { codes as codeNames, fields as fieldNames, fold, manners } from "../service-names";
import { type Offered, pathsIn, type Shape, shapeAt } from "./document";
import type { Finding } from "./finding";
import type { Pairs } from "./operations";

/** All names that a record's own fields may have. */
function knownNames(record: Shape): ReadonlySet<string> {
	const own = [...record.fields.keys()];
	return new Set(own.flatMap((name) => [fold(name), ...fieldNames(name)]));
}

const score = (shape: Shape, known: ReadonlySet<string>): number =>
	[...shape.fields.keys()].filter((name) => known.has(fold(name)) || /(^|_)id$/i.test(name)).length;

/** The path of the record in a shape: the object with the most of its fields, the outermost one if several are equal. */
export function envelopeIn(shape: Shape, record: Shape): string {
	const known = knownNames(record);
	const places = [["", shape] as const, ...pathsIn(shape, 2)];
	return places.reduce(
		(best, [path, each]) => {
			const now = each.kind === "object" ? score(each, known) : -1;
			return now > best.now ? { path, now } : best;
		},
		{ path: "", now: 0 },
	).path;
}

/** The path of the items in a page. */
export function itemsIn(shape: Shape, record: Shape): string | undefined {
	const known = knownNames(record);
	const lists = [...pathsIn(shape, 2)].filter(([, each]) => each.item?.kind === "object");
	const [best] = lists.toSorted(
		([, one], [, other]) => score(other.item ?? other, known) - score(one.item ?? one, known),
	);
	return best?.[0];
}

/** The path of a text by its likeliest name: ours, then the names of the table in their order. */
function named(shape: Shape, key: string, own: string): string | undefined {
	const texts = [...pathsIn(shape, 3)].filter(([, { kind }]) => kind === "text" || kind === "any");
	const names = [fold(own), ...manners(key)];
	for (const name of names) {
		// A field of an object called error belongs to the error, too.
		const [found] = texts.find(([path]) => fold(path) === name || fold(path.replace(/^errors?\./, "")) === name) ?? [];
		if (found !== undefined) return found;
	}
	return undefined;
}

export function listFindings(pairs: Pairs, items: ReadonlyMap<OperationName, string | undefined>): Finding[] {
	const list = pairs.get("listNumbers");
	if (list?.answer === undefined) return [];
	if (list.answer.kind === "list")
		return [
			{ decide: "The list of numbers is an array without an object around it: no description can express that." },
		];
	const at = items.get("listNumbers");
	const others = [...items].filter(([, path]) => path !== at).map(([name, path]) => `${name} at ${path ?? "no place"}`);
	const next = named(list.answer, "next", "next_cursor");
	const findings: Finding[] = [];
	if (at === undefined)
		findings.push({ decide: "Nothing in the answer of GET /numbers is a list of objects: state lists.items." });
	else if (at !== "data") findings.push({ at: ["lists", "items"], value: at });
	if (others.length > 0)
		findings.push({
			decide: `Lists have their items at different places, and a description has only one (${at}): ${others.join(", ")}.`,
		});
	if (next === undefined)
		findings.push({
			decide:
				"The answer of GET /numbers shows no cursor: state lists.next, or `paged: false` if the list comes whole.",
		});
	else if (next !== "next_cursor") findings.push({ at: ["lists", "next"], value: next, guess: "by its name" });
	return [...findings, ...asked(list, "cursor"), ...asked(list, "limit")];
}

function asked({ parameters }: Offered, key: "cursor" | "limit"): Finding[] {
	const names = parameters.filter((each) => each.in === "query").map((each) => each.name);
	const found = [key, ...manners(key)].flatMap((name) => names.filter((each) => fold(each) === name))[0];
	if (found === key) return [];
	if (found !== undefined) return [{ at: ["lists", key], value: found, guess: "by its name" }];
	if (key === "limit")
		return [{ at: ["lists", "limit"], value: false, guess: "GET /numbers takes no parameter of this kind" }];
	return [
		{
			decide:
				"GET /numbers takes no parameter that looks like a cursor: state lists.cursor, or `paged: false` if the list comes whole.",
		},
	];
}

const errorPlaces = { code: "error", message: "message", requestId: "request_id" } as const;

export function errorFindings(pairs: Pairs): Finding[] {
	const refusals = [...pairs.values()].flatMap((each) => each.refusals);
	const [first] = refusals;
	if (first === undefined)
		return [{ decide: "The document shows no error object: state errors.code and errors.message." }];
	const places = Object.entries(errorPlaces).map(([key, own]) => [key, own, named(first.shape, key, own)] as const);
	const stated = places.flatMap(([key, own, place]): Finding[] => {
		if (place === own) return [];
		if (place !== undefined) return [{ at: ["errors", key], value: place, guess: "by its name" }];
		return key === "requestId" ? [] : [{ decide: `Errors show no ${key}: state errors.${key}.` }];
	});
	const code = places[0]?.[2];
	return code === undefined ? stated : [...stated, ...codeFindings(refusals, code)];
}

const valueAt = (value: unknown, path: string): unknown =>
	path.split(".").reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

const owns = Object.keys(errorCodes) as ErrorCode[];

function codeFindings(refusals: Offered["refusals"], place: string): Finding[] {
	const statuses = new Map<string, Set<number>>();
	const note = (word: unknown, status: number) => {
		if (typeof word === "string") statuses.set(word, (statuses.get(word) ?? new Set()).add(status));
	};
	for (const { status, shape, examples } of refusals) {
		for (const word of shapeAt(shape, place)?.words ?? []) note(word, 0);
		for (const example of examples) note(valueAt(example, place), status);
	}
	const byFold = new Map(owns.map((code) => [fold(code), code]));
	const strange = [...statuses.keys()].filter((word) => !byFold.has(fold(word)));
	const spelled = [...statuses.keys()].flatMap((word) => {
		const ours = byFold.get(fold(word));
		return ours === undefined || ours === word ? [] : [{ ours, word, why: undefined }];
	});
	const free = owns.filter((code) => ![...statuses.keys()].some((word) => fold(word) === fold(code)));
	const guesses = strange.map((word) => ({ word, ...codeOf(word, statuses.get(word) ?? new Set(), free) }));
	const all = [...spelled, ...guesses].filter((each) => each.ours !== undefined);
	const told = [...new Set(all.map(({ ours }) => ours as string))].map((ours): Finding => {
		const mine = all.filter((each) => each.ours === ours);
		const [only, ...more] = mine.map(({ word }) => word);
		return {
			at: ["errors", "codes", ours],
			value: more.length === 0 ? only : [only, ...more],
			guess: mine.find(({ why }) => why)?.why,
		};
	});
	const left = guesses.filter(({ ours }) => ours === undefined).map(({ word }) => word);
	return left.length === 0
		? told
		: [
				...told,
				{ decide: `Error codes of the service that may stand for one of ours (errors.codes): ${left.join(", ")}.` },
			];
}

/** By the word, by a status that only one of ours has, or by the general code of that status. */
function codeOf(
	word: string,
	seen: ReadonlySet<number>,
	free: readonly ErrorCode[],
): { ours?: ErrorCode | undefined; why?: string } {
	const byName = [...codeNames].find(
		([ours, theirs]) => theirs.includes(fold(word)) && free.includes(ours as ErrorCode),
	);
	if (byName !== undefined) return { ours: byName[0] as ErrorCode, why: "by its name" };
	const [status, ...others] = [...seen].filter((each) => each !== 0);
	if (status === undefined || others.length > 0) return {};
	const same = free.filter((code) => errorCodes[code] === status);
	const plain = (["validation_failed", "unauthorized", "not_found", "rate_limited"] as const).find((code) =>
		same.includes(code),
	);
	const ours = same.length === 1 ? same[0] : status === 409 ? undefined : plain;
	return ours === undefined ? {} : { ours, why: `the document shows it with HTTP ${status}` };
}

export function headerFindings(pairs: Pairs): Finding[] {
	const buy = pairs.get("buyNumber");
	if (buy === undefined) return [];
	const key = buy.parameters.find((each) => each.in === "header" && fold(each.name).includes("idempotency"))?.name;
	const replayed = buy.headers.find((header) => fold(header).includes("replay"));
	const filters = pairs.get("listNumbers")?.parameters.map(({ name }) => fold(name)) ?? [];
	const hasFilter = ["status", ...fieldNames("status")].some((name) => filters.includes(name));
	const findings: Finding[] = [];
	if (key === undefined)
		findings.push({
			at: ["features"],
			value: "-idempotencyKey",
			guess: "POST /numbers takes no header of this kind, so no purchase is repeated",
		});
	else if (key.toLowerCase() !== "idempotency-key") findings.push({ at: ["headers", "idempotencyKey"], value: key });
	if (replayed !== undefined && replayed.toLowerCase() !== "idempotent-replayed")
		findings.push({ at: ["headers", "replayed"], value: replayed });
	if (!hasFilter)
		findings.push({ at: ["features"], value: "-statusFilter", guess: "GET /numbers has no filter by status" });
	return findings;
}
