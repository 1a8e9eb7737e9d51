/** Service descriptions: their sources, and the place of each mistake, reported before anything is sent. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ServiceDescription } from "../../../../provider/api/description/service-description";
import { readConfig } from "../../../../provider/session/config";
import { dialectIn } from "../../../../provider/session/service";
import { failureOf } from "../../../helpers/provider";
import { read } from "../../../helpers/repository";

const number = (fields: unknown) => ({ records: { number: fields } });
const refused = (text: string) => expect.objectContaining({ kind: "Config", message: expect.stringContaining(text) });

const voice = "GET /n/{id}/voice";
const put = "PUT /n/{id}/voice";
/** Fields of the routing at one place. */
const at = (...fields: string[]) => Object.fromEntries(fields.map((field) => [`routing.${field}`, "target"]));

const values = { pending: ["a", "b"], active: "B" };
/** By the place of the mistake; the name that is suggested, if one is. */
const mistakes: readonly (readonly [path: string, description: unknown, meant?: string])[] = [
	["the top level", "text"],
	["lists.limit", { lists: { limit: true } }],
	["errors.codes.not_fond", { errors: { codes: { not_fond: "a" } } }, "not_found"],
	...["PUT", "FETCH /n/{id}", true, "PUT /numbers"].map(
		(patchNumber) => ["operations.patchNumber", { operations: { patchNumber } }] as const,
	),
	["operations.patchTrunk.hole", { operations: { patchTrunk: { request: "PUT /t/{id}", hole: true } } }],
	["operations.listTrunks", { operations: { listTrunks: "GET /t/{id}" } }],
	["operations.buyNumber", { operations: { buyNumber: "PUT /numbers" } }],
	["operations.listNumbers", { operations: { listNumbers: false } }],
	["send.getTrunk", { send: { getTrunk: { a: 1 } } }],
	["records.number.lable", number({ lable: "a" }), "label"],
	["records.number.routing.trunkid", number({ "routing.trunkid": "a" }), "routing.trunk_id"],
	["records.number.label", number({ label: ".a" })],
	["zone", { zone: "Europe/Berln" }],
	["records.number.label", number({ label: { as: "digits" } })],
	["records.message.to", { records: { message: { to: { as: "national" } } } }],
	["records.number.number", number({ number: { as: "national" }, country: false })],
	["records.number.capabilities", number({ capabilities: { most: 3 } })],
	["records.number.reference", number({ reference: { most: 63 } })],
	["records.number.label.most", number({ label: { most: 0 } })],
	["records.number.label.as", number({ label: { as: "dozens" } })],
	["records.number.label", number({ label: { as: "cents" } })],
	["records.number.label", number({ label: { is: "EUR" } })],
	["records.number.price.monthly.currency", number({ "price.monthly.currency": { is: "XBT" } })],
	[
		"records.number.price.monthly.amount",
		number({ "price.monthly.amount": { as: "cents" }, "price.monthly.currency": false }),
	],
	["records.number.id", number({ id: false })],
	["records.number.reference", number({ label: "a", reference: "a" })],
	["records.number.reference", number({ label: "a", reference: "a.b" })],
	["records.number.label", number({ label: { as: "csv" } })],
	["records.trunk.targets", { records: { trunk: { targets: { as: "csv" } } } }],
	["records.number.label", number({ label: { each: "a" } })],
	["records.number.routing.type", number({ routing: false, "routing.type": "a" })],
	["records.number.status.values.active", number({ status: { values } })],
	["features", { features: "reference -trunk" }],
	["operations.patchTrunk.omit", { operations: { patchTrunk: { omit: ["id"] } } }],
	["operations.getTrunk.whole", { operations: { getTrunk: { whole: true } } }],
	["operations.getTrunk.in", { operations: { getTrunk: { in: "trunk" } } }],
	["operations.createTrunk.response", { operations: { createTrunk: { response: false } } }],
	["records.number.routing.write", number({ routing: { write: "PUT /voice" } })],
	["records.number.routing.write", number({ routing: { write: "GET /n/{id}/voice" } })],
	["records.number.routing.read", number({ routing: { read: "PUT /n/{id}/voice" } })],
	["records.number.routing.read", { ...number({ routing: { read: voice } }), operations: { getNumber: false } }],
	["records.call.status.write", { records: { call: { status: { write: "PUT /calls/{id}/status" } } } }],
	["records.number.routing.clear", number({ routing: { clear: "DELETE /n/{id}/voice" } })],
	["records.number.routing.empty", number({ routing: { empty: {} } })],
	["records.number.label.sent", number({ label: { read: "GET /n/{id}/label", sent: "text" } })],
	["records.number.routing.write.whole", number({ routing: { write: { request: put, whole: true } } })],
	["records.number.routing.write.omit", number({ routing: { write: { request: put, omit: ["a"] }, read: voice } })],
	["records.number.routing.failover", number({ routing: { write: put }, "routing.failover": { write: put } })],
	[
		"records.number.routing.ring_timeout_seconds",
		number({ routing: { write: put }, ...at("to", "ring_timeout_seconds") }),
	],
	["records.number.routing.to", number({ "routing.type": false, ...at("uri", "to") })],
	["records.number.label", number({ "routing.to": { sent: "x" }, label: { sent: "x" } })],
];

