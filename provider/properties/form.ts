/**
 * The form of a value decides how it compares: two spellings of one value are equal, and values that the service adds
 * don't count. Check, diff, requests, read-back and drift use it.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { webhookUrl } from "../api/contract/schema";
import { isObject, mapValues, pickBy } from "../api/json";
import { canonicalText, canonicalUrl, withoutSlash } from "./canonical";

export type Form =
	| {
			readonly kind: "scalar";
			readonly named?: Named;
			readonly spelling?: (text: string) => string | undefined;
			/** Differences that a comparison ignores, for the docs. */
			readonly same?: string;
			/** Drops details that a service may respell. Only for comparing live values. */
			readonly lenient?: (canonical: string) => string;
			/** True if a service may show the second text for the first, although declarations with them differ. */
			readonly isRespelled?: (declared: string, live: string) => boolean;
			/** Makes the contract's type. Without it, the service accepts the value as written. */
			readonly accepted?: () => z.ZodType;
			/** True if programs get the canonical form of live values. */
			readonly isReadCanonical?: true;
			/** True for the path of a file, which a program may also pass as a FileAsset. */
			readonly isFile?: true;
	  }
	/** Order and repetition don't matter. */
	| { readonly kind: "set"; readonly item: Form }
	/** Order matters. */
	| { readonly kind: "list"; readonly item: Form }
	/** Keys are the user's own and keep their spelling. */
	| { readonly kind: "map" }
	| {
			readonly kind: "object";
			readonly named?: Named | undefined;
			readonly tag?: string;
			readonly variants?: Variants;
			/** All fields, including those of each variant. */
			readonly fields: Fields;
	  };

/** A resource's property, or a field of its value. */
export interface Field {
	/** Makes the type of a known value, whose messages never repeat the value. See `typeOf`. */
	readonly type: () => z.ZodType;
	/**
	 * Markdown. The generator adds limits, default and the effect of a change. Reference tables show the first paragraph.
	 */
	readonly description: string;
	/** An example value, for editors. */
	readonly example?: unknown;
	/** Default: a plain scalar. */
	readonly form?: Form;
	/** An input that must be declared; an output that is always there. */
	readonly required?: true;
	/** True if the type of a required input allows undefined outputs. Check refuses an undefined value. */
	readonly takesOptional?: true;
	/** The default, in words. */
	readonly otherwise?: string;
	readonly secret?: true;
	/** True if the service fills it in. If the program omits it, any live value is fine. */
	readonly serverDefault?: true;
	/** True if the service never shows it: the state keeps the program's value, and nothing is compared. */
	readonly writeOnly?: true;
	/** True if the object keeps the value when the program omits it. */
	readonly isKept?: true;
}
export type Fields = Readonly<Record<string, Field>>;

const madeTypes = new WeakMap<Field["type"], z.ZodType>();

/** Returns the type of a field. It is made on first use: a process needs few types, and making all of them takes long. */
export function typeOf({ type }: Pick<Field, "type">): z.ZodType {
	const made = madeTypes.get(type) ?? type();
	madeTypes.set(type, made);
	return made;
}

export interface Named {
	readonly name: string;
	readonly description: string;
}

/** The known variants of an object, each with its own fields. An unknown variant keeps every field. */
export interface Variants extends Named {
	readonly of: Readonly<Record<string, Fields>>;
}

export const scalar: Form = { kind: "scalar" };
export const text = (
	spelling: (text: string) => string | undefined,
	same: string,
	more: Pick<Form & { kind: "scalar" }, "accepted" | "lenient"> = {},
): Form => ({ kind: "scalar", spelling, same, ...more });
/** Text that a service accepts as written, but not with blanks around it. */
export const unspaced = () => z.string().regex(/^\S+$/);
export const words: Form = text(canonicalText, "spaces at the start or end");
export const urlForm: Form = {
	kind: "scalar",
	spelling: canonicalUrl,
	lenient: withoutSlash,
	accepted: () => webhookUrl,
	same: "upper or lower case in scheme and host, punycode, a dot at the end of the host, the scheme's default port, a slash at the end of the path",
};
export const listOf = (item: Form): Form => ({ kind: "list", item });
export const setOf = (item: Form): Form => ({ kind: "set", item });

type Item = Record<string, unknown>;
export const isUnset = (value: unknown) => value === undefined || value === null;
/** False for a value that a record doesn't show, which contradicts nothing that a program declares. */
export const isShown = (live: unknown): boolean => !isUnset(live) && !(typeof live === "string" && live.trim() === "");

