/** Parses the service's responses, or turns them into errors. */
import { z } from "zod";
import { confirmsRemoval, isErrorObject, isHtml, isRemoval } from "./confirmation";
import {
	ErrorBody,
	type ErrorCode,
	errorCodes,
	HiddenError,
	itemOf,
	namesIds,
	type Operation,
	type OperationName,
	type operations,
	type PurchaseRecord,
	parseRecord,
	replayedHeader,
	tidy,
} from "./contract";
import { boughtIn, namesHint, unreadHint, wholeHint } from "./description/hint";
import { type OwnRead, valuesIn } from "./description/own-operations";
import { recordOf } from "./description/records";
import { isList, type ServiceDescription } from "./description/service-description";
import { errorOfResponse, isTelephonyError, nextStep, TelephonyError } from "./errors";
import { at, defined, findJson, isObject, type Json, textIn } from "./json";
import { isEmptyList, notePaging, type RawPage, signsIn, withHiddenItems } from "./paging";
import { repeatsName } from "./record";
import type { RawResponse } from "./wire";

type Parsed<O> = O extends { response: infer R extends z.ZodType }
	? z.infer<R>
	: O extends { media: string }
		? Media
		: undefined;

/** The data of a response. It may be missing after a write: a GET shows the result. */
export type ResponseOf<N extends OperationName> =
	| Parsed<(typeof operations)[N]>
	| ((typeof operations)[N] extends { isBodyOptional: true } ? undefined : never);

/** A response that isn't JSON. */
export interface Media {
	readonly type: string;
	readonly bytes: Uint8Array;
}

export interface ServiceResponse<T> {
	readonly data: T;
	/** True if the service replayed its response to an earlier request with the same Idempotency-Key. */
	readonly replayed: boolean;
	/** True if the response shows the object. For a removal: true if it shows that the object is removed, or will be. */
	readonly isConfirmed: boolean;
}

// Kept apart from the records, which hold only the service's own fields.
const requestIds = new WeakMap<object, string>();

/** Returns the id of the request that a record came with, for the service's support. */
export const requestIdOf = (record: object): string | undefined => requestIds.get(record);

export const isReplayed = ({ headers }: RawResponse, header: string = replayedHeader): boolean =>
	!/^(|0|false|no)$/i.test(headers[header] ?? "");

/** The request of a response, and how to read it. */
export interface Reading {
	readonly name: OperationName;
	readonly operation: Operation;
	/** The id in the path. */
	readonly id: string | undefined;
	/** Such as `GET /numbers/num_1`. */
	readonly doing: string;
	/** The query, in the contract's names. */
	readonly query: { readonly cursor?: unknown; readonly limit?: unknown };
	readonly requestId: string | undefined;
	readonly description: ServiceDescription;
	/** Gets each record of the response in the service's names, by its id. */
	keep(id: string, record: unknown): void;
	/** Gets the fields that can't be read, and that the records do without: their places, and their paths in our names. */
	leaveOut?(places: readonly string[], fields: readonly string[]): void;
	redact(text: string): string;
}

/** Reads a response. The data is undefined if a write doesn't show its object. @throws TelephonyError, redacted */
export function readResponse(
	reading: Reading,
	response: RawResponse,
): Pick<ServiceResponse<unknown>, "data" | "isConfirmed"> {
	const { name, operation } = reading;
	const json = readAccepted(reading, response);
	if (operation.media !== undefined) {
		// Bytes in a coding that isn't decoded would be saved as the document.
		if (codingOf(response) !== undefined) throw unreadable(reading, response);
		const type = response.headers["content-type"] || operation.media;
		return { data: { type, bytes: response.body }, isConfirmed: true };
	}
	if (operation.isBodyOptional) {
		const data = json === undefined ? undefined : readOptional(reading, json, response);
		return { data, isConfirmed: isRemoval(name) ? confirmsRemoval(name, response, data) : data !== undefined };
	}
	return { data: readJson(reading, requiredJson(reading, json, response), response), isConfirmed: true };
}

/** Operations that end the valid secret of their object. */
const rotations: ReadonlySet<OperationName> = new Set(["rotateSecret", "rotatePassword"]);

/** Returns the JSON of a response that shows an object or a list. @throws TelephonyError if it shows none */
function requiredJson(reading: Reading, json: unknown, response: RawResponse): unknown {
	const { name } = reading;
	if (json !== undefined || (response.status === 204 && isList(name))) return json;
	// The public description doesn't show the body of a purchase's response. A repeated rotation would end a valid secret.
	if ((name === "buyNumber" || rotations.has(name)) && response.body.toString().trim() === "") return {};
	throw unreadable(reading, response);
}

