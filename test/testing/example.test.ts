import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../helpers/engine";
import { read, repository } from "../helpers/repository";

it("the example's own tests pass, as its CI job runs them", async () => {
	const folder = join(repository, "examples/tested/typescript");
	expect(read("examples/tested/typescript/github.yml")).toContain("- run: npm test\n");
	const { code, output } = await run("npm", ["test"], folder, process.env);
	expect(code, output).toBe(0);
	expect(output).toMatch(/pass 2\b/);
});
