/**
 * The service's spellings of declared values, such as Unicode's normal form, lower case, HTML entities, a date without its
 * time, or `*` written out. The state keeps a spelling beside the declared value.
 */
import { unreadFieldsOf } from "../api/contract";
import { isObject, pickBy } from "../api/json";
import { covers, type Form, hashOf, isLenient, isUnset, type SameText, sameDeclaration, scalar } from "./form";
import { openIn } from "./open";
import type { Properties, Property, Values } from "./table";

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function withoutEntities(text: string): string {
	return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]+));/gi, (entity, decimal, hexadecimal, name) => {
		if (name !== undefined) return entities[name.toLowerCase()] ?? entity;
		return String.fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal));
	});
}

/** The text in normal form and lower case, without HTML entities and repeated blanks. */
const folded = (text: string): string =>
	withoutEntities(text).normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();

/** True for the date of a time, by its own offset or in UTC. */
function isDateOf(date: string, time: string): boolean {
	if (!/^\d{4}-\d\d-\d\d$/.test(date) || !/^\d{4}-\d\d-\d\dT/i.test(time)) return false;
	const utc = new Date(time);
	return time.startsWith(date) || (!Number.isNaN(utc.getTime()) && utc.toISOString().startsWith(date));
}

const isSameText: SameText = (form, declared, live) =>
	isLenient(form, declared, live) ||
	(form.kind === "scalar" && form.isRespelled?.(declared, live)) ||
	(folded(declared) !== "" && folded(declared) === folded(live)) ||
	isDateOf(live.trim(), declared.trim());

/** True if the live value is the declared one, perhaps in another spelling. */
export const isSpelling = (form: Form, declared: unknown, live: unknown): boolean =>
	covers(form, declared, live, isSameText) || (isAll(declared) && Array.isArray(live) && live.length > 1);

/** True if a request has a value that differs from the live one only in its spelling. */
export const isRespelled = (
	properties: Properties,
	{ body, declared, live }: Pick<WriteResult, "body" | "declared" | "live">,
): boolean =>
	Object.keys(spellingsOf(properties, declared, live)).some((key) => Object.hasOwn(body, properties[key]?.wire ?? ""));

interface Difference {
	/** The property, or a field of it, such as `auth.username`. */
	readonly path: string;
	readonly declared: unknown;
	readonly live: unknown;
}

/** Returns the fields in which two values differ, without secrets. */
export function differencesIn(form: Form, path: string, declared: unknown, live: unknown): Difference[] {
	if (covers(form, declared, live)) return [];
	const isSplit =
		form.kind === "object" &&
		isObject(declared) &&
		isObject(live) &&
		(form.tag === undefined || declared[form.tag] === live[form.tag]);
	if (!isSplit) return [{ path, declared: withoutSecrets(form, declared), live }];
	return Object.keys({ ...declared, ...live }).flatMap((key) => {
		const { form: inner = scalar, writeOnly, secret, serverDefault } = form.fields[key] ?? {};
		if (writeOnly || secret || (serverDefault && isUnset(declared[key]))) return [];
		return differencesIn(inner, `${path}.${key}`, declared[key], live[key]);
	});
}

/** The declared value without the fields that only the program knows. */
function withoutSecrets(form: Form, value: unknown): unknown {
	if (form.kind !== "object" || !isObject(value)) return value;
	return pickBy(value, (_, key) => !form.fields[key]?.writeOnly && !form.fields[key]?.secret);
}

/** The service's spelling of each declared property that it spells in another way, as a hash: the value may be secret. */
export type Spellings = Readonly<Record<string, string>>;

export function spellingsOf(properties: Properties, declared: Values, live: Values): Spellings {
	const spellings: Record<string, string> = {};
	for (const [key, { form = scalar, wire, writeOnly, secret, fixed }] of Object.entries(properties)) {
		if (wire === undefined || writeOnly || secret || fixed) continue;
		if (isUnset(declared[key]) || isUnset(live[key]) || covers(form, declared[key], live[key])) continue;
		if (isSpelling(form, declared[key], live[key])) spellings[key] = hashOf(form, live[key]);
	}
	return spellings;
}

/** The output that keeps the spellings; absent if there are none. */
export const spellingOutputs = (spellings: Spellings): Values =>
	Object.keys(spellings).length === 0 ? {} : { spellings };

/** Returns the spellings that a state keeps. */
export const spellingsIn = ({ spellings }: Values): Spellings => (isObject(spellings) ? (spellings as Spellings) : {});

// ---- The result of a write --------------------------------------------------------------------------------------------

/** A value that was sent and isn't shown. */
export interface Unapplied {
	/** The property, or a field of it. */
	readonly property: string;
	/** Undefined for a value that was to be cleared. */
	readonly declared: unknown;
	readonly live: unknown;
}

export interface WriteResult {
	/** The request, in the service's names. */
	readonly body: Values;
	/** The inputs of the program, and those of the last write as the state has them. */
	readonly declared: Values;
	readonly olds: Values;
	/** The live values before the write, and those that the service shows now. */
	readonly before: Values;
	readonly live: Values;
}

/** Returns the values of a request that the service doesn't show: rule 6 of docs/guarantees.md. */
export function findUnapplied(properties: Properties, result: WriteResult): Unapplied[] {
	const { body, declared, live } = result;
	return Object.entries(properties)
		.filter(([name, property]) => Object.hasOwn(body, property.wire ?? "") && !isApplied(name, property, result))
		.flatMap(([name, { form = scalar }]) =>
			differencesIn(form, name, declared[name] ?? undefined, live[name]).map(({ path, ...values }) => ({
				property: path,
				...values,
			})),
		);
}

function isApplied(name: string, property: Property, { declared, olds, before, live }: WriteResult): boolean {
	const { form = scalar, fixed, writeOnly, leftOut } = property;
	if (fixed || writeOnly || (leftOut && live[name] === undefined)) return true;
	// The program may not have declared it, and couldn't correct what the service shows.
	const isDefault = property.default !== undefined && sameDeclaration(form, declared[name], property.default);
	if (isDefault && live[name] === undefined && unreadFieldsOf(live).has(name)) return true;
	const isDue = openIn(olds).unapplied.includes(name);
	if (!isUnset(declared[name])) {
		// A list in place of `*` is another one than before, unless the service has applied `*` before.
		const wasList = isDue || isList(olds[name]);
		const isIgnored = isAll(declared[name]) && wasList && sameDeclaration(form, before[name], live[name]);
		return covers(form, declared[name], live[name]) || (!isIgnored && isSpelling(form, declared[name], live[name]));
	}
	// A service may have a default for a value that no program has declared.
	const wasDeclared = isDue || !isUnset(olds[name]);
	return !wasDeclared || isCleared(property, before[name], live[name]);
}

const isAll = (value: unknown): boolean => Array.isArray(value) && value.includes("*");
const isList = (value: unknown): boolean => Array.isArray(value) && !value.includes("*");

/** A cleared property shows nothing, or the service's default: a value that is known, or another one than before. */
function isCleared({ form = scalar, cleared, serviceDefault }: Property, before: unknown, live: unknown): boolean {
	return (
		[null, cleared, serviceDefault].some((value) => sameDeclaration(form, live, value)) ||
		!sameDeclaration(form, before, live)
	);
}
