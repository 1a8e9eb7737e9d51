/** A service description: what a service names otherwise than the contract, as data. docs/guides/your-service.md shows it all. */
import { z } from "zod";
import { errorCodes, type Operation, type OperationName, operations } from "../contract";
import { TelephonyError } from "../errors";
import { featuresIn } from "../offer";
import { closestName } from "./names";
import { fieldsOf, type Holds, recordNames } from "./records";
import { writings } from "./values";

const place = z.string().regex(/^[^.\s][^\s]*$/, "must be the name of a field, or a path such as tags.pulumi");
const oneOrMore = z.union([z.string(), z.array(z.string()).min(1)]);

const FieldParts = z.strictObject({
	at: place.optional(),
	as: z.enum(writings).optional(),
	words: z.record(z.string(), oneOrMore).optional(),
	each: z.string().min(1).optional(),
});
const Field = z.union([z.literal(false), place, FieldParts]);
const Request = z
	.string()
	.regex(/^(GET|POST|PUT|PATCH|DELETE) \/\S*$/, "must be a method and a path, such as PUT /numbers/{id}");
const RequestParts = z.strictObject({ request: Request, whole: z.boolean().optional() });
const Envelope = z.strictObject({ answer: place.optional(), request: place.optional() });
const Lists = z.strictObject({
	items: place.optional(),
	next: place.optional(),
	cursor: z.string().min(1).optional(),
	limit: z.union([z.literal(false), z.string().min(1)]).optional(),
	paged: z.boolean().optional(),
});
const Errors = z.strictObject({
	code: place.optional(),
	message: place.optional(),
	requestId: place.optional(),
	codes: z.record(z.string(), oneOrMore).optional(),
});
const Headers = z.strictObject({
	idempotencyKey: z.string().min(1).optional(),
	replayed: z.string().min(1).optional(),
});

/** The grammar. Only what differs is written. */
const Description = z.strictObject({
	operations: z.record(z.string(), z.union([z.literal(false), Request, RequestParts])).optional(),
	records: z.record(z.string(), z.record(z.string(), Field)).optional(),
	envelopes: z.record(z.string(), Envelope).optional(),
	send: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
	lists: Lists.optional(),
	errors: Errors.optional(),
	headers: Headers.optional(),
	features: z.string().optional(),
});
/** What may stand in each part of it. */
const parts: Readonly<Record<string, z.ZodObject>> = {
	operations: RequestParts,
	records: FieldParts,
	envelopes: Envelope,
	lists: Lists,
	errors: Errors,
	headers: Headers,
};
export type Description = z.infer<typeof Description>;
export type FieldDescription = Exclude<z.infer<typeof Field>, false | string>;

export const fieldOf = (field: z.infer<typeof Field>): FieldDescription | undefined =>
	field === false ? undefined : typeof field === "string" ? { at: field } : field;

/** The method and the path of an operation, and what is always asked. */
export function requestOf(text: string): { method: string; path: string; query: Readonly<Record<string, string>> } {
	const [method = "", target = ""] = text.split(" ");
	const [path = "", query = ""] = target.split("?");
	return { method, path, query: Object.fromEntries(new URLSearchParams(query)) };
}

function near(name: string, known: readonly string[]): string {
	const meant = closestName(name, known);
	return meant === undefined ? `Valid names: ${known.join(", ")}` : `Did you mean ${meant}?`;
}

type Mistake = readonly [path: string, what: string];

/** What can't be meant, by its place in the description. */
function* problemsIn({ operations: requests, send, envelopes, records, errors, features }: Description) {
	for (const [name, said] of Object.entries(requests ?? {})) yield* problemsOfOperation(name, said);
	yield* unknown("send", send, Object.keys(operations), "operation");
	for (const name of Object.keys(send ?? {}))
		if ((operations as Readonly<Record<string, Operation>>)[name]?.method === "GET")
			yield [
				`send.${name}`,
				"this operation sends no body: to add a query, put it into the path under operations",
			] as const;
	yield* unknown("envelopes", envelopes, recordNames, "record");
	yield* unknown("records", records, recordNames, "record");
	for (const [name, fields] of Object.entries(records ?? {}))
		if (recordNames.includes(name)) yield* problemsOfFields(name, fields);
	yield* unknown("errors.codes", errors?.codes, Object.keys(errorCodes), "code");
	yield* twice("errors.codes", errors?.codes ?? {});
	yield* problemsOfFeatures(features ?? "");
}

function* unknown(at: string, said: object | undefined, known: readonly string[], what: string): Generator<Mistake> {
	for (const name of Object.keys(said ?? {}))
		if (!known.includes(name)) yield [`${at}.${name}`, `there is no such ${what}. ${near(name, known)}`];
}

