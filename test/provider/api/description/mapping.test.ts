/** Laws of any record and several descriptions: both forms agree on each mapped field, and nothing else is lost. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { responseOut } from "../../../../emulator/http/words";
import { NumberRecord, TrunkRecord, WebhookRecord } from "../../../../provider/api/contract";
import type { Description } from "../../../../provider/api/description/description";
import { merged, put, take } from "../../../../provider/api/description/mapping";
import { type OwnProperty, valuesIn } from "../../../../provider/api/description/own-operations";
import { recordFields } from "../../../../provider/api/description/records";
import { ServiceDescription } from "../../../../provider/api/description/service-description";
import { at } from "../../../../provider/api/json";
import { dialects, separate } from "../../../helpers/dialects";
import { recordOf } from "../../../helpers/records";

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

const kinds = {
	number: { schema: NumberRecord, get: "getNumber", patch: "patchNumber", path: "/numbers/{id}" },
	trunk: { schema: TrunkRecord, get: "getTrunk", patch: "patchTrunk", path: "/trunks/{id}" },
	webhook: { schema: WebhookRecord, get: "getWebhook", patch: "patchWebhook", path: "/webhooks/{id}" },
} as const;
type Kind = keyof typeof kinds;

/** Null, absent and an object without anything mean the same. */
function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (!isObject(value)) return value;
	const isNothing = (field: unknown) => field == null || (isObject(field) && Object.keys(field).length === 0);
	const fields = Object.entries(value).map(([key, field]) => [key, plain(field)] as const);
	return Object.fromEntries(fields.filter(([, field]) => !isNothing(field)));
}

/** Fields at several depths, some of them in one object, beside others of the service. */
const deep: Description = {
	records: {
		number: { label: "reference", reference: "label", metadata: "metadata.ours", area: "one.two.area" },
		trunk: { name: "one.name", codecs: { at: "one.codecs", each: "name" }, metadata: "metadata.ours" },
		webhook: { events: { at: "three.on", as: "csv" }, enabled: { at: "three.is", as: "string" } },
	},
};
const descriptions: Readonly<Record<string, Description>> = { ...dialects, deep };

/** With fields that only the service knows, at its top and in its objects. */
const withTheirs = (record: Json): Json => {
	const objects = Object.entries(record).flatMap(([name, value]) =>
		["one", "three"].includes(name) && isObject(value) ? [[name, { ...value, x_inner: [1] }]] : [],
	);
	return { ...record, ...Object.fromEntries(objects), x_top: { x: null }, x_list: [{ x: 1 }] };
};
const innerOf = (record: Json) => ["one", "three"].map((name) => (record[name] as Json | undefined)?.x_inner);

/** Objects with parts elsewhere: a change of one doesn't clear the others, as the service may not know them. */
const halfMoved = ["auth", "price", "routing"];

describe.each(Object.entries(descriptions))("a service described as %s", (name, given) => {
	test.each(Object.keys(kinds) as Kind[])("gets and shows the same %s", (kind) => {
		const { get, patch, path, ...rest } = kinds[kind];
		const schema = rest.schema as unknown as z.ZodObject;
		const [records, { shape }] = [recordOf(schema), schema];
		const fields = fc.constantFrom(...Object.keys(shape).filter((name) => name !== "state" && name !== "id"));
		fc.assert(
			fc.property(records, records, fields, fc.boolean(), (record, second, field, whole) => {
				fc.pre(whole || name === "flat" || !halfMoved.includes(field));
				const operations = { ...given.operations, [patch]: { request: `PUT ${path}`, whole } };
				const service = new ServiceDescription({ ...given, envelopes: {}, operations }, "a test");
				const lacks = (name: string) => service.lacks(kind, name);
				const ours = (value: Json) => plain(Object.fromEntries(Object.entries(value).filter(([name]) => !lacks(name))));
				const theirs = withTheirs(responseOut(service, get, record) as Json);
				const read = (value: Json) => {
					const { x_top, x_list, one: first, three, ...rest } = service.responseIn(get, value).json as Json;
					expect({ x_top, x_list }).toEqual({ x_top: { x: null }, x_list: [{ x: 1 }] });
					return plain(rest);
				};
				expect(read(theirs)).toEqual(ours(record));
				expect(plain(responseOut(service, get, service.responseIn(get, theirs).json))).toEqual(plain(theirs));
				const sent = service.bodyOut(patch, { [field]: second[field] ?? null }, theirs) as Json;
				const after = whole ? sent : { ...theirs, ...sent };
				expect(innerOf(after)).toEqual(innerOf(theirs));
				expect(read(after)).toEqual(ours({ ...record, [field]: second[field] }));
			}),
			{ numRuns: Number(process.env.FC_RUNS ?? 100) },
		);
	});
});

/** A record without the fields of other variants than its own, which no service has. */
function ofOneVariant(kind: Kind, record: Json): Json {
	const rest = structuredClone(record);
	for (const [path, { tag, values }] of recordFields(kind).variants)
		if (!values.has(String(at(record, tag)))) take(rest, path.split("."));
	return rest;
}

/** The record that a service shows in all its responses. */
function shownBy(service: ServiceDescription, kind: Kind, record: Json): Json {
	const { get } = kinds[kind];
	const main = service.responseIn(get, responseOut(service, get, record)).json as Json;
	const reads = (service.ownOperations(kind)?.reads ?? []).map((read) => {
		const respond = (response: unknown, property: OwnProperty) =>
			property.responseWith(response as Json, at(record, property.ours));
		return valuesIn(read, read.properties.reduce<unknown>(respond, {}));
	});
	const all = reads.reduce(merged, main);
	return service.mapping(kind)?.withTags(all) ?? all;
}

/** The change that a service reads in all requests of a change. */
function readBy(service: ServiceDescription, kind: Kind, change: Json): Json {
	const { patch } = kinds[kind];
	const ownOperations = service.ownOperations(kind);
	const { main, steps } = ownOperations?.split(change) ?? { main: change, steps: [] };
	const { in: within } = service.target(patch) ?? {};
	const body = service.bodyOut(patch, main, undefined);
	const part = (within === undefined ? body : at(body, within)) as Json;
	const read = service.mapping(kind, "sent")?.toOurs(part) ?? part;
	for (const step of steps)
		for (const property of step.values.keys())
			put(
				read,
				property.ours.split("."),
				step.write.isClear ? null : property.inBody(ownOperations?.body(step, undefined)),
			);
	return read;
}

describe.each(Object.entries(separate))("a service with properties apart: %s", (_, given) => {
	test.each(Object.keys(kinds) as Kind[])("shows and receives the same %s", (kind) => {
		const schema = kinds[kind].schema as unknown as z.ZodObject;
		const records = recordOf(schema).map((record) => ofOneVariant(kind, record));
		const fields = fc.constantFrom(...Object.keys(schema.shape).filter((name) => name !== "state" && name !== "id"));
		const service = new ServiceDescription(given, "a test");
		/** Without a mode, a trunk shows it only by other fields. */
		const showsMode = ({ auth }: Json) =>
			kind !== "trunk" || !isObject(auth) || (auth.allowed_cidrs ?? auth.username ?? auth.password) !== undefined;
		fc.assert(
			fc.property(records, fields, (record, field) => {
				fc.pre(showsMode(record));
				expect(plain(shownBy(service, kind, record))).toEqual(plain(record));
				const change = { [field]: record[field] ?? null };
				expect(plain(readBy(service, kind, change)[field] ?? {})).toEqual(plain(change[field] ?? {}));
			}),
			{ numRuns: Number(process.env.FC_RUNS ?? 100) },
		);
	});
});
