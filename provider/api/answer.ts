/** The service's answers: parsed once, or turned into an error. */
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
import type { Dialect } from "./dialect/dialect";
import { unreadHint } from "./dialect/hint";
import { at, defined, parseText } from "./dialect/json";
import { errorFromAnswer, isTelephonyError, nextStep, TelephonyError } from "./errors";
import { notePaging, signsIn } from "./paging";

export type AnswerOf<N extends OperationName> = (typeof operations)[N] extends { answer: infer A extends z.ZodType }
	? z.infer<A>
	: (typeof operations)[N] extends { media: string }
		? Media
		: undefined;

/** An answer that isn't JSON. */
export interface Media {
	/** Its Content-Type. */
	readonly type: string;
	readonly bytes: Uint8Array;
}

export interface Answer<T> {
	readonly data: T;
	/** True if the service answered from an Idempotency-Key that it had seen before. */
	readonly replayed: boolean;
	/** The error to throw unless a read shows that the write was carried out: the response may be a gateway's. */
	readonly doubt?: TelephonyError;
}

/** As it came over the wire, with header names in lower case. */
export interface RawAnswer {
	readonly status: number;
	readonly headers: Record<string, string | undefined>;
	readonly body: Buffer;
}

// Kept apart from the records, which hold only the service's own fields.
const requestIds = new WeakMap<object, string>();

/** The id of the request that a record came with, for the service's support. */
export const requestIdOf = (record: object): string | undefined => requestIds.get(record);

export const isReplayed = ({ headers }: RawAnswer, header: string = replayedHeader): boolean =>
	(headers[header] ?? "false") !== "false";

/** What is needed to read an answer. */
export interface Reading {
	readonly name: OperationName;
	readonly operation: Operation;
	/** Such as `GET /numbers/num_1`. */
	readonly doing: string;
	/** The query, in the contract's words. */
	readonly query: { readonly cursor?: unknown; readonly limit?: unknown };
	/** Whether the address has ever answered as the service would. */
	readonly hasAnswered: boolean;
	/** Of a service that has words of its own. */
	readonly dialect: Dialect | undefined;
	/** Gets each record of the answer as the service writes it, by its id. */
	keep(id: string, theirs: unknown): void;
	/** `redact` is for the texts of errors. `redactId` is for every answer, and must cost little. */
	redact(text: string): string;
	redactId(text: string): string;
}

/** The response's data fits the contract. @throws TelephonyError with nothing in it that `redact` would hide */
export function readAnswer(reading: Reading, answer: RawAnswer): Omit<Answer<unknown>, "replayed"> {
	const { operation, redactId } = reading;
	const { status } = answer;
	const requestId = requestIdIn(answer, redactId);
	if (status < 200 || status > 299) throw refusalIn(reading, answer, requestId);
	if (operation.media !== undefined) {
		return { data: { type: answer.headers["content-type"] ?? operation.media, bytes: answer.body } };
	}
	const page = isPage(answer) ? unread(reading, answer, "an HTML page", requestId) : undefined;
	if (page !== undefined && operation.method === "POST") throw page;
	if (isDoneBy2xx(operation))
		return page === undefined ? readResult(reading, answer, requestId) : { data: undefined, doubt: page };
	if (operation.answer === undefined) return { data: undefined };
	const raw = parseJson(answer.body);
	if (raw === undefined) throw unread(reading, answer, "incomplete or invalid JSON", requestId);
	return { data: readJson(reading, operation.answer, raw, { requestId, headers: answer.headers }) };
}

/** True for writes whose result a GET shows, so that any 2xx response is a success. */
const isDoneBy2xx = ({ method, path }: Operation): boolean =>
	method === "PATCH" || method === "DELETE" || (method === "POST" && /\/(cancel|submit|hangup|restore)$/.test(path));

/** The data is undefined if the response doesn't show the result. */
function readResult(
	reading: Reading,
	answer: RawAnswer,
	requestId: string | undefined,
): Omit<Answer<unknown>, "replayed"> {
	const { operation, dialect, redact } = reading;
	const raw = parseJson(answer.body);
	const error = ErrorBody.safeParse(dialect ? dialect.errorIn(raw, requestId) : raw);
	if (operation.answer !== undefined && raw !== undefined) {
		try {
			return { data: readJson(reading, operation.answer, raw, { requestId, headers: answer.headers }) };
		} catch (mismatch) {
			if (!isTelephonyError(mismatch)) throw mismatch;
		}
	}
	if (!error.success) return { data: undefined };
	const doubt = unread(reading, answer, `an error, ${redact(error.data.error)}`, requestId);
	if (operation.method === "POST") throw doubt;
	return { data: undefined, doubt };
}

