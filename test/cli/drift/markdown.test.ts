/** The Markdown of `telephony drift`: escaped, and short enough for a comment. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DriftReport } from "../../../cli/drift/report";
import { driftView } from "../../../cli/drift/view";
import { markdownText } from "../../../cli/report/markdown";
import { tableText } from "../../../cli/report/terminal";
import { coded } from "../../../provider/api/message-codes";
import { active, pending, reported, secret, step, warning } from "../../helpers/engine-events";

const markdownOf = (report: DriftReport) => markdownText(driftView(report, []));
const tableOf = (report: DriftReport) => driftView(report, []).tables.map(tableText).join();

/** Code spans as CommonMark reads them: a run of backticks up to the next one of its length. */
const outsideCode = (line: string) => line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, " ");

const parts = "`|\\\n\r\t\u001b\u009b\u202e\u200d\u0085 😀ß\"'<>&#@[](){}*_~-+.:;!%/1a".split("");
const longer = [
	"``",
	"```",
	"@all",
	"#12",
	"<img src=x>",
	"](https://evil.example)",
	"https://evil.example/1",
	"www.evil.example",
	"<!--",
];
const odd = ["-->", "1. ", "\\|", "&#64;all", "\ud83d", "__proto__", "constructor"];
const nasty = fc
	.array(fc.constantFrom(...parts, ...longer, ...odd), { maxLength: 12 })
	.map((chosen) => chosen.join(""));
const name = nasty.map((text) => text || "n");

const drifted = fc
	.record({
		names: fc.array(name, { minLength: 1, maxLength: 4 }),
		other: nasty,
		key: name,
		reason: nasty,
		status: nasty,
	})
	.map(({ names, other: text, key, reason, status }) =>
		names.flatMap((name, index) => {
			const inputs = { label: "x", smsWebhookUrl: "https://a.example.com/", metadata: { a: "b", s: secret } };
			const kyc = { status: "rejected", reasons: [{ code: status, message: reason }] };
			return [
				step(`${name}${index}`, { inputs, live: { inputs: { label: text, metadata: { [key]: text } } } }),
				step(`${name}${index}k`, { outputs: pending, live: { outputs: { ...pending, kyc } }, op: "update" }),
				step(`${name}${index}u`, { outputs: active, live: { outputs: { status: status || "odd" } }, op: "same" }),
				warning(`${name}${index}c`, coded(`${text} was claimed by another stack. ${reason}`, "claimed")),
				step(`${name}${index}c`, { outputs: active }),
				step(`${name}${index}l`, { outputs: { ...active, phoneNumber: text }, live: null }),
				step(`${name}${index}w`, { type: "Webhook", inputs: { url: "https://a.example.com/" }, live: null }),
			];
		}),
	);

test("escapes names, labels, keys and reasons", () => {
	fc.assert(
		fc.property(drifted, (events) => {
			const report = reported(...events);
			const [markdown, table] = [markdownOf(report), tableOf(report)];
			expect((markdown + table).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
			expect(table.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(report.resources.length + 1);
			expect(markdown).not.toMatch(/^```/m);
			for (const line of markdown.split("\n")) {
				// A bar that is the table's has an even number of backslashes before it.
				const bars = line.match(/(?<!\\)(\\\\)*\|/g) ?? [];
				if (line.startsWith("|")) expect(bars.length, line).toBe(6);
				const cells = line.startsWith("|") ? line.split(/(?<=(?<!\\)(?:\\\\)*)\|/) : [line];
				for (const cell of cells) {
					const plain = outsideCode(cell).replace(/<br>|\\(?=\|)/g, "");
					expect(plain.replace(/&#\d+;/g, "")).not.toMatch(/[<>`*[\]~&\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u);
					// A forge looks for mentions and links in what the entities stand for.
					const decoded = plain.replace(/&#(\d+);/g, (_, sign) => String.fromCodePoint(Number(sign)));
					expect(decoded).not.toMatch(/@|:\/\/|#\w|www\./i);
				}
				expect(line).toMatch(/^($|\||- |### \w+ `|id `|drift: |account )/);
			}
		}),
		{ numRuns: 200 },
	);
});

test("stays below 60,000 characters, and counts what it leaves out", () => {
	const inputs = { label: "x".repeat(150), metadata: { note: "y".repeat(400) } };
	const live = { inputs: { label: "z".repeat(150), metadata: { note: "w".repeat(400) } } };
	const report = reported(...Array.from({ length: 1_000 }, (_, index) => step(`number-${index}`, { inputs, live })));
	const markdown = markdownOf(report);
	expect(report.resources).toHaveLength(1_000);
	expect(markdown.length).toBeLessThan(60_000);
	expect(markdown.length).toBeGreaterThan(50_000);
	expect(markdown).toContain("### Number");
	expect(markdown).toMatch(/\n\d+ more are in the JSON report\.\n$/);
});
