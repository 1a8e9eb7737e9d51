/** The style of the prose check, applied by Vale. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runVale } from "../../scripts/prose/vale.mts";

const folder = mkdtempSync(join(tmpdir(), "prose-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

function rulesIn(content: string): string[] {
	const page = join(folder, "page.md");
	writeFileSync(page, content);
	return runVale([page], []).map(({ line, rule }) => `${line} ${rule}`);
}

describe.skipIf(spawnSync("go", ["version"]).status !== 0)("Vale", () => {
	test.each([
		["Actor", "It reads a list. What it finds is kept."],
		["Words", "The run goes on."],
		["Length", `${"A number costs money and ".repeat(7)}.`],
	])("finds %s in a page", (rule, text) => {
		expect(rulesIn(text)).toEqual([`1 Plain.${rule}`]);
	});

	test("finds comments and messages at their lines in the source", () => {
		const comment = { kind: "comment", line: 3, text: "Buys a number.\nWhatever it costs." } as const;
		const message = { kind: "message", line: 7, text: "Run it. ".repeat(40) } as const;
		const proses = [
			{ file: "cli/a.ts", isMessage: false, texts: [comment, { ...message, line: 9 }] },
			{ file: "cli/a.ts", isMessage: true, texts: [message] },
		];
		expect(runVale([], proses).map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual([
			"cli/a.ts:7 Plain.Message",
			"cli/a.ts:3 Plain.Actor",
		]);
	});
});
