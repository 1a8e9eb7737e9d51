/** `npm run release` refuses what is not as it must be. A job of .github/workflows/ci.yml runs its dry run to the end. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../helpers/engine";
import { repository } from "../helpers/repository";

const release = (...args: string[]) =>
	run("node", [join(repository, "scripts/release.mts"), ...args], repository, process.env);

test("a version that the files don't have is refused, with the files that say another", async () => {
	const { code, output } = await release("--dry-run", "99.0.0");
	expect(code).toBe(1);
	for (const file of ["policy/package.json", "schema.json", "sdk/python/pyproject.toml", "CHANGELOG.md"])
		expect(output).toContain(file);
});

test("without a terminal, nothing is released", async () => {
	const { code, output } = await release();
	expect(code).toBe(1);
	expect(output).toContain("no terminal");
});
