/** Parses the service's responses, or turns them into errors. */
import { z } from "zod";
import {
	ErrorBody,
	itemOf,
	namesIds,
	type Operation,
	type OperationName,
	type operations,
	replayedHeader,
	tidy,
} from "./contract";
import { boughtIn, unreadHint } from "./description/hint";
import type { ServiceDescription } from "./description/service-description";
import { errorOfResponse, isTelephonyError, nextStep, TelephonyError } from "./errors";
import { at, defined, findJson, isObject, textIn } from "./json";
import { notePaging, signsIn } from "./paging";
import type { RawResponse } from "./wire";

type Parsed<O> = O extends { response: infer R extends z.ZodType }
	? z.infer<R>
	: O extends { media: string }
		? Media
		: undefined;

/** The data of a response. It may be missing after a write that any 2xx response confirms. */
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
}

// Kept apart from the records, which hold only the service's own fields.
const requestIds = new WeakMap<object, string>();

/** Returns the id of the request that a record came with, for the service's support. */
export const requestIdOf = (record: object): string | undefined => requestIds.get(record);

export const isReplayed = ({ headers }: RawResponse, header: string = replayedHeader): boolean =>
	(headers[header] ?? "false") !== "false";

/** The request of a response, and how to read it. */
export interface Reading {
	readonly name: OperationName;
	readonly operation: Operation;
	/** Such as `GET /numbers/num_1`. */
	readonly doing: string;
	/** The query, in the contract's names. */
	readonly query: { readonly cursor?: unknown; readonly limit?: unknown };
	readonly requestId: string | undefined;
	readonly description: ServiceDescription;
	/** Gets each record of the response in the service's names, by its id. */
	keep(id: string, record: unknown): void;
	redact(text: string): string;
}

/** Returns the data; undefined if a confirmed write doesn't show it. @throws TelephonyError, redacted */
export function readResponse(reading: Reading, response: RawResponse): unknown {
	const { operation } = reading;
	const { status, headers, body } = response;
	if (status < 200 || status > 299) throw refusal(reading, response);
	if (operation.media !== undefined) return { type: headers["content-type"] ?? operation.media, bytes: body };
	// Gateways respond in HTML.
	const isHtml = body.length > 0 && (/html/i.test(headers["content-type"] ?? "") || /^\s*</.test(body.toString()));
	const json = isHtml ? undefined : parseJson(body);
	if (operation.isBodyOptional) return json === undefined ? undefined : readOptional(reading, json, headers);
	if (json !== undefined) return readJson(reading, json, headers);
	const problem = isHtml ? "an HTML page" : "incomplete or invalid JSON";
	const message = `${reading.doing}: the response (HTTP ${status}) is ${problem}. ${nextStep("Unavailable")}`;
	// The next response may be complete.
	throw new TelephonyError("Unavailable", message, {
		operation: reading.name,
		...defined({ requestId: reading.requestId }),
	});
}

function readOptional(reading: Reading, json: unknown, headers: RawResponse["headers"]): unknown {
	if (reading.operation.response === undefined) return undefined;
	try {
		return readJson(reading, json, headers);
	} catch (error) {
		if (isTelephonyError(error)) return undefined;
		throw error;
	}
}

function readJson(reading: Reading, raw: unknown, headers: RawResponse["headers"]): unknown {
	const { name, doing, description, requestId, operation } = reading;
	const type = operation.response ?? z.unknown();
	const { json, records } = description.responseIn(name, raw);
	for (const [id, record] of records) reading.keep(id, record);
	tidy(type, json);
	const item = itemOf(type);
	const parsed = item === undefined ? type.safeParse(json) : readPage(item, json, reading);
	if (!parsed.success) throw mismatch(`${doing}: the response`, parsed.error, reading, json ?? raw);
	if (requestId !== undefined) for (const record of recordsIn(parsed.data)) requestIds.set(record, requestId);
	if (item !== undefined) notePagingOf(parsed.data as { data: unknown[] }, reading, raw, headers);
	return parsed.data;
}

function notePagingOf(
	{ data }: { readonly data: readonly unknown[] },
	{ name: operation, doing, description, query, requestId }: Reading,
	raw: unknown,
	headers: RawResponse["headers"],
): void {
	const { next, limit } = description.description.lists ?? {};
	const sent = limit === false ? { cursor: query.cursor } : query;
	const signs = signsIn(raw, headers, sent, data.length + unreadableIn(data).length);
	const isShown = at(raw, next ?? "next_cursor") !== undefined;
	const cursor = !isShown ? "absent" : next === undefined ? "assumed" : "described";
	notePaging(data, { operation, doing, requestId, isPaged: description.isPaged, cursor, signs });
}

function refusal(reading: Reading, response: RawResponse): TelephonyError {
	const { name, operation, doing, description, requestId, redact } = reading;
	const { status } = response;
	const json = redactAll(description.errorIn(parseJson(response.body), requestId), redact);
	tidy(ErrorBody, json);
	const { data: body } = ErrorBody.safeParse(json);
	return errorOfResponse(doing, {
		operation: name,
		status,
		isOtherObject: body === undefined && isObject(json),
		errorCode: body?.error ?? `http_${status}`,
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

export function keepUnreadable<L extends object>(list: object, part: L): L {
	unreadableItems.set(part, unreadableIn(list));
	return part;
}

const Envelope = z.looseObject({
	data: z.array(z.unknown()),
	next_cursor: z.union([z.string(), z.number().transform(String), z.literal(false)]).nullish(),
});

function readPage(item: z.ZodType, json: unknown, reading: Reading) {
	const page = Envelope.safeParse(json);
	if (!page.success) return page;
	const odd: Unreadable[] = [];
	const data = page.data.data.flatMap((each) => {
		const parsed = item.safeParse(each);
		if (parsed.success) return [parsed.data];
		const fields = readableFields(item, each);
		const id = typeof fields.id === "string" ? fields.id : undefined;
		const subject = `${reading.doing}: ${id ?? "an item without a readable id"}`;
		odd.push({ id, fields, error: mismatch(subject, parsed.error, reading, each) });
		return [];
	});
	unreadableItems.set(data, odd);
	return { success: true, data: { ...page.data, data, next_cursor: page.data.next_cursor || null } } as const;
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

function parseJson(body: Buffer): unknown {
	const text = textIn(body);
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
