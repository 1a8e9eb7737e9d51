/**
 * A service that uses other names than the contract. Requests are translated just before they are sent, and responses
 * before anything reads them. The emulator uses the same tables in the other direction.
 */
import { pathOf } from "../address";
import { itemOf, type Operation, type OperationName, operations, replayedHeader } from "../contract";
import { TelephonyError } from "../errors";
import { at, defined, isObject, type Json } from "../json";
import { featuresIn, type Stated } from "../offer";
import type { Call, Outgoing } from "../wire";
import { checkedDescription, type Description, fieldOf, requestOf } from "./description";
import { Mapping } from "./mapping";
import { fieldsOf, recordNames, recordOf, singleReadOf } from "./records";
import { zonedTime } from "./times";
import { conversionOf } from "./values";

/** The request of an operation at the service. */
export interface Target {
	readonly method: string;
	/** Relative to the base URL; `{id}` stands for one path segment. */
	readonly path: string;
	/** Sent with each request. */
	readonly query: Readonly<Record<string, string>>;
	/** True if a change sends the whole record. */
	readonly whole: boolean;
}

export class ServiceDescription {
	readonly features: Stated;
	/** As given, and checked. */
	readonly description: Description;
	readonly #targets: ReadonlyMap<OperationName, Target>;
	readonly #mappings: ReadonlyMap<string, Mapping>;
	readonly #codes: ReadonlyMap<string, string>;
	/** The records that a change has to know. */
	readonly #kept: ReadonlySet<string | undefined>;

