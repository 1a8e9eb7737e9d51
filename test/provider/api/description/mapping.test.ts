/** Laws of any record and several descriptions: both forms agree on each mapped field, and nothing else is lost. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { responseOut } from "../../../../emulator/http/words";
import { NumberRecord, TrunkRecord, WebhookRecord } from "../../../../provider/api/contract";
import type { Description } from "../../../../provider/api/description/description";
import { ServiceDescription } from "../../../../provider/api/description/service-description";
import { dialects } from "../../../helpers/dialects";
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
	const isNothing = (each: unknown) => each == null || (isObject(each) && Object.keys(each).length === 0);
	const fields = Object.entries(value).map(([key, each]) => [key, plain(each)] as const);
	return Object.fromEntries(fields.filter(([, each]) => !isNothing(each)));
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
