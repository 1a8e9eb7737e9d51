/** The Markdown of a report: whole, short enough, and nobody's markup but ours. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownOf } from "../../../cli/markdown";
import { reportOf, seenIn } from "../../../cli/report";
import { tableOf } from "../../../cli/table";
import { active, origin, pending, secret, step, warning } from "../../helpers/engine-events";

/** Code spans as CommonMark reads them: a run of backticks up to the next one of its length. */
const outsideCode = (line: string) => line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, " ");

/** What people, dashboards and services write, and what steers whoever reads it. */
const nasty = fc
	.array(
		fc.constantFrom(
			..."`|\\\n\r\t\u001b\u202e\u200d\u0085 😀ß\"'<>&#@[](){}*_~-+.:;!%/1a".split(""),
			...[
				"``",
				"@all",
				"#12",
				"<img src=x onerror=1>",
				"](https://evil.example)",
				"https://evil.example/1",
				"<!--",
				"-->",
			],
			...["```", "1. ", "\\|", "&#64;all", "\ud83d", "__proto__", "constructor"],
		),
		{ maxLength: 12 },
	)
	.map((parts) => parts.join(""));
const name = nasty.map((text) => text || "n");

const drifted = fc
	.record({
		names: fc.array(name, { minLength: 1, maxLength: 4 }),
		other: nasty,
		key: name,
		reason: nasty,
		said: nasty,
	})
	.map(({ names, other, key, reason, said }) =>
		names.flatMap((each, index) => {
			const inputs = { label: "x", smsWebhookUrl: "https://a.example.com/", metadata: { a: "b", s: secret } };
			const kyc = { status: "rejected", reasons: [{ code: said, message: reason }] };
			return [
				step(`${each}${index}`, { inputs, live: { inputs: { label: other, metadata: { [key]: other } } } }),
				step(`${each}${index}k`, { outputs: pending, live: { outputs: { ...pending, kyc } }, op: "update" }),
				step(`${each}${index}u`, { outputs: active, live: { outputs: { status: said || "odd" } }, op: "same" }),
				warning(`${each}${index}c`, `${other} has been claimed by another stack. ${reason}`),
				step(`${each}${index}c`, { outputs: active }),
				step(`${each}${index}l`, { outputs: { ...active, phoneNumber: other }, live: null }),
				step(`${each}${index}w`, { type: "Webhook", inputs: { url: "https://a.example.com/" }, live: null }),
			];
		}),
	);

test("whatever stands in names, labels, keys and reasons: nobody is mentioned, nothing is markup, no table breaks", () => {
	fc.assert(
		fc.property(drifted, (events) => {
			const report = reportOf(seenIn(events), "prod", origin);
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
					expect(plain.replace(/&#\d+;/g, "")).not.toMatch(/[<>`*_[\]~&\\]/);
					// A forge looks for mentions and links in what the entities stand for.
					const read = plain.replace(/&#(\d+);/g, (_, sign) => String.fromCodePoint(Number(sign)));
					expect(read).not.toMatch(/@|:\/\/|#\w/);
				}
				expect(line).toMatch(/^($|\||- |### \w+ `|id `|drift: |account )/);
			}
		}),
		{ numRuns: 200 },
	);
});

test("nothing that somebody wrote into a label steers a terminal, breaks the table or becomes markup", () => {
	const label = "a|b `c` ``d`` <img src=x> @all [x](https://evil.example)\n\u001b[31m\u009b\u202e";
	const seen = seenIn([step('we|rd "`name`" <b>', { inputs: { label: "x" }, live: { inputs: { label } } })]);
	const report = reportOf(seen, "prod", origin);
	const markdown = markdownOf(report);
	expect((tableOf(report) + markdown).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
	const rows = markdown.split("\n").filter((line) => line.startsWith("|"));
	// Columns are what stands between bars that are not escaped.
	expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual(rows.map(() => 7));
	const outsideCode = markdown.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "");
	expect(outsideCode).not.toMatch(/<(?!br>)|@all|\]\(/);
});

test("where nothing of a stack is left, the first thing said is that this may be the wrong account", () => {
	const gone = [step("a", { outputs: active, live: null }), step("office", { type: "SipTrunk", live: null })];
	const markdown = (...events: typeof gone) => markdownOf(reportOf(seenIn(events), "prod", origin));
	expect(markdown(...gone).split("\n")[4]).toMatch(/^Nothing of this stack is on the account\. Do the API key and the/);
	expect(markdown(...gone, step("b", { outputs: active }))).not.toContain("Nothing of this stack");
	expect(markdown(...gone.slice(0, 1))).not.toContain("Nothing of this stack");
});

test("the Markdown of a thousand drifted resources stays under 60,000 characters, and says what it left out", () => {
	const inputs = { label: "x".repeat(150), metadata: { note: "y".repeat(400) } };
	const live = { inputs: { label: "z".repeat(150), metadata: { note: "w".repeat(400) } } };
	const seen = seenIn(Array.from({ length: 1_000 }, (_, index) => step(`number-${index}`, { inputs, live })));
	const report = reportOf(seen, "prod", origin);
	const markdown = markdownOf(report);
	expect(report.resources).toHaveLength(1_000);
	expect(markdown.length).toBeLessThan(60_000);
	expect(markdown.length).toBeGreaterThan(50_000);
	expect(markdown).toMatch(/\n\d+ more are in the JSON report\.\n/);
	expect(markdown).toMatch(/\nThe details of \d+ more are in the JSON report\.\n/);
});