/**
 * Returns the JSON of a response that accepts its request. Undefined for a page of HTML, and for a response that isn't JSON.
 *
 * @throws TelephonyError for a refusal, redacted
 */
export function readAccepted(reading: Reading, response: RawResponse): unknown {
	const { name, operation, description } = reading;
	const { status, headers } = response;
	if (status < 200 || status > 299) throw refusal(reading, response);
	const isJson = operation.media === undefined || /json/i.test(headers["content-type"] ?? "");
	const json = isJson && !isHtml(response) ? parseJson(response) : undefined;
	if (isErrorObject(name, json, description)) throw hiddenRefusal(reading, response);
	return json;
}

/** Reads the JSON of a response to the operation of a property; undefined for an empty one. @throws TelephonyError, redacted */
export function readBody(reading: Reading, response: RawResponse): unknown {
	const json = readAccepted(reading, response);
	if (json === undefined && response.body.toString().trim() !== "") throw unreadable(reading, response);
	return json;
}

/** Reads the values in the response of a property's read, as a record of the contract. @throws TelephonyError, redacted */
export function readValues(reading: Reading, response: RawResponse, read: OwnRead, country?: string): Json {
	const { operation, doing, description } = reading;
	const json = readBody(reading, response);
	const values = valuesIn(read, json, country);
	tidy(operation.response, values, (text) => description.timeIn(text));
	const { shape } = operation.response as z.ZodObject;
	for (const [name, value] of Object.entries(values)) {
		const field: unknown = shape[name];
		// Another field of an object may come from the record.
		const type = field instanceof z.ZodOptional && isObject(value) && !isWholeObject(read, name) ? z.unknown() : field;
		const parsed = z.object({ [name]: type as z.ZodType }).safeParse({ [name]: value });
		if (!parsed.success) throw mismatch(`${doing}: the response`, parsed.error, reading, json);
	}
	return values;
}

/** True if the read shows all of a property, and not only some fields of it. */
const isWholeObject = ({ properties }: OwnRead, name: string): boolean => properties.some(({ ours }) => ours === name);

/** Returns the content coding that the provider hasn't decoded; undefined for a decoded or plain body. */
function codingOf({ headers }: RawResponse): string | undefined {
	const coding = headers["content-encoding"]?.trim() ?? "";
	return /^(|identity|none|utf-?8)$/i.test(coding) ? undefined : coding.slice(0, 60);
}

function unreadable({ name, operation, doing, requestId }: Reading, response: RawResponse): TelephonyError {
	const coding = codingOf(response);
	const isPage = operation.media === undefined && isHtml(response);
	const content = operation.media === undefined ? "incomplete or invalid JSON" : "a document";
	const problem = isPage ? "an HTML page" : content + (coding === undefined ? "" : `, in the content coding ${coding}`);
	const message = `${doing}: the response (HTTP ${response.status}) is ${problem}. ${nextStep("Unavailable")}`;
	// The next response may be complete.
	return new TelephonyError("Unavailable", message, { operation: name, ...defined({ requestId }) });
}

/** Returns undefined for a body that isn't the object. A service may respond with a job that has an id of its own. */
function readOptional(reading: Reading, json: unknown, response: RawResponse): unknown {
	if (reading.operation.response === undefined) return undefined;
	try {
		const data = readJson(reading, json, response);
		return isObject(data) && data.id === reading.id ? data : undefined;
	} catch (error) {
		if (isTelephonyError(error)) return undefined;
		throw error;
	}
}

function readJson(reading: Reading, raw: unknown, { status, headers }: RawResponse): unknown {
	const { name, doing, description, requestId, operation } = reading;
	const type = operation.response ?? z.unknown();
	const item = itemOf(type);
	const isWithoutItems = item !== undefined && isEmptyList(raw, description.description.lists?.items);
	const { json, records } = description.responseIn(name, raw);
	for (const [id, record] of records) reading.keep(id, record);
	if (isWithoutItems && isObject(json)) json.data = [];
	// It may show only the secret, or a job.
	if (rotations.has(name) && isObject(json) && reading.id !== undefined) json.id = reading.id;
	tidy(type, json, (text) => description.timeIn(text));
	const { leftOut, ...parsed } = item === undefined ? parseRecord(type, json) : readPage(item, json, reading);
	if (!parsed.success) throw mismatch(`${doing}: the response`, parsed.error, reading, json ?? raw);
	if (leftOut.length > 0) reading.leaveOut?.(...namesOf(leftOut, reading));
	for (const record of recordsIn(parsed.data)) noteRecord(record as PurchaseRecord, requestId);
	if (item !== undefined)
		notePagingOf(parsed.data as { data: unknown[] }, reading, { json: raw, status, headers, isWithoutItems });
	return parsed.data;
}

