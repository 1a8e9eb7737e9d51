/** The checks of a service description. */
import type { z } from "zod";
import { errorCodes, type Operation, type OperationName, operations } from "../contract";
import { minorDigits } from "../currencies";
import { configError, type TelephonyError } from "../errors";
import { isObject } from "../json";
import { closestName } from "../names";
import { featuresIn } from "../offer";
import {
	type Description,
	descriptionSchema,
	type FieldDescription,
	fieldOf,
	type RecordDescription,
	type RequestDescription,
	requestOf,
	textOf,
} from "./description";
import { phoneForms } from "./phones";
import { isCurrency, isInside, ownIn, type Placed, placesOf, type Side } from "./places";
import { changeOf, type FieldKinds, fieldsOf, type Holds, recordFields, recordNames, singleReadOf } from "./records";
import { fold, type Words } from "./values";

type Mistake = readonly [path: string, problem: string];

function* mistakesIn({ operations: requests, send, envelopes, records, errors, features }: Description) {
	yield* unknownIn("operations", requests, Object.keys(operations), "operation");
	yield* unknownIn("send", send, Object.keys(operations), "operation");
	yield* unknownIn("envelopes", envelopes, recordNames, "record");
	yield* unknownIn("records", records, recordNames, "record");
	yield* unknownIn("errors.codes", errors?.codes, Object.keys(errorCodes), "code");
	yield* ambiguousIn("errors.codes", errors?.codes);
	for (const [name, { method, path }] of Object.entries(operations) as [OperationName, Operation][]) {
		yield* mistakesOfOperation(name, `${method} ${path}`, requests?.[name]);
		if (send?.[name] !== undefined && method === "GET")
			yield [`send.${name}`, "this operation sends no body: put a query into the path under operations"] as const;
	}
	for (const [record, fields] of Object.entries(records ?? {}))
		if (recordNames.includes(record)) yield* mistakesOfRecord(record, fields, requests);
	try {
		featuresIn(features ?? "", "it");
	} catch (error) {
		yield ["features", (error as TelephonyError).text.replace(/\.$/, "")] as const;
	}
}

function* unknownIn(
	at: string,
	described: object | undefined,
	validNames: readonly string[],
	what: string,
): Generator<Mistake> {
	for (const name of Object.keys(described ?? {}))
		if (!validNames.includes(name))
			yield [`${at}.${name}`, `there is no such ${what}. ${suggestion(name, validNames)}`];
}

function suggestion(name: string, validNames: readonly string[]): string {
	const meant = closestName(name, validNames);
	return meant === undefined ? `Valid names: ${validNames.join(", ")}` : `Did you mean ${meant}?`;
}

/** The operations that the service's public description fixes. A query may be added. */
const fixed: readonly string[] = ["listNumbers", "buyNumber"];

function* mistakesOfOperation(
	name: OperationName,
	contract: string,
	described: NonNullable<Description["operations"]>[string] | undefined,
): Generator<Mistake> {
	const at = `operations.${name}`;
	if (described === undefined) return;
	if (described === false) {
		if (fixed.includes(name)) yield [at, "the provider can't work without this operation"];
		return;
	}
	const { request: text = contract, ...parts } = typeof described === "string" ? { request: described } : described;
	yield* mistakesOfParts(name, parts);
	const { method, path } = requestOf(text);
	if (contract.includes("{id}") !== path.includes("{id}"))
		yield [at, contract.includes("{id}") ? `${text} needs {id}, which names the object` : `${text} must not have {id}`];
	if (fixed.includes(name) && `${method} ${path}` !== contract)
		yield [at, `the contract fixes ${contract}: leave this out, or add only a query`];
}

