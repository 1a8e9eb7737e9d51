/** A resource's table knows every field of the contract, and what it says of a change is what diff does. */
import { describe, expect, test } from "vitest";
import {
	authModes,
	BuyNumber,
	CreateTrunk,
	CreateWebhook,
	destinations,
	PatchNumber,
	PatchTrunk,
	PatchWebhook,
	secretFields,
	TargetRequest,
} from "../../../provider/api/contract";
import type { Field, Fields, Form } from "../../../provider/properties/form";
import { resources } from "../../../provider/resources";
import { numberProperties } from "../../../provider/resources/number/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, checked, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const namesOf = (fields: object) => Object.keys(fields).map(snake).sort();

test.each([
	["Number", { ...BuyNumber.shape, ...PatchNumber.shape }],
	["SipTrunk", { ...CreateTrunk.shape, ...PatchTrunk.shape }],
	["Webhook", { ...CreateWebhook.shape, ...PatchWebhook.shape }],
] as const)(
	"each field that a request about a %s may have is one property, but for our own reference",
	(type, shape) => {
		const wires = Object.values(resources[type].drift.properties).flatMap(({ wire }) => wire ?? []);
		// A trunk has one name for people: `name`.
		const unused = type === "SipTrunk" ? ["label"] : [];
		expect([...wires, ...unused, "reference"].sort()).toEqual(Object.keys(shape).sort());
	},
);

test.each([
	["routing", numberProperties, destinations],
	["auth", sipTrunkProperties, authModes],
] as const)("the variants of %s take what the contract says", (name, properties, variants) => {
	const form = properties[name]?.form as Extract<Form, { kind: "object" }>;
	expect(Object.entries(form.variants?.of ?? {}).map(([kind, fields]) => [kind, namesOf(fields)])).toEqual(
		Object.entries(variants).map(([kind, fields]) => [kind, namesOf(fields)]),
	);
});

test("a target has the fields of the contract", () => {
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

describe.each(Object.entries(resources))("%s", (_, { drift: { properties, outputs } }) => {
	const all = Object.entries({ ...properties, ...outputs }).flatMap(([name, field]) => [...valuesIn(name, field)]);

	test.each(all)("%s is described in sentences", (_path, { description }) => {
		for (const paragraph of description.split("\n\n")) expect(paragraph).toMatch(/\.$/);
	});

	test("says what is secret, as the contract does", () => {
		const names = (values: typeof all) => values.map(([path]) => snake(path.split(".").at(-1) ?? ""));
		const isSecret = (name: string) => secretFields.has(name);
		expect(names(all.filter(([, { secret }]) => secret))).toEqual(names(all).filter(isSecret));
	});
});

test("a number is replaced by exactly the changes that its table says replace it", async () => {
	const { number: handler } = openProvider(emulator);
	const declared = await checked(handler, aNumber({ area: "20" }));
	const { id, outs } = await create(handler, declared);
	const replaced = Object.keys(numberProperties).map(
		async (key) => (await handler.diff(id, outs, { ...declared, [key]: "another" })).replaces,
	);
	const replacing = Object.keys(numberProperties).filter((key) => numberProperties[key]?.change?.does === "replaces");
	expect((await Promise.all(replaced)).flat().sort()).toEqual(replacing.sort());
});
