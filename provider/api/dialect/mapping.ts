/** One record's fields in our words and in the service's: one table, read in both directions. */
import { isObject, type Json } from "./json";
import type { FieldKinds } from "./records";
import type { Conversion, Writing } from "./values";

export interface MappedField extends Conversion {
	readonly ours: string;
	/** Undefined where the service has no such field. */
	readonly theirs: string | undefined;
	/** What the conversion is made of, for who describes it. */
	readonly way: Writing;
}

type Path = readonly string[];

const pathOf = (text: string): Path => text.split(".");
const topOf = (text: string): string => pathOf(text)[0] as string;

/** `isNull`: something on the way to it is null, so it is nothing. */
interface Taken {
	readonly found: boolean;
	readonly value?: unknown;
	readonly isNull?: true;
}

/** Removes what is there, and each object that has nothing else. */
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
	if (rest.length === 0) {
		into[key] = isObject(into[key]) && isObject(value) ? merged(into[key], value) : value;
		return;
	}
	if (!isObject(into[key])) into[key] = {};
	put(into[key] as Json, rest, value);
}

/** What `over` says counts; objects in both are merged. */
function merged(under: Json, over: Json): Json {
	const all: Json = { ...under };
	for (const [key, value] of Object.entries(over))
		all[key] = isObject(value) && isObject(all[key]) ? merged(all[key], value) : value;
	return all;
}

interface ChangeContext {
	/** The record as last read: what the service keeps beside what is ours in one object stays. */
	readonly last?: unknown;
	/** The whole record is sent, and not what changes. */
	readonly whole?: boolean;
}

export class Mapping {
	/** What is inside another goes first. */
	readonly fields: readonly MappedField[];
	/** All paths of ours, what is inside another first. */
	readonly #known: readonly string[];
	/** By our top name, the fields below it that have a place of their own. */
	readonly #parts: ReadonlyMap<string, readonly MappedField[]>;

	/** `known` are all fields that the record may have. */
	constructor(fields: readonly MappedField[], known: FieldKinds) {
		this.fields = fields.toSorted((one, other) => pathOf(other.ours).length - pathOf(one.ours).length);
		this.#known = [...known.keys()].toSorted((one, other) => pathOf(other).length - pathOf(one).length);
		const tops = new Set(this.#known.map(topOf));
		this.#parts = new Map(
			[...tops].map((top) => [top, fields.filter(({ ours }) => ours !== top && topOf(ours) === top)]),
		);
	}

	/** Where the service keeps this field of ours, as people write it. */
	placeOf(ours: Path): string {
		const own = ours.join(".");
		const field = this.fields.find((each) => own === each.ours || own.startsWith(`${each.ours}.`));
		return field?.theirs === undefined ? own : field.theirs + own.slice(field.ours.length);
	}

	field(ours: string): MappedField | undefined {
		return this.fields.find((each) => each.ours === ours);
	}

	/** Whether a change needs the record as it is: something beside what is ours stands in the same object. */
	get isShared(): boolean {
		return this.fields.some(({ theirs }) => theirs?.includes("."));
	}

	/** A request's or a record's body in the service's words. `change`: it changes a record that is there. */
	toTheirs(ours: Json, change?: ChangeContext): Json {
		const rest = structuredClone(ours);
		const made: Json = {};
		const cleared: string[] = [];
		for (const field of this.fields) {
			const { found, value, isNull } = take(rest, pathOf(field.ours));
			const isWritten = Object.hasOwn(ours, topOf(field.ours));
			if (field.theirs === undefined) continue;
			if (found && !isNull) put(made, pathOf(field.theirs), field.toTheirs(value));
			else if (isWritten && (change || isNull)) cleared.push(field.theirs);
		}
		dropNulls(rest, (top) => this.#hasMoved(top));
		const own = merged(rest, made);
		const base = this.#baseOf(change, own, cleared, ours);
		// Nothing is left of it but what is another's.
		dropNulls(own, (top) => isObject(base[top]));
		const all = merged(base, own);
		for (const place of cleared) clear(all, place, base);
		return all;
	}

	/** Whether a part of this object of ours is elsewhere at the service. */
	#hasMoved(top: string): boolean {
		const parts = this.#parts.get(top) ?? [];
		return parts.some(({ theirs }) => theirs !== undefined && topOf(theirs) !== top);
	}