function* mistakesOfParts(
	name: OperationName,
	{ whole, omit, in: within, response }: RequestDescription,
): Generator<Mistake> {
	const at = `operations.${name}`;
	const { method, isBodyOptional, body }: Operation = operations[name];
	const isChange = method === "PATCH";
	if (whole !== undefined && !isChange) yield [`${at}.whole`, "this operation changes nothing"];
	if (omit !== undefined && !whole) yield [`${at}.omit`, "only an operation with `whole` leaves fields out"];
	if (within !== undefined && body === undefined) yield [`${at}.in`, "this operation sends no body"];
	if (response === false && !isBodyOptional && name !== "buyNumber")
		yield [`${at}.response`, "the provider needs this response"];
}

function* mistakesOfRecord(
	record: string,
	described: NonNullable<Description["records"]>[string],
	requests: Description["operations"],
): Generator<Mistake> {
	const knownFields = fieldsOf(record);
	const prefix = `records.${record}`;
	yield* unknownIn(prefix, described, [...knownFields.keys()], "field");
	if (described.id === false) yield [`${prefix}.id`, "the provider can't find an object without its id"];
	for (const [field, description] of Object.entries(described)) {
		const at = `${prefix}.${field}`;
		const { values, ...parts } = fieldOf(description) ?? {};
		for (const [isBroken, problem] of rules)
			if (isBroken({ ...parts, field, holds: knownFields.get(field), described, knownFields })) yield [at, problem];
		yield* ambiguousIn(`${at}.values`, values);
		yield* mistakesOfOwn(at, record, parts, requests);
		const outer = Object.keys(described).find((path) => described[path] === false && isInside(field, path));
		if (outer !== undefined) yield [at, `it is part of ${outer}, which the service doesn't have (${outer}: false)`];
	}
	const ownPlaces = ownIn(described);
	for (const field of ownPlaces) {
		const outer = ownPlaces.find((path) => isInside(field, path));
		if (outer !== undefined) yield [`${prefix}.${field}`, `it is part of ${outer}, which has operations of its own`];
	}
	const places = placesOf(record, described);
	yield* overlapsIn(prefix, record, [...defaultPlaces(record, described), ...places.main]);
	for (const { fields } of places.ownPlaces) yield* overlapsIn(prefix, record, fields);
}

/** The fields that keep their names. */
function defaultPlaces(record: string, described: RecordDescription): readonly Placed[] {
	const ownPlaces = ownIn(described);
	return [...fieldsOf(record)].flatMap(([ours, holds]): Placed[] => {
		const isMoved = ours in described || ownPlaces.some((outer) => isInside(ours, outer));
		// `state` is an alias of `status`.
		if (isMoved || holds === "object" || ours === "state") return [];
		return [{ ours, theirs: ours, sent: ours, description: {}, isDefault: true }];
	});
}

function overlapText(place: string | undefined, { ours, isDefault }: Placed, taken: string | undefined): string {
	const fix = isDefault ? `. If the service has no such field, write \`${ours}: false\`` : "";
	return `${place} overlaps ${taken}, the place of ${ours}${fix}`;
}

/** Two fields can't share a place, unless they belong to different variants of a union. */
function* overlapsIn(prefix: string, record: string, fields: readonly Placed[]): Generator<Mistake> {
	const reported = new Set<string>();
	for (const side of ["theirs", "sent"] as const) {
		const taken: Placed[] = [];
		for (const field of fields) {
			const place = field[side];
			if (place === undefined) continue;
			const overlap = taken.find((neighbor) => {
				const otherPlace = neighbor[side] as string;
				if (!isNested(place, otherPlace) || isAlternative(record, field, neighbor, { fields, side })) return false;
				if (place === otherPlace && isOneCurrency(field, neighbor)) return false;
				return place === otherPlace || !isNested(field.ours, neighbor.ours);
			});
			taken.push(field);
			const [named, neighbor] = field.isDefault ? [overlap, field] : [field, overlap];
			if (named === undefined || neighbor === undefined || named.isDefault || reported.has(named.ours)) continue;
			reported.add(named.ours);
			yield [`${prefix}.${named.ours}`, overlapText(named[side], neighbor, neighbor[side])];
		}
	}
}

