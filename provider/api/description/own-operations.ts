/** Properties that a service reads or writes by operations of their own, such as `PUT /numbers/{id}/voice`. */
import { at, isObject, type Json, mergeAt } from "../json";
import { requestOf, textOf } from "./description";
import { type MappedField, Mapping, merged, omit, put, showsAll, take } from "./mapping";
import type { OwnPlaces, Side } from "./places";
import type { RecordFields } from "./records";
import type { Conversion } from "./values";

/** A request of the service. */
export interface ServiceRequest {
	readonly method: string;
	/** Relative to the base URL; `{id}` stands for one path segment. */
	readonly path: string;
	/** Sent with each request. */
	readonly query: Readonly<Record<string, string>>;
}

/** "" is the place of the whole body. */
const valueAt = (json: unknown, place: string): unknown => (place === "" ? json : at(json, place));

/** A property with operations of its own. */
export class OwnProperty implements Conversion {
	readonly ours: string;
	readonly places: OwnPlaces;
	readonly #plain: Conversion;
	readonly #sides: Readonly<Record<Side, Mapping>> | undefined;

	/** @param fields those inside it, with their places relative to its own */
	constructor(places: OwnPlaces, plain: Conversion, fields: readonly MappedField[], record: RecordFields) {
		this.ours = places.ours;
		this.places = places;
		this.#plain = plain;
		this.#sides =
			fields.length === 0
				? undefined
				: { theirs: new Mapping(fields, record, "theirs"), sent: new Mapping(fields, record, "sent") };
	}

	/** The service's name of a field inside it, in the response of its read. */
	placeOf(path: readonly string[]): string {
		const inner = this.#sides?.theirs.placeOf(path) ?? "";
		return [this.places.readPlace, inner].filter(Boolean).join(".");
	}

	/** True if the form of a phone number in it depends on the record's country. */
	get needsCountry(): boolean {
		return this.places.description.as === "national" || this.#sides?.theirs.needsCountry === true;
	}

	toOurs(theirs: unknown, country?: string, side: Side = "theirs"): unknown {
		if (theirs === undefined || theirs === null || this.#isEmpty(theirs)) return null;
		const mapping = this.#sides?.[side];
		return mapping !== undefined && isObject(theirs)
			? (at(mapping.toOurs(theirs, country), this.ours) ?? null)
			: this.#plain.toOurs(theirs, country);
	}

	toTheirs(ours: unknown, country?: string, side: Side = "theirs"): unknown {
		if (ours === null) return this.#null(side);
		if (this.#sides === undefined || !isObject(ours)) return this.#plain.toTheirs(ours, country);
		return this.#sides[side].toTheirs(this.#record(ours), undefined, country);
	}

	/** The body of a write that brings its value to the service. @param body so far: of a write of the whole, as last read */
	bodyWith(body: unknown, ours: unknown, write: BodyWrite): unknown {
		const { written } = this.places;
		const here = valueAt(body, written);
		const value = this.#sent(ours, here, write);
		// Of a whole that is built from a read, only the mapping removes fields.
		const isBeside = write.isWhole ? ours === null : written === "";
		const all = isBeside && isObject(here) && isObject(value) ? merged(here, value) : value;
		return written === "" ? all : mergeAt(isObject(body) ? body : {}, written, all);
	}

	#sent(ours: unknown, last: unknown, { isWhole, method, country }: BodyWrite): unknown {
		if (this.#sides === undefined || !isObject(ours)) return this.toTheirs(ours, country, "sent");
		// A PATCH leaves a field that it doesn't name as it was.
		const change = isWhole || method === "PATCH" ? { last, whole: isWhole, isOwn: true } : undefined;
		return this.#sides.sent.toTheirs(this.#record(ours), change, country);
	}

	/** The value in the body of a write, as the emulator gets it; undefined if the body lacks it. */
	inBody(body: unknown, country?: string): unknown {
		const found = valueAt(body, this.places.written);
		return found === undefined ? undefined : this.toOurs(found, country, "sent");
	}

	/** The response of its read with its value, as the emulator sends it. */
	responseWith(response: Json, ours: unknown, country?: string): unknown {
		const { readPlace } = this.places;
		const theirs = this.toTheirs(ours ?? null, country);
		if (readPlace !== "") return mergeAt(response, readPlace, theirs);
		return isObject(theirs) ? merged(response, theirs) : theirs;
	}

	/** The value in the response of its read. */
	inResponse(response: unknown, country: string | undefined): unknown {
		return this.toOurs(valueAt(response, this.places.readPlace), country);
	}

	#record(value: unknown): Json {
		const record: Json = {};
		put(record, this.ours.split("."), value);
		return record;
	}

	#isEmpty(theirs: unknown): boolean {
		const { empty } = this.places.description;
		if (isObject(theirs) && Object.keys(theirs).length === 0) return this.#sides !== undefined;
		return empty !== undefined && showsAll(theirs, empty);
	}

	/** `empty`; otherwise null, or an object whose described fields are null. */
	#null(side: Side): unknown {
		const { description, fields, written, readPlace } = this.places;
		if (description.empty !== undefined) return expanded(description.empty);
		if ((side === "sent" ? written : readPlace) !== "") return null;
		const described = fields.flatMap((field) => (field.isDefault ? [] : (field[side] ?? [])));
		return described.length === 0 ? null : described.reduce<Json>((all, place) => mergeAt(all, place, null), {});
	}
}

