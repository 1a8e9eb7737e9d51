/** What is generated from the tables of properties, and committed. */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sdksOf, staleSdks } from "../../scripts/generate/sdks.mts";
import { run } from "../helpers/engine";
import { files, read, repository } from "../helpers/repository";

test("the SDKs' classes, docs/reference and the registry's pages say what the tables say: `npm run generate` writes them anew", async () => {
	const { code, output } = await run("node", ["scripts/generate.mts", "--check"], repository, process.env);
	expect(code, output).toBe(0);
});

test("Pulumi finds nothing wrong with schema.json, and each resource of examples/plugin is an example there", async () => {
	const { code, output } = await run("pulumi", ["schema", "check", "schema.json"], repository, process.env);
	expect({ code, output }).toEqual({ code: 0, output: "" });
	const { resources } = JSON.parse(read("schema.json")) as { resources: Record<string, { description: string }> };
	for (const type of ["Number", "NumberPool", "SipTrunk", "Webhook", "Activation"]) {
		const { description = "" } = resources[`telephony:index:${type}`] ?? {};
		const languages = [...description.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
		expect(languages, type).toEqual(["typescript", "python", "go", "yaml"]);
	}
});

test.skipIf(spawnSync("go", ["version"]).status !== 0)(
	"the SDKs are what Pulumi's generators make of schema.json (where Go is installed)",
	// The first time, Go compiles the generators.
	{ timeout: 15 * 60_000 },
	() => {
		const made = sdksOf(repository);
		expect(made.size).toBeGreaterThan(30);
		const committed = files.filter((file) =>
			/^(sdk\/(nodejs|python|go)|test\/fixtures\/imported)\/(?!go\.(mod|sum)$|objects\.json$)/.test(file),
		);
		expect(Object.fromEntries(committed.map((file) => [file, read(file)]))).toEqual(Object.fromEntries(made));
	},
);

test("an SDK is stale, also without Go, when the schema, the generator or one of its files is another", () => {
	const copy = mkdtempSync(join(tmpdir(), "telephony-stale-"));
	onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
	for (const file of files.filter((each) =>
		/^(schema\.json|sdk\/|test\/fixtures\/imported\/|tools\/engine\/|scripts\/generate\/)/.test(each),
	))
		cpSync(join(repository, file), join(copy, file));
	expect(staleSdks(copy)).toBeUndefined();
	const edited = [
		"schema.json",
		"scripts/generate/sdks.mts",
		"tools/engine/codegen/main.go",
		"sdk/python/pulumi_telephony/number.py",
	];
	for (const file of edited) {
		appendFileSync(join(copy, file), "\n");
		expect(staleSdks(copy)).toContain(file);
		cpSync(join(repository, file), join(copy, file));
	}
	writeFileSync(join(copy, "sdk/nodejs/left-over.ts"), "");
	expect(staleSdks(copy)).toContain("sdk/nodejs/left-over.ts");
	rmSync(join(copy, "sdk/nodejs/left-over.ts"));
	rmSync(join(copy, "sdk/nodejs/number.ts"));
	expect(staleSdks(copy)).toContain("sdk/nodejs/number.ts");
});
