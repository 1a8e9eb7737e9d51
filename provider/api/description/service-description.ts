/**
 * A service that uses other names than the contract. Requests are translated just before they are sent, and responses
 * before anything reads them. The emulator uses the same tables in the other direction.
 */
import { isDeepStrictEqual } from "node:util";
import { pathOf } from "../address";
import { type Feature, itemOf, type Operation, type OperationName, operations, replayedHeader } from "../contract";
import { TelephonyError } from "../errors";
import { at, defined, isObject, mergeAt } from "../json";
import { featuresIn, type Stated } from "../offer";
import type { Call, Outgoing } from "../wire";
import { type Description, fieldOf, type RecordDescription, requestOf } from "./description";
import { type MappedField, Mapping, omit } from "./mapping";
import { checkedDescription } from "./mistakes";
import { OwnOperations, OwnProperty, type ServiceRequest } from "./own-operations";
import { type Placed, placesOf, type Side } from "./places";
import { type FieldKinds, recordFields, recordNames, recordOf, singleReadOf } from "./records";
import { zonedTime } from "./times";
import { type Conversion, conversionOf } from "./values";

/** The request of an operation at the service. */
export interface Target extends ServiceRequest {
	/** True if a change sends the whole record; the place of an object in it if a change sends all of that. */
	readonly whole: boolean | string;
	/** Fields of the service that a change of the whole leaves out. */
	readonly omit: readonly string[];
	/** The place of the record, or of a list's items, in the response; false if the response doesn't show it. */
	readonly response: string | false | undefined;
	/** The place of the record in the request. */
	readonly in: string | undefined;
}

/** A record in the service's names: in responses, in requests, and in operations of its properties. */
interface RecordMappings {
	readonly theirs: Mapping;
	readonly sent: Mapping;
	/** Undefined if no property has operations of its own. */
	readonly ownOperations: OwnOperations | undefined;
}

