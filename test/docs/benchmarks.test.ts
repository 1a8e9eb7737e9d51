/** The page on benchmarks says what was measured. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { type Report, writePage } from "../bench/page.mts";
import { createFolder } from "../helpers/folders";
import { repository } from "../helpers/repository";

test("writes docs/benchmarks.md and its tables from docs/benchmarks.json", () => {
	const report = JSON.parse(readFileSync(join(repository, "docs/benchmarks.json"), "utf8")) as Report;
	const folder = createFolder();
	writePage(report, folder, folder);
	for (const page of ["docs/benchmarks.md", "test/bench/tables.md"])
		expect(readFileSync(join(folder, basename(page)), "utf8")).toBe(readFileSync(join(repository, page), "utf8"));
});
