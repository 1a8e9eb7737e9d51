/** `telephony export`: what it chooses, and how it names and writes it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Owned } from "../../../cli/account/account";
import { importFile, typescriptFiles, yamlFiles } from "../../../cli/export/languages";
import { findObstacle, type Program, programOf as programFor } from "../../../cli/export/program";
import { goFiles, pythonFiles } from "../../../cli/export/typed";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { fails, run, succeeds } from "../../helpers/engine";
import { createFolder } from "../../helpers/folders";
import { repository } from "../../helpers/repository";

const number = (id: string, more: object = {}): Owned =>
	({ type: "Number", record: { id, country: "NL", type: "mobile", status: "active", ...more } }) as Owned;
const programOf = (objects: readonly Owned[]) => programFor(objects, "plugin");
const schema = JSON.parse(readFileSync(join(repository, "sdk/schema.json"), "utf8"));
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
	expect(programOf(all).resources.map(({ name, id }) => [id, name])).toEqual([
		["trk_1", "hq"],
		["num_1", "frontDesk2nd"],
		["num_2", "number31201234567"],
		["num_3", "frontDesk2nd2"],
		["num_4", "numberNum4"],
		["num_5", "class2"],
	]);
});

test("YAML and TypeScript keep every character of labels and metadata", () => {
	const text = fc.oneof(
		fc.string({ unit: "grapheme", maxLength: 60 }),
		fc.constantFrom("$" + "{x}", "$$" + "{x}", "a$b", "a\u2028\u0085\u007f\ufeffb"),
	);
	const numbers = fc.array(fc.record({ label: text, metadata: fc.dictionary(text, text) }), { maxLength: 4 });
	fc.assert(
		fc.property(numbers, (labels) => {
			const program = programOf(labels.map((more, index) => number(`num_${index}`, more)));
			const { resources } = program;
			const names = resources.map(({ name }) => name);
			expect(new Set(names).size).toBe(labels.length);
			expect(JSON.parse(importFile(program)).resources.map(({ name }: { name: string }) => name)).toEqual(names);

			const { "Pulumi.yaml": yaml = "" } = yamlFiles("x", program);
			expect(yaml, "Go refuses them").not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
			const { resources: written = {} } = parse(yaml);
			const escaped = (value: unknown) => (typeof value === "string" ? value.split("$").join("$$") : value);
			const code = typescriptFiles("x", program)["index.ts"] ?? "";
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

const misread = [
	..."2024_01 0x1F 1:30 yes on y NO ~ null 2024-01-01 .inf 0777".split(" "),
	...["2024-01-01 10:00:00", "=", "a\tb"],
	// Numbers to Go, which Pulumi uses, though to neither version of YAML.
	..."0X1F 0B11 0o_7 -0o7 +0X1F 1e1_0 .1e5_0".split(" "),
];

test.each(misread)("the YAML keeps %s a string, as a value, a key and a name", (text) => {
	const program = programOf([number("num_1", { label: text, metadata: { [text]: text } })]);
	const { "Pulumi.yaml": yaml = "" } = yamlFiles(text, program);
	const { name } = program.resources[0] ?? {};
	for (const version of ["1.1", "1.2"] as const)
		expect(parse(yaml, { version })).toMatchObject({
			name: text,
			resources: { [name ?? ""]: { properties: { label: text, metadata: { [text]: text } } } },
		});
	expect(yaml.match(/"[^"]*"/g)?.filter((quoted) => quoted === JSON.stringify(text)).length).toBeGreaterThanOrEqual(4);
});

test("a number and its failover refer to the trunk, and secrets are omitted", () => {
	const routing = { type: "agent", agent_id: "a", failover: { type: "trunk", trunk_id: "trk_1" } };
	const program = programOf([number("num_1", { label: "Desk", routing }), trunk("trk_1", "HQ")]);
	const { "index.ts": code = "" } = typescriptFiles("x", program);
	expect(code).toContain('from "pulumi-telephony/plugin"');
	expect(code).toContain("trunkId: hq.id");
	expect(code.indexOf("const hq")).toBeLessThan(code.indexOf("const desk"));
	expect(yamlFiles("x", program)["Pulumi.yaml"]).toContain("trunkId: $" + "{hq.id}");
	expect(code).not.toContain("password");
});

const address = { street: "Damrak 1", city: "Amsterdam", postal_code: "1012", country: "NL" };
const profile: Owned = {
	type: "KycProfile",
	record: { id: "kyc_1", holder: "business", name: "Example B.V.", country: "NL", address, id_number_set: true },
};
const order: Owned = {
	type: "PortOrder",
	record: {
		id: "port_1",
		numbers: ["+31201234567"],
		country: "NL",
		status: "draft",
		carrier: { name: "Old Telecom", account_number: "A-1" },
		subscriber: { name: "Example B.V.", address: "Damrak 1" },
	},
};

describe("for the dynamic provider", () => {
	const declared = (...objects: Owned[]) => typescriptFiles("x", programFor(objects, "dynamic"))["index.ts"] ?? "";

	test("the program adopts each object, and says what a delete does", () => {
		const program = programFor([number("num_1", { label: "Desk" }), trunk("trk_1", "HQ")], "dynamic");
		const { "Pulumi.yaml": project, "index.ts": code } = typescriptFiles("x", program);
		expect(project).toBe("name: x\nruntime: nodejs\nmain: index.ts\n");
		expect(code).toMatch(
			/^\/\/ Each resource adopts .*\n\/\/ .*`onDelete: "retain"`.*\nimport \* as telephony from "pulumi-telephony";\n/,
		);
		expect(program.resources.map(({ inputs }) => inputs)).toMatchObject([{ adopt: "trk_1" }, { adopt: "num_1" }]);
		expect(code).not.toContain("password");
	});

	test("the program waits for no pending number", () => {
		expect(declared(number("num_1", { status: "pending" }))).toContain("waitForActive: false,\n});");
		expect(declared(number("num_1"), number("num_2", { status: "suspended" }))).not.toContain("waitForActive");
	});

	const retained = "aaaaaaaaaaaaaaaaaaaaaa.bbbbbbbb.cccccccc.left~shop/prod";
	test.each<[string, Owned, ReturnType<typeof findObstacle>]>([
		["adopts a number that a stack has retained", number("num_1", { reference: retained }), undefined],
		[
			"leaves out a number that a stack has claimed",
			number("num_1", { reference: retained.replace("left", "leases") }),
			"the stack shop/prod has claimed it",
		],
		["leaves out a draft of a port order", order, "it is a draft, which `pulumi up` would submit"],
		["leaves out a draft of a profile", profile, "it is a draft, which `pulumi up` would submit"],
		[
			"adopts a rejected profile",
			{ ...profile, record: { ...profile.record, status: "rejected" } } as Owned,
			undefined,
		],
	])("%s", (_title, owned, expected) => {
		expect(findObstacle(owned, "dynamic")).toBe(expected);
	});
});

test.each([
	["yaml", yamlFiles, "#", "$" + "{exampleBV.id}"],
	["typescript", typescriptFiles, "//", "exampleBV.id"],
	["python", pythonFiles, "#", "example_b_v.id"],
	["go", goFiles, "//", "exampleBV.ID()"],
] as const)("refers to a profile, and comments on missing values, in %s", (_language, files, sign, reference) => {
	const papers = { document_ids: ["doc_1"], reasons: [], exceptions: [] };
	const all = [number("num_1", { kyc: { profile_id: "kyc_1" } }), profile, order].map(
		(owned) => ({ ...owned, record: { ...papers, ...owned.record } }) as Owned,
	);
	const program = programOf(all);
	const code = Object.values(files("x", program, schema)).join("\n");
	expect(program.resources.map(({ type, name, id }) => [type, name, id])).toEqual([
		["KycProfile", "exampleBV", "kyc_1"],
		["PortOrder", "portOrderPort1", "port_1"],
		["Number", "numberNum1", "num_1"],
	]);
	expect(code).toContain(reference);
	expect(code).toContain("Old Telecom");
	expect(code).toContain(`${sign} KycProfile: \`idNumber\` and \`documents\` can't be exported`);
	expect(code).toContain(`${sign} PortOrder: \`pin\` of \`carrier\`, and \`documents\` can't be exported`);
	expect(code, "no paper is declared").not.toMatch(/doc_1|unknown/);
});

test("Python keeps every character of labels and metadata", async (context) => {
	const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 30 }), fc.constantFrom("\ufeff\u2028", '\\"'));
	const numbers = fc.record({ label: text, metadata: fc.dictionary(text, text) });
	const { resources } = programOf(
		fc.sample(numbers, { numRuns: 60, seed: 1 }).map((more, index) => number(`num_${index}`, more)),
	);
	const { "__main__.py": code = "" } = pythonFiles("x", { provider: "plugin", resources, notes: [] }, schema);
	const stub = [
		"import json, sys, types",
		"made = {}",
		"sys.modules['pulumi_telephony'] = types.SimpleNamespace(Number=lambda name, **inputs: made.update({name: inputs}))",
		"exec(sys.argv[1])",
		"print(json.dumps(made))",
	].join("\n");
	const ran = await run("python3", ["-c", stub, code], tmpdir(), process.env).catch(() => undefined);
	if (ran === undefined) return context.skip("python3 isn't installed");
	expect(ran.code, ran.output).toBe(0);
	expect(JSON.parse(ran.stdout)).toEqual(
		Object.fromEntries(
			resources.map(({ name, inputs: { onDelete, ...more } }) => [name, { ...more, on_delete: onDelete }]),
		),
	);
	// Half a character, which Go refuses.
	const half = programOf([number("num_1", { metadata: { a: "\ud800" } })]);
	expect(goFiles("x", half, schema)["main.go"]).toContain('"a": pulumi.String("\ufffd")');
	expect(yamlFiles("x", half)["Pulumi.yaml"]).toContain("a: \ufffd");
});

test("Go's lists and maps have the types of its SDK", () => {
	const collections = (Object.entries(schema.resources) as [string, { inputProperties: object }][]).flatMap(
		([token, { inputProperties }]) =>
			Object.entries(
				inputProperties as Record<string, { type?: string; items?: object; additionalProperties?: object }>,
			)
				.filter(([, { items, additionalProperties }]) => items !== undefined || additionalProperties !== undefined)
				.map(([key, { items }]) => ({ type: token.split(":").at(-1) ?? "", key, value: items ? ["a"] : { a: "a" } })),
	);
	expect(collections.map(({ key }) => key)).toEqual(
		expect.arrayContaining(["events", "codecs", "metadata", "targets"]),
	);
	for (const { type, key, value } of collections) {
		const resources = [{ type, name: "made", id: "x", inputs: { [key]: value } }] as Program["resources"];
		const code = goFiles("x", { provider: "plugin", resources, notes: [] }, schema)["main.go"] ?? "";
		const field = `${key[0]?.toUpperCase()}${key.slice(1)}`;
		const [, made = ""] = new RegExp(`${field}: (?:telephony\\.)?(\\S+?)\\{`).exec(code) ?? [];
		const file = `sdk/go/telephony/${type[0]?.toLowerCase()}${type.slice(1)}.go`;
		expect(readFileSync(join(repository, file), "utf8"), `${type}.${key}: ${code}`).toMatch(
			new RegExp(`\\b${field} +${made.replace(".", "\\.")}Input\\b`),
		);
	}
});

test.each([
	["fn::invoke", "yaml", "Pulumi's YAML reads as a function call"],
	["Fn::StringAsset", "yaml", "Pulumi's YAML reads as a function call"],
	["<<", "yaml", "Pulumi's YAML reads as a merge of maps"],
	["toString", "typescript", "Pulumi's SDK for Node.js doesn't pass on"],
	["__proto__", "typescript", "Pulumi's SDK for Node.js doesn't pass on"],
])("a metadata key %s is refused in %s alone", (key, language, reason) => {
	const metadata = JSON.parse(`{${JSON.stringify(key)}: "a"}`);
	const program = programOf([number("num_1", { label: "Desk", metadata })]);
	const writers = { yaml: yamlFiles, typescript: typescriptFiles, python: pythonFiles, go: goFiles };
	for (const [name, write] of Object.entries(writers)) {
		const files = () => Object.values(write("x", program, schema)).join();
		if (name !== language) expect(files(), name).toContain(key);
		else
			expect(files).toThrow(
				`the number num_1 has the metadata key "${key}", which ${reason}. Choose another --language, or leave the object out with --filter. [telephony:usage]`,
			);
	}
});

describe("the command", () => {
	const emulator = useEmulator({ kyc: "immediate" });
	const exported = async (...filters: string[]) => {
		const folder = createFolder();
		const args = filters.flatMap((filter) => (filter.includes("=") ? ["--filter", filter] : [filter]));
		const env = { ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const done = await run("node", [telephony, "export", ...args, "--output", join(folder, "out")], folder, env);
		if (done.code !== 0) return { ...done, ids: [] };
		const program = readFileSync(join(folder, "out/index.ts"), "utf8");
		return { ...done, ids: [...program.matchAll(/adopt: "(\w+)"/g)].map(([, id]) => id) };
	};

	test("leaves out what the types of programs don't have", async () => {
		const bought = async (more: object) => {
			const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
			emulator.control.patchNumber(id, more);
			return id;
		};
		const unknown = await bought({ routing: { type: "queue", queue_id: "q_1" } });
		const beyond = await bought({ number: "+22507123456", routing: { type: "forward", to: "+5215512345678" } });
		const done = await exported();
		expect(done.output).toMatch(new RegExp(`left out the number ${unknown}, .*routing\\.type`));
		expect(done.output).toContain("1 of 2 objects, 1 left out");
		expect(done.ids).toEqual([beyond]);
	});

	test("takes what has all the values, and refuses a key that nothing has", async () => {
		const buy = async (country: string, more: object) => {
			const { body } = await emulator.call("POST", "/numbers", { country, type: "geographic", area: "20" });
			emulator.control.patchNumber(body.id, more);
			return body.id;
		};
		const [desk] = [
			await buy("NL", { label: "Desk", metadata: { team: "a" } }),
			await buy("GB", { metadata: { team: "a" } }),
		];
		expect((await exported("country=NL", "area=020", "metadata.team=a")).ids).toEqual([desk]);
		expect((await exported("kind=trunk")).ids).toEqual([]);
		const refused = await exported("contry=NL");
		expect(refused.output).toMatch(/contry=NL.*country.*\[telephony:usage\]/);
		expect(refused.code, refused.output).toBe(2);
		const python = await exported("kind=trunk", "--language", "python", "--provider", "dynamic");
		expect(python.output).toContain("The dynamic provider runs no programs in python");
		expect(python.code, python.output).toBe(2);
	});

	test("keeps the files of a project, and writes its program once", async () => {
		const folder = createFolder();
		writeFileSync(join(folder, "Pulumi.yaml"), "name: desk\nruntime: nodejs\n");
		const env = { ...process.env, TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const write = (...args: string[]) => run("node", [telephony, "export", "--output", ".", ...args], folder, env);
		await succeeds(write());
		expect(readdirSync(folder).sort()).toEqual(["Pulumi.yaml", "index.ts"]);
		expect(readFileSync(join(folder, "Pulumi.yaml"), "utf8")).toContain("name: desk");
		expect(await fails(write(), "usage")).toContain("index.ts exists");
		expect(await fails(write("--provider", "plugin"), "usage")).toContain("Pulumi.yaml exists");
	});
});