function noteRecord(record: PurchaseRecord, requestId: string | undefined): void {
	if (requestId !== undefined) requestIds.set(record, requestId);
	if (record.reference && repeatsName(record.reference, record)) record.reference = null;
}

/** The service's and our names of fields in a record. An item's index says nothing about the others. */
function namesOf(
	paths: readonly (readonly string[])[],
	{ name, description }: Reading,
): [places: readonly string[], fields: readonly string[]] {
	const mapping = description.mapping(recordOf(name));
	const named = paths.map((path) => path.filter((key) => !/^\d+$/.test(key)));
	const fields = named.map((path) => path.join("."));
	const places = named.map((path, index) => mapping?.placeOf(path) ?? fields[index] ?? "");
	return [[...new Set(places)], [...new Set(fields)]];
}

interface ShownPage extends RawPage {
	readonly isWithoutItems: boolean;
}

function notePagingOf(
	{ data }: { readonly data: readonly unknown[] },
	{ name: operation, doing, description, query, requestId }: Reading,
	{ isWithoutItems, ...raw }: ShownPage,
): void {
	const { next, limit } = description.description.lists ?? {};
	const sent = limit === false ? { cursor: query.cursor } : query;
	const pageSigns = signsIn(raw, sent, data.length + unreadableIn(data).length);
	const isShown = at(raw.json, next ?? "next_cursor") !== undefined;
	const cursor = !isShown ? "absent" : next === undefined ? "assumed" : "described";
	const isFirst = query.cursor === undefined && cursor !== "described";
	const signs = isWithoutItems && isFirst ? withHiddenItems(pageSigns) : pageSigns;
	notePaging(data, { operation, doing, requestId, isPaged: description.isPaged, cursor, signs });
}

function refusal(reading: Reading, response: RawResponse): TelephonyError {
	const json = errorIn(reading, response);
	const { data } = ErrorBody.safeParse(json);
	const isOfWhole = [400, 422].includes(response.status) && isWholeChange(reading);
	const body = data && isOfWhole ? { ...data, message: `${data.message}. ${wholeHint(reading.name)}` } : data;
	return errorOf(reading, response, body, {
		status: response.status,
		isOtherObject: body === undefined && isObject(json),
	});
}

const isWholeChange = ({ name, description }: Reading): boolean => Boolean(description.target(name)?.whole);

/** Returns the error of an error object behind a 2xx. Its status is the code's. An unknown code changed nothing either. */
function hiddenRefusal(reading: Reading, response: RawResponse): TelephonyError {
	const { data: body } = HiddenError.safeParse(errorIn(reading, response));
	const code = body?.error ?? "";
	const status = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : 409;
	return errorOf(reading, response, body, { status, isOtherObject: false });
}

/** Returns the error in the contract's names, redacted. */
function errorIn({ description, requestId, redact }: Reading, response: RawResponse): unknown {
	const json = redactAll(description.errorIn(parseJson(response), requestId), redact);
	tidy(ErrorBody, json);
	return json;
}

function errorOf(
	{ name, operation, doing, description, requestId }: Reading,
	response: RawResponse,
	body: HiddenError | undefined,
	kind: { readonly status: number; readonly isOtherObject: boolean },
): TelephonyError {
	return errorOfResponse(doing, {
		operation: name,
		...kind,
		httpStatus: response.status,
		errorCode: body?.error ?? `http_${response.status}`,
		message: body?.message ?? "the response isn't the service's error object",
		...(isReplayed(response, description.replayedHeader) ? { replayed: true } : {}),
		...defined({
			requestId: body?.request_id ?? requestId,
			details: body?.details,
			feature: operation.feature,
		}),
	});
}

/** Names the place, but not the value, which may be a password. @param subject what doesn't fit @param json its JSON */
function mismatch(subject: string, error: z.ZodError, reading: Reading, json: unknown): TelephonyError {
	const { name, description, requestId, redact } = reading;
	const [issue] = error.issues;
	const place = description.placeOf(name, (issue?.path ?? []).map(String)) || "the top level";
	const bought = name === "buyNumber" ? boughtIn(json) : [];
	const next = [bought.length > 0 && `The number was bought: ${bought.join(", ")}.`, unreadHint(json)];
	return new TelephonyError(
		"ContractMismatch",
		`${subject} doesn't match the contract at ${place}: ${issue?.message} (request_id ${requestId ?? "none"}). ${redact(next.filter(Boolean).join(" "))}`,
		{ operation: name, ...defined({ requestId }) },
	);
}

