/** The parts of all areas' shapes. */
import { z } from "zod";
import { decimalOf } from "./decimal";

export type Origin = "seed" | "assumed";

/** Marks a field that the public description shows. All others are assumed. */
export const seed = <T extends z.ZodType>(type: T): T => type.meta({ ...type.meta(), "x-origin": "seed" }) as T;

/** Marks a secret field: its value is masked wherever a service repeats it. Must be the outermost call. */
export const secret = <T extends z.ZodType>(type: T): T => type.meta({ ...type.meta(), "x-secret": true }) as T;

/** The names of all secret fields. A list, so that masking doesn't make every schema. */
export const secretFields: ReadonlySet<string> = new Set(["content", "id_number", "password", "pin", "secret"]);

/** An object whose fields are made on first use: a process needs few of the contract's objects, and waits for what it makes. */
function objectOf<S extends z.core.$ZodLooseShape, C extends z.core.$ZodObjectConfig>(
	fields: () => S,
	catchall: z.ZodType,
) {
	let shape: S | undefined;
	return new z.ZodObject({
		type: "object",
		get shape() {
			shape ??= fields();
			return shape;
		},
		catchall,
	}) as z.ZodObject<S, C>;
}

const anything = z.unknown();
const nothing = z.never();

/** Part of a response: unknown fields are kept. */
export const response = <S extends z.core.$ZodLooseShape>(fields: () => S): z.ZodObject<S, z.core.$loose> =>
	objectOf(fields, anything);

/** Part of a request: unknown fields are refused. */
export const request = <S extends z.core.$ZodLooseShape>(fields: () => S): z.ZodObject<S, z.core.$strict> =>
	objectOf(fields, nothing);

/** An enum of a response: any string passes, the known ones are documented, and read in any case. */
export const openEnum = (values: readonly string[]) => {
	const byLowerCase = new Map(values.map((value) => [value.toLowerCase(), value]));
	return z
		.string()
		.overwrite((value) => byLowerCase.get(value) ?? byLowerCase.get(value.trim().toLowerCase()) ?? value)
		.register(z.globalRegistry, { "x-known-values": values });
};

/** A name for a type, so that declarations don't spell it out wherever it is used. */
export interface Schema<T> extends z.ZodType<T, T> {}

/** Opaque, made by the service. */
export const id = z.string().min(1).max(255);
export const time = z.string().meta({ format: "date-time" });
/** A time in a request. */
export const instant = () => z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T00:00:00Z" });
/** The times of every object. */
export const times = { created_at: time.nullable().optional(), updated_at: time.nullable().optional() };
export const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/, "must be a phone number in E.164, such as +49301234567");
/** A phone number in a response. A service may leave out the plus. */
export const phone = z.string().overwrite((text) => text.trim().replace(/^(?=[1-9]\d{6,14}$)/, "+"));
export const country = z.string().regex(/^[A-Z]{2}$/, "must be a two-letter country code in upper case");
/** https only; plain http is allowed for loopback, so that a laptop can receive what its emulator sends. */
export const webhookUrl = z
	.string()
	.max(2048)
	.regex(/^(https:\/\/[^/?#@\s]+|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?)([/?][^#\s]*)?$/, {
		error: "must be an https URL without credentials or fragment (http only for loopback)",
		abort: true,
	})
	.refine((text) => URL.canParse(text), "must be a URL");

/** A text in a response, of any length: a limit could make a whole list unreadable. */
export const words = z.string().nullable();
export const label = z.string().max(64).nullable();
export const reference = z.string().max(64).nullable();
export const metadata = z
	.record(z.string().min(1).max(40), z.string().max(500))
	.refine((map) => Object.keys(map).length <= 20, "must have at most 20 keys")
	.meta({ maxProperties: 20 });

/** A decimal string, so that no sum is off by a binary fraction. Another text stays as the service shows it. */
const amount = z.string().overwrite((text) => decimalOf(text) ?? text);
/** An amount, and its ISO 4217 currency. */
export const money = response(() => ({
	amount,
	currency: z.string().overwrite((code) => code.trim().toUpperCase()),
}));
export type Money = z.infer<typeof money>;

/** The reasons of a refusal, each with a code for programs and a sentence for people. */
export const reasons = z.array(response(() => ({ code: z.string(), message: z.string() })));

const items = new WeakMap<z.ZodType, z.ZodType>();

const cursor = seed(z.string().nullable());

export const page = <T extends z.ZodType>(item: T) => {
	const schema = response(() => ({ data: seed(z.array(item)), next_cursor: cursor }));
	items.set(schema, item);
	return schema;
};

/** The schema of a page's items; undefined for any other schema. */
export const itemOf = (schema: z.ZodType): z.ZodType | undefined => items.get(schema);

/** True if a field of this name holds one or more ids. */
export const namesIds = (name: string): boolean => /(^|_)ids?$/.test(name);

const asText = (value: unknown): unknown =>
	typeof value === "number" ? String(value) : Array.isArray(value) ? value.map(asText) : value;

/** True if a field of this name holds ids or phone numbers. */
const isText = (name: string): boolean => namesIds(name) || /^(numbers?|from|to)$/.test(name);

/**
 * Tidies a response in place. Removes each null, at any depth, unless null has a meaning of its own in the contract.
 * Removes each empty value of an enum. Turns ids, phone numbers and amounts that are JSON numbers into text.
 * @param timeIn converts a time of the service to RFC 3339
 */
export function tidy(schema: unknown, value: unknown, timeIn: (text: string) => string = (text) => text): void {
	if (value === null || typeof value !== "object") return;
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) tidy(schema.unwrap(), value, timeIn);
	else if (schema instanceof z.ZodArray && Array.isArray(value))
		for (const item of value) tidy(schema.element, item, timeIn);
	else if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) {
		const fields = value as Record<string, unknown>;
		for (const name of Object.keys(fields))
			tidyField(schema instanceof z.ZodRecord ? schema.valueType : schema.shape[name], fields, name, timeIn);
	}
}

