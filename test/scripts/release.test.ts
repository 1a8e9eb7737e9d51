/** `npm run release` refuses a wrong release. A job of .github/workflows/ci.yml runs its whole dry run. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../helpers/engine";
import { repository } from "../helpers/repository";

const release = (...args: string[]) =>
	run("node", [join(repository, "scripts/release.mts"), ...args], repository, process.env);

test("refuses a version that files don't have, and names the files", async () => {
	const { code, output } = await release("--dry-run", "99.0.0");
	expect(code).toBe(1);
	for (const file of ["policy/package.json", "sdk/schema.json", "sdk/python/pyproject.toml", "CHANGELOG.md"])
		expect(output).toContain(file);
});

test("releases nothing without a terminal", async () => {
	const { code, output } = await release();
	expect(code).toBe(1);
	expect(output).toContain("no terminal");
});
