/**
 * The words of one service. Requests are put into them after everything above has decided, and answers into ours before
 * anything above reads them; the emulator uses the same table the other way round.
 */
import { type ErrorCode, itemOf, type Operation, type OperationName, operations, replayedHeader } from "../contract";
import { featuresIn, type Stated } from "../offer";
import { checkedDescription, type Description, fieldOf, requestOf } from "./description";
import { at, isObject, type Json } from "./json";
import { Mapping } from "./mapping";
import { fieldsOf, recordNames, recordOf, singleReadOf } from "./records";
import { conversionOf } from "./values";

/** Where an operation is at the service. */
export interface Target {
	readonly method: string;
	/** Relative to the base URL; `{id}` stands for one path segment. */
	readonly path: string;
	/** Asked each time. */
	readonly query: Readonly<Record<string, string>>;
	/** The whole record is sent, and not what changes. */
	readonly whole: boolean;
}

const wrapped = (value: unknown, path: string): unknown =>
	path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

type Query = Readonly<Record<string, string | number | undefined>>;

export class Dialect {
	/** What the description says is offered, or not. */
	readonly features: Stated;
	/** As it was given, and checked. */
	readonly description: Description;
	readonly #targets = new Map<OperationName, Target | undefined>();
	readonly #mappings = new Map<string, Mapping>();
	readonly #codes: ReadonlyMap<string, string>;
	/** The records that a change has to know. */
	readonly #kept: ReadonlySet<string | undefined>;