function readJson(
	reading: Reading,
	type: z.ZodType,
	raw: unknown,
	{ requestId, headers }: Pick<RawAnswer, "headers"> & { requestId: string | undefined },
): unknown {
	const { name, doing, dialect, keep, redact } = reading;
	const place = (path: readonly string[]) => dialect?.placeOf(name, path) ?? path.join(".");
	const ids = { operation: name, ...defined({ requestId }), place, redact };
	const translated = dialect?.answerIn(name, raw) ?? { json: raw, records: [] };
	for (const [id, theirs] of translated.records) keep(id, theirs);
	const { json } = translated;
	tidy(type, json);
	const item = itemOf(type);
	const parsed = item === undefined ? type.safeParse(json) : readPage(item, json, doing, ids);
	if (!parsed.success) throw mismatch(`${doing}: the response`, parsed.error, ids, json ?? raw);
	remember(parsed.data, requestId);
	if (item !== undefined) notePagingOf(parsed.data, reading, { raw, headers, requestId });
	return parsed.data;
}

interface ListResponse extends Pick<RawAnswer, "headers"> {
	readonly raw: unknown;
	readonly requestId: string | undefined;
}

function notePagingOf(page: unknown, reading: Reading, { raw, headers, requestId }: ListResponse): void {
	const { name: operation, doing, dialect, query } = reading;
	const { data } = page as { readonly data: readonly unknown[] };
	const { next, limit, paged: isPaged = true } = dialect?.description.lists ?? {};
	const sent = limit === false ? { cursor: query.cursor } : query;
	const signs = signsIn(raw, headers, sent, data.length + unreadableIn(data).length);
	const cursor = at(raw, next ?? "next_cursor") === undefined ? "absent" : next === undefined ? "assumed" : "stated";
	notePaging(data, { operation, doing, requestId, isPaged, cursor, signs });
}

/** Cut short or no answer of the service at all: the same request may well get a whole one next time. */
const unread = ({ name, doing }: Reading, { status }: RawAnswer, what: string, requestId: string | undefined) =>
	new TelephonyError("Unavailable", `${doing}: the response (HTTP ${status}) is ${what}. ${nextStep("Unavailable")}`, {
		operation: name,
		...defined({ requestId }),
	});

/** Gateways answer in HTML. What has no answer by contract may come with any other text, such as `OK`. */
const isPage = ({ headers, body }: RawAnswer): boolean =>
	body.length > 0 && (/html/i.test(headers["content-type"] ?? "") || /^\s*</.test(body.toString()));

function refusalIn(
	{ name, operation, doing, hasAnswered, dialect, redact }: Reading,
	answer: RawAnswer,
	requestId: string | undefined,
): TelephonyError {
	const { status } = answer;
	const told = parseJson(answer.body);
	const json = redactAll(dialect ? dialect.errorIn(told, requestId) : told, redact);
	tidy(ErrorBody, json);
	const body = ErrorBody.safeParse(json);
	const said = body.success
		? { errorCode: body.data.error, message: body.data.message, requestId: body.data.request_id }
		: { errorCode: `http_${status}`, message: "the response isn't the service's error object", requestId };
	return errorFromAnswer(doing, {
		operation: name,
		status,
		hasAnswered,
		allow: answer.headers.allow,
		said: json,
		errorCode: said.errorCode,
		message: said.message,
		...(isReplayed(answer, dialect?.replayedHeader) ? { replayed: true } : {}),
		...defined({ requestId: said.requestId, details: body.data?.details, feature: operation.feature }),
	});
}

interface Ids {
	readonly operation: OperationName;
	readonly requestId?: string;
	/** A field as the service calls it. */
	place(path: readonly string[]): string;
	redact(text: string): string;
}

