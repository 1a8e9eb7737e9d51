/** `telephony export`: what it chooses, and how it names and writes it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import type { Owned } from "../../cli/account";
import { declared, identifier, importFile, typescriptFiles, yamlFiles } from "../../cli/program";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { run } from "../helpers/engine";

const number = (id: string, more: object = {}): Owned =>
	({ type: "Number", record: { id, country: "NL", type: "mobile", status: "active", ...more } }) as Owned;
const trunk = (id: string, name: string): Owned => ({
	type: "SipTrunk",
	record: { id, name, capacity: 1, auth: { mode: "digest", username: "office", password_set: true } },
});

test("names come from labels and E.164, are identifiers, and differ", () => {
	const all = [
		number("num_1", { label: "Front desk (2nd)", number: "+31201234567" }),
		number("num_2", { number: "+31201234567" }),
		number("num_3", { label: "Front Desk: 2nd" }),
		number("num_4", { label: "日本" }),
		number("num_5", { label: "class" }),
		trunk("trk_1", "HQ"),
	];
	expect(declared(all).map(({ name, id }) => [id, name])).toEqual([
		["trk_1", "hq"],
		["num_1", "frontDesk2nd"],
		["num_2", "number31201234567"],
		["num_3", "frontDesk2nd2"],
		["num_4", "numberNum4"],
		["num_5", "class2"],
	]);
	expect([identifier("Électricité"), identifier("7 seas"), identifier("")]).toEqual([
		"electricite",
		undefined,
		undefined,
	]);
});

test("whatever stands in labels and metadata: the YAML says it, and the TypeScript too", () => {
	const text = fc.oneof(
		fc.string({ unit: "grapheme", maxLength: 60 }),
		fc.constantFrom("$" + "{x}", "$$" + "{x}", "a$b"),
	);
	const numbers = fc.array(
		fc.record({
			label: text,
			metadata: fc.dictionary(
				text.filter((key) => key !== "__proto__"),
				text,
			),
		}),
		{ maxLength: 4 },
	);
	fc.assert(
		fc.property(numbers, (labels) => {
			const resources = declared(labels.map((more, index) => number(`num_${index}`, more)));
			const names = resources.map(({ name }) => name);
			expect(new Set(names).size).toBe(labels.length);
			expect(JSON.parse(importFile(resources)).resources.map(({ name }: { name: string }) => name)).toEqual(names);

			const { resources: written = {} } = parse(yamlFiles("x", resources)["Pulumi.yaml"] ?? "");
			const escaped = (value: unknown) => (typeof value === "string" ? value.split("$").join("$$") : value);
			const code = typescriptFiles("x", resources)["index.ts"] ?? "";
			const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
			const ran: Record<string, unknown> = {};
			const telephonyClasses = {
				Number: class {
					constructor(name: string, args: unknown) {
						ran[name] = args;
					}
				},
			};
			new Function("require", "exports", outputText)(() => telephonyClasses, {});
			for (const { name, inputs } of resources) {
				expect(ran[name]).toEqual(inputs);
				const { properties } = written[name];
				expect(properties.label).toBe(escaped(inputs.label));
			}
		}),
		{ numRuns: 60 },
	);
});

test("a number refers to its trunk, in its failover too, and no secret is written", () => {
	const routing = { type: "agent", agent_id: "a", failover: { type: "trunk", trunk_id: "trk_1" } };
	const resources = declared([number("num_1", { label: "Desk", routing }), trunk("trk_1", "HQ")]);
	const { "index.ts": code = "" } = typescriptFiles("x", resources);
	expect(code).toContain("trunkId: hq.id");
	expect(code.indexOf("const hq")).toBeLessThan(code.indexOf("const desk"));
	expect(yamlFiles("x", resources)["Pulumi.yaml"]).toContain("trunkId: $" + "{hq.id}");
	expect(code).not.toContain("password");
});

describe("--filter", () => {
	const emulator = useEmulator({ kyc: "immediate" });
	const exported = async (...filters: string[]) => {
		const folder = mkdtempSync(join(tmpdir(), "telephony-export-"));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const args = filters.flatMap((filter) => ["--filter", filter]);
		const env = { ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const done = await run("node", [telephony, "export", ...args, "--output", join(folder, "out")], folder, env);
		if (done.code !== 0) return { ...done, ids: [] };
		const { resources } = JSON.parse(readFileSync(join(folder, "out/import.json"), "utf8")) as {
			resources: { id: string }[];
		};
		return { ...done, ids: resources.map(({ id }) => id) };
	};

	test("takes what has all the values, and refuses a key that nothing has", async () => {
		const buy = async (country: string, more: object) => {
			const { body } = await emulator.call("POST", "/numbers", { country, type: "mobile" });
			emulator.control.patchNumber(body.id, more);
			return body.id;
		};
		const [desk] = [
			await buy("NL", { label: "Desk", metadata: { team: "a" } }),
			await buy("GB", { metadata: { team: "a" } }),
		];
		expect((await exported("country=NL", "metadata.team=a")).ids).toEqual([desk]);
		expect((await exported("kind=trunk")).ids).toEqual([]);
		const refused = await exported("contry=NL");
		expect([refused.code, refused.output]).toEqual([
			1,
			expect.stringMatching(/contry=NL.*country.*\[telephony:usage\]/),
		]);
	});
});
