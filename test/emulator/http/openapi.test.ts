import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { bodyExamples, recordExamples } from "../../../emulator/http/openapi/examples";
import { type Operation, operations } from "../../../provider/api/client";
import * as contract from "../../../provider/api/contract";
import { useVirtualEmulator } from "../fixture";

const { emulator, set } = useVirtualEmulator();

interface Described {
	readonly operationId: string;
	readonly "x-origin": string;
	readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
	readonly responses: Readonly<
		Record<string, { readonly content?: object; readonly links?: Readonly<Record<string, { operationId: string }>> }>
	>;
}

interface Document {
	readonly openapi: string;
	readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Schema {
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly "x-origin"?: string;
	readonly additionalProperties?: unknown;
}

/** As a stranger gets it: without the key. */
const read = async () => (await (await fetch(`${emulator.url}/openapi.json`)).json()) as Document;
const described = ({ paths }: Document) => Object.values(paths).flatMap((path) => Object.values(path));
/** As with the profile seed. */
const offerNothing = () => set({ features: Object.fromEntries(contract.features.map((feature) => [feature, false])) });
const table: readonly (readonly [string, Operation])[] = Object.entries(operations);

describe("the OpenAPI document", () => {
	test("is valid OpenAPI 3.1", async () => {
		const document = await read();
		const { valid, errors } = await new Validator().validate({ ...document });
		expect(errors).toBeUndefined();
		expect(valid).toBe(true);
		expect(document.openapi).toMatch(/^3\.1\./);
	});

	test.each(["full", "seed"] as const)("has nothing to complain about for another validator: %s", async (profile) => {
		if (profile === "seed") offerNothing();
		const config = await createConfig({ rules: { spec: "error", "no-unresolved-refs": "error", struct: "error" } });
		const problems = await lintFromString({ source: JSON.stringify(await read()), config });
		expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
	});

	test("gives each variant of a union a name, and what isn't JSON a type", async () => {
		const document = await read();
		const unnamed: string[] = [];
		const walk = (part: unknown, path: string): void => {
			if (typeof part !== "object" || part === null) return;
			const { oneOf } = part as { oneOf?: readonly { $ref?: string }[] };
			if (oneOf?.some(({ $ref }) => $ref === undefined)) unnamed.push(path);
			for (const [name, value] of Object.entries(part)) walk(value, `${path}/${name}`);
		};
		walk(document, "");
		expect(unnamed).toEqual([]);
		expect(Object.keys(document.components.schemas)).toEqual(
			expect.arrayContaining(["TrunkRouteRequest", "SipUriFailoverRequest", "IpAclAuthRequest"]),
		);
		expect(document.paths["/recordings/{id}/media"]?.get?.responses[200]?.content).toEqual({
			"audio/wav": { schema: { type: "string", format: "binary", contentMediaType: "audio/wav" } },
		});
	});

	test("describes nothing that the profile refuses", async () => {
		offerNothing();
		const document = await read();
		expect(document.paths["/numbers"]?.get?.parameters.map(({ name }) => name)).toEqual(["limit", "cursor"]);
		expect(Object.keys(document.components.schemas)).not.toContain("CreateTrunk");
		expect(JSON.stringify(document)).not.toContain('"reference"');
	});

	test("has every operation of the contract where the contract has it, each marked seed or assumed", async () => {
		const { paths } = await read();
		for (const [name, { method, path, origin }] of table) {
			expect(paths[path]?.[method.toLowerCase()], name).toMatchObject({ operationId: name, "x-origin": origin });
		}
		expect(Object.values(paths).flatMap(Object.keys)).toHaveLength(table.length);
	});

	test("describes queries, bodies, answers and errors with their codes", async () => {
		const document = await read();
		for (const one of described(document)) {
			const { path, query, body, status, answer, media } = operations[
				one.operationId as keyof typeof operations
			] as Operation;
			const namesIn = (place: string) => one.parameters.filter((each) => each.in === place).map(({ name }) => name);
			const hasId = path.includes("{id}");
			const refusals = ["400", "401", "429", "500", ...(hasId ? ["404"] : [])];
			expect(one.responses, one.operationId).toMatchObject(
				Object.fromEntries(refusals.map((refused) => [refused, { content: expect.anything() }])),
			);
			expect({
				query: namesIn("query"),
				path: namesIn("path"),
				body: one.requestBody !== undefined,
				answer: Object.keys(one.responses[status]?.content ?? {}),
			}).toEqual({
				query: Object.keys(query?.shape ?? {}),
				path: hasId ? ["id"] : [],
				body: body !== undefined,
				answer: [answer ? "application/json" : media].filter(Boolean),
			});
		}
		expect(document.paths["/numbers"]?.post?.responses).toMatchObject({
			409: { "x-error-codes": expect.arrayContaining(["no_inventory"]) },
		});
	});

	test("marks each property: what the public description shows is seed, all else assumed", async () => {
		const { schemas } = (await read()).components;
		const unmarked = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
			Object.entries(properties).flatMap(([property, { "x-origin": origin }]) =>
				origin === undefined ? [`${name}.${property}`] : [],
			),
		);
		expect(unmarked).toEqual([]);
		const seed = (name: string) =>
			Object.entries(schemas[name]?.properties ?? {}).flatMap(([property, { "x-origin": origin }]) =>
				origin === "seed" ? [property] : [],
			);
		expect(seed("BuyNumber")).toEqual(["country", "area", "type"]);
		expect(seed("Error")).toEqual(["error", "message", "request_id"]);
		expect(seed("Trunk")).toEqual([]);
	});

	test("closes requests and leaves answers open", async () => {
		const { schemas } = (await read()).components;
		expect(schemas.BuyNumber?.additionalProperties).toBe(false);
		expect(schemas.PhoneNumber?.additionalProperties).not.toBe(false);
	});

	test("leads from what is made to what can be done with it", async () => {
		const document = await read();
		const ids = new Set(described(document).map(({ operationId }) => operationId));
		const links = (path: string, method: string, status: number) =>
			Object.keys(document.paths[path]?.[method]?.responses[status]?.links ?? {});
		expect(links("/trunks", "post", 201)).toEqual(["getTrunk", "patchTrunk", "deleteTrunk", "rotatePassword"]);
		expect(links("/webhooks/{id}/test", "post", 202)).toEqual(["getDelivery", "resendDelivery"]);
		for (const { responses } of described(document)) {
			for (const { links: each = {} } of Object.values(responses)) {
				for (const { operationId } of Object.values(each)) expect(ids).toContain(operationId);
			}
		}
	});

	test("has no more than the service offers", async () => {
		const keys = async () => JSON.stringify((await read()).paths).includes("IdempotencyKey");
		expect(await keys()).toBe(true);
		set({ features: { trunks: false, idempotencyKey: false } });
		expect(await keys()).toBe(false);
		const document = await read();
		expect(Object.keys(document.paths).filter((path) => path.includes("trunks"))).toEqual([]);
		expect((await new Validator().validate({ ...document })).valid).toBe(true);
	});
});

describe("its examples", () => {
	test.each(Object.entries(bodyExamples))("of a body fit: %s", (name, example) => {
		const { body } = operations[name as keyof typeof operations] as Operation;
		expect(body?.safeParse(example).error).toBeUndefined();
	});

	test.each(Object.entries(recordExamples))("of a record fit: %s", (name, example) => {
		const all = contract as unknown as Readonly<Record<string, contract.ErrorBody>>;
		const schema = (all[`${name.replace("Phone", "")}Record`] ?? all[`${name}Body`]) as unknown as
			| typeof contract.ErrorBody
			| undefined;
		expect(schema?.safeParse(example).error).toBeUndefined();
		expect(schema).toBeDefined();
	});
});