/** True for described currencies: a service may show one for several amounts. */
const isOneCurrency = (...fields: readonly Placed[]): boolean =>
	fields.every(({ ours, isDefault }) => isCurrency(ours) && isDefault !== true);

/** True for fields of different variants at the same place, if the service shows the variant. */
function isAlternative(
	record: string,
	field: Placed,
	neighbor: Placed,
	{ fields, side }: { readonly fields: readonly Placed[]; readonly side: Side },
): boolean {
	const variantsByPath = recordFields(record).variants;
	const variants = variantsByPath.get(field.ours);
	const neighborVariants = variantsByPath.get(neighbor.ours);
	if (field[side] !== neighbor[side] || variants === undefined || variants.tag !== neighborVariants?.tag) return false;
	const isShown = !fields.some(({ ours, [side]: place }) => ours === variants.tag && place === undefined);
	return isShown && ![...variants.values].some((value) => neighborVariants.values.has(value));
}

function* mistakesOfOwn(
	at: string,
	record: string,
	{ write, read, clear, sent, empty }: FieldDescription = {},
	requests: Description["operations"],
): Generator<Mistake> {
	if (isObject(empty) && Object.keys(empty).length === 0) yield [`${at}.empty`, "it must have at least one value"];
	if (write === undefined) {
		if (clear !== undefined) yield [`${at}.clear`, "it needs `write`"];
		if (read !== undefined && sent !== undefined) yield [`${at}.sent`, "it needs `write`"];
	} else yield* mistakesOfWrite(`${at}.write`, record, write, read !== undefined);
	if (read !== undefined) yield* mistakesOfRead(`${at}.read`, singleReadOf(record), requests);
	for (const [key, request] of Object.entries({ write, read, clear }))
		if (request !== undefined) yield* mistakesOfRequest(`${at}.${key}`, textOf(request), key === "read");
}

function* mistakesOfRead(
	at: string,
	single: OperationName | undefined,
	requests: Description["operations"],
): Generator<Mistake> {
	if (single === undefined) yield [at, "the provider never reads this record alone"];
	else if (requests?.[single] === false) yield [at, `it needs ${single}`];
}

function* mistakesOfRequest(at: string, text: string, isRead: boolean): Generator<Mistake> {
	const { method, path } = requestOf(text);
	if (!path.includes("{id}")) yield [at, `${text} needs {id}, which names the object`];
	if (isRead && method !== "GET") yield [at, `${text} is not a GET request`];
	if (!isRead && method === "GET") yield [at, `${text} can't change anything`];
}

function* mistakesOfWrite(
	at: string,
	record: string,
	write: NonNullable<FieldDescription["write"]>,
	hasRead: boolean,
): Generator<Mistake> {
	if (changeOf(record) === undefined) yield [at, "the provider never changes this record"];
	const { whole = false, omit } = typeof write === "object" ? write : {};
	if (whole && !hasRead) yield [`${at}.whole`, "it needs `read`"];
	if (omit !== undefined && !whole) yield [`${at}.omit`, "only a write with `whole` leaves fields out"];
}

/** A described field, beside the others of its record. */
interface DescribedField extends FieldDescription {
	readonly field: string;
	readonly holds: Holds | undefined;
	readonly described: RecordDescription;
	readonly knownFields: FieldKinds;
}

/** Fields with phone numbers. */
const phones = /(^|\.)(numbers?|from|to)$/;
const currencyBeside = (field: string): string => field.replace(/[^.]*$/, "currency");
const isAmount = ({ field, knownFields }: DescribedField): boolean =>
	field.endsWith("amount") && knownFields.has(currencyBeside(field));
/** The longest reference of the provider. */
const longestReference = 64;

