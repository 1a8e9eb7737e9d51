/** Laws of any description and any record: both forms agree on each mapped field, and nothing else is lost. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { NumberRecord, TrunkRecord, WebhookRecord } from "../../../../provider/api/contract";
import { checkedDescription, type Description } from "../../../../provider/api/dialect/description";
import { Dialect } from "../../../../provider/api/dialect/dialect";
import { fieldsOf, type Holds } from "../../../../provider/api/dialect/records";

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const kinds = {
	number: { schema: NumberRecord, get: "getNumber", patch: "patchNumber", path: "/numbers/{id}" },
	trunk: { schema: TrunkRecord, get: "getTrunk", patch: "patchTrunk", path: "/trunks/{id}" },
	webhook: { schema: WebhookRecord, get: "getWebhook", patch: "patchWebhook", path: "/webhooks/{id}" },
} as const;
type Kind = keyof typeof kinds;

const word = fc.stringMatching(/^[a-z][a-z0-9 ]{0,6}[a-z0-9]$/);
const moment = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
const amount = fc.integer({ min: 0, max: 1e7 }).map((value) => (value / 100).toFixed(2));

function textOf(type: z.ZodType, name: string): fc.Arbitrary<string> {
	const known = type.meta()?.["x-known-values"];
	if (Array.isArray(known)) return fc.constantFrom(...(known as string[]));
	return type.meta()?.format === "date-time" ? moment : name === "amount" ? amount : word;
}

function valuesOf(type: unknown, name: string): fc.Arbitrary<unknown> {
	if (type instanceof z.ZodOptional) return valuesOf(type.unwrap(), name);
	if (type instanceof z.ZodNullable) return fc.option(valuesOf(type.unwrap(), name), { freq: 4 });
	if (type instanceof z.ZodArray) return fc.array(valuesOf(type.element, name), { minLength: 1, maxLength: 3 });
	if (type instanceof z.ZodRecord) return fc.dictionary(word, word, { minKeys: 1, maxKeys: 3 });
	if (type instanceof z.ZodNumber) return fc.integer();
	if (type instanceof z.ZodBoolean) return fc.boolean();
	if (type instanceof z.ZodObject) return objectOf(type);
	return textOf(type as z.ZodType, name);
}

/** `state` is another name of `status`. */
function objectOf({ shape }: z.ZodObject): fc.Arbitrary<Json> {
	const fields = Object.entries(shape).filter(([name]) => name !== "state");
	const model = Object.fromEntries(fields.map(([name, type]) => [name, valuesOf(type, name)]));
	const requiredKeys = fields.flatMap(([name, type]) => (type instanceof z.ZodOptional ? [] : [name]));
	return fc.record(model, { requiredKeys });
}

const recordOf = (kind: Kind): fc.Arbitrary<Json> => objectOf(kinds[kind].schema as unknown as z.ZodObject);

const forms: Record<Holds, readonly object[]> = {
	...{ text: [{}], object: [{}], number: [{}, { as: "string" }], boolean: [{}, { as: "string" }] },
	...{ list: [{}, { as: "csv" }, { each: "item" }], objects: [{}, { each: "item" }] },
};
const words = { active: ["UP", "live"], trunk: "sip", digest: "Password", sip_uri: ["uri"] };
/** The ways to write a field. */
const formsOf = (path: string, holds: Holds): readonly object[] => {
	if (path.endsWith("_at")) return [{}, { as: "milliseconds" }, { as: "seconds" }];
	if (path.endsWith(".amount")) return [{}, { as: "cents" }];
	return path === "status" || path.endsWith(".type") || path.endsWith(".mode") ? [{}, { words }] : forms[holds];
};

const topOf = (path: string) => path.split(".")[0] as string;

/** Places of any depth, some of them in one object; a form alone; or a field that the service lacks. */
function descriptionOf(kind: Kind, isWhole: boolean): fc.Arbitrary<Description> {
	const places = ["", "", "one.", "one.two.", "three.", "metadata."];
	const fields = [...fieldsOf(kind)].filter(([path]) => path !== "state" && path !== "id");
	const one = ([path, holds]: readonly [string, Holds]) =>
		fc
			.record({
				form: fc.constantFrom(...formsOf(path, holds)),
				under: fc.constantFrom(...places, `${topOf(path)}.`),
				index: fc.nat(9),
				is: fc.constantFrom("false", "form", ...Array<string>(6).fill("placed")),
			})
			.map(({ form, under, index, is }) => {
				const at = { at: `${under}f${index}_${path.replaceAll(".", "_")}` };
				return [path, is === "false" ? false : { ...(is === "placed" ? at : {}), ...form }] as const;
			});
	return fc
		.subarray(fields, { minLength: 1, maxLength: 8 })
		.chain((chosen) => fc.tuple(...chosen.map(one)))
		.map((chosen) => ({
			operations: { [kinds[kind].patch]: { request: `PUT ${kinds[kind].path}`, whole: isWhole } },
			records: { [kind]: Object.fromEntries(chosen) },
		}))
		.filter(isAccepted);
}

