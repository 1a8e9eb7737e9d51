/** What is generated from the tables of properties, and committed. */
import { expect, test } from "vitest";
import { run } from "../helpers/engine";
import { repository } from "../helpers/repository";

test("the SDK's classes, README and docs/drift.md say what the tables say: `npm run generate` writes them anew", async () => {
	const { code, output } = await run("node", ["scripts/generate.mts", "--check"], repository, process.env);
	expect(code, output).toBe(0);
});
