/** The page on benchmarks says what was measured. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Report, writePage } from "../bench/page.mts";
import { repository } from "../helpers/repository";

test("docs/benchmarks.md is made from docs/benchmarks.json", () => {
	const report = JSON.parse(readFileSync(join(repository, "docs/benchmarks.json"), "utf8")) as Report;
	const folder = mkdtempSync(join(tmpdir(), "telephony-benchmarks-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	writePage(report, folder);
	expect(readFileSync(join(folder, "benchmarks.md"), "utf8")).toBe(
		readFileSync(join(repository, "docs/benchmarks.md"), "utf8"),
	);
});