function isAccepted(description: unknown): boolean {
	try {
		return checkedDescription(description, "a test") !== undefined;
	} catch {
		return false;
	}
}

/** Null, absent and an object without anything mean the same. */
function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (!isObject(value)) return value;
	const fields = Object.entries(value).map(([key, each]) => [key, plain(each)] as const);
	return Object.fromEntries(
		fields.filter(
			([, each]) => each !== null && each !== undefined && !(isObject(each) && Object.keys(each).length === 0),
		),
	);
}

/** Without the fields that the service has not. */
function offered(record: Json, kind: Kind, { records }: Description): unknown {
	const left = structuredClone(record);
	for (const [path, how] of Object.entries(records?.[kind] ?? {})) {
		if (how !== false) continue;
		const names = path.split(".");
		const last = names.pop() as string;
		const holder = names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), left);
		if (isObject(holder)) delete holder[last];
	}
	return plain(left);
}

/** With fields that only the service knows, at its top and in its objects. */
function withTheirs(record: Json): Json {
	const objects = ["one", "three"].flatMap((name) =>
		isObject(record[name]) ? [[name, { ...(record[name] as Json), x_inner: [1] }]] : [],
	);
	return { ...record, ...Object.fromEntries(objects), x_top: { x: null }, x_list: [{ x: 1 }] };
}

/**
 * True for an object with some parts elsewhere: a change of it doesn't clear the others, as the service may not know
 * them.
 */
function isHalfMoved(kind: Kind, { records }: Description, field: string): boolean {
	const fields = records?.[kind] ?? {};
	const isElsewhere = (path: string) => typeof fields[path] === "object" && fields[path].at !== undefined;
	const parts = [...fieldsOf(kind).keys()].filter((path) => path.startsWith(`${field}.`));
	return !isElsewhere(field) && parts.some(isElsewhere) && !parts.every(isElsewhere);
}

interface Case {
	readonly description: Description;
	readonly dialect: Dialect;
	readonly record: Json;
	/** Another record, the source of a change. */
	readonly other: Json;
	/** The field that changes. */
	readonly field: string;
}

const law = (kind: Kind, isWhole: boolean, must: (drawn: Case) => void) => {
	const fields = new Set([...fieldsOf(kind).keys()].map(topOf).filter((top) => top !== "state"));
	const drawn = fc.record({
		description: descriptionOf(kind, isWhole),
		record: recordOf(kind),
		other: recordOf(kind),
		field: fc.constantFrom(...fields),
	});
	const property = fc.property(drawn, (each) => {
		fc.pre(isWhole || !isHalfMoved(kind, each.description, each.field));
		must({ ...each, dialect: new Dialect(each.description, "a test") });
	});
	fc.assert(property, { numRuns: Number(process.env.FC_RUNS ?? 300) });
};

describe.each(Object.keys(kinds) as Kind[])("a %s", (kind) => {
	const { get, patch } = kinds[kind];

	test("is the same after both translations, in either order", () => {
		law(kind, true, ({ dialect, description, record }) => {
			const plainTheirs = dialect.answerOut(get, record);
			expect(plain(dialect.answerIn(get, plainTheirs).json)).toEqual(offered(record, kind, description));
			const theirs = withTheirs(plainTheirs as Json);
			const before = structuredClone(theirs);
			const again = dialect.answerOut(get, dialect.answerIn(get, theirs).json);
			expect(theirs).toEqual(before);
			expect(plain(again)).toEqual(plain(theirs));
		});
	});

	test.each([true, false])("keeps the service's own fields in a change (whole: %s)", (isWhole) => {
		law(kind, isWhole, ({ dialect, description, record, other, field }) => {
			const last = withTheirs(dialect.answerOut(get, record) as Json);
			const sent = dialect.bodyOut(patch, { [field]: other[field] ?? null }, last) as Json;
			const after = isWhole ? sent : { ...last, ...sent };
			const { x_top, x_list, ...ours } = dialect.answerIn(get, after).json as Json;
			expect({ x_top, x_list }).toEqual({ x_top: last.x_top, x_list: last.x_list });
			for (const top of ["one", "three"]) {
				if (isObject(last[top])) expect(after[top]).toMatchObject({ x_inner: [1] });
				if (isObject(ours[top])) delete (ours[top] as Json).x_inner;
			}
			expect(plain(ours)).toEqual(offered({ ...record, [field]: other[field] }, kind, description));
		});
	});
});