/** Says where, but not the value, which may be a password. @param subject what doesn't fit @param seen its JSON */
function mismatch(subject: string, error: z.ZodError, { place, redact, ...ids }: Ids, seen: unknown): TelephonyError {
	const [issue] = error.issues;
	const path = (issue?.path ?? []).map(String);
	const next = unreadHint(ids.operation, path, seen, issue) ?? nextStep("ContractMismatch");
	return new TelephonyError(
		"ContractMismatch",
		`${subject} doesn't match the contract at ${place(path) || "the top level"}: ${issue?.message} (request_id ${ids.requestId ?? "none"}). ${redact(next)}`,
		ids,
	);
}

/** An item of a list that doesn't fit the contract. It exists, and must not hide any other. */
export interface Unreadable {
	/** Undefined if not even the id can be read. */
	readonly id: string | undefined;
	/** Those of its fields that can be read. */
	readonly fields: Readonly<Record<string, unknown>>;
	/** Of kind ContractMismatch; says which field. */
	readonly error: TelephonyError;
}

// Kept apart from the items that can be read.
const unreadable = new WeakMap<object, readonly Unreadable[]>();

/** The items of this page that couldn't be read. */
export const unreadableIn = (list: object): readonly Unreadable[] => unreadable.get(list) ?? [];

/** Gives a part of a list its unreadable items. */
export function keepUnreadable<L extends object>(list: object, part: L): L {
	unreadable.set(part, unreadableIn(list));
	return part;
}

const Envelope = z.looseObject({
	data: z.array(z.unknown()),
	next_cursor: z.union([z.string(), z.number().transform(String), z.literal(false)]).nullish(),
});

function readPage(item: z.ZodType, json: unknown, doing: string, ids: Ids) {
	const page = Envelope.safeParse(json);
	if (!page.success) return page;
	const odd: Unreadable[] = [];
	const data = page.data.data.flatMap((each) => {
		const parsed = item.safeParse(each);
		if (parsed.success) return [parsed.data];
		const fields = readableFields(item, each);
		const id = typeof fields.id === "string" ? fields.id : undefined;
		const error = mismatch(`${doing}: ${id ?? "an item without a readable id"}`, parsed.error, ids, each);
		odd.push({ id, fields, error });
		return [];
	});
	unreadable.set(data, odd);
	return { success: true, data: { ...page.data, data, next_cursor: page.data.next_cursor || null } } as const;
}

function readableFields(item: z.ZodType, value: unknown): Record<string, unknown> {
	if (!(item instanceof z.ZodObject) || typeof value !== "object" || value === null) return {};
	return Object.fromEntries(
		Object.entries(value).flatMap(([name, field]) => {
			const type: unknown = item.shape[name];
			const parsed = type instanceof z.ZodType ? type.safeParse(field) : undefined;
			return parsed?.success ? [[name, parsed.data]] : [];
		}),
	);
}

/** The service's id for the exchange, to quote in a ticket. */
export function requestIdIn({ headers }: RawAnswer, redact: (text: string) => string): string | undefined {
	const requestId = headers["x-request-id"];
	return requestId === undefined ? undefined : redact(requestId);
}

function remember(data: unknown, requestId: string | undefined): void {
	if (requestId === undefined) return;
	for (const record of recordsIn(data)) requestIds.set(record, requestId);
}

/** The records of an answer: one, or those of a page. */
export function recordsIn(data: unknown): readonly object[] {
	if (typeof data !== "object" || data === null) return [];
	return "data" in data && Array.isArray(data.data) ? (data.data as object[]) : [data];
}

/** A record with the field, even if it is null, shows that the service keeps references. */
export function hasReference(data: unknown): boolean {
	return recordsIn(data).some((record) => "reference" in record && record.reference !== undefined);
}

function parseJson(body: Buffer): unknown {
	const text = body.toString();
	try {
		return parseText(text, longNumber.test(text) ? withLongIds : undefined);
	} catch {
		return undefined;
	}
}

/** JavaScript would round such a long whole number, and an id would be another object's. */
const longNumber = /[:[,\s]\d{16}/;
/** Takes such an id as it is written. */
const withLongIds = (name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
	typeof value === "number" && namesIds(name) && !Number.isSafeInteger(value) ? source : value;

/** The JSON with secrets masked, in case the service repeats them. */
function redactAll(json: unknown, redact: (text: string) => string): unknown {
	if (typeof json === "string") return redact(json);
	if (Array.isArray(json)) return json.map((item) => redactAll(item, redact));
	if (typeof json !== "object" || json === null) return json;
	return Object.fromEntries(Object.entries(json).map(([name, item]) => [redact(name), redactAll(item, redact)]));
}