export class ServiceDescription {
	readonly features: Stated;
	/** As given, and checked. */
	readonly description: Description;
	readonly #targets: ReadonlyMap<OperationName, Target>;
	readonly #mappings: ReadonlyMap<string, RecordMappings>;
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
				.map((record) => [record, mappingsOf(record, description.records?.[record] ?? {})]),
		);
		this.#kept = new Set(names.filter((name) => this.#needsRecord(name)).map(recordOf));
		this.#codes = new Map(
			Object.entries(description.errors?.codes ?? {}).flatMap(([ours, theirs]) =>
				[theirs].flat().map((code) => [code, ours]),
			),
		);
		this.features = new Map([...this.#unoffered(), ...featuresIn(description.features ?? "", "features")]);
	}

	/** The features that the description says the service lacks. */
	get lacking(): readonly Feature[] {
		const stated = featuresIn(this.description.features ?? "", "features");
		return [...stated].filter(([, isOffered]) => !isOffered).map(([feature]) => feature);
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

	mapping(record: string | undefined, side: Side = "theirs"): Mapping | undefined {
		return record === undefined ? undefined : this.#mappings.get(record)?.[side];
	}

	/** The operations of single properties of a record; undefined if there are none. */
	ownOperations(record: string | undefined): OwnOperations | undefined {
		return record === undefined ? undefined : this.#mappings.get(record)?.ownOperations;
	}

	/** True if the service has no such field of a record. It is never sent, and declaring it is an error. */
	lacks(record: string, field: string): boolean {
		if (this.description.records?.[record]?.[field] !== false) return false;
		return ![...recordFields(record).variants.values()].some(({ tag }) => tag === field);
	}

	/** True if the property of a record has an operation of its own that writes it. */
	writesAlone(record: string, field: string): boolean {
		const { write } = fieldOf(this.description.records?.[record]?.[field] ?? false) ?? {};
		return write !== undefined;
	}

	/** The longest text of a field that the service keeps, in characters; undefined if the contract's limit applies. */
	mostOf(record: string, field: string): number | undefined {
		return fieldOf(this.description.records?.[record]?.[field] ?? false)?.most;
	}

	/** True for a change that sends more than the changed fields. */
	#needsRecord(name: OperationName): boolean {
		if (operations[name].method !== "PATCH") return false;
		const mapping = this.mapping(recordOf(name), "sent");
		return Boolean(this.#targets.get(name)?.whole) || mapping?.isShared || mapping?.needsCountry || false;
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
		if (isList(name) && path[0] === "data") return [this.itemsOf(name), ...path.slice(1)].join(".");
		const ours = path.join(".");
		const ownOperations = this.ownOperations(recordOf(name))?.reads.flatMap(({ properties }) => properties);
		const property = ownOperations?.find(
			(candidate) => ours === candidate.ours || ours.startsWith(`${candidate.ours}.`),
		);
		if (property !== undefined) return property.placeOf(path);
		const place = this.mapping(recordOf(name))?.placeOf(path) ?? ours;
		const envelope = isList(name) ? undefined : this.envelopeOf(name).response;
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
		// The public description says that the body of a POST or PATCH is JSON.
		if (!isObject(body)) return body ?? fixed ?? (hasBody(this.#targets.get(name)) ? {} : undefined);
		const { whole = false, omit = [] } = this.#targets.get(name) ?? {};
		const isChange = operations[name].method === "PATCH";
		const change = isChange ? { last: withoutPlaces(last, omit), whole: whole !== false } : undefined;
		// The public description fixes the body of a purchase.
		const theirs = name === "buyNumber" ? body : (this.mapping(recordOf(name), "sent")?.toTheirs(body, change) ?? body);
		const part = typeof whole === "string" ? at(theirs, whole) : theirs;
		const sent = { ...fixed, ...(isObject(part) ? part : {}) };
		const envelope = this.envelopeOf(name).request;
		return envelope === undefined ? sent : mergeAt({}, envelope, sent);
	}

	/** True if a request with this body would change nothing. */
	isNothing(name: OperationName, body: unknown): boolean {
		const sent = isObject(body) ? (this.mapping(recordOf(name), "sent")?.toTheirs(body) ?? body) : {};
		return Object.keys(sent).length === 0;
	}

	#queryOut(name: OperationName, query: NonNullable<Call["query"]>): NonNullable<Call["query"]> {
		const { cursor = "cursor", limit = "limit" } = this.description.lists ?? {};
		const mapping = this.mapping(recordOf(name), "sent");
		const sent = Object.entries(query).flatMap(([key, value]) => {
			if (key === "limit") return limit === false ? [] : [[limit, value]];
			if (key === "cursor") return [[cursor, value]];
			const field = mapping?.field(key);
			if (field === undefined) return [[key, value]];
			return field.sent === undefined ? [] : [[field.sent, field.toTheirs(value)]];
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
			const envelope = this.envelopeOf(name).response;
			// A purchase may show nothing of the number.
			if (envelope === false) return { json: name === "buyNumber" ? {} : undefined, records };
			return { json: recordIn(envelope === undefined ? json : at(json, envelope)), records };
		}
		const { next = "next_cursor", cursor } = this.description.lists ?? {};
		const data = at(json, this.itemsOf(name));
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

	/** The places of the record in the operation's request and response; false if the response doesn't show it. */
	envelopeOf(name: OperationName): {
		readonly response?: string | false | undefined;
		readonly request?: string | undefined;
	} {
		const { response, request } = this.description.envelopes?.[recordOf(name) ?? ""] ?? {};
		const target = this.#targets.get(name);
		return { response: target?.response ?? response, request: target?.in ?? request };
	}

	/** The place of a list's items in its response. */
	itemsOf(name: OperationName): string {
		return this.#targets.get(name)?.response || (this.description.lists?.items ?? "data");
	}
}

/** A request of a property's own operation, without a body. */
export const outgoing = ({ method, path, query }: ServiceRequest, segment: string | undefined): Outgoing => ({
	method,
	path: pathOf({ method, path }, segment),
	query,
	headers: { accept: "application/json" },
	body: undefined,
});

const hasBody = (target: Target | undefined): boolean => target?.method === "POST" || target?.method === "PATCH";

function withoutPlaces(record: unknown, places: readonly string[]): unknown {
	if (!isObject(record) || places.length === 0) return record;
	const rest = structuredClone(record);
	for (const place of places) omit(rest, place.split("."));
	return rest;
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
	const parts = typeof described === "string" ? { request: described } : (described ?? {});
	const { method, path } = operationOf(name);
	const { request, whole = false, omit = [], response } = parts;
	const target = request === undefined ? { method, path, query: {} } : requestOf(request);
	return { ...target, whole, omit, response, in: parts.in };
}

function mappingsOf(record: string, described: RecordDescription): RecordMappings {
	const fields = recordFields(record);
	const { main, ownPlaces } = placesOf(record, described);
	const properties = ownPlaces.map(
		(places) =>
			new OwnProperty(
				places,
				conversionAt(places, fields.kinds),
				places.fields.map((field) => mappedField(field, fields.kinds)),
				fields,
			),
	);
	const mapped = main.map((field): MappedField => {
		const property = properties.find(({ ours }) => ours === field.ours);
		if (property === undefined) return mappedField(field, fields.kinds);
		// The record shows the whole value at one place.
		return {
			...field,
			way: {},
			needsCountry: property.needsCountry,
			toOurs: (theirs, country) => property.toOurs(theirs, country),
			toTheirs: (ours, country) => property.toTheirs(ours, country),
		};
	});
	return {
		theirs: new Mapping(mapped, fields, "theirs"),
		sent: new Mapping(mapped, fields, "sent"),
		ownOperations: properties.length === 0 ? undefined : new OwnOperations(properties),
	};
}

function mappedField(field: Placed, kinds: FieldKinds): MappedField {
	const { ours, theirs, sent, description, isDefault } = field;
	const { at: place, empty: value } = description;
	const empty = isObject(value) ? (place === undefined ? value : mergeAt({}, place, value)) : undefined;
	return { ours, theirs, sent, way: description, ...defined({ isDefault, empty }), ...conversionAt(field, kinds) };
}

/** Converts a value. `empty` stands for null. */
function conversionAt({ ours, description }: Pick<Placed, "ours" | "description">, kinds: FieldKinds): Conversion {
	const { toTheirs, toOurs } = conversionOf(description, kinds.get(ours) ?? "text");
	const { empty } = description;
	if (empty === undefined || isObject(empty)) return { toTheirs, toOurs };
	return {
		toTheirs: (value, scope) => (value === null ? empty : toTheirs(value, scope)),
		toOurs: (value, scope) => (isDeepStrictEqual(value, empty) ? null : toOurs(value, scope)),
	};
}

/** The cursor in the address of a next page, or the value itself. */
function cursorIn(value: unknown, parameter = "cursor"): unknown {
	if (typeof value !== "string" || !value.includes("?") || !URL.canParse(value, "http://service")) return value;
	return new URL(value, "http://service").searchParams.get(parameter) ?? value;
}
