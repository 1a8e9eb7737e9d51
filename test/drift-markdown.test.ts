/** The Markdown of a report and its diagram: whole, short enough, and nobody's markup but ours. */
import { expect, test } from "vitest";
import { markdownOf } from "../cli/markdown";
import { reportOf, seenIn, tableOf } from "../cli/report";
import { active, step } from "./helpers/engine-events";

test("nothing that somebody wrote into a label steers a terminal, breaks the table or becomes markup", () => {
	const label = "a|b `c` ``d`` <img src=x> @all [x](https://evil.example)\n\u001b[31m\u009b\u202e";
	const seen = seenIn([step('we|rd "`name`" <b>', { inputs: { label: "x" }, live: { inputs: { label } } })]);
	const report = reportOf(seen, "prod");
	const markdown = markdownOf(report, seen);
	expect((tableOf(report) + markdown).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
	const rows = markdown.split("\n").filter((line) => line.startsWith("|"));
	// Columns are what stands between bars that are not escaped.
	expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual(rows.map(() => 7));
	const outsideCode = markdown.replace(/```[\s\S]*?```/g, "").replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "");
	expect(outsideCode).not.toMatch(/<(?!br>)|@all|\]\(/);
});

test("a diagram of the drifted ones and what they are connected to, in words that Mermaid takes", () => {
	const url = "https://a.example.com/sms";
	const seen = seenIn([
		step('a "quoted" #1;', {
			inputs: { routing: { type: "trunk", trunkId: "id_office" }, smsWebhookUrl: url, label: "x" },
			outputs: active,
			live: { inputs: { label: "y" } },
		}),
		step("office", { type: "SipTrunk" }),
		step("hook", { type: "Webhook", inputs: { url } }),
		...Array.from({ length: 500 }, (_, index) => step(`n${index}`, { outputs: active })),
	]);
	const diagram = /```mermaid\n([\s\S]*?)\n```/.exec(markdownOf(reportOf(seen, "prod"), seen))?.[1] ?? "";
	const lines = diagram.split("\n");
	expect(lines[0]).toBe("flowchart LR");
	const known = [
		/^ {2}subgraph \w+$/,
		/^ {4}\w+\["[^"]+"\]$/,
		/^ {2}end$/,
		/^ {2}n\d+ -->\|\w+\| n\d+$/,
		/^ {2}class n\d+ \w+$/,
		/^ {2}classDef \w+ [\w#:,-]+$/,
	];
	expect(lines.slice(1).filter((line) => !known.some((form) => form.test(line)))).toEqual([]);
	expect(diagram).toContain("a #34;quoted#34; #35;1#59;<br/>+31201234567<br/>changed");
	expect(diagram).toMatch(/n0 -->\|calls\| n38\n {2}n0 -->\|sms\| n39/);
	expect(lines.filter((line) => /^ {4}n\d+\[/.test(line))).toHaveLength(40);
	expect(diagram).toContain('moreNumbers["463 more"]');
});

test("the Markdown of a thousand drifted resources stays under 60,000 characters, and says what it left out", () => {
	const inputs = { label: "x".repeat(150), metadata: { note: "y".repeat(400) } };
	const live = { inputs: { label: "z".repeat(150), metadata: { note: "w".repeat(400) } } };
	const seen = seenIn(Array.from({ length: 1_000 }, (_, index) => step(`number-${index}`, { inputs, live })));
	const report = reportOf(seen, "prod");
	const markdown = markdownOf(report, seen);
	expect(report.resources).toHaveLength(1_000);
	expect(markdown.length).toBeLessThan(60_000);
	expect(markdown.length).toBeGreaterThan(50_000);
	expect(markdown).toMatch(/\n\d+ more are in the JSON report\.\n/);
	expect(markdown).toMatch(/\nThe details of \d+ more are in the JSON report\.\n/);
});