/** @param fields their places at the service. Values may be secrets. */
export const leftOutWarning = (kind: string, fields: readonly string[]): string =>
	`The provider doesn't read ${fields.join(", ")} of a ${kind}, because the service shows another type than the contract. It continues without ${fields.length === 1 ? "this field" : "these fields"}, and can't see a change of ${fields.length === 1 ? "its value" : "their values"}. ${namesHint}`;

/** An item of a list that doesn't fit the contract. It exists, and must not hide the others. */
export interface Unreadable {
	/** Undefined if the id can't be read either. */
	readonly id: string | undefined;
	readonly fields: Readonly<Record<string, unknown>>;
	/** Of kind ContractMismatch; names the field. */
	readonly error: TelephonyError;
}

// Kept apart from the items that can be read.
const unreadableItems = new WeakMap<object, readonly Unreadable[]>();

export const unreadableIn = (list: object): readonly Unreadable[] => unreadableItems.get(list) ?? [];

/** Adds the unreadable items of a list to a part of it. @param isPart true for items of that part; default: all */
export function keepUnreadable<L extends object>(list: object, part: L, isPart = (_: Unreadable) => true): L {
	unreadableItems.set(part, unreadableIn(list).filter(isPart));
	return part;
}

const Envelope = z.looseObject({
	data: z.array(z.unknown()),
	next_cursor: z.union([z.string(), z.number().transform(String), z.literal(false)]).nullish(),
});

function readPage(item: z.ZodType, json: unknown, reading: Reading) {
	const page = Envelope.safeParse(json);
	if (!page.success) return { ...page, leftOut: [] };
	const unreadable: Unreadable[] = [];
	const leftOut: (readonly string[])[] = [];
	const data = page.data.data.flatMap((record) => {
		const parsed = parseRecord(item, record);
		if (parsed.success) {
			leftOut.push(...parsed.leftOut);
			return [parsed.data];
		}
		const fields = readableFields(item, record);
		const id = typeof fields.id === "string" ? fields.id : undefined;
		const subject = `${reading.doing}: ${id ?? "an item without a readable id"}`;
		unreadable.push({ id, fields, error: mismatch(subject, parsed.error, reading, record) });
		return [];
	});
	unreadableItems.set(data, unreadable);
	const next_cursor = page.data.next_cursor || null;
	return { success: true, data: { ...page.data, data, next_cursor }, leftOut } as const;
}

function readableFields(item: z.ZodType, value: unknown): Record<string, unknown> {
	if (!(item instanceof z.ZodObject) || !isObject(value)) return {};
	return Object.fromEntries(
		Object.entries(value).flatMap(([name, field]) => {
			const type: unknown = item.shape[name];
			const parsed = type instanceof z.ZodType ? type.safeParse(field) : undefined;
			return parsed?.success ? [[name, parsed.data]] : [];
		}),
	);
}

export function requestIdIn({ headers }: RawResponse, redact: (text: string) => string): string | undefined {
	const requestId = headers["x-request-id"];
	return requestId === undefined ? undefined : redact(requestId);
}

/** The records of a response: one, or those of a page. */
function recordsIn(data: unknown): readonly object[] {
	if (typeof data !== "object" || data === null) return [];
	return "data" in data && Array.isArray(data.data) ? (data.data as object[]) : [data];
}

/** True if a record has the field, even if it is null: the service keeps references. */
export function hasReference(data: unknown): boolean {
	return recordsIn(data).some((record) => "reference" in record && record.reference !== undefined);
}

const charsetOf = ({ headers }: RawResponse): string | undefined =>
	/;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1];

function parseJson(response: RawResponse): unknown {
	const text = textIn(response.body, charsetOf(response));
	return findJson(text, longNumber.test(text) ? withLongIds : undefined);
}

/** JavaScript would round such a long whole number, and an id would become another object's. */
const longNumber = /[:[,\s]\d{16}/;
/** Keeps such an id as the service writes it. */
const withLongIds = (name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
	typeof value === "number" && namesIds(name) && !Number.isSafeInteger(value) ? source : value;

/** Masks secrets that the service repeats. */
function redactAll(json: unknown, redact: (text: string) => string): unknown {
	if (typeof json === "string") return redact(json);
	if (Array.isArray(json)) return json.map((item) => redactAll(item, redact));
	if (!isObject(json)) return json;
	return Object.fromEntries(Object.entries(json).map(([name, item]) => [redact(name), redactAll(item, redact)]));
}
