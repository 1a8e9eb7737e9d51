/** One record's fields in the contract's names and in the service's: one table, read in both directions. */
import { at, isObject, type Json } from "../json";
import type { FieldKinds } from "./records";
import type { Conversion, Writing } from "./values";

export interface MappedField extends Conversion {
	readonly ours: string;
	/** Undefined if the service has no such field. */
	readonly theirs: string | undefined;
	/** The description that the conversion is made of. */
	readonly way: Writing;
}

interface PlacedField extends MappedField {
	readonly theirs: string;
}

type Path = readonly string[];

const pathOf = (text: string): Path => text.split(".");
const topOf = (text: string): string => pathOf(text)[0] as string;
const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`);
const byDepth =
	<T>(placeOf: (each: T) => string) =>
	(a: T, b: T) =>
		pathOf(placeOf(b)).length - pathOf(placeOf(a)).length;

/** `isNull`: an object on the way to the value is null. */
interface Taken {
	readonly found: boolean;
	readonly value?: unknown;
	readonly isNull?: true;
}

/** Removes the value at a path, and each object that it leaves empty. */
function take(from: Json, [key = "", ...rest]: Path): Taken {
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

function put(into: Json, [key = "", ...rest]: Path, value: unknown): void {
	const here = into[key];
	if (rest.length === 0) into[key] = isObject(here) && isObject(value) ? merged(here, value) : value;
	else {
		const inner = isObject(here) ? here : {};
		into[key] = inner;
		put(inner, rest, value);
	}
}

/** The values of `over` win; objects in both are merged, and null doesn't replace an object. */
function merged(under: Json, over: Json): Json {
	const all: Json = { ...under };
	for (const [key, value] of Object.entries(over)) {
		const here = all[key];
		if (!isObject(here)) all[key] = value;
		else if (value !== null) all[key] = isObject(value) ? merged(here, value) : value;
	}
	return all;
}

interface RecordChange {
	/** The record as last read, in the service's names. */
	readonly last?: unknown;
	readonly whole: boolean;
}

export class Mapping {
	/** Inner fields first. */
	readonly fields: readonly MappedField[];
	/** The fields that the service has, inner ours first. */
	readonly #placed: readonly PlacedField[];
	/** All paths of the contract, inner ones first. */
	readonly #known: readonly string[];

	/** @param kinds all fields that the record may have */
	constructor(fields: readonly MappedField[], kinds: FieldKinds) {
		this.fields = fields.toSorted(byDepth(({ ours }) => ours));
		this.#placed = this.fields.filter((field): field is PlacedField => field.theirs !== undefined);
		this.#known = [...kinds.keys()].toSorted(byDepth((path) => path));
	}

	/** The service's name of a field. */
	placeOf(ours: Path): string {
		const ourPath = ours.join(".");
		const field = this.#placed.find((each) => ourPath === each.ours || isInside(ourPath, each.ours));
		return field === undefined ? ourPath : field.theirs + ourPath.slice(field.ours.length);
	}

	field(ours: string): MappedField | undefined {
		return this.fields.find((each) => each.ours === ours);
	}

	/** True if an object of the service may hold fields of others beside ours, so that a change needs the record as it is. */
	get isShared(): boolean {
		return this.#placed.some(({ theirs }) => theirs.includes("."));
	}

	/** True if a change has phone numbers whose form depends on the record's country. */
	get needsCountry(): boolean {
		return this.#placed.some(({ way }) => way.as === "national");
	}

	/** The country of a record in the service's names. */
	#countryIn(theirs: unknown): string | undefined {
		if (!this.needsCountry) return undefined;
		const shown = at(theirs, this.placeOf(["country"]));
		const country = this.field("country")?.toOurs(shown) ?? shown;
		return typeof country === "string" ? country.trim().toUpperCase() : undefined;
	}

	/** A record or a request's body in the service's names. */
	toTheirs(ours: Json, change?: RecordChange): Json {
		if (this.fields.length === 0 && !change?.whole) return ours;
		const rest = structuredClone(ours);
		const made: Json = {};
		const nulls: string[] = [];
		const country = ours.country === undefined ? this.#countryIn(change?.last) : String(ours.country);
		for (const field of this.fields) {
			const { found, value, isNull } = take(rest, pathOf(field.ours));
			if (field.theirs === undefined) continue;
			if (isNull) nulls.push(topOf(field.theirs));
			else if (found) put(made, pathOf(field.theirs), field.toTheirs(value, country));
		}
		const moved = this.#placed.map(({ ours: path, theirs }) => (topOf(theirs) === topOf(path) ? [] : topOf(path)));
		dropNulls(rest, moved.flat());
		const body = merged(rest, made);
		for (const top of nulls) if (body[top] === undefined) body[top] = null;
		return change === undefined ? body : this.#changeOf(ours, body, change);
	}

	/** The request that changes the record. Written fields without a value are null, or absent from an object that is sent. */
	#changeOf(ours: Json, body: Json, { last, whole }: RecordChange): Json {
		const all = merged(isObject(last) ? this.#without(last, ours) : {}, body);
		const written = this.#placed.filter((field) => Object.hasOwn(ours, topOf(field.ours)));
		const places = written.map(({ theirs }) => topOf(theirs));
		const nulls = Object.fromEntries(places.filter((top) => all[top] === undefined).map((top) => [top, null]));
		if (whole) return { ...all, ...nulls };
		const shared = new Set(
			this.#placed.filter(({ theirs }) => theirs.includes(".")).map(({ theirs }) => topOf(theirs)),
		);
		const sent = Object.keys(all).filter((top) => top in body || places.includes(top));
		return {
			...Object.fromEntries(sent.map((top) => [top, shared.has(top) ? all[top] : (body[top] ?? null)])),
			...nulls,
		};
	}

	/** The last record without the fields that are written again. */
	#without(last: Json, ours: Json): Json {
		const rest = structuredClone(last);
		const isWritten = ({ ours: path }: MappedField) => Object.hasOwn(ours, topOf(path));
		const others = this.#placed
			.filter((field) => !isWritten(field))
			.map(({ theirs }) => ({ place: pathOf(theirs), ...take(rest, pathOf(theirs)) }));
		for (const field of this.#placed) if (isWritten(field)) take(rest, pathOf(field.theirs));
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
	toOurs(theirs: Json): Json {
		// Responses are tidied in place, and a change may send the record as the service has shown it.
		if (this.fields.length === 0) return structuredClone(theirs);
		const rest = structuredClone(theirs);
		const made: Json = {};
		const emptied: string[] = [];
		const country = this.#countryIn(theirs);
		for (const field of this.#placed.toSorted(byDepth((each) => each.theirs))) {
			const { found, value, isNull } = take(rest, pathOf(field.theirs));
			if (isNull || (found && value === null && field.ours.includes("."))) emptied.push(topOf(field.ours));
			else if (found) put(made, pathOf(field.ours), field.toOurs(value, country));
		}
		dropNulls(
			rest,
			this.#placed.map((field) => topOf(field.theirs)),
		);
		// A field of the service with a name of ours that is mapped elsewhere.
		for (const { ours } of this.fields) take(rest, pathOf(ours));
		for (const top of emptied) if (made[top] === undefined && !isObject(rest[top])) made[top] = null;
		return merged(rest, made);
	}
}

function dropNulls(from: Json, tops: readonly string[]): void {
	for (const top of tops) if (from[top] === null) delete from[top];
}
