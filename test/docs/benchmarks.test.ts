/** The page on benchmarks says what was measured. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Report, writePage } from "../bench/page.mts";
import { repository } from "../helpers/repository";

test("writes docs/benchmarks.md and its tables from docs/benchmarks.json", () => {
	const report = JSON.parse(readFileSync(join(repository, "docs/benchmarks.json"), "utf8")) as Report;
	const folder = mkdtempSync(join(tmpdir(), "telephony-benchmarks-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	writePage(report, folder);
	for (const page of ["benchmarks.md", "benchmarks-tables.md"])
		expect(readFileSync(join(folder, page), "utf8")).toBe(readFileSync(join(repository, "docs", page), "utf8"));
});
