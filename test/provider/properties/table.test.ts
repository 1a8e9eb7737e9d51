/** A resource's table agrees with the contract, and with what diff does. */
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
	authModes,
	destinations,
	kinds,
	type Operation,
	operations,
	secretFields,
	TargetRequest,
	usedKinds,
} from "../../../provider/api/contract";
import { mapValues } from "../../../provider/api/json";
import { type Field, type Fields, type Form, snake } from "../../../provider/properties/form";
import { idOfOther } from "../../../provider/properties/routing";
import { type Resource, resources } from "../../../provider/resources";
import { numberProperties } from "../../../provider/resources/number/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { aNumber, checked, openProvider } from "../../helpers/provider";

const namesOf = (fields: object) => Object.keys(fields).map(snake).sort();

/** Fields of requests that no program declares, besides our reference. */
const undeclared: Readonly<Record<string, readonly string[]>> = {
	// A trunk has one name for people: `name`.
	SipTrunk: ["label"],
	// The provider uploads the declared files.
	KycProfile: ["document_ids"],
	PortOrder: ["document_ids"],
};

/** Returns the fields of the requests that create and change an object. */
function fieldsOf(noun: string): string[] {
	const path = Object.values(kinds).find((kind) => kind.noun === noun)?.path;
	const writes = Object.values<Operation>(operations).filter(
		(operation) =>
			(operation.method === "POST" && operation.path === path) ||
			(operation.method === "PATCH" && operation.path === `${path}/{id}`),
	);
	return [...new Set(writes.flatMap(({ body }) => Object.keys((body as z.ZodObject).shape)))];
}

test.each(
	Object.entries<Resource>(resources).flatMap(([type, { definition, drift }]) =>
		definition === undefined ? [] : { type, noun: definition.noun, properties: drift.properties },
	),
)("has a property for each field of a request, save our reference: $type", ({ type, noun, properties }) => {
	const wires = Object.values(properties).flatMap(({ wire }) => wire ?? []);
	expect([...wires, ...(undeclared[type] ?? []), "reference"].sort()).toEqual(fieldsOf(noun).sort());
});

test.each([
	["routing", numberProperties, destinations],
	["auth", sipTrunkProperties, mapValues(authModes, ({ shape: { mode, ...fields } }) => fields)],
] as const)("has the contract's variants of %s", (name, properties, variants) => {
	const form = properties[name]?.form as Extract<Form, { kind: "object" }>;
	expect(Object.entries(form.variants?.of ?? {}).map(([kind, fields]) => [kind, namesOf(fields)])).toEqual(
		Object.entries(variants).map(([kind, fields]) => [kind, namesOf(fields)]),
	);
});

test("names the kind of each object that a number uses by its id", () => {
	const ids = Object.values(numberProperties).flatMap(({ type, wire }) => (type === idOfOther && wire) || []);
	const requests = usedKinds.flatMap((kind) => kinds[kind].usedIn.map(({ request }): string => request));
	expect(requests).toEqual(expect.arrayContaining(ids));
	expect(ids.length).toBeGreaterThan(0);
});

test("has the contract's fields of a target", () => {
	const form = sipTrunkProperties.targets?.form as { readonly item: { readonly fields: Fields } };
	expect(namesOf(form.item.fields)).toEqual(namesOf(TargetRequest.shape));
});

/** Every value in a table, with its path. */
function* valuesIn(path: string, field: Field): Generator<[string, Field]> {
	yield [path, field];
	const { form } = field;
	const inner = form?.kind === "set" || form?.kind === "list" ? form.item : form;
	if (inner?.kind !== "object" || path.endsWith(".failover")) return;
	for (const [name, field] of Object.entries(inner.fields)) yield* valuesIn(`${path}.${name}`, field);
}

describe.each(Object.entries(resources))("the table of %s", (_, { drift: { properties, outputs } }) => {
	const all = Object.entries({ ...properties, ...outputs }).flatMap(([name, field]) => [...valuesIn(name, field)]);

	test("marks the contract's secrets", () => {
		const names = (values: typeof all) => values.map(([path]) => snake(path.split(".").at(-1) ?? ""));
		expect(names(all.filter(([, { secret }]) => secret))).toEqual(names(all).filter((name) => secretFields.has(name)));
	});
});

test("replaces a number for exactly the changes in its table", async () => {
	const { number: handler } = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
	const declared = await checked(handler, aNumber({ area: "20" }));
	const outs = { ...declared, token: "R.G", lease: "l" };
	const replaced = Object.keys(numberProperties).map(
		async (key) => (await handler.diff("num_1", outs, { ...declared, [key]: "another" })).replaces,
	);
	const replacing = Object.keys(numberProperties).filter((key) => numberProperties[key]?.change?.does === "replaces");
	expect((await Promise.all(replaced)).flat().sort()).toEqual(replacing.sort());
});