/** An object whose keys may be paths. */
const expanded = (value: unknown): unknown =>
	isObject(value)
		? Object.entries(value).reduce<Json>((all, [place, inner]) => mergeAt(all, place, expanded(inner)), {})
		: value;

/** A request that reads some properties. */
export interface OwnRead extends ServiceRequest {
	readonly properties: readonly OwnProperty[];
}

/** A request that writes some properties. */
export interface OwnWrite extends OwnRead {
	/** True for a request that clears its property, which has no body. */
	readonly isClear: boolean;
	readonly isWhole: boolean;
	/** Fields of the service that a write of the whole leaves out. */
	readonly omit: readonly string[];
}

/** The properties of a write that decide on its body. `country` is the record's. */
interface BodyWrite extends Pick<OwnWrite, "isWhole" | "method"> {
	readonly country: string | undefined;
}

/** A write with the values that it brings to the service. */
export interface OwnStep {
	readonly write: OwnWrite;
	readonly values: ReadonlyMap<OwnProperty, unknown>;
}

/** Returns the properties by the text of their request. */
function grouped(
	properties: readonly OwnProperty[],
	kind: "read" | "write" | "clear",
): ReadonlyMap<string, readonly OwnProperty[]> {
	const groups = new Map<string, OwnProperty[]>();
	for (const property of properties) {
		const request = property.places.description[kind];
		if (request === undefined) continue;
		const text = textOf(request);
		groups.set(text, [...(groups.get(text) ?? []), property]);
	}
	return groups;
}

/** The own operations of one record. Properties with the same request share it. */
export class OwnOperations {
	readonly properties: readonly OwnProperty[];
	readonly reads: readonly OwnRead[];
	readonly writes: readonly OwnWrite[];
	readonly clears: readonly OwnWrite[];

	constructor(properties: readonly OwnProperty[]) {
		this.properties = properties;
		const requests = (kind: "read" | "write" | "clear"): readonly (OwnRead & Pick<OwnWrite, "isWhole" | "omit">)[] =>
			[...grouped(properties, kind)].map(([text, group]) => {
				const parts = group.flatMap(({ places: { description } }) =>
					kind === "write" && typeof description.write === "object" ? [description.write] : [],
				);
				return {
					...requestOf(text),
					properties: group,
					isWhole: parts.some(({ whole }) => whole === true),
					omit: parts.flatMap(({ omit = [] }) => omit),
				};
			});
		this.reads = requests("read");
		this.writes = requests("write").map((write) => ({ ...write, isClear: false }));
		this.clears = requests("clear").map((write) => ({ ...write, isClear: true, isWhole: false }));
	}

	/** Splits a body into the part of the main request and the writes that follow it. */
	split(body: unknown): { readonly main: unknown; readonly steps: readonly OwnStep[] } {
		if (!isObject(body)) return { main: body, steps: [] };
		const main = structuredClone(body);
		const values = new Map<OwnProperty, unknown>();
		for (const property of this.properties) {
			if (property.places.description.write === undefined) continue;
			const { found, value, isNull } = take(main, property.ours.split("."));
			if (found && !isNull) values.set(property, value);
		}
		const isCleared = (property: OwnProperty) =>
			values.get(property) === null && property.places.description.clear !== undefined;
		const steps = (writes: readonly OwnWrite[], isWanted: (property: OwnProperty) => boolean): OwnStep[] =>
			writes.flatMap((write) => {
				const written = write.properties.filter((property) => values.has(property) && isWanted(property));
				if (written.length === 0) return [];
				return [{ write, values: new Map(written.map((property) => [property, values.get(property)])) }];
			});
		return {
			main,
			steps: [...steps(this.clears, isCleared), ...steps(this.writes, (property) => !isCleared(property))],
		};
	}

	/** The read whose response a write of the whole is built from. */
	readBefore({ isWhole, properties }: OwnWrite): OwnRead | undefined {
		if (!isWhole) return undefined;
		return this.reads.find((read) => properties.some((property) => read.properties.includes(property)));
	}

	/** @param last the response of the read before a write of the whole @param country the record's, for phone numbers */
	body({ write, values }: OwnStep, last: unknown, country?: string): unknown {
		if (write.isClear) return undefined;
		const base = isObject(last) ? baseOf(write, last) : {};
		return [...values].reduce<unknown>(
			(body, [property, value]) => property.bodyWith(body, value, { ...write, country }),
			base,
		);
	}
}

/** The body of a write of the whole without changes: the value in the response of the read, where the write has it. */
function baseOf({ properties: [first], omit: places }: OwnWrite, last: Json): Json {
	const { read, write } = first?.places.description ?? {};
	const found = valueAt(last, (typeof read === "object" && read.response) || "");
	const base = isObject(found) ? structuredClone(found) : {};
	for (const place of places) omit(base, place.split("."));
	const within = typeof write === "object" ? write.in : undefined;
	return within === undefined ? base : mergeAt({}, within, base);
}

/** The values that a read has shown, in a record of the contract. */
export function valuesIn({ properties }: OwnRead, response: unknown, country?: string): Json {
	const record: Json = {};
	for (const property of properties) put(record, property.ours.split("."), property.inResponse(response, country));
	return record;
}
