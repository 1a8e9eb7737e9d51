/** The generated files in the repository. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { sdksOf } from "../../scripts/generate/sdks.mts";
import { run } from "../helpers/engine";
import { files, read, repository } from "../helpers/repository";

test("`npm run generate` writes the same classes and pages again", async () => {
	const { code, output } = await run("node", ["scripts/generate.mts", "--check"], repository, process.env);
	expect(code, output).toBe(0);
});

test("schema.json satisfies Pulumi, and has an example in each language", async () => {
	const { code, output } = await run("pulumi", ["schema", "check", "sdk/schema.json"], repository, process.env);
	expect({ code, output }).toEqual({ code: 0, output: "" });
	const { resources } = JSON.parse(read("sdk/schema.json")) as { resources: Record<string, { description: string }> };
	for (const type of ["Number", "NumberPool", "SipTrunk", "Webhook", "Activation"]) {
		const { description = "" } = resources[`telephony:index:${type}`] ?? {};
		const languages = [...description.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
		expect(languages, type).toEqual(["typescript", "python", "go", "yaml"]);
	}
});

test.skipIf(spawnSync("go", ["version"]).status !== 0)(
	"Pulumi's generators make the same SDKs (where Go is installed)",
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
