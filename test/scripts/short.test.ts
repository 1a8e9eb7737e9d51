/** What `npm test` leaves out, that it says so, and that a name or `--all` brings it back. */
import { globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../helpers/engine";
import { read, repository } from "../helpers/repository";
import { onlyAll, shortRun } from "../short.mts";

/** The last lines of scripts/test.mts about a folder with one file that only `--all` runs, and another of two cases. */
async function lastLines(...args: string[]): Promise<string[]> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-short-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const short = JSON.stringify(join(repository, "test/short.mts"));
	const files = {
		"engine/proxy": 'import { test } from "vitest";\ntest("listed", () => {});\n',
		other: `import { test } from "vitest";\nimport { variations } from ${short};\ntest.each(variations([1, 2]))("%i", () => {});\n`,
	};
	for (const [name, text] of Object.entries(files)) {
		const file = join(folder, "test", `${name}.test.ts`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	const { VITEST: _, [shortRun]: __, ...env } = process.env;
	const done = await run("node", ["scripts/test.mts", "--dir", folder, ...args], repository, env);
	expect(done.code, done.output).toBe(0);
	return done.stdout.trim().split("\n").slice(-2);
}

const more = expect.stringContaining("`npm test -- --all` runs more files");

test("without a name it leaves out what is listed and further variations, and says so before its last line", async () => {
	expect(await lastLines()).toEqual([more, "1 passed, 0 failed"]);
});

test.each([
	["--all: everything", ["--all"], 3],
	["the name of a listed file: that", ["engine/proxy"], 1],
	["the name of another: every variation", ["other"], 2],
	["a test's name: wherever it is", ["-t", "listed|2"], 2],
])("%s", async (_, args, count) => {
	const [before, last] = await lastLines(...args);
	expect(last).toMatch(new RegExp(`^${count} passed, 0 failed`));
	expect(before).not.toEqual(more);
});

test("what is listed is there, and has its reason", () => {
	for (const [files, why] of Object.entries(onlyAll)) {
		expect(globSync(files, { cwd: repository }), files).not.toEqual([]);
		expect(why.length, files).toBeGreaterThan(20);
	}
});

test("CI runs all", () => {
	for (const file of [".ci/run", ".github/workflows/ci.yml"])
		expect(read(file).match(/npm test\b.*/g)).toEqual(["npm test -- --all"]);
});