	/** @throws TelephonyError of kind Config. @param where how the user has given it, for messages */
	constructor(value: unknown, where: string) {
		const description = checkedDescription(value, where);
		this.description = description;
		for (const name of Object.keys(operations) as OperationName[]) this.#targets.set(name, targetOf(description, name));
		for (const record of recordNames) {
			const known = fieldsOf(record);
			const fields = Object.entries(description.records?.[record] ?? {}).map(([ours, said]) => {
				const how = fieldOf(said);
				return {
					ours,
					theirs: how && (how.at ?? ours),
					way: how ?? {},
					...conversionOf(how ?? {}, known.get(ours) ?? "text"),
				};
			});
			this.#mappings.set(record, new Mapping(fields, known));
		}
		this.#codes = new Map(
			Object.entries(description.errors?.codes ?? {}).flatMap(([ours, theirs]) =>
				[theirs].flat().map((code) => [code, ours]),
			),
		);
		const names = [...this.#targets.keys()];
		this.#kept = new Set(names.filter((name) => this.baseOf(name) !== undefined).map(recordOf));
		this.features = new Map([...this.#unoffered(), ...featuresIn(description.features ?? "", "features")]);
	}

	/** A feature of which no operation is left. */
	#unoffered(): Stated {
		const table = Object.entries(operations) as [OperationName, Operation][];
		const all = new Set(table.flatMap(([, { feature }]) => feature ?? []));
		const isOff = (feature: string) =>
			table.every(([name, each]) => each.feature !== feature || this.#targets.get(name) === undefined);
		const off = [...[...all].filter(isOff), ...(this.lacks("number", "reference") ? ["reference" as const] : [])];
		return new Map(off.map((feature) => [feature, false]));
	}

	/** Undefined where the service doesn't offer it. */
	target(name: OperationName): Target | undefined {
		return this.#targets.get(name);
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

	#mappingOf(name: OperationName): Mapping | undefined {
		return this.mapping(recordOf(name));
	}

	/** Undefined where no record is meant. */
	mapping(record: string | undefined): Mapping | undefined {
		return record === undefined ? undefined : this.#mappings.get(record);
	}

	/** Whether the service has no such field of a record: it is never sent, and nobody may declare it. */
	lacks(record: string, field: string): boolean {
		return this.description.records?.[record]?.[field] === false;
	}

	/** Which operation reads what a change needs to know, if one does. */
	baseOf(name: OperationName): OperationName | undefined {
		const mapping = this.#mappingOf(name);
		if (operations[name].method !== "PATCH" || mapping === undefined) return undefined;
		const needs = this.#targets.get(name)?.whole || mapping.isShared;
		return needs ? singleReadOf(recordOf(name) ?? "") : undefined;
	}

	/** Whether its answers are kept, as a change of the same record needs them. */
	isKept(name: OperationName): boolean {
		return this.#kept.has(recordOf(name));
	}

	/** A field as the service calls it, for its support. */
	placeOf(name: OperationName, path: readonly string[]): string {
		if (isList(name) && path[0] === "data")
			return [this.description.lists?.items ?? "data", ...path.slice(1)].join(".");
		const own = this.#mappingOf(name)?.placeOf(path) ?? path.join(".");
		const envelope = isList(name) ? undefined : this.description.envelopes?.[recordOf(name) ?? ""]?.answer;
		return [envelope, own].filter(Boolean).join(".");
	}

	// ---- From us to the service ---------------------------------------------------------------------------------------

	/** @param last the record as last read, in the service's words */
	bodyOut(name: OperationName, body: unknown, last: unknown): unknown {
		const fixed = this.description.send?.[name];
		if (!isObject(body)) return body === undefined && fixed !== undefined ? fixed : body;
		const isChange = operations[name].method === "PATCH";
		const change = isChange ? { last, whole: this.#targets.get(name)?.whole ?? false } : undefined;
		// The public description says what a purchase is made of.
		const theirs = name === "buyNumber" ? body : (this.#mappingOf(name)?.toTheirs(body, change) ?? body);
		const envelope = this.description.envelopes?.[recordOf(name) ?? ""]?.request;
		const sent = { ...fixed, ...theirs };
		return envelope === undefined ? sent : wrapped(sent, envelope);
	}

	queryOut(name: OperationName, query: Query): Query {
		const { cursor = "cursor", limit = "limit" } = this.description.lists ?? {};
		const mapping = this.#mappingOf(name);
		const asked = Object.entries(query).flatMap(([key, value]) => {
			if (key === "limit") return limit === false ? [] : [[limit, value]];
			if (key === "cursor") return [[cursor, value]];
			const field = mapping?.field(key);
			return field === undefined
				? [[key, value]]
				: field.theirs === undefined
					? []
					: [[field.theirs, field.toTheirs(value)]];
		});
		return { ...this.#targets.get(name)?.query, ...Object.fromEntries(asked) };
	}

	/** An answer in our words. @returns also the records as the service writes them, by our ids */
	answerIn(
		name: OperationName,
		json: unknown,
	): { readonly json: unknown; readonly records: ReadonlyMap<string, unknown> } {
		const mapping = this.#mappingOf(name);
		const records = new Map<string, unknown>();
		const one = (theirs: unknown): unknown => {
			if (!isObject(theirs)) return theirs;
			const ours = mapping?.toOurs(theirs) ?? theirs;
			if (ours.id !== undefined && ours.id !== null) records.set(String(ours.id), theirs);
			return ours;
		};
		const { items = "data", next = "next_cursor" } = this.description.lists ?? {};
		if (isList(name)) {
			const data = at(json, items);
			const next_cursor = cursorIn(at(json, next), this.description.lists?.cursor) ?? null;
			const page = { ...(isObject(json) ? json : {}), next_cursor };
			return { json: { ...page, data: Array.isArray(data) ? data.map(one) : data }, records };
		}
		const envelope = this.description.envelopes?.[recordOf(name) ?? ""]?.answer;
		return { json: one(envelope === undefined ? json : at(json, envelope)), records };
	}

	/** An error in our words; its details stay the service's. @param header the request's id, if a header has it */
	errorIn(json: unknown, header: string | undefined): unknown {
		if (!isObject(json)) return json;
		const { code = "error", message = "message", requestId = "request_id" } = this.description.errors ?? {};
		const said = at(json, code);
		const error = typeof said === "number" ? String(said) : said;
		return {
			...json,
			error: (typeof error === "string" ? this.#codes.get(error) : undefined) ?? error,
			message: at(json, message),
			request_id: at(json, requestId) ?? header ?? "none",
		};
	}

	// ---- From the service to us: for the emulator -----------------------------------------------------------------------

	bodyIn(name: OperationName, body: unknown): unknown {
		const envelope = this.description.envelopes?.[recordOf(name) ?? ""]?.request;
		const sent = envelope === undefined ? body : at(body, envelope);
		if (!isObject(sent) || name === "buyNumber") return sent;
		const known = Object.keys(this.description.send?.[name] ?? {});
		const own = Object.fromEntries(Object.entries(sent).filter(([key]) => !known.includes(key)));
		return this.#mappingOf(name)?.toOurs(own) ?? own;
	}

	queryIn(name: OperationName, query: URLSearchParams): Record<string, string> {
		const { cursor = "cursor", limit = "limit" } = this.description.lists ?? {};
		const fixed = Object.keys(this.#targets.get(name)?.query ?? {});
		const mapping = this.#mappingOf(name);
		const filters = Object.keys(operationOf(name).query?.shape ?? {});
		return Object.fromEntries(
			[...query].flatMap(([key, value]) => {
				if (fixed.includes(key)) return [];
				const named = { [cursor]: "cursor", ...(limit === false ? {} : { [limit]: "limit" }) }[key];
				if (named !== undefined) return [[named, value]];
				const filter = filters.find((each) => mapping?.field(each)?.theirs === key);
				return [filter === undefined ? [key, value] : [filter, String(mapping?.field(filter)?.toOurs(value))]];
			}),
		);
	}

	answerOut(name: OperationName, json: unknown): unknown {
		const mapping = this.#mappingOf(name);
		const one = (ours: unknown) => (isObject(ours) ? (mapping?.toTheirs(ours) ?? ours) : ours);
		if (isList(name) && isObject(json)) {
			const { items = "data", next = "next_cursor" } = this.description.lists ?? {};
			const { data, next_cursor, ...rest } = json;
			const page = { ...rest, ...(wrapped((data as unknown[]).map(one), items) as Json) };
			return this.isPaged ? mergeAt(page, next, next_cursor) : page;
		}
		const envelope = this.description.envelopes?.[recordOf(name) ?? ""]?.answer;
		return envelope === undefined ? one(json) : wrapped(one(json), envelope);
	}

	errorOut(json: unknown): unknown {
		if (!isObject(json)) return json;
		const { code = "error", message = "message", requestId = "request_id", codes = {} } = this.description.errors ?? {};
		const { error, message: text, request_id, ...rest } = json;
		const theirs = [codes[error as ErrorCode] ?? error].flat()[0];
		return mergeAt(mergeAt(mergeAt(rest, code, theirs), message, text), requestId, request_id);
	}
}

/** @param value a description, one that was checked before, or none. @throws TelephonyError of kind Config */
export const dialectOf = (value: unknown, where: string): Dialect | undefined =>
	value === undefined || value instanceof Dialect ? value : new Dialect(value, where);

const operationOf = (name: OperationName): Operation => operations[name];

const isList = (name: OperationName): boolean => {
	const { answer } = operationOf(name);
	return answer !== undefined && itemOf(answer) !== undefined;
};

function targetOf(description: Description, name: OperationName): Target | undefined {
	const said = description.operations?.[name];
	if (said === false) return undefined;
	const { method, path } = operationOf(name);
	const request = said === undefined ? `${method} ${path}` : typeof said === "string" ? said : said.request;
	return { ...requestOf(request), whole: typeof said === "object" && said.whole === true };
}

/** The cursor in the address of a next page, or the value itself. */
function cursorIn(value: unknown, parameter = "cursor"): unknown {
	if (typeof value !== "string" || !value.includes("?") || !URL.canParse(value, "http://service")) return value;
	return new URL(value, "http://service").searchParams.get(parameter) ?? value;
}

/** Sets one value at a path, beside what is there. */
function mergeAt(into: Json, path: string, value: unknown): Json {
	const [key = "", ...rest] = path.split(".");
	const inner = into[key];
	return { ...into, [key]: rest.length === 0 ? value : mergeAt(isObject(inner) ? inner : {}, rest.join("."), value) };
}
