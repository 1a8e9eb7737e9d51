/** The document of a service that names things otherwise says what that service answers. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { type OperationName, operations } from "../../../provider/api/contract";
import { Dialect } from "../../../provider/api/dialect/dialect";
import { dialects } from "../../helpers/dialects";
import { type TestEmulator, withCalls } from "../../helpers/emulator";

interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, { parameters: readonly { name: string }[] }>>>>;
}

/** The schema of an operation's answer or body, by its pointer in the document. */
const pointerTo = (path: string, method: string, ...more: string[]) =>
	["#", "paths", path, method.toLowerCase(), ...more, "content", "application/json", "schema"]
		.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
		.join("/")
		.replace("%23", "#");

describe.each(Object.entries(dialects))("%s", (_, service) => {
	const dialect = new Dialect(service, "the test");
	let emulator: TestEmulator;
	let document: Document;
	let ajv: Ajv2020;
	beforeAll(async () => {
		emulator = withCalls(await createEmulator({ service, kyc: "immediate", seed: 1 }));
		document = (await (await fetch(`${emulator.url}/openapi.json`)).json()) as Document;
		ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
		ajv.addSchema(document, "openapi");
	});
	afterAll(() => emulator.close());

	/** Sends what our client would send, and holds the body and the answer against the document. */
	const ask = async (name: OperationName, id = "", body?: object, query = "") => {
		const { method, path } = dialect.target(name) ?? { method: "", path: "" };
		const operation = operations[name];
		const sent = body && dialect.bodyOut(name, body, dialect.target(name)?.whole ? last.get(id) : undefined);
		const answer = await emulator.call(method, path.replace("{id}", id) + query, sent);
		const fits = (value: unknown, ...where: string[]) => {
			ajv.validate(`openapi${pointerTo(path, method, ...where)}`, value);
			return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
		};
		if (sent !== undefined && answer.status < 400) expect(fits(sent, "requestBody"), `${name} sends`).toEqual([]);
		if (operation.status !== 204) expect(fits(answer.body, "responses", String(answer.status)), name).toEqual([]);
		if (answer.status >= 400) return dialect.errorIn(answer.body, undefined) as { error: string };
		const read = dialect.answerIn(name, answer.body);
		for (const [own, theirs] of read.records) last.set(own, theirs);
		return read.json as { id: string; data: readonly { id: string }[]; next_cursor: string };
	};
	const last = new Map<string, unknown>();

	test("is valid", async () => {
		const { errors } = await new Validator().validate({ ...document });
		expect(errors).toBeUndefined();
	});

	test("has what the service answers, and what it is sent", async () => {
		const trunk = (await ask("createTrunk", "", {
			name: "office",
			auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] },
			capacity: 10,
			reference: "r1",
		})) as { id: string };
		const { id } = (await ask("buyNumber", "", { country: "NL", type: "mobile" })) as { id: string };
		await ask("buyNumber", "", { country: "NL", type: "mobile" });
		await ask("patchNumber", id, { label: "desk", reference: "r2", routing: { type: "trunk", trunk_id: trunk.id } });
		await ask("getNumber", id);
		await ask("patchNumber", id, { routing: { type: "sip_uri", uri: "sip:a@example.com" } });
		await ask("listNumbers");
		await ask("patchTrunk", trunk.id, { capacity: 20, enabled: false });
		await ask("patchTrunk", trunk.id, { auth: { mode: "digest", username: "user1", password: "a-long-password" } });
		await ask("listTrunks");
		const hook = (await ask("createWebhook", "", { url: "https://example.com/a", events: ["call.completed"] })) as {
			id: string;
		};
		await ask("patchWebhook", hook.id, { enabled: false });
		await ask("listWebhooks");
		expect(await ask("getTrunk", "trk_none")).toMatchObject({ error: "not_found" });
		expect(await ask("patchTrunk", trunk.id, { capacity: 0 })).toMatchObject({ error: "validation_failed" });
		await ask("releaseNumber", id);
		await ask("deleteTrunk", trunk.id);
	});

	test("has the service's own names only", () => {
		const { limit = "limit", cursor = "cursor" } = service.lists ?? {};
		const { method, path, query } = dialect.target("listTrunks") ?? { method: "", path: "", query: {} };
		const named = document.paths[path]?.[method.toLowerCase()]?.parameters.map(({ name }) => name);
		expect(named).toEqual([...Object.keys(query), ...(limit === false ? [] : [limit]), cursor]);
	});
});