	/** @throws TelephonyError of kind Config. @param where the source of the description, for messages */
	constructor(value: unknown, where: string) {
		const description = checkedDescription(value, where);
		this.description = description;
		this.#targets = new Map(
			names.flatMap((name) => {
				const target = targetIn(description, name);
				return target === undefined ? [] : [[name, target] as const];
			}),
		);
		const whole = new Set(names.filter((name) => this.#targets.get(name)?.whole).map(recordOf));
		this.#mappings = new Map(
			recordNames
				.filter((record) => description.records?.[record] !== undefined || whole.has(record))
				.map((record) => [record, mappingOf(record, description.records?.[record] ?? {})]),
		);
		this.#kept = new Set(names.filter((name) => this.#needsRecord(name)).map(recordOf));
		this.#codes = new Map(
			Object.entries(description.errors?.codes ?? {}).flatMap(([ours, theirs]) =>
				[theirs].flat().map((code) => [code, ours]),
			),
		);
		this.features = new Map([...this.#unoffered(), ...featuresIn(description.features ?? "", "features")]);
	}

	#unoffered(): Stated {
		const all = new Set(names.flatMap((name) => operationOf(name).feature ?? []));
		const offered = new Set([...this.#targets.keys()].map((name) => operationOf(name).feature));
		const missing = [...all].filter((feature) => !offered.has(feature));
		if (this.lacks("number", "reference")) missing.push("reference");
		return new Map(missing.map((feature) => [feature, false]));
	}

	/** Undefined if the service doesn't offer the operation. */
	target(name: OperationName): Target | undefined {
		return this.#targets.get(name);
	}

	/** @throws TelephonyError NotOffered */
	offeredTarget(name: OperationName): Target {
		const target = this.#targets.get(name);
		if (target !== undefined) return target;
		const message = `The service description (telephony:service) says that the service doesn't offer ${name}. Nothing was sent.`;
		const { feature } = operationOf(name);
		throw new TelephonyError("NotOffered", message, { operation: name, ...defined({ feature }) });
	}

	get idempotencyHeader(): string {
		return (this.description.headers?.idempotencyKey ?? "idempotency-key").toLowerCase();
	}

	get replayedHeader(): string {
		return (this.description.headers?.replayed ?? replayedHeader).toLowerCase();
	}

	/** False if each list comes whole. */
	get isPaged(): boolean {
		return this.description.lists?.paged ?? true;
	}

	/** A time of a response in RFC 3339. The service may write it without a zone. */
	timeIn(text: string): string {
		return zonedTime(text, this.description.zone ?? "UTC");
	}

	mapping(record: string | undefined): Mapping | undefined {
		return record === undefined ? undefined : this.#mappings.get(record);
	}

	/** True if the service has no such field of a record. It is never sent, and declaring it is an error. */
	lacks(record: string, field: string): boolean {
		return this.description.records?.[record]?.[field] === false;
	}

	/** The longest text of a field that the service keeps, in characters; undefined if the contract's limit applies. */
	mostOf(record: string, field: string): number | undefined {
		return fieldOf(this.description.records?.[record]?.[field] ?? false)?.most;
	}

	/** True for a change that sends more than the changed fields. */
	#needsRecord(name: OperationName): boolean {
		if (operations[name].method !== "PATCH") return false;
		const mapping = this.mapping(recordOf(name));
		return this.#targets.get(name)?.whole || mapping?.isShared || mapping?.needsCountry || false;
	}

	/** The operation that reads the record before a change, if the change needs it and the service offers one. */
	readBefore(name: OperationName): OperationName | undefined {
		const read = this.#needsRecord(name) ? singleReadOf(recordOf(name) ?? "") : undefined;
		return read !== undefined && this.#targets.has(read) ? read : undefined;
	}

	/** True if a change may need the records of this operation's responses. A list may show less than a single read. */
	isKept(name: OperationName): boolean {
		const record = recordOf(name);
		if (!this.#kept.has(record)) return false;
		const read = singleReadOf(record ?? "");
		return !isList(name) || read === undefined || !this.#targets.has(read);
	}

	/** The service's name of a field in a response. */
	placeOf(name: OperationName, path: readonly string[]): string {
		if (isList(name) && path[0] === "data")
			return [this.description.lists?.items ?? "data", ...path.slice(1)].join(".");
		const place = this.mapping(recordOf(name))?.placeOf(path) ?? path.join(".");
		const envelope = isList(name) ? undefined : this.envelopeOf(name)?.answer;
		return [envelope, place].filter(Boolean).join(".");
	}

	/** @param last the record as last read, in the service's names */
	request(name: OperationName, { segment, query = {}, idempotencyKey }: Call, body: unknown, last: unknown): Outgoing {
		const { method, path } = this.offeredTarget(name);
		return {
			method,
			path: pathOf({ method, path }, segment),
			query: this.#queryOut(name, query),
			headers: {
				accept: operationOf(name).media === undefined ? "application/json" : "*/*",
				...(idempotencyKey === undefined ? {} : { [this.idempotencyHeader]: idempotencyKey }),
			},
			body: this.bodyOut(name, body, last),
		};
	}

	bodyOut(name: OperationName, body: unknown, last: unknown): unknown {
		const fixed = this.description.send?.[name];
		if (!isObject(body)) return body ?? fixed;
		const isChange = operations[name].method === "PATCH";
		const change = isChange ? { last, whole: this.#targets.get(name)?.whole ?? false } : undefined;
		// The public description fixes the body of a purchase.
		const theirs = name === "buyNumber" ? body : (this.mapping(recordOf(name))?.toTheirs(body, change) ?? body);
		const sent = { ...fixed, ...theirs };
		const envelope = this.envelopeOf(name)?.request;
		return envelope === undefined ? sent : mergeAt({}, envelope, sent);
	}

	#queryOut(name: OperationName, query: NonNullable<Call["query"]>): NonNullable<Call["query"]> {
		const { cursor = "cursor", limit = "limit" } = this.description.lists ?? {};
		const mapping = this.mapping(recordOf(name));
		const sent = Object.entries(query).flatMap(([key, value]) => {
			if (key === "limit") return limit === false ? [] : [[limit, value]];
			if (key === "cursor") return [[cursor, value]];
			const field = mapping?.field(key);
			if (field === undefined) return [[key, value]];
			return field.theirs === undefined ? [] : [[field.theirs, field.toTheirs(value)]];
		});
		return { ...this.#targets.get(name)?.query, ...Object.fromEntries(sent) };
	}

	/** A response in the contract's names. @returns also the records in the service's names, by id */
	responseIn(
		name: OperationName,
		json: unknown,
	): { readonly json: unknown; readonly records: ReadonlyMap<string, unknown> } {
		const mapping = this.mapping(recordOf(name));
		const records = new Map<string, unknown>();
		const recordIn = (theirs: unknown): unknown => {
			if (!isObject(theirs)) return theirs;
			const ours = mapping?.toOurs(theirs) ?? theirs;
			if (ours.id !== undefined && ours.id !== null) records.set(String(ours.id), theirs);
			return ours;
		};
		if (!isList(name)) {
			const envelope = this.envelopeOf(name)?.answer;
			return { json: recordIn(envelope === undefined ? json : at(json, envelope)), records };
		}
		const { items = "data", next = "next_cursor", cursor } = this.description.lists ?? {};
		const data = at(json, items);
		const next_cursor = cursorIn(at(json, next), cursor) ?? null;
		const page = { ...(isObject(json) ? json : {}), next_cursor };
		return { json: { ...page, data: Array.isArray(data) ? data.map(recordIn) : data }, records };
	}

	/** The places of an error's code, message and request id. */
	get errorPlaces(): readonly [code: string, message: string, requestId: string] {
		const { code = "error", message = "message", requestId = "request_id" } = this.description.errors ?? {};
		return [code, message, requestId];
	}

	/** An error in the contract's names. Its details stay the service's. @param header the request id in a header */
	errorIn(json: unknown, header: string | undefined): unknown {
		if (!isObject(json) || this.description.errors === undefined) return json;
		const [code, message, requestId] = this.errorPlaces;
		const found = at(json, code);
		const error = typeof found === "number" ? String(found) : found;
		return {
			...json,
			error: (typeof error === "string" ? this.#codes.get(error) : undefined) ?? error,
			message: at(json, message),
			request_id: at(json, requestId) ?? header ?? "none",
		};
	}

	/** The places of the record in the operation's request and response. */
	envelopeOf(name: OperationName): NonNullable<Description["envelopes"]>[string] | undefined {
		return this.description.envelopes?.[recordOf(name) ?? ""];
	}
}

/** @param value a description, or one that was checked before. @throws TelephonyError of kind Config */
export const serviceDescriptionOf = (value: unknown, where: string): ServiceDescription =>
	value instanceof ServiceDescription ? value : new ServiceDescription(value, where);

const names = Object.keys(operations) as OperationName[];
const operationOf = (name: OperationName): Operation => operations[name];

export function isList(name: OperationName): boolean {
	const { response } = operationOf(name);
	return response !== undefined && itemOf(response) !== undefined;
}

function targetIn(description: Description, name: OperationName): Target | undefined {
	const described = description.operations?.[name];
	if (described === false) return undefined;
	const { method, path } = operationOf(name);
	if (described === undefined) return { method, path, query: {}, whole: false };
	const { request, whole = false } = typeof described === "string" ? { request: described } : described;
	return { ...requestOf(request), whole };
}

function mappingOf(record: string, described: NonNullable<Description["records"]>[string]): Mapping {
	const fieldKinds = fieldsOf(record);
	const fields = Object.entries(described).map(([ours, field]) => {
		const way = fieldOf(field);
		const theirs = way && (way.at ?? ours);
		return { ours, theirs, way: way ?? {}, ...conversionOf(way ?? {}, fieldKinds.get(ours) ?? "text") };
	});
	return new Mapping(fields, fieldKinds);
}

/** The cursor in the address of a next page, or the value itself. */
function cursorIn(value: unknown, parameter = "cursor"): unknown {
	if (typeof value !== "string" || !value.includes("?") || !URL.canParse(value, "http://service")) return value;
	return new URL(value, "http://service").searchParams.get(parameter) ?? value;
}

/** Sets one value at a path, beside the other values there. */
export function mergeAt(into: Json, path: string, value: unknown): Json {
	const [key = "", ...rest] = path.split(".");
	const inner = into[key];
	return { ...into, [key]: rest.length === 0 ? value : mergeAt(isObject(inner) ? inner : {}, rest.join("."), value) };
}