export type ObjectForm = Extract<Form, { kind: "object" }>;
const formOfField = ({ fields }: ObjectForm, key: string): Form => fields[key]?.form ?? scalar;

/** The comparable form; undefined if absent or empty. Total: a value that doesn't fit is returned unchanged. */
export function canonical(form: Form, value: unknown): unknown {
	if (isUnset(value)) return undefined;
	if (form.kind === "scalar") {
		if (typeof value !== "string" || form.spelling === undefined) return value;
		return (form.spelling(value) ?? value.trim()) || undefined;
	}
	if (form.kind === "list" || form.kind === "set") return Array.isArray(value) ? canonicalItems(form, value) : value;
	if (!isObject(value)) return value;
	return sorted(form.kind === "map" ? value : mapValues(value, (item, key) => canonical(formOfField(form, key), item)));
}

/** The items of a set once each, in an order that depends on them alone. */
function canonicalItems({ kind, item }: Form & { kind: "set" | "list" }, values: readonly unknown[]) {
	if (values.length === 0) return undefined;
	const items = values.map((value) => canonical(item, value));
	if (kind === "list") return items;
	const byText = new Map(items.map((item) => [JSON.stringify(item), item]));
	return [...byText].sort(byKey).map(([, item]) => item);
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts keys and drops absent values; undefined if nothing is left. */
function sorted(value: Item): Item | undefined {
	const entries = Object.entries(value).filter(([, item]) => !isUnset(item));
	return entries.length === 0 ? undefined : Object.fromEntries(entries.sort(byKey));
}

/** Returns a hash of the comparable form. */
export const hashOf = (form: Form, value: unknown): string =>
	createHash("sha256")
		.update(JSON.stringify(canonical(form, value)) ?? "")
		.digest("base64url")
		.slice(0, 16);

/** True if the program declares the same as before, apart from fields that the object keeps when the program omits them. */
export function isUnchanged(form: Form, before: unknown, declared: unknown): boolean {
	if (form.kind !== "object" || !isObject(before) || !isObject(declared))
		return sameDeclaration(form, before, declared);
	const rest = pickBy(before, (_, key) => !form.fields[key]?.isKept || !isUnset(declared[key]));
	return sameDeclaration(form, rest, declared);
}

/** True if two spellings mean the same declaration. */
export function sameDeclaration(form: Form, a: unknown, b: unknown): boolean {
	return JSON.stringify(canonical(form, a)) === JSON.stringify(canonical(form, b));
}

/** True if two texts with different canonical forms are one value. */
export type SameText = (form: Form, declared: string, live: string) => boolean;

/** True for texts that differ only in details that a service may respell. */
export const isLenient: SameText = (form, declared, live) => {
	if (form.kind !== "scalar" || form.lenient === undefined) return false;
	return form.lenient(String(canonical(form, declared))) === form.lenient(String(canonical(form, live)));
};

/**
 * True if the live value is what was declared, apart from what the service added or reordered, and from texts that it spells
 * in another way, as `isSame` decides.
 */
export function covers(form: Form, declared: unknown, live: unknown, isSame = isLenient): boolean {
	if (sameDeclaration(form, declared, live)) return true;
	if (typeof declared === "string" && typeof live === "string") return isSame(form, declared, live);
	if (Array.isArray(declared) && Array.isArray(live)) return coversItems(form, declared, live, isSame);
	if (!isObject(declared) || !isObject(live)) return false;
	if (form.kind === "map") {
		const fits = ([key, item]: [string, unknown], [liveKey, liveItem]: [string, unknown]) =>
			(key === liveKey || isSame(scalar, key, liveKey)) && covers(scalar, item, liveItem, isSame);
		return matches(Object.entries(declared), Object.entries(live), fits);
	}
	const fields: Readonly<Record<string, Partial<Field>>> = form.kind === "object" ? form.fields : {};
	return Object.keys({ ...declared, ...live }).every((key) => {
		const { form: inner = scalar, writeOnly, serverDefault } = fields[key] ?? {};
		return writeOnly || (serverDefault && isUnset(declared[key])) || covers(inner, declared[key], live[key], isSame);
	});
}

function coversItems(form: Form, declared: readonly unknown[], live: readonly unknown[], isSame: SameText): boolean {
	if (form.kind !== "set" && form.kind !== "list") return false;
	const fits = (item: unknown, liveItem: unknown) => covers(form.item, item, liveItem, isSame);
	if (form.kind === "list")
		return declared.length === live.length && declared.every((item, index) => fits(item, live[index]));
	const once = (items: readonly unknown[]) => (canonical(form, items) ?? []) as readonly unknown[];
	// The service may merge repeated items. With its defaults, different items may become equal.
	return matches(once(declared), once(live), fits) || matches(declared, live, fits);
}

/** True if every declared item has a live one of its own and none is left over (Kuhn's bipartite matching). */
function matches<T>(declared: readonly T[], live: readonly T[], fits: (a: T, b: T) => boolean): boolean {
	if (declared.length !== live.length) return false;
	const takenBy = new Map<number, T>();
	const place = (item: T, tried: Set<number>): boolean =>
		live.some((candidate, index) => {
			if (tried.has(index) || !fits(item, candidate)) return false;
			tried.add(index);
			const holder = takenBy.get(index);
			if (holder !== undefined && !place(holder, tried)) return false;
			takenBy.set(index, item);
			return true;
		});
	return declared.every((item) => place(item, new Set()));
}

/** The value that a state keeps: the declared one while the service has it, otherwise the live value. */
export function settle(form: Form, declared: unknown, live: unknown): unknown {
	if (covers(form, declared, live)) return declared;
	if (form.kind !== "object" || !isObject(declared) || !isObject(live)) return live ?? null;
	const sameVariant = form.tag === undefined || declared[form.tag] === live[form.tag];
	return Object.fromEntries(
		Object.keys({ ...live, ...(sameVariant ? declared : {}) })
			.filter((key) => !(form.fields[key]?.serverDefault && sameVariant && isUnset(declared[key])))
			.map((key) => {
				if (form.fields[key]?.writeOnly) return [key, declared[key]];
				return [key, settle(formOfField(form, key), declared[key], live[key])];
			})
			.filter(([, item]) => !isUnset(item)),
	);
}

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The program's spelling, unless the service requires another one. */
function spelledFor({ spelling, accepted }: Form & { kind: "scalar" }, value: string): string {
	if (accepted === undefined) return value;
	const type = typeOf({ type: accepted });
	return [value, value.trim(), spelling?.(value)].find((text) => type.safeParse(text).success) ?? value;
}

/** From the program's names to the service's. */
export function toWire(form: Form, value: unknown): unknown {
	if (isUnset(value)) return null;
	if (form.kind === "scalar" && typeof value === "string") return spelledFor(form, value);
	if ((form.kind === "set" || form.kind === "list") && Array.isArray(value))
		return value.map((item) => toWire(form.item, item));
	if (form.kind !== "object" || !isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, item]) => !isUnset(item))
			.map(([key, item]) => [snake(key), toWire(formOfField(form, key), item)]),
	);
}

