/** Reports in a terminal, where some characters take two columns and some none, and in Markdown. */
import { expect, test } from "vitest";
import { markdownText } from "../../../cli/report/markdown";
import type { Report } from "../../../cli/report/model";
import { tableText, terminalText } from "../../../cli/report/terminal";

test.each([
	["東京", 4],
	["서울 office", 11],
	["カタカナ", 8],
	["ｶﾀ", 2],
	["ＡＢ", 4],
	["e\u0301te\u0301", 3],
	["📞 desk", 7],
	["plain", 5],
])("aligns the column after %s, which takes %i columns", (label, width) => {
	const columns = [{ title: "label" }, { title: "id" }];
	const rows = [
		[label, "A"],
		["a longer label", "B"],
	];
	const line = tableText({ columns, rows }).split("\n")[1] ?? "";
	const [before = ""] = line.split("A");
	expect(before).toBe(label + " ".repeat("a longer label".length - width + 2));
});

test("renders more rows than a call takes arguments", () => {
	const text = tableText({ columns: [{ title: "id" }], rows: Array.from({ length: 130_000 }, () => ["x"]) });
	expect(text).toHaveLength("id".length + 130_000 * "\nx".length);
});

test("breaks a long word of wide characters at the column's width", () => {
	const text = tableText({ columns: [{ title: "x", width: 5 }], rows: [["東京都千代田区"]] });
	expect(text.split("\n")).toEqual(["x", "東京", "都千", "代田", "区"]);
});

test("shows a proposed file with its indentation, and lets nothing out of it", () => {
	const text = "lists:\n  items: x # ``` \u001b[2J\n";
	const report: Report = {
		headline: "service check",
		origin: { at: "2026-11-29T00:00:00Z" },
		tables: [],
		notes: [],
		file: { title: "The description", text },
	};
	expect(terminalText(report)).toContain("The description:\n\nlists:\n  items: x # ``` ?[2J\n");
	expect(markdownText(report)).toContain("````yaml\nlists:\n  items: x # ``` ?[2J\n````\n");
});
