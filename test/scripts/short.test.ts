/** What `npm test` leaves out, that it says so, and that a name or `--all` brings it back. */
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../helpers/engine";
import { read, repository } from "../helpers/repository";
import { longer, longSeeds, onlyAll, onlyNightly, partVariable } from "../short.mts";

/** Returns the last lines of scripts/test.mts for files of the short run, of `--all`, and of `--nightly`. */
async function lastLines(...args: string[]): Promise<string[]> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-short-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const short = JSON.stringify(join(repository, "test/short.mts"));
	const files = {
		"engine/plan": 'import { test } from "vitest";\ntest("listed", () => {});\n',
		"nightly/proxy": 'import { test } from "vitest";\ntest("of the night", () => {});\n',
		other: `import { test } from "vitest";\nimport { variations } from ${short};\ntest.each(variations([1, 2]))("%i", () => {});\n`,
	};
	for (const [name, text] of Object.entries(files)) {
		const file = join(folder, "test", `${name}.test.ts`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	const { VITEST: _, [partVariable]: __, ...env } = process.env;
	const done = await run("node", ["scripts/test.mts", "--dir", folder, ...args], repository, env);
	expect(done.code, done.output).toBe(0);
	return done.stdout.trim().split("\n").slice(-2);
}

const says = (option: string) => expect.stringContaining(`\`npm test -- ${option}\` runs`);

test("leaves out what is listed and further variations, and says so", async () => {
	expect(await lastLines()).toEqual([says("--all"), "1 passed, 0 failed"]);
});

test("leaves out the nightly files with --all, and says so", async () => {
	expect(await lastLines("--all")).toEqual([says("--nightly"), "3 passed, 0 failed"]);
});

test.each([
	["--nightly: what nothing else runs", ["--nightly"], 1],
	["the name of a listed file: that", ["engine/plan"], 1],
	["the name of a nightly file: that", ["nightly/proxy"], 1],
	["the name of another: every variation", ["other"], 2],
	["a test's name: wherever it is", ["-t", "listed|night|2"], 3],
])("runs by %s", async (_, args, count) => {
	const [before, last] = await lastLines(...args);
	expect(last).toMatch(new RegExp(`^${count} passed, 0 failed`));
	expect(before).not.toContain("Not every test ran");
});

test("lists files that exist, each with its reason", () => {
	for (const [files, why] of Object.entries({ ...onlyAll, ...onlyNightly })) {
		expect(globSync(files, { cwd: repository }), files).not.toEqual([]);
		expect(why.length, files).toBeGreaterThan(20);
	}
	for (const file of globSync("test/nightly/*.test.ts", { cwd: repository }))
		expect(onlyNightly).toHaveProperty([file]);
	// Each longer seed is a variable that one of the files reads, and each file reads one.
	const variables = new RegExp(`process\\.env\\.(${Object.keys(longSeeds).join("|")})\\b`, "g");
	const found = longer.map((file) => read(file).match(variables) ?? []);
	expect(found.every((each) => each.length > 0)).toBe(true);
	expect(new Set(found.flat()).size).toBe(Object.keys(longSeeds).length);
});

test("CI runs all, and a job of the night the rest", () => {
	const runs = (file: string) => read(file).match(/npm test\b.*/g);
	for (const file of [".ci/run", ".github/workflows/ci.yml"]) expect(runs(file)).toEqual(["npm test -- --all"]);
	expect(runs(".github/workflows/nightly.yml")).toEqual(["npm test -- --nightly"]);
});