/** The fields that an object may have; of a known variant, its own. */
export function namesOf({ fields, tag, variants }: ObjectForm, value: Item): string[] {
	const of = variants?.of ?? {};
	const variant = ownOf(of, value[tag ?? ""]);
	const others = new Set(variant === undefined ? [] : Object.values(of).flatMap(Object.keys));
	return Object.keys(fields).filter((name) => !others.has(name) || Object.hasOwn(variant ?? {}, name));
}

const ownOf = (variants: Variants["of"], name: unknown): Fields | undefined =>
	Object.hasOwn(variants, String(name)) ? variants[String(name)] : undefined;

/** From the service's names to the program's. A known variant keeps only its own fields, an unknown one keeps all. */
export function fromWire(form: Form, value: unknown): unknown {
	if (form.kind === "set" && Array.isArray(value)) return value.map((item) => fromWire(form.item, item));
	// A program may use only this spelling.
	if (form.kind === "list" || (form.kind === "scalar" && form.isReadCanonical)) return canonical(form, value) ?? value;
	if (form.kind !== "object" || !isObject(value)) return value;
	const isKnown = form.tag === undefined || ownOf(form.variants?.of ?? {}, value[form.tag]) !== undefined;
	const names = isKnown ? namesOf(form, value) : undefined;
	return Object.fromEntries(
		Object.entries(value)
			.map(([key, item]) => [camel(key), item] as const)
			// A service may show a mask of a secret.
			.filter(([key, item]) => !isUnset(item) && (names?.includes(key) ?? true) && !form.fields[key]?.writeOnly)
			.map(([key, item]) => [key, fromWire(formOfField(form, key), item)]),
	);
}
