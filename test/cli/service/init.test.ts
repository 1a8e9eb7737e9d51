/** `telephony service init`: the description that it proposes makes the client work. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { readDocument } from "../../../cli/service/document";
import { about, descriptionOf, fileOf, resolved } from "../../../cli/service/finding";
import { type Proposal, propose } from "../../../cli/service/init";
import { createEmulator, type Emulator } from "../../../emulator";
import { ServiceDescription } from "../../../provider/api/description/service-description";
import type { Json } from "../../../provider/api/json";
import { dialects } from "../../helpers/dialects";
import { telephony } from "../../helpers/drift-cli";
import { run } from "../../helpers/engine";
import { listen } from "../../helpers/servers";

const folder = mkdtempSync(join(tmpdir(), "telephony-init-"));
afterAll(() => rmSync(folder, { recursive: true }));

const proposed = async (emulator: Emulator): Promise<Proposal> =>
	propose(await readDocument(`${emulator.url}/openapi.json`));

test("the emulator's own document gives an empty description", async () => {
	const emulator = await createEmulator();
	onTestFinished(() => emulator.close());
	expect(await proposed(emulator)).toEqual({ description: {}, findings: [] });
});

describe.each(Object.entries(dialects))("the document of the dialect %s", (_, service) => {
	let emulator: Emulator;
	let proposal: Proposal;
	beforeAll(async () => {
		emulator = await createEmulator({ service, kyc: "immediate", seed: 1 });
		proposal = await proposed(emulator);
	});
	afterAll(() => emulator.close());

	test("leaves nothing to decide, also in YAML", () => {
		expect(proposal.findings.filter(({ verdict }) => verdict === "decide")).toEqual([]);
		expect(parse(fileOf(proposal.description, proposal.findings))).toEqual(proposal.description);
	});

	test("finds all names of the service", () => {
		const { records = {}, operations, envelopes, lists, errors, headers } = service;
		// A document can't say that its service restores no number.
		const restoreNumber = false;
		expect({ ...proposal.description.operations, restoreNumber }).toEqual({ ...operations, restoreNumber });
		expect(proposal.description.envelopes).toEqual(envelopes);
		expect(proposal.description.lists).toEqual(lists);
		// The check finds the code of a missing number.
		expect({ ...proposal.description.errors, codes: errors?.codes }).toEqual({ ...errors, codes: errors?.codes });
		expect(proposal.description.headers).toEqual(headers);
		expect(proposal.description.records ?? {}).toEqual(records);
	});
});

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const answers = (schema: object) => ({ responses: { 200: { description: "", ...json(schema) } } });
const page = (name: string, of: string) => ({
	type: "object",
	properties: { [name]: { type: "array", items: ref(of) } },
});
const text = { type: "string" };

/** A service that the tables of names weren't written for: OpenAPI 3.0, with a schema that contains itself. */
const foreign = {
	openapi: "3.0.3",
	info: { title: "Another carrier", version: "2" },
	paths: {
		"/v2/numbers": {
			get: {
				parameters: [
					{ name: "per_page", in: "query", schema: { type: "integer" } },
					{ name: "after", in: "query", schema: text },
					{ name: "brand", in: "query", required: true, schema: text },
				],
				responses: {
					200: { description: "", ...json({ ...page("numbers", "PhoneNumber"), required: ["numbers"] }) },
					401: { description: "", ...json(ref("Problem")) },
				},
			},
			post: { requestBody: json({ type: "object" }), ...answers(ref("PhoneNumber")) },
		},
		"/v2/numbers/{uuid}": {
			get: answers(ref("PhoneNumber")),
			put: { requestBody: json(ref("Change")), ...answers(ref("PhoneNumber")) },
		},
		"/v2/numbers/{uuid}/cancel": { post: answers(ref("PhoneNumber")) },
		"/v2/voice/sip-trunks": { get: answers(page("trunks", "Trunk")) },
		"/v2/voice/sip-trunks/{trunk}": { get: answers(ref("Trunk")) },
	},
	components: {
		schemas: {
			PhoneNumber: {
				allOf: [
					{ type: "object", required: ["uuid"], properties: { uuid: text, e164: { ...text, nullable: true } } },
					{
						type: "object",
						properties: {
							lifecycle: { type: "string", enum: ["REQUESTED", "LIVE", "live", "SUSPENDED", "CLOSED", "QUARANTINED"] },
							tags: { type: "object", additionalProperties: text },
							createdOn: { type: "integer", description: "Unix time" },
						},
					},
				],
			},
			Change: { type: "object", properties: { displayName: text } },
			Trunk: {
				type: "object",
				properties: { id: { type: "integer" }, name: text, maxChannels: text, parent: ref("Trunk") },
			},
			Problem: {
				type: "object",
				properties: {
					error: {
						type: "object",
						properties: { type: text, message: text },
					},
				},
			},
		},
	},
};