/** The values that a form or a limit is for. */
const rules: readonly (readonly [isBroken: (field: DescribedField) => boolean, problem: string])[] = [
	[({ as, holds }) => as === "csv" && holds !== "list", "`as: csv` is only for lists of texts"],
	[({ each, holds }) => each !== undefined && holds !== "list" && holds !== "objects", "`each` is only for lists"],
	[
		({ as = "", field }) => (phoneForms as readonly string[]).includes(as) && !phones.test(field),
		"`digits`, `international` and `national` are only for phone numbers",
	],
	[
		({ as, field, described, knownFields }) =>
			as === "national" && phones.test(field) && (!knownFields.has("country") || described.country === false),
		"`as: national` needs the record's country, which this record doesn't have",
	],
	[
		({ is, field }) => is !== undefined && (!isCurrency(field) || minorDigits(is) === undefined),
		"`is` is only for currencies, and has a code of ISO 4217, such as EUR",
	],
	[(all) => all.as === "cents" && !isAmount(all), "`as: cents` is only for amounts"],
	[
		(all) =>
			all.as === "cents" &&
			isAmount(all) &&
			(all.described[currencyBeside(all.field)] === false || all.read !== undefined),
		"`as: cents` needs the currency beside the amount. If the service doesn't show it, write its value: { is: EUR }",
	],
	[
		({ most, field, holds }) => most !== undefined && holds !== "text" && field !== "metadata",
		"`most` is only for texts",
	],
	[
		({ most = longestReference, field }) => field === "reference" && most < longestReference,
		`references have up to ${longestReference} characters: if the service keeps fewer, write \`reference: false\``,
	],
];

/** True if one path is the other, or inside it. */
const isNested = (path: string, otherPath: string): boolean =>
	path === otherPath || isInside(path, otherPath) || isInside(otherPath, path);

/** A value of the service stands for one of the contract. */
function* ambiguousIn(at: string, values: Words = {}): Generator<Mistake> {
	const seen = new Map<string, string>();
	for (const [ours, theirs] of Object.entries(values))
		for (const word of [theirs].flat()) {
			const meaning = seen.get(fold(word));
			if (meaning !== undefined) yield [`${at}.${ours}`, `${JSON.stringify(word)} already means ${meaning}`];
			seen.set(fold(word), ours);
		}
}

let schema: ReturnType<typeof descriptionSchema> | undefined;

/** @throws TelephonyError of kind Config, which names each mistake by its path. @param where the source, for messages */
export function checkedDescription(value: unknown, where: string): Description {
	if (value === undefined || value === null) return {};
	schema ??= descriptionSchema();
	const parsed = schema.safeParse(value);
	const mistakes = parsed.success ? [...mistakesIn(parsed.data)] : parsed.error.issues.flatMap(mistakesOfIssue);
	if (parsed.success && mistakes.length === 0) return parsed.data;
	const all = mistakes.map(([path, problem]) => `${path}: ${problem}`).join("; ");
	throw configError(
		`The service description in ${where} can't be used: ${all}${all.endsWith("?") ? "" : "."} Nothing was sent. See docs/reference/service-description.md.`,
	);
}

function mistakesOfIssue(issue: z.core.$ZodIssue): Mistake[] {
	const path = issue.path.map(String);
	if (issue.code === "unrecognized_keys")
		return issue.keys.map((key) => [[...path, key].join("."), "there is no such key"]);
	if (issue.code === "invalid_union") {
		// Of the forms that the value may have, only the intended one has a mistake inside it.
		const isOtherForm = ({ code, path: at }: z.core.$ZodIssue) =>
			at.length === 0 && (code === "invalid_type" || code === "invalid_value");
		const inner = issue.errors.flat().filter((mistake) => !isOtherForm(mistake));
		if (inner.length > 0)
			return inner.flatMap((mistake) =>
				mistakesOfIssue({ ...mistake, path: [...path, ...mistake.path] } as z.core.$ZodIssue),
			);
	}
	const problem = issue.code === "invalid_union" ? "has a value of the wrong kind" : issue.message;
	return [[path.join(".") || "the top level", problem]];
}
