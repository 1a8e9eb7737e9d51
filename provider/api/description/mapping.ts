/** One record's fields in the contract's names and in the service's: one table, read in both directions. */
import { isDeepStrictEqual } from "node:util";
import { at, isObject, type Json } from "../json";
import { isCurrency, isInside, type Placed, type Side } from "./places";
import type { RecordFields } from "./records";
import type { Conversion, Writing } from "./values";

export interface MappedField extends Conversion, Pick<Placed, "ours" | "theirs" | "sent" | "isDefault"> {
	/** The description that the conversion is made of. */
	readonly way: Writing;
	/** For an object: the values of the service, by their places in the record, that stand for null. */
	readonly empty?: Json | undefined;
	/** True for a value with phone numbers whose form depends on the record's country. */
	readonly needsCountry?: boolean;
}

/** A field at its place in the texts that a mapping reads and writes. */
interface PlacedField extends MappedField {
	readonly place: string;
}

type Path = readonly string[];

const pathOf = (text: string): Path => text.split(".");
const topOf = (text: string): string => pathOf(text)[0] as string;
const byDepth =
	<T>(placeOf: (item: T) => string) =>
	(a: T, b: T) =>
		pathOf(placeOf(b)).length - pathOf(placeOf(a)).length;

/** `isNull`: an object on the way to the value is null. */
interface Taken {
	readonly found: boolean;
	readonly value?: unknown;
	readonly isNull?: true;
}

/** Removes what the request leaves out. A path that meets a list continues in each of its items. */
export function omit(from: Json, [key = "", ...rest]: Path): void {
	const value = from[key];
	if (rest.length === 0) delete from[key];
	else for (const inner of [value].flat()) if (isObject(inner)) omit(inner, rest);
}

/** Removes the value at a path, and each object that it leaves empty. */
export function take(from: Json, [key = "", ...rest]: Path): Taken {
	if (!Object.hasOwn(from, key)) return { found: false };
	const value = from[key];
	if (rest.length === 0) {
		delete from[key];
		return { found: true, value };
	}
	if (value === null) return { found: true, value: null, isNull: true };
	if (!isObject(value)) return { found: false };
	const taken = take(value, rest);
	if (taken.found && Object.keys(value).length === 0) delete from[key];
	return taken;
}

export function put(into: Json, [key = "", ...rest]: Path, value: unknown): void {
	const here = into[key];
	if (rest.length === 0) into[key] = isObject(here) && isObject(value) ? merged(here, value) : value;
	else {
		const inner = isObject(here) ? here : {};
		into[key] = inner;
		put(inner, rest, value);
	}
}

/** The values of `over` win; objects in both are merged, and null doesn't replace an object. */
export function merged(under: Json, over: Json): Json {
	const all: Json = { ...under };
	for (const [key, value] of Object.entries(over)) {
		const here = all[key];
		if (!isObject(here)) all[key] = value;
		else if (value !== null) all[key] = isObject(value) ? merged(here, value) : value;
	}
	return all;
}

/** Several amounts may share a currency, which the first one has taken. */
function takeField(rest: Json, theirs: Json, { ours, place }: PlacedField): Taken {
	const taken = take(rest, pathOf(place));
	const value = at(theirs, place);
	return !taken.found && isCurrency(ours) && value !== undefined ? { found: true, value } : taken;
}

/** True for an amount in minor units, whose form depends on the currency beside it. */
const isAmount = ({ way }: MappedField): boolean => way.as === "cents";
const currencyPath = (ours: string): Path => [...pathOf(ours).slice(0, -1), "currency"];
const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const scopeOf = (field: MappedField, record: Json, country: string | undefined): string | undefined =>
	isAmount(field) ? textIn(at(record, currencyPath(field.ours).join("."))) : country;

interface RecordChange {
	/** The record as last read, in the service's names. */
	readonly last?: unknown;
	readonly whole: boolean;
	/** True for a write of one property: a field that every variant may have stays as it was if the value lacks it. */
	readonly isOwn?: boolean;
}