describe("a foreign document", () => {
	let proposal: Proposal;
	beforeAll(async () => {
		const file = join(folder, "openapi.yaml");
		writeFileSync(file, stringify(foreign));
		proposal = await propose(await readDocument(file));
	});

	test("shows names and shapes", () => {
		expect(proposal.description).toMatchObject({
			operations: {
				patchNumber: "PUT /numbers/{id}",
				releaseNumber: "POST /numbers/{id}/cancel",
				listTrunks: { request: "GET /voice/sip-trunks", response: "trunks" },
				getTrunk: "GET /voice/sip-trunks/{id}",
				createTrunk: false,
			},
			records: {
				number: {
					id: "uuid",
					number: "e164",
					status: { at: "lifecycle", values: { pending: "REQUESTED", active: "LIVE", released: "CLOSED" } },
					label: "displayName",
					created_at: { at: "createdOn", as: "seconds" },
				},
				trunk: { capacity: { at: "maxChannels", as: "string" } },
			},
			lists: { items: "numbers", cursor: "after", limit: "per_page" },
			errors: { code: "error.type", message: "error.message" },
		});
		expect(proposal.description.features).toContain("-webhooks");
		expect(() => new ServiceDescription(parse(fileOf(proposal.description, proposal.findings)), "it")).not.toThrow();
	});

	test.each([
		["a prefix of the paths", "/v2"],
		["a required parameter", "brand"],
		["an unknown status", "QUARANTINED"],
		["a list without a cursor", "lists.next"],
		["a place for the reference", "tags.pulumi"],
		["missing fields", "number: routing.type"],
	])("leaves %s to a person", (_, words) => {
		const decisions = proposal.findings.filter(({ verdict }) => verdict === "decide");
		expect(decisions.filter((decision) => JSON.stringify(decision).includes(words))).not.toEqual([]);
		expect(fileOf(proposal.description, proposal.findings)).toContain(words);
	});
});

describe("a document", () => {
	const operation = (schema: object = {}) => ({ ...answers(schema), requestBody: json(schema) });
	const number = (fields: object) => ({ type: "object", properties: { id: { type: "integer" }, ...fields } });
	const proposalOf = (paths: object) =>
		propose({
			openapi: "3.1.0",
			paths: {
				"/numbers": { get: answers({ type: "object" }), post: operation() },
				...paths,
			},
		} as unknown as Json);

	test.each([
		[32, false],
		[64, "external_id"],
	])("with a reference of at most %i characters", async (maxLength, reference) => {
		const record = number({ external_id: { ...text, maxLength }, label: { ...text, maxLength: 20 } });
		const { description } = await proposalOf({ "/numbers/{id}": { get: answers(record), patch: operation(record) } });
		expect(description.records?.number).toMatchObject({ reference, label: { most: 20 } });
	});

	test("names the other one of two operations that may be ours", async () => {
		const trunks = { get: answers(number({})) };
		const { findings } = await proposalOf({ "/sip/trunks/{id}": trunks, "/voice/sip-trunks/{id}": trunks });
		expect(findings.find(({ what }) => what === "getTrunk")?.hint).toBe("it may also be /voice/sip-trunks/{id}");
	});

	test("asks for the meaning of an operation of a number", async () => {
		const path = "/numbers/{id}/fax";
		const { findings } = await proposalOf({ [path]: { put: operation(number({ mailbox: text })) } });
		expect(findings.map(({ what }) => what)).toContain(`PUT ${path}`);
	});
});

test("turns contradictory findings into decisions", () => {
	const field = (name: string, value: object | string) =>
		about(name, name).state("", { records: { number: { [name]: value as string } } });
	const findings = [
		field("label", "friendly_name"),
		field("area", "country"),
		field("status", { values: { active: "live", pending: "LIVE" } }),
	];
	const usable = resolved(findings, {});
	expect(usable.map(({ verdict }) => verdict)).toEqual(["state", "decide", "decide"]);
	expect(descriptionOf(usable)).toEqual({ records: { number: { label: "friendly_name" } } });
});

describe("the command", () => {
	const command = (...args: string[]) => run("node", [telephony, "service", "init", ...args], folder, process.env);
	const inFolder = (name: string, document: unknown): string => {
		const file = join(folder, name);
		writeFileSync(file, typeof document === "string" ? document : JSON.stringify(document));
		return file;
	};

	test("prints or writes the description, and lists decisions", async () => {
		const file = inFolder("openapi.json", foreign);
		const printed = await command("--openapi", file);
		expect(printed).toMatchObject({ code: 0, output: expect.stringContaining("To decide: ") });
		const target = join(folder, "service.yaml");
		const written = await command("--openapi", file, "--output", target);
		expect(written).toMatchObject({ code: 0, stdout: "", output: expect.stringContaining(`wrote ${target}\n`) });
		expect(readFileSync(target, "utf8")).toBe(printed.stdout);
		expect(await command("--openapi", file, "--output", target)).toMatchObject({
			code: 2,
			output: `telephony: ${target} exists: name another file, or remove it. [telephony:usage]\n`,
		});
	});

	test("reads a URL", async () => {
		const server = createServer((_, response) => response.end(JSON.stringify(foreign)));
		onTestFinished(() => void server.close());
		expect(await command("--openapi", `${await listen(server)}/openapi.json`)).toMatchObject({ code: 0 });
	});

	test.each<[string, string | Json | undefined]>([
		["gone.yaml", undefined],
		["none.yaml", ""],
		["swagger.json", { swagger: "2.0", paths: {} }],
		["broken.json", "{ not: [ json"],
		["reference.json", { openapi: "3.1.0", paths: { "/numbers": { $ref: "#/nothing" } } }],
	])("refuses in one sentence what it can't read: %s", async (name, document) => {
		const file = document === undefined ? join(folder, name) : inFolder(name, document);
		const { code, output } = await command("--openapi", file);
		expect(output).toMatch(/^telephony: .*\[telephony:usage\]\n$/);
		expect(output).toContain(name);
		expect(code).toBe(2);
	});

	test("refuses an empty name", async () => {
		expect((await command("--openapi", "")).output).toContain("--openapi is empty");
	});
});