test.each(mistakes)("reports one mistake, at %s", async (path, description, meant = "") => {
	const error = await failureOf((async () => new ServiceDescription(description, "service.yaml"))());
	expect(error.kind).toBe("Config");
	expect(error.message).toContain(`: ${path}: `);
	expect(error.message).toContain(meant && `Did you mean ${meant}?`);
	expect(error.message.split(/; (?=\w+(?:\.\S+)?: )/)).toHaveLength(1);
});

test("reports several mistakes in one error", () => {
	const create = () => new ServiceDescription({ ...number({ lable: "a" }), features: "no" }, "service.yaml");
	expect(create).toThrow(/: records\.number\.lable: .*; features: /);
});

describe("a description", () => {
	const folder = mkdtempSync(join(tmpdir(), "service-"));
	afterAll(() => rmSync(folder, { recursive: true }));
	const written = (name: string, text: string | Buffer) => {
		writeFileSync(join(folder, name), text);
		return name;
	};
	const yaml = written("service.yaml", "records:\n  number: { id: number_id }\n");
	const inline = JSON.stringify(number({ id: "number_id" }));
	const base = { TELEPHONY_API_KEY: "key", TELEPHONY_BASE_URL: "http://127.0.0.1:1/v1" };
	const idOf = (service?: string, stack?: string) =>
		readConfig(
			(key) => (key === "telephony:service" ? stack : undefined),
			{ ...base, ...(service === undefined ? {} : { TELEPHONY_SERVICE: service }) },
			folder,
		).service?.placeOf("getNumber", ["id"]);

	test.each([yaml, written("service.json", inline), join(folder, yaml), inline])("is read from %s", (value) => {
		expect([idOf(value), idOf(undefined, value)]).toEqual(["number_id", "number_id"]);
	});

	test("is optional, the environment's wins, and a changed file is read again", () => {
		expect([idOf(), idOf("", "")]).toEqual([undefined, undefined]);
		const stack = JSON.stringify(number({ id: "other_id" }));
		expect([idOf(undefined, stack), idOf(yaml, stack)]).toEqual(["other_id", "number_id"]);
		const changing = (id: string) => idOf(written("changing.yaml", `records: { number: { id: ${id} } }`));
		expect([changing("one"), changing("two")]).toEqual(["one", "two"]);
	});

	test.each([
		["none.yaml", join(folder, "none.yaml")],
		[folder, folder],
		[written("broken.yaml", "a: ["), "TELEPHONY_SERVICE"],
		[written("wrong.yaml", "record: {}"), "wrong.yaml"],
	])("that can't be used is named: %s", (value, name) => {
		expect(() => idOf(value)).toThrow(refused(name));
		expect(() => idOf(undefined, "{")).toThrow(refused("telephony:service"));
	});

	test.each([
		["UTF-8", (text: string) => text],
		["UTF-8 with a byte order mark", (text: string) => `\uFEFF${text}`],
		["UTF-16, as PowerShell writes it", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
		["UTF-16, big end first", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
	])("of the guide is read in %s", (_, encode) => {
		const [, text = ""] = /```yaml title="service.yaml"\n(.*?)```/s.exec(read("docs/guides/your-service.md")) ?? [];
		const dialect = dialectIn(written("guide.yaml", encode(text)), "--service", folder);
		expect(dialect.target("patchTrunk")).toMatchObject({ method: "PUT", path: "/trunks/{id}", query: {}, whole: true });
		expect(dialect.target("releaseNumber")?.path).toBe("/numbers/{id}/release");
		expect(dialect.lacks("number", "metadata")).toBe(true);
	});
});
