/**
 * How a value compares: two spellings of one thing are equal, what the service adds by itself is no difference, and
 * what the program declared is found in what is live. One description of a property's form serves check, diff, the
 * request, read-back and drift.
 */

import { z } from "zod";
import { webhookUrl } from "../api/contract/schema";
import { isObject, mapValues } from "../api/json";
import { canonicalText, canonicalUrl, withoutSlash } from "./canonical";

export type Form =
	| {
			readonly kind: "scalar";
			readonly named?: Named;
			readonly spelling?: (text: string) => string | undefined;
			/** What makes no difference, in words. */
			readonly same?: string;
			/** Drops what a service may respell although it could mean something else. Only for comparing live values. */
			readonly lenient?: (canonical: string) => string;
			/** The contract's type. Without it, the service takes the value as written. */
			readonly accepted?: z.ZodType;
			/** True if programs get the canonical form of live values, as they can't declare another one. */
			readonly isReadCanonical?: true;
			/** The path of a file, which a program may also pass as a FileAsset. */
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
			/** The key that tells variants apart. */
			readonly tag?: string;
			readonly variants?: Variants;
			/** All of them, those of each variant too. */
			readonly fields: Fields;
	  };

/** What there is to say about a value, be it a resource's property or a field within one. */
export interface Field {
	/** What a known value must be; its messages say what is wrong and never repeat a value. */
	readonly type: z.ZodType;
	/**
	 * For people, in Markdown. Limits, default and what a change does are added from the table. Reference tables show the
	 * first paragraph.
	 */
	readonly description: string;
	/** A value as a program may write it, for those who read about the property in an editor. */
	readonly example?: unknown;
	/** Default: a plain scalar. */
	readonly form?: Form;
	/** An input that must be declared; an output that is always there. */
	readonly required?: true;
	/** True if a required input takes outputs that may be undefined, as types can't tell. Check refuses it until it is set. */
	readonly takesOptional?: true;
	/** What holds where the program leaves it out, in words. */
	readonly otherwise?: string;
	readonly secret?: true;
	/** The service fills it in. If the program leaves it out, any live value will do. */
	readonly serverDefault?: true;
	/** The service never shows it: kept from the program, never compared with what is live. */
	readonly writeOnly?: true;
}
export type Fields = Readonly<Record<string, Field>>;

/** A type as programs call it. */
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
/** Text that a service takes as written, but not with blanks around it. */
export const unspaced = z.string().regex(/^\S+$/);
export const words: Form = text(canonicalText, "spaces around it");
export const urlForm: Form = {
	kind: "scalar",
	spelling: canonicalUrl,
	lenient: withoutSlash,
	accepted: webhookUrl,
	same: "upper or lower case in scheme and host, the scheme's default port, a slash at the end of the path",
};
export const listOf = (item: Form): Form => ({ kind: "list", item });
export const setOf = (item: Form): Form => ({ kind: "set", item });

type Item = Record<string, unknown>;
export const isUnset = (value: unknown) => value === undefined || value === null;

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

/** Without absent values, keys in order; undefined where nothing is left. */
function sorted(value: Item): Item | undefined {
	const entries = Object.entries(value).filter(([, item]) => !isUnset(item));
	return entries.length === 0 ? undefined : Object.fromEntries(entries.sort(byKey));
}

/** True if two spellings mean the same declaration. */
export function sameDeclaration(form: Form, a: unknown, b: unknown): boolean {
	return JSON.stringify(canonical(form, a)) === JSON.stringify(canonical(form, b));
}

/** True if the live value is what was declared, apart from what the service added, reordered or respelled. */
export function covers(form: Form, declared: unknown, live: unknown): boolean {
	if (form.kind === "object" && isObject(declared) && isObject(live)) {
		return Object.keys({ ...declared, ...live }).every((key) => {
			const field: Partial<Field> = form.fields[key] ?? {};
			if (field.writeOnly) return true;
			if (field.serverDefault && isUnset(declared[key])) return true;
			return covers(formOfField(form, key), declared[key], live[key]);
		});
	}
	if (form.kind === "set" && form.item.kind === "object" && Array.isArray(declared) && Array.isArray(live)) {
		const fits = (one: unknown, other: unknown) => covers(form.item, one, other);
		const once = (items: readonly unknown[]) => canonical(form, items) as readonly unknown[] | undefined;
		// The service may merge repeated items. With its defaults filled in, different items may have become the same.
		return matches(once(declared) ?? [], once(live) ?? [], fits) || matches(declared, live, fits);
	}
	if (form.kind === "scalar" && form.lenient && !isUnset(declared) && !isUnset(live)) {
		return form.lenient(String(canonical(form, declared))) === form.lenient(String(canonical(form, live)));
	}
	return sameDeclaration(form, declared, live);
}

/** True if every declared item has a live one of its own and none is left over (Kuhn's bipartite matching). */
function matches(declared: readonly unknown[], live: readonly unknown[], fits: (a: unknown, b: unknown) => boolean) {
	if (declared.length !== live.length) return false;
	const takenBy = new Map<number, number>();
	const place = (item: number, tried: Set<number>): boolean =>
		live.some((candidate, index) => {
			if (tried.has(index) || !fits(declared[item], candidate)) return false;
			tried.add(index);
			const holder = takenBy.get(index);
			if (holder !== undefined && !place(holder, tried)) return false;
			takenBy.set(index, item);
			return true;
		});
	return declared.every((_, item) => place(item, new Set()));
}

/** What a state keeps of a declared value: the program's spelling while it still holds, otherwise the live value. */
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
const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** As the program writes it, unless the service requires another spelling. */
const spelledFor = ({ spelling, accepted }: Form & { kind: "scalar" }, value: string): string =>
	(accepted && [value, value.trim(), spelling?.(value)].find((each) => accepted.safeParse(each).success)) ?? value;

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
	const own = ownOf(of, value[tag ?? ""]);
	const others = new Set(own === undefined ? [] : Object.values(of).flatMap(Object.keys));
	return Object.keys(fields).filter((name) => !others.has(name) || Object.hasOwn(own ?? {}, name));
}

const ownOf = (variants: Variants["of"], name: unknown): Fields | undefined =>
	Object.hasOwn(variants, String(name)) ? variants[String(name)] : undefined;

/** From the service's names to the program's. A known variant keeps only its own fields, an unknown one keeps all. */
export function fromWire(form: Form, value: unknown): unknown {
	if (form.kind === "set" && Array.isArray(value)) return value.map((item) => fromWire(form.item, item));
	// In the one spelling that a program may use.
	if (form.kind === "list" || (form.kind === "scalar" && form.isReadCanonical)) return canonical(form, value) ?? value;
	if (form.kind !== "object" || !isObject(value)) return value;
	const isKnown = form.tag === undefined || ownOf(form.variants?.of ?? {}, value[form.tag]) !== undefined;
	const names = isKnown ? namesOf(form, value) : undefined;
	return Object.fromEntries(
		Object.entries(value)
			.map(([key, item]) => [camel(key), item] as const)
			// A service shows at most a mask of a secret.
			.filter(([key, item]) => !isUnset(item) && (names?.includes(key) ?? true) && !form.fields[key]?.writeOnly)
			.map(([key, item]) => [key, fromWire(formOfField(form, key), item)]),
	);
}