function* problemsOfFeatures(features: string): Generator<Mistake> {
	try {
		featuresIn(features, "it");
	} catch (error) {
		yield ["features", (error as TelephonyError).message.replace(/\. \[.*$|\.$/, "")];
	}
}

function* problemsOfOperation(name: string, said: NonNullable<Description["operations"]>[string]): Generator<Mistake> {
	yield* unknown("operations", { [name]: said }, Object.keys(operations), "operation");
	if (!(name in operations)) return;
	if (said !== false) yield* problemsOfRequest(name as OperationName, typeof said === "string" ? said : said.request);
	else if (fixed.includes(name)) yield [`operations.${name}`, "the provider can't work without this operation"];
}

/** What the public description of the service fixes; a fixed query may be added. */
const fixed: readonly string[] = ["listNumbers", "buyNumber"];

function* problemsOfRequest(name: OperationName, text: string): Generator<Mistake> {
	const { method, path }: Operation = operations[name];
	const said = requestOf(text);
	const at = `operations.${name}`;
	if (path.includes("{id}") !== said.path.includes("{id}"))
		yield [
			at,
			path.includes("{id}")
				? `${text} has no {id}, which names the object`
				: `${text} has an {id}, but the operation isn't about one object`,
		];
	if (fixed.includes(name) && (said.method !== method || said.path !== path))
		yield [at, `the contract fixes ${method} ${path}: leave this out, or add only a query`];
}

/** A field that is only another name of one. */
const isAlias = (record: string, field: string) => record === "number" && field === "state";

type SaidFields = NonNullable<Description["records"]>[string];

function* problemsOfFields(record: string, said: SaidFields): Generator<Mistake> {
	const known = fieldsOf(record);
	const places = new Map<string, string>();
	if (said.id === false) yield [`records.${record}.id`, "the provider can't find an object without its id"];
	for (const [ours, field] of Object.entries(said)) {
		const at = `records.${record}.${ours}`;
		const holds = known.get(ours);
		yield* unknown(`records.${record}`, { [ours]: field }, [...known.keys()], "field");
		const how = fieldOf(field);
		if (how === undefined || holds === undefined) continue;
		const outer = Object.keys(said).find((path) => said[path] === false && ours.startsWith(`${path}.`));
		if (outer !== undefined) yield [at, `it is part of ${outer}, which the service doesn't have (${outer}: false)`];
		yield* problemsOfWriting(at, how, holds);
		const theirs = how.at ?? ours;
		const stays = theirs !== ours && known.has(theirs) && said[theirs] === undefined && !isAlias(record, theirs);
		const other = places.get(theirs) ?? (stays ? theirs : undefined);
		if (other !== undefined) yield [at, `${ours} and ${other} can't both be at ${theirs}`];
		places.set(theirs, ours);
	}
	yield* problemsOfPlaces(record, said, places);
}

function* problemsOfWriting(at: string, { as, each, words }: FieldDescription, holds: Holds): Generator<Mistake> {
	if (as === "csv" && holds !== "list") yield [at, "`as: csv` is only for lists of words"];
	if (each !== undefined && holds !== "list" && holds !== "objects") yield [at, "`each` is only for lists"];
	yield* twice(`${at}.words`, words ?? {});
}

/** A text, number or list of ours that stays where it is has nothing else inside, either. @param places ours by theirs */
function* problemsOfPlaces(record: string, said: SaidFields, places: ReadonlyMap<string, string>): Generator<Mistake> {
	const stay = [...fieldsOf(record)].filter(([path, holds]) => !(path in said) && holds !== "object");
	const all = new Map([...places, ...stay.map(([path]) => [path, path] as const)]);
	for (const [inner, ours] of places)
		for (const [outer, other] of all)
			if (inner.startsWith(`${outer}.`) && !ours.startsWith(`${other}.`))
				yield [`records.${record}.${ours}`, `${inner} is inside ${outer}, which ${other} already uses`];
}

/** A word of theirs stands for one of ours. */
function* twice(at: string, words: Readonly<Record<string, string | readonly string[]>>): Generator<Mistake> {
	const seen = new Map<string, string>();
	for (const [ours, theirs] of Object.entries(words))
		for (const word of [theirs].flat()) {
			const other = seen.get(word.toLowerCase());
			if (other !== undefined) yield [`${at}.${ours}`, `${JSON.stringify(word)} already means ${other}`];
			seen.set(word.toLowerCase(), ours);
		}
}

/** @throws TelephonyError of kind Config, which names each mistake by its path. @param where how the user has given it */
export function checkedDescription(value: unknown, where: string): Description {
	const parsed = Description.safeParse(value ?? {});
	const problems = parsed.success
		? [...problemsIn(parsed.data)].map(([path, what]) => `${path}: ${what}`)
		: parsed.error.issues.flatMap((issue) => sentences(issue));
	if (parsed.success && problems.length === 0) return parsed.data;
	const said = problems.join("; ");
	throw new TelephonyError(
		"Config",
		`The service description in ${where} can't be used: ${said}${said.endsWith("?") ? "" : "."} Nothing was sent. See docs/guides/your-service.md.`,
	);
}

function sentences(issue: z.core.$ZodIssue): string[] {
	const path = issue.path.map(String);
	if (issue.code === "unrecognized_keys")
		return issue.keys.map(
			(key) =>
				`${[...path, key].join(".")}: there is no such key. ${near(key, Object.keys((parts[path[0] ?? ""] ?? Description).shape))}`,
		);
	if (issue.code === "invalid_union") {
		// Of the kinds that it could be, the one that it is.
		const isOther = ({ code, path: at }: z.core.$ZodIssue) =>
			at.length === 0 && (code === "invalid_type" || code === "invalid_value");
		const inner = issue.errors.flat().filter((each) => !isOther(each));
		if (inner.length > 0)
			return inner.flatMap((each) => sentences({ ...each, path: [...issue.path, ...each.path] } as z.core.$ZodIssue));
	}
	return [
		`${path.join(".") || "the top level"}: ${issue.code === "invalid_union" ? "has a value of the wrong kind" : issue.message}`,
	];
}