export class Mapping {
	readonly #side: Side;
	/** Inner fields first. */
	readonly fields: readonly MappedField[];
	/** The fields that the service has, inner ours first. */
	readonly #placed: readonly PlacedField[];
	/** All paths of the contract, inner ones first. */
	readonly #known: readonly string[];
	readonly #variants: RecordFields["variants"];
	/** The fields that share a place with those of other variants, by our names. */
	readonly #sharing: ReadonlySet<string>;
	/** The tags that the service doesn't show. */
	readonly #hiddenTags: readonly string[];

	/** @param side the texts that are converted: responses (`theirs`), or requests (`sent`) */
	constructor(fields: readonly MappedField[], { kinds, variants }: RecordFields, side: Side = "theirs") {
		this.#side = side;
		this.fields = fields.toSorted(byDepth(({ ours }) => ours));
		this.#placed = this.fields.flatMap((field) => {
			const place = field[side];
			return place === undefined ? [] : [{ ...field, place }];
		});
		this.#known = [...kinds.keys()].toSorted(byDepth((path) => path));
		this.#variants = variants;
		this.#sharing = new Set(
			this.#placed
				.filter(({ ours, place }) => this.#placed.some((sibling) => sibling.place === place && sibling.ours !== ours))
				.map(({ ours }) => ours),
		);
		const tags = new Set([...variants.values()].map(({ tag }) => tag));
		this.#hiddenTags = [...tags].filter((tag) => this.fields.some(({ ours, [side]: at }) => ours === tag && !at));
	}

	/** The service's name of a field. */
	placeOf(ours: Path): string {
		const ourPath = ours.join(".");
		const field = this.#placed.find(({ ours }) => ourPath === ours || isInside(ourPath, ours));
		return field === undefined ? ourPath : field.place + ourPath.slice(field.ours.length);
	}

	field(ours: string): MappedField | undefined {
		return this.fields.find((mapped) => mapped.ours === ours);
	}

	/** True if an object of the service may hold fields of others beside ours, so that a change needs the record as it is. */
	get isShared(): boolean {
		return this.#placed.some(({ place }) => place.includes("."));
	}

	/** True if a change has phone numbers whose form depends on the record's country. */
	get needsCountry(): boolean {
		return this.fields.some(({ way, needsCountry }) => way.as === "national" || needsCountry);
	}

	/** The country of a record in the service's names. */
	countryIn(theirs: unknown, side: Side = "theirs"): string | undefined {
		if (!this.needsCountry) return undefined;
		const field = this.field("country");
		const liveTag = at(theirs, field?.[side] ?? "country");
		const country = field?.toOurs(liveTag) ?? liveTag;
		return typeof country === "string" ? country.trim().toUpperCase() : undefined;
	}

	/** The currency of an amount in the service's names. */
	#currencyIn(theirs: Json, { ours }: MappedField): string | undefined {
		const path = currencyPath(ours);
		const field = this.field(path.join("."));
		if (field?.way.is !== undefined) return field.way.is;
		const live = at(theirs, this.placeOf(path));
		return textIn(field?.toOurs(live) ?? live);
	}

	#countryOf({ country }: Json, change: RecordChange | undefined): string | undefined {
		return typeof country === "string" ? country : this.countryIn(change?.last);
	}

	/** A record or a request's body in the service's names. @param country the record's, for phone numbers */
	toTheirs(ours: Json, change?: RecordChange, country = this.#countryOf(ours, change)): Json {
		if (this.fields.length === 0 && !change?.whole) return ours;
		const rest = structuredClone(ours);
		const { made, nulls } = this.#putAll(rest, ours, country);
		const moved = this.#placed.map(({ ours: path, place }) => (topOf(place) === topOf(path) ? [] : topOf(path)));
		dropNulls(rest, moved.flat());
		const body = merged(rest, made);
		for (const top of nulls) if (body[top] === undefined) body[top] = null;
		return change === undefined ? body : this.#changeOf(ours, body, change);
	}

	/** Takes our fields, and puts them at their places. `nulls`: fields of the service at the top whose parts are null. */
	#putAll(
		rest: Json,
		ours: Json,
		country: string | undefined,
	): { readonly made: Json; readonly nulls: readonly string[] } {
		const made: Json = {};
		const nulls: string[] = [];
		for (const field of this.fields) {
			const { found, value, isNull } = take(rest, pathOf(field.ours));
			const placed = this.#placed.find(({ ours }) => ours === field.ours);
			if (placed === undefined || !found) continue;
			if (isNull) nulls.push(topOf(placed.place));
			else if (value === null && field.empty !== undefined)
				for (const [place, leaf] of leavesOf(field.empty)) put(made, pathOf(place), leaf);
			else put(made, pathOf(placed.place), field.toTheirs(value, scopeOf(field, ours, country)));
		}
		return { made, nulls };
	}

	/** The request that changes the record. Written fields without a value are null, or absent from an object that is sent. */
	#changeOf(ours: Json, body: Json, { last, whole, isOwn = false }: RecordChange): Json {
		const all = merged(isObject(last) ? this.#without(last, ours) : {}, body);
		const written = this.#placed.filter(
			({ ours: path, isDefault, empty }) => !isDefault && empty === undefined && Object.hasOwn(ours, topOf(path)),
		);
		const nulls: Json = {};
		for (const { ours: path, place, toTheirs } of written) {
			const top = topOf(place);
			const kept = isOwn && whole && !this.#variants.has(path) ? at(last, top) : undefined;
			if (all[top] === undefined) nulls[top] = (place === top ? toTheirs(null) : null) ?? kept ?? null;
		}
		if (whole) return { ...all, ...nulls };
		const places = written.map(({ place }) => topOf(place));
		const shared = new Set(this.#placed.filter(({ place }) => place.includes(".")).map(({ place }) => topOf(place)));
		const sent = Object.keys(all).filter((top) => top in body || places.includes(top));
		return {
			...Object.fromEntries(sent.map((top) => [top, shared.has(top) ? all[top] : (body[top] ?? null)])),
			...nulls,
		};
	}

	/** The last record, with its fields at their places in requests, and without the fields that are written again. */
	#without(last: Json, ours: Json): Json {
		const rest = structuredClone(last);
		const isWritten = ({ ours: path }: MappedField) => Object.hasOwn(ours, topOf(path));
		const takeField = ({ theirs }: MappedField): Taken =>
			theirs === undefined ? { found: false } : take(rest, pathOf(theirs));
		const others = this.#placed
			.filter((field) => !isWritten(field))
			.map((field) => ({ place: pathOf(field.place), ...takeField(field) }));
		for (const field of this.#placed) if (isWritten(field)) takeField(field);
		for (const [top, value] of Object.entries(ours)) {
			if (this.field(top) !== undefined) continue;
			const parts = this.#known.filter((path) => isInside(path, top));
			if (value === null || parts.length === 0) delete rest[top];
			for (const part of parts) take(rest, pathOf(part));
		}
		for (const { place, found, isNull, value } of others) if (found && !isNull) put(rest, place, value);
		return rest;
	}

	/** A record or a request's body in the contract's names. Unknown fields keep their names. */
	toOurs(theirs: Json, country = this.countryIn(theirs, this.#side)): Json {
		// Responses are tidied in place, and a change may send the record as the service has shown it.
		if (this.fields.length === 0) return structuredClone(theirs);
		const rest = structuredClone(theirs);
		const empty = this.#placed.filter((field) => field.empty !== undefined && showsAll(theirs, field.empty));
		for (const field of empty) for (const [place] of leavesOf(field.empty)) take(rest, pathOf(place));
		const { made, emptied } = this.#takeAll(rest, theirs, country, (path) =>
			empty.some(({ ours }) => path === ours || isInside(path, ours)),
		);
		dropNulls(
			rest,
			this.#placed.map((field) => topOf(field.place)),
		);
		// A field of the service with a name of ours that is mapped elsewhere.
		for (const { ours } of this.fields) take(rest, pathOf(ours));
		for (const top of emptied) if (made[top] === undefined && !isObject(rest[top])) made[top] = null;
		const ours = merged(rest, made);
		for (const { ours: path, way } of this.fields) {
			const isPart = isObject(at(ours, pathOf(path).slice(0, -1).join(".")));
			if (way.is !== undefined && isPart) put(ours, pathOf(path), way.is);
		}
		for (const field of empty) put(ours, pathOf(field.ours), null);
		return this.withTags(ours);
	}

	/** Takes the fields from a record. `emptied`: fields of ours at the top whose parts are null. */
	#takeAll(
		rest: Json,
		theirs: Json,
		country: string | undefined,
		isNothing: (path: string) => boolean,
	): { readonly made: Json; readonly emptied: readonly string[] } {
		const made: Json = {};
		const emptied: string[] = [];
		for (const field of this.#placed.toSorted(byDepth(({ place }) => place))) {
			const isEmpty = isNothing(field.ours);
			if (!isEmpty && !this.#isOfVariant(theirs, field)) continue;
			const { found, value, isNull } = takeField(rest, theirs, field);
			if (!found || isEmpty) continue;
			const ours = field.toOurs(value, isAmount(field) ? this.#currencyIn(theirs, field) : country);
			if (isNull || (ours === null && field.ours.includes("."))) emptied.push(topOf(field.ours));
			else put(made, pathOf(field.ours), ours);
		}
		return { made, emptied };
	}

	/** False for a field of another variant than the one that the service shows, if they share a place. */
	#isOfVariant(theirs: Json, { ours }: PlacedField): boolean {
		const variants = this.#variants.get(ours);
		if (variants === undefined || !this.#sharing.has(ours)) return true;
		const liveTag = at(theirs, this.placeOf(pathOf(variants.tag)));
		return variants.values.has(String(this.field(variants.tag)?.toOurs(liveTag) ?? liveTag));
	}

	/** Adds the tags of unions that the service doesn't show: they follow from the fields that have a value. */
	withTags(ours: Json): Json {
		for (const tag of this.#hiddenTags) {
			const path = pathOf(tag);
			const union = at(ours, path.slice(0, -1).join("."));
			if (!isObject(union)) continue;
			const inner = [...this.#variants]
				.filter(([, variants]) => variants.tag === tag)
				.map(([field, { values }]) => ({ name: pathOf(field).at(-1) as string, values }));
			const all = new Set(inner.flatMap(({ values }) => [...values]));
			const shows = (variant: string) =>
				inner.some(({ name, values }) => values.has(variant) && values.size < all.size && hasValue(union[name]));
			const variant = [...all].find(shows);
			if (variant === undefined) {
				put(ours, path.slice(0, -1), null);
				continue;
			}
			for (const { name, values } of inner) if (!values.has(variant)) delete union[name];
			union[path.at(-1) as string] = variant;
		}
		return ours;
	}
}

const hasValue = (value: unknown): boolean =>
	value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

function dropNulls(from: Json, tops: readonly string[]): void {
	for (const top of tops) if (from[top] === null) delete from[top];
}

/** The values in an object of a description, by their places. A key may be a path. */
function* leavesOf(value: unknown, path = ""): Generator<readonly [place: string, value: unknown]> {
	if (!isObject(value)) yield [path, value];
	else for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, path === "" ? key : `${path}.${key}`);
}

/** True if the record has these values. An absent value is null. */
export function showsAll(theirs: unknown, values: unknown): boolean {
	return [...leavesOf(values)].every(([place, value]) =>
		isDeepStrictEqual((place === "" ? theirs : at(theirs, place)) ?? null, value),
	);
}
