/** What a description can't mean is said once, by its place, before anything is sent. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Dialect } from "../../../../provider/api/dialect/dialect";
import { isTelephonyError, type TelephonyError } from "../../../../provider/api/errors";
import { configProblems } from "../../../../provider/plugin/settings";
import { readConfig } from "../../../../provider/session/config";
import { dialectIn } from "../../../../provider/session/service";
import { dialects } from "../../../helpers/dialects";
import { read } from "../../../helpers/repository";

function refused(work: () => unknown): TelephonyError {
	try {
		work();
	} catch (error) {
		if (isTelephonyError(error, "Config")) return error;
		throw error;
	}
	throw new Error("it was accepted");
}

const number = (fields: unknown) => ({ records: { number: fields } });

const mistakes: readonly (readonly [description: unknown, path: string, what: string])[] = [
	["text", "the top level", "expected object"],
	[{ operation: {} }, "operation", "there is no such key. Did you mean operations?"],
	[{ xyz: {} }, "xyz", "there is no such key. Valid names: operations, records"],
	[{ lists: { item: "a" } }, "lists.item", "there is no such key. Did you mean items?"],
	[{ lists: { limit: true } }, "lists.limit", "has a value of the wrong kind"],
	[{ errors: { codes: { not_fond: "a" } } }, "errors.codes.not_fond", "no such code. Did you mean not_found?"],
	[{ errors: { requestid: "a" } }, "errors.requestid", "Did you mean requestId?"],
	[{ headers: { replay: "a" } }, "headers.replay", "Did you mean replayed?"],
	[{ operations: { patchNumbr: "PUT /n/{id}" } }, "operations.patchNumbr", "Did you mean patchNumber?"],
	[{ operations: { patchNumber: "PUT" } }, "operations.patchNumber", "must be a method and a path"],
	[{ operations: { patchNumber: "FETCH /n/{id}" } }, "operations.patchNumber", "must be a method and a path"],
	[{ operations: { patchNumber: true } }, "operations.patchNumber", "has a value of the wrong kind"],
	[
		{ operations: { patchTrunk: { request: "PUT /t/{id}", hole: true } } },
		"operations.patchTrunk.hole",
		"Did you mean whole?",
	],
	[{ operations: { patchNumber: "PUT /numbers" } }, "operations.patchNumber", "has no {id}"],
	[{ operations: { listTrunks: "GET /t/{id}" } }, "operations.listTrunks", "has an {id}"],
	[{ operations: { buyNumber: "PUT /numbers" } }, "operations.buyNumber", "fixes POST /numbers: leave this out"],
	[{ operations: { buyNumber: "POST /orders" } }, "operations.buyNumber", "fixes POST /numbers: leave this out"],
	[{ operations: { listNumbers: false } }, "operations.listNumbers", "can't work without this operation"],
	[{ records: { numbers: {} } }, "records.numbers", "there is no such record. Did you mean number?"],
	[{ envelopes: { trunks: {} } }, "envelopes.trunks", "there is no such record. Did you mean trunk?"],
	[{ envelopes: { trunk: { answers: "a" } } }, "envelopes.trunk.answers", "Did you mean answer?"],
	[{ send: { createTrunks: {} } }, "send.createTrunks", "Did you mean createTrunk?"],
	[{ send: { getTrunk: { a: 1 } } }, "send.getTrunk", "sends no body"],
	[number({ lable: "a" }), "records.number.lable", "there is no such field. Did you mean label?"],
	[number({ "routing.trunkid": "a" }), "records.number.routing.trunkid", "Did you mean routing.trunk_id?"],
	[number({ label: ".a" }), "records.number.label", "must be the name of a field"],
	[number({ label: { art: "a" } }), "records.number.label.art", "there is no such key. Did you mean at?"],
	[number({ label: { as: "dozens" } }), "records.number.label.as", "Invalid option"],
	[number({ id: false }), "records.number.id", "can't find an object without its id"],
	[number({ label: "a", reference: "a" }), "records.number.reference", "reference and label can't both be at a"],
	[number({ label: "reference" }), "records.number.label", "label and reference can't both be at reference"],
	[number({ label: "a", reference: "a.b" }), "records.number.reference", "a.b is inside a, which label already uses"],
	[number({ label: "country.name" }), "records.number.label", "country.name is inside country"],
	[number({ label: { as: "csv" } }), "records.number.label", "`as: csv` is only for lists"],
	[{ records: { trunk: { targets: { as: "csv" } } } }, "records.trunk.targets", "`as: csv` is only for lists of words"],
	[number({ label: { each: "a" } }), "records.number.label", "`each` is only for lists"],
	[number({ routing: false, "routing.type": "a" }), "records.number.routing.type", "part of routing"],
	[
		number({ status: { words: { pending: ["a", "b"], active: "B" } } }),
		"records.number.status.words.active",
		'"B" already means pending',
	],
	[{ errors: { codes: { not_found: "a", gone: ["b", "a"] } } }, "errors.codes.gone", '"a" already means not_found'],
	[{ features: "reference -trunk" }, "features", 'it names "trunk", which isn\'t a feature'],
];

test.each(mistakes)("%j", (description, path, what) => {
	const { message } = refused(() => new Dialect(description, "service.yaml"));
	expect(message).toContain("The service description in service.yaml can't be used: ");
	expect(message).toContain(`: ${path}: `);
	expect(message).toContain(what);
	expect(message).toContain("Nothing was sent.");
	// One mistake, one sentence of it.
	expect(message.split(/; (?=\w+(?:\.\S+)?: )/)).toHaveLength(1);
	expect(message).not.toContain("..");
});

test("several mistakes are one error", () => {
	const { message } = refused(() => new Dialect({ ...number({ lable: "a" }), features: "no" }, "service.yaml"));
	expect(message).toMatch(/records\.number\.lable: .*; features: /);
});

test("what is meant is accepted", () => {
	for (const description of [
		...Object.values(dialects),
		{},
		undefined,
		null,
		number({ label: "reference", reference: "label" }),
		number({ label: "metadata", metadata: false }),
		number({ reference: "metadata.pulumi" }),
		{ operations: { listNumbers: "GET /numbers?expand=all", patchNumber: { request: "PUT /numbers/{id}" } } },
	])
		expect(() => new Dialect(description, "service.yaml")).not.toThrow();
});

describe("where it comes from", () => {
	const folder = mkdtempSync(join(tmpdir(), "service-"));
	afterAll(() => rmSync(folder, { recursive: true }));
	const written = (name: string, text: string) => {
		writeFileSync(join(folder, name), text);
		return name;
	};
	const yaml = written("service.yaml", "records:\n  number: { id: number_id }\n");
	const json = written("service.json", JSON.stringify(number({ id: "number_id" })));
	const base = { TELEPHONY_API_KEY: "key", TELEPHONY_BASE_URL: "http://127.0.0.1:1/v1" };
	const idOf = (env: Record<string, string>, stack: Record<string, string> = {}) =>
		readConfig((key) => stack[key], { ...base, ...env }, folder).service?.placeOf("getNumber", ["id"]);

	test("no description", () => {
		expect(idOf({})).toBeUndefined();
		expect(idOf({ TELEPHONY_SERVICE: "" }, { "telephony:service": "" })).toBeUndefined();
	});

	test.each([
		["a path to YAML", yaml],
		["a path to JSON", json],
		["a whole path", join(folder, yaml)],
		["JSON itself", JSON.stringify(number({ id: "number_id" }))],
	])("%s", (_, value) => {
		expect(idOf({ TELEPHONY_SERVICE: value })).toBe("number_id");
		expect(idOf({}, { "telephony:service": value })).toBe("number_id");
	});

	test("the environment wins, and a file that has changed is read again", () => {
		const stack = { "telephony:service": JSON.stringify(number({ id: "other_id" })) };
		expect(idOf({}, stack)).toBe("other_id");
		expect(idOf({ TELEPHONY_SERVICE: yaml }, stack)).toBe("number_id");
		written("changing.yaml", "records: { number: { id: one } }");
		expect(idOf({ TELEPHONY_SERVICE: "changing.yaml" })).toBe("one");
		written("changing.yaml", "records: { number: { id: two } }");
		expect(idOf({ TELEPHONY_SERVICE: "changing.yaml" })).toBe("two");
	});

	test("what can't be read says who names it", () => {
		expect(refused(() => idOf({ TELEPHONY_SERVICE: "none.yaml" })).message).toContain(
			`TELEPHONY_SERVICE names ${join(folder, "none.yaml")}, which can't be read: there is no such file`,
		);
		expect(refused(() => idOf({ TELEPHONY_SERVICE: folder })).message).toContain("can't be read: ");
		expect(refused(() => idOf({}, { "telephony:service": "{" })).message).toContain(
			"telephony:service is neither YAML nor JSON",
		);
		const broken = written("broken.yaml", "a: [");
		expect(refused(() => idOf({ TELEPHONY_SERVICE: broken })).message).toContain("neither YAML nor JSON");
		const wrong = written("wrong.yaml", "record: {}");
		expect(refused(() => idOf({ TELEPHONY_SERVICE: wrong })).message).toContain(
			"in wrong.yaml can't be used: record: there is no such key. Did you mean records?",
		);
	});

	test("a provider's own setting may be an object, and is refused by its path", () => {
		const urn = "urn:pulumi:dev::shop::pulumi:providers:telephony::own";
		const of = (service: unknown) => configProblems(urn, { service }, base);
		expect(of(number({ id: "number_id" }))).toEqual([]);
		expect(of(JSON.stringify(number({ id: "number_id" })))).toEqual([]);
		expect(of(number({ idd: "number_id" }))).toEqual([
			expect.stringContaining(
				"telephony:service can't be used: records.number.idd: there is no such field. Did you mean id?",
			),
		]);
	});
});

test.each(["", "\uFEFF"])("is read as the guide writes it after %j, with an id bare inside braces", (before) => {
	const [, text = ""] = /```yaml title="service.yaml"\n(.*?)```/s.exec(read("docs/guides/your-service.md")) ?? [];
	const folder = mkdtempSync(join(tmpdir(), "service-"));
	try {
		writeFileSync(join(folder, "service.yaml"), before + text);
		const dialect = dialectIn("service.yaml", "--service", folder);
		expect(dialect.target("patchTrunk")).toEqual({ method: "PUT", path: "/trunks/{id}", query: {}, whole: true });
		expect(dialect.target("releaseNumber")?.path).toBe("/numbers/{id}/release");
		expect(dialect.lacks("number", "metadata")).toBe(true);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
