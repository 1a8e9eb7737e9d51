/** The Markdown of a report and its diagram: whole, short enough, and nobody's markup but ours. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownOf } from "../../cli/markdown";
import { reportOf, seenIn } from "../../cli/report";
import { tableOf } from "../../cli/table";
import { active, origin, pending, secret, step, warning } from "../helpers/engine-events";

const withoutFences = (markdown: string) => markdown.replace(/^```mermaid\n[\s\S]*?\n```$/gm, "");
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
			...["```", "end", "1. ", "\\|", "%%", "--> x", "click n0", "&#64;all", "\ud83d", "__proto__", "constructor"],
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
				step(`${each}${index}l`, { outputs: { ...active, number: other }, live: null }),
				step(`${each}${index}w`, { type: "Webhook", inputs: { url: "https://a.example.com/" }, live: null }),
			];
		}),
	);

test("whatever stands in names, labels, keys and reasons: nobody is mentioned, nothing is markup, no table breaks", () => {
	fc.assert(
		fc.property(drifted, (events) => {
			const seen = seenIn(events);
			const report = reportOf(seen, "prod", origin);
			const [markdown, table] = [markdownOf(report, seen), tableOf(report)];
			expect((markdown + table).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
			expect(table.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(report.resources.length + 1);
			expect(markdown.match(/^```/gm)).toHaveLength(2);
			for (const line of withoutFences(markdown).split("\n")) {
				// A bar that is the table's has an even number of backslashes before it.
				const bars = line.match(/(?<!\\)(\\\\)*\|/g) ?? [];
				if (line.startsWith("|")) expect([bars.length, line]).toEqual([6, line]);
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
			const nodes = /```mermaid\n([\s\S]*?)\n```/.exec(markdown)?.[1]?.match(/^ {4}\w+\[.*$/gm) ?? [];
			for (const node of nodes) {
				const label = /^ {4}[nx]\d+\["([^"`<>]+(<br\/>[^"`<>]+)*)"\]$/.exec(node)?.[1] ?? `unreadable ${node}`;
				expect(label).not.toMatch(/^unreadable|^\s*([-+*]|\d+[.)])\s|[@;](?<!#\d+;)/);
			}
		}),
		{ numRuns: 200 },
	);
});

test("nothing that somebody wrote into a label steers a terminal, breaks the table or becomes markup", () => {
	const label = "a|b `c` ``d`` <img src=x> @all [x](https://evil.example)\n\u001b[31m\u009b\u202e";
	const seen = seenIn([step('we|rd "`name`" <b>', { inputs: { label: "x" }, live: { inputs: { label } } })]);
	const report = reportOf(seen, "prod", origin);
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
	const diagram = /```mermaid\n([\s\S]*?)\n```/.exec(markdownOf(reportOf(seen, "prod", origin), seen))?.[1] ?? "";
	const lines = diagram.split("\n");
	expect(lines[0]).toBe("flowchart LR");
	const known = [
		/^ {2}subgraph \w+$/,
		/^ {4}\w+\["[^"]+"\]$/,
		/^ {2}end$/,
		/^ {2}n\d+ (-->|-\.->|==>)\|[\w ]+\| [nx]\d+$/,
		/^ {2}class n\d+ \w+$/,
		/^ {2}classDef \w+ [\w#:,-]+$/,
	];
	expect(lines.slice(1).filter((line) => !known.some((form) => form.test(line)))).toEqual([]);
	expect(diagram).toContain("a #34;quoted#34; #35;1#59;<br/>+31201234567<br/>changed");
	expect(diagram).toMatch(/n0 -->\|calls\| n38\n {2}n0 -->\|sms\| n39/);
	expect(lines.filter((line) => /^ {4}n\d+\[/.test(line))).toHaveLength(40);
	expect(diagram).toContain('moreNumbers["463 more"]');
});

test("the diagram shows where a number's calls and messages go now, and where they should", () => {
	const url = "https://hooks.example.com/sms";
	const routing = { type: "trunk", trunkId: "id_office", failover: { type: "forward", to: "+31201" } };
	const number = (name: string, live: Record<string, unknown>) =>
		step(name, { inputs: { routing, smsWebhookUrl: url }, outputs: active, live: { inputs: live } });
	const diagram = (...events: ReturnType<typeof step>[]) => {
		const seen = seenIn([
			...events,
			step("office", { type: "SipTrunk" }),
			step("spare", { type: "SipTrunk" }),
			step("hook", { type: "Webhook", inputs: { url } }),
		]);
		return /```mermaid\n([\s\S]*?)\n```/.exec(markdownOf(reportOf(seen, "prod", origin), seen))?.[1] ?? "";
	};
	const hijacked = diagram(
		number("a", {
			routing: { type: "forward", to: "+3225550123" },
			smsWebhookUrl: "https://user:hunter2@evil.example/",
		}),
	);
	const arrows = (text: string) => text.split("\n").filter((line) => /[-=]>\|/.test(line));
	expect(arrows(hijacked)).toEqual([
		"  n0 -.->|calls declared| n1",
		"  n0 ==>|calls now| x0",
		"  n0 ==>|failover now| x1",
		"  n0 -.->|sms declared| n3",
		"  n0 ==>|sms now| x2",
	]);
	expect(hijacked).toMatch(
		/subgraph Elsewhere\n {4}x0\["#43;3225550123"\]|subgraph Elsewhere\n {4}x0\["\+3225550123"\]/,
	);
	expect(hijacked).toContain('x1["nowhere"]');
	expect(hijacked).not.toContain("hunter2");
	expect(hijacked).toContain("class x0 elsewhere");
	expect(arrows(diagram(number("a", { routing: { ...routing, trunkId: "id_spare" } })))).toEqual([
		"  n0 -.->|calls declared| n1",
		"  n0 ==>|calls now| n2",
		"  n0 -->|sms| n3",
	]);
	// What differs otherwise leads nowhere else, and what is gone leads nowhere now.
	expect(arrows(diagram(number("a", { routing: { ...routing, ringTimeoutSeconds: 9 } })))).toEqual([
		"  n0 -->|calls| n1",
		"  n0 -->|sms| n3",
	]);
});

test("where nothing of a stack is left, the first thing said is that this may be the wrong account", () => {
	const gone = [step("a", { outputs: active, live: null }), step("office", { type: "SipTrunk", live: null })];
	const markdown = (...events: typeof gone) => markdownOf(reportOf(seenIn(events), "prod", origin), seenIn(events));
	expect(markdown(...gone).split("\n")[4]).toMatch(/^Nothing of this stack is on the account\. Do the API key and the/);
	expect(markdown(...gone, step("b", { outputs: active }))).not.toContain("Nothing of this stack");
	expect(markdown(...gone.slice(0, 1))).not.toContain("Nothing of this stack");
});

test("the Markdown of a thousand drifted resources stays under 60,000 characters, and says what it left out", () => {
	const inputs = { label: "x".repeat(150), metadata: { note: "y".repeat(400) } };
	const live = { inputs: { label: "z".repeat(150), metadata: { note: "w".repeat(400) } } };
	const seen = seenIn(Array.from({ length: 1_000 }, (_, index) => step(`number-${index}`, { inputs, live })));
	const report = reportOf(seen, "prod", origin);
	const markdown = markdownOf(report, seen);
	expect(report.resources).toHaveLength(1_000);
	expect(markdown.length).toBeLessThan(60_000);
	expect(markdown.length).toBeGreaterThan(50_000);
	expect(markdown).toMatch(/\n\d+ more are in the JSON report\.\n/);
	expect(markdown).toMatch(/\nThe details of \d+ more are in the JSON report\.\n/);
});
