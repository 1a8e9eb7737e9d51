/** The OpenAPI document: its form, and that it describes what the service does, in any spelling. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { features, type Operation, type OperationName, operations } from "../../../provider/api/contract";
import { ServiceDescription } from "../../../provider/api/description/service-description";
import { dialects } from "../../helpers/dialects";
import type { TestEmulator } from "../../helpers/emulator";
import { useVirtualEmulator } from "../fixture";
import { open } from "../folders";

const { emulator, set } = useVirtualEmulator();

interface Described {
	readonly operationId: string;
	readonly parameters: readonly { readonly name?: string; readonly in?: string }[];
	readonly requestBody?: object;
	readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}
interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
	readonly components: { readonly schemas: object };
}

/** Needs no key. */
const read = async ({ url }: { readonly url: string }) =>
	(await (await fetch(`${url}/openapi.json`)).json()) as Document;
const table = Object.entries<Operation>(operations);
const offerNothing = () => set({ features: Object.fromEntries(features.map((feature) => [feature, false])) });
const ajvOf = (document: Document) =>
	new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(document, "openapi");
const problemsIn = (ajv: Ajv2020, value: unknown, ...path: string[]) => {
	const escaped = path.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
	ajv.validate(`openapi#/${escaped.join("/")}`, value);
	return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe("the document", () => {
	test.each([
		["everything", () => {}],
		["no trunks and keys", () => set({ features: { trunks: false, idempotencyKey: false } })],
		["nothing", offerNothing],
	])("is valid where the service offers %s", async (_, arrange) => {
		arrange();
		const document = await read(emulator);
		expect((await new Validator().validate({ ...document })).errors).toBeUndefined();
		const config = await createConfig({ rules: { spec: "error", "no-unresolved-refs": "error", struct: "error" } });
		const problems = await lintFromString({ source: JSON.stringify(document), config });
		expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
	});

	test("has what the service offers, and no more", async () => {
		const { paths } = await read(emulator);
		for (const [name, { method, path, origin }] of table)
			expect(paths[path]?.[method.toLowerCase()], name).toMatchObject({ operationId: name, "x-origin": origin });
		expect(Object.values(paths).flatMap(Object.keys)).toHaveLength(table.length);
		offerNothing();
		const document = await read(emulator);
		expect(document.paths["/numbers"]?.get?.parameters.map(({ name }) => name)).toEqual(["limit", "cursor"]);
		expect(Object.keys(document.components.schemas)).not.toContain("CreateTrunk");
		expect(JSON.stringify(document)).not.toMatch(/"reference"|IdempotencyKey"\}/);
	});

	test.each(table)("describes query, body and responses: %s", async (name, operation) => {
		const { method, path, query, body, status, response: schema, media } = operation;
		const described = (await read(emulator)).paths[path]?.[method.toLowerCase()] as Described;
		const namesIn = (place: string) =>
			described.parameters.filter((parameter) => parameter.in === place).map((wanted) => wanted.name);
		const ids = path.includes("{id}") ? ["id"] : [];
		expect([namesIn("query"), namesIn("path")]).toEqual([Object.keys(query?.shape ?? {}), ids]);
		expect(described.requestBody !== undefined).toBe(body !== undefined);
		for (const refused of [400, 401, 429, 500, ...ids.map(() => 404)])
			expect(described.responses[refused]?.content, `${refused}`).toBeDefined();
		const { content = {} } = described.responses[status] ?? {};
		expect(Object.keys(content)).toEqual([schema ? "application/json" : media].filter(Boolean));
		const codes = { "x-error-codes": expect.arrayContaining(["no_inventory"]) };
		if (name === "buyNumber") expect(described.responses[409]).toMatchObject(codes);
	});
});

describe.each(Object.entries(dialects))("the document of a service with other names: %s", (_, service) => {
	const dialect = new ServiceDescription(service, "the test");
	const targetOf = (name: OperationName) => dialect.target(name) ?? { method: "", path: "", query: {}, whole: false };

	/** Sends requests as our client does, and compares bodies and responses with the document. */
	const checking = ({ call: send }: TestEmulator, document: Document) => {
		const ajv = ajvOf(document);
		let last = new Map<string, unknown>();
		return async (name: OperationName, body?: object, id = ""): Promise<string> => {
			const { method, path, whole } = targetOf(name);
			const check = (value: unknown, ...place: string[]) => {
				const at = ["paths", path, method.toLowerCase(), ...place, "content", "application/json", "schema"];
				expect(problemsIn(ajv, value, ...at), `${name} ${place[0]}`).toEqual([]);
			};
			const sent = body && dialect.bodyOut(name, body, whole ? last.get(id) : undefined);
			const response = await send(method, path.replace("{id}", id), sent);
			if (response.status !== 204) check(response.body, "responses", String(response.status));
			if (response.status >= 400) return (dialect.errorIn(response.body, undefined) as { error: string }).error;
			if (sent !== undefined) check(sent, "requestBody");
			const { json, records } = dialect.responseIn(name, response.body);
			last = new Map([...last, ...records]);
			return String((json as { id?: string }).id);
		};
	};

	test("describes what that service takes and responds with", async () => {
		const described = await open({ service, kyc: "immediate", seed: 1 });
		const document = await read(described);
		expect((await new Validator().validate({ ...document })).errors).toBeUndefined();
		const { limit = "limit", cursor = "cursor" } = service.lists ?? {};
		const { method, path, query } = targetOf("listTrunks");
		const named = document.paths[path]?.[method.toLowerCase()]?.parameters.map(({ name }) => name);
		expect(named).toEqual([...Object.keys(query), ...(limit === false ? [] : [limit]), cursor]);

		const ask = checking(described, document);
		const acl = { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] };
		const trunk = await ask("createTrunk", { name: "office", auth: acl, capacity: 10, reference: "r1" });
		const id = await ask("buyNumber", { country: "NL", type: "mobile" });
		const routing = { type: "trunk", trunk_id: trunk };
		await ask("patchNumber", { label: "desk", reference: "r2", routing }, id);
		await ask("getNumber", undefined, id);
		await ask("patchNumber", { routing: { type: "sip_uri", uri: "sip:a@example.com" } }, id);
		await ask("patchTrunk", { capacity: 20, enabled: false }, trunk);
		const hook = await ask("createWebhook", { url: "https://example.com/a", events: ["call.completed"] });
		await ask("patchWebhook", { enabled: false }, hook);
		for (const list of ["listNumbers", "listTrunks", "listWebhooks"] as const) await ask(list);
		expect(await ask("getTrunk", undefined, "trk_none")).toBe("not_found");
		expect(await ask("patchTrunk", { capacity: 0 }, trunk)).toBe("validation_failed");
		await ask("releaseNumber", undefined, id);
		await ask("deleteTrunk", undefined, trunk);
	});
});