function tidyField(
	type: unknown,
	fields: Record<string, unknown>,
	name: string,
	timeIn: (text: string) => string,
): void {
	const field = fields[name];
	const isEmpty = field === null ? type instanceof z.ZodType && !takesNull(type) : field === "" && isOpen(type);
	// Most fields are texts: this check keeps large lists fast.
	const mayBeText = (typeof field === "number" || Array.isArray(field)) && type !== undefined;
	if (isEmpty) delete fields[name];
	else if (mayBeText && isText(name)) fields[name] = asText(field);
	else if (typeof field === "number" && type === amount) fields[name] = decimalOf(field) ?? String(field);
	else if (typeof field === "string" && /^\s*\d{4}-/.test(field) && isTime(type)) fields[name] = timeIn(field);
	else tidy(type, field, timeIn);
}

const isTime = (type: unknown): boolean =>
	type instanceof z.ZodOptional || type instanceof z.ZodNullable ? isTime(type.unwrap()) : type === time;

/** An enum that may be absent. */
const isOpen = (type: unknown): boolean =>
	type instanceof z.ZodOptional && (type.unwrap() as z.ZodType).meta()?.["x-known-values"] !== undefined;

const nullables = new WeakMap<z.ZodType, boolean>();
function takesNull(type: z.ZodType): boolean {
	const acceptsNull = nullables.get(type) ?? type.safeParse(null).success;
	nullables.set(type, acceptsNull);
	return acceptsNull;
}

/** Fields that no resource can do without: they show which object a record is, who owns it, and whether it is live. */
const identifying = ["id", "reference", "number", "country", "type", "status", "state", "kyc_required"];
/** Fields that every program declares. */
const required = ["auth", "capacity", "url", "events", "numbers", "carrier", "subscriber", "holder", "address"];
const neededFields = new Set([...identifying, ...required]);

type FieldPath = readonly string[];

const unread = Symbol("unread fields");

/** The names of a record's fields that were left out, whole or in part, because they can't be read. */
export const unreadFieldsOf = (record: object): ReadonlySet<string> =>
	(record as { readonly [unread]?: ReadonlySet<string> })[unread] ?? new Set();

/** Marks a record, or its values under other names. */
export const markUnread = <T extends object>(record: T, names: ReadonlySet<string>): T =>
	names.size === 0 ? record : Object.assign(record, { [unread]: names });

/**
 * Parses a record. Leaves out optional fields of another type, unless they are needed: a service may show in its own
 * form what a program doesn't use. @returns also the paths of these fields
 */
export function parseRecord(
	schema: z.ZodType,
	value: unknown,
): z.ZodSafeParseResult<unknown> & { readonly leftOut: readonly FieldPath[] } {
	const leftOut: FieldPath[] = [];
	for (let rest = value; ; ) {
		const parsed = schema.safeParse(rest);
		if (parsed.success) {
			if (leftOut.length > 0) markUnread(parsed.data as object, new Set(leftOut.map(([name = ""]) => name)));
			return { ...parsed, leftOut };
		}
		const { issues } = parsed.error;
		const needed = issues.filter((issue) => findOptional(schema, issue.path.map(String)) === undefined);
		if (needed.length > 0) return { ...parsed, error: new z.ZodError(needed), leftOut: [] };
		for (const issue of issues) {
			const path = findOptional(schema, issue.path.map(String)) ?? [];
			leftOut.push(path);
			rest = without(rest, path);
		}
	}
}

/** The innermost field on the path that a record may lack; undefined if there is none, or if the field is needed. */
function findOptional(schema: z.ZodType, path: FieldPath): FieldPath | undefined {
	let found: FieldPath | undefined;
	let type: unknown = schema;
	for (const [index, key] of path.entries()) {
		type = innerOf(type, key);
		if (type instanceof z.ZodOptional) found = path.slice(0, index + 1);
	}
	return found?.length === 1 && neededFields.has(found[0] ?? "") ? undefined : found;
}

function innerOf(type: unknown, key: string): unknown {
	if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) return innerOf(type.unwrap(), key);
	if (type instanceof z.ZodArray) return type.element;
	return type instanceof z.ZodObject ? type.shape[key] : undefined;
}

/** The value without the field. The service's own record stays whole. */
function without(value: unknown, [key = "", ...rest]: FieldPath): unknown {
	if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? without(item, rest) : item));
	if (typeof value !== "object" || value === null || !(key in value)) return value;
	const { [key]: field, ...others } = value as Record<string, unknown>;
	return rest.length === 0 ? others : { ...others, [key]: without(field, rest) };
}

export const referenceFilter = z.string().min(1).max(64).optional();

/** The client requests `limit=100`, the largest page. */
export const listQuery = <S extends z.core.$ZodLooseShape>(filters: () => S) =>
	request(() => ({
		limit: z.coerce.number().int().min(1).optional(),
		cursor: z.string().min(1).max(500).optional(),
		...filters(),
	}));