	/** What of the last record goes along: all of it, or the objects that hold something of ours beside something else. */
	#baseOf(change: ChangeContext | undefined, own: Json, cleared: readonly string[], ours: Json): Json {
		if (!isObject(change?.last)) return {};
		const base = this.#without(change.last, ours);
		if (change.whole) return base;
		const places = [...this.fields.flatMap(({ theirs }) => theirs ?? []), ...cleared];
		const shared = new Set(places.filter((place) => place.includes(".")).map(topOf));
		const isMeant = (top: string) =>
			own[top] === null || isObject(own[top]) || cleared.some((place) => topOf(place) === top);
		return Object.fromEntries(
			Object.entries(base).filter(([top, value]) => shared.has(top) && isObject(value) && isMeant(top)),
		);
	}

	/** A record of theirs without the parts that are written again, which replace all that was there. */
	#without(last: Json, ours: Json): Json {
		const rest = structuredClone(last);
		const isWritten = (field: MappedField) => Object.hasOwn(ours, topOf(field.ours));
		const placed = this.fields.flatMap((field) =>
			field.theirs === undefined ? [] : [{ ...field, theirs: field.theirs }],
		);
		const others = placed
			.filter((field) => !isWritten(field))
			.map(({ theirs }) => ({ place: pathOf(theirs), ...take(rest, pathOf(theirs)) }));
		for (const field of placed) if (isWritten(field)) take(rest, pathOf(field.theirs));
		for (const [top, value] of Object.entries(ours)) {
			if (this.field(top) !== undefined) continue;
			const parts = this.#known.filter((path) => path.startsWith(`${top}.`));
			if (value === null || parts.length === 0) delete rest[top];
			for (const part of parts) take(rest, pathOf(part));
		}
		for (const { place, found, isNull, value } of others) if (found && !isNull) put(rest, place, value);
		return rest;
	}

	/** A record or a request's body in our words. Their other fields keep their names, but none of ours. */
	toOurs(theirs: Json): Json {
		const rest = structuredClone(theirs);
		const made: Json = {};
		const emptied = new Set<string>();
		const byPlace = this.fields
			.filter(({ theirs: place }) => place !== undefined)
			.toSorted((one, other) => pathOf(other.theirs ?? "").length - pathOf(one.theirs ?? "").length);
		for (const field of byPlace) {
			const { found, value, isNull } = take(rest, pathOf(field.theirs ?? ""));
			const isPart = field.ours.includes(".");
			if (isNull || (found && value === null && isPart)) emptied.add(field.ours);
			else if (found) put(made, pathOf(field.ours), field.toOurs(value));
		}
		// Nulls that have been read as ours.
		const tops = byPlace.map(({ theirs: place }) => topOf(place ?? ""));
		dropNulls(rest, (top) => tops.includes(top));
		for (const { ours } of this.fields) take(rest, pathOf(ours));
		for (const ours of emptied)
			if (made[topOf(ours)] === undefined && !isObject(rest[topOf(ours)])) made[topOf(ours)] = null;
		return merged(rest, made);
	}
}

function dropNulls(from: Json, isDropped: (top: string) => boolean): void {
	for (const top of Object.keys(from)) if (from[top] === null && isDropped(top)) delete from[top];
}

/** Nothing is to be there any more: an object that is sent without it says so, and else null. */
function clear(all: Json, place: string, base: Json): void {
	const [top, isInside] = [topOf(place), place.includes(".")];
	if (isInside && (isObject(all[top]) || isObject(base[top]))) return;
	if (all[top] === undefined) all[top] = null;
}
