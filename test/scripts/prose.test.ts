import { expect, test } from "vitest";
import { textsOfCode } from "../../scripts/prose/code.mts";
import { findingsOfPage } from "../../scripts/prose/pages.mts";

test("code has comments, names, messages and titles", () => {
	const code = `
		// Buys
		// a number.
		export function buy(own: string) {
			/** Ends here. */
			warn("buy", own, \`Number \${own.id} was bought.\`);
		}
		test.skip("buys", () => {});
	`;
	expect(textsOfCode("a.ts", code).map(({ kind, text }) => [kind, text])).toEqual([
		["comment", "Buys\na number."],
		["comment", "Ends here."],
		["name", "buy"],
		["name", "own"],
		["message", "Number {id} was bought."],
		["title", "buys"],
	]);
});

test("a page breaks each rule once", () => {
	const page = `# A number is bought

The provider buys it. The number rings. You pay.

- A number is bought, or it is bought by a person.
- Take the old one.

| Number | Effect |
|---|---|
| old | is paid |

\`\`\`sh
echo the number is bought
\`\`\`

> Nothing was bought. [telephony:limit]
`;
	expect(findingsOfPage("a.md", page).map(({ line, rule, text }) => [line, rule, text.replace(/: .*/, "")])).toEqual([
		[3, "chopped", "The provider buys it. The number rings. You pay."],
		[5, "no actor", "is bought"],
		[6, "pronoun one", "old one"],
		[10, "no subject", "is"],
	]);
});

test("a line of code fits its block, and output may be wider", () => {
	const block = (language: string, line: string, indent = "") =>
		`# Code\n\n${indent}\`\`\`${language}\n${indent}${line}\n${indent}\`\`\`\n`;
	const findings = (page: string) => findingsOfPage("a.md", page).map(({ line, rule }) => [line, rule]);
	const wide = "x".repeat(81);
	expect(findings(block("sh", wide))).toEqual([[4, "wide code"]]);
	expect(findings(block("ts", `\t${"x".repeat(79)}`))).toEqual([[4, "wide code"]]);
	expect(findings(block("ts", `\n${"x".repeat(85)}`))).toEqual([[5, "wide code"]]);
	expect(findings(block("ts", "x".repeat(76), "  "))).toEqual([[4, "wide code"]]);
	for (const page of [
		block("sh", "x".repeat(80)),
		block("sh", `\n${"x".repeat(84)}`),
		block("ts", "x".repeat(75), "  "),
		block("text", wide),
		`${wide}\n`,
	])
		expect(findings(page)).toEqual([]);
});

test("a page may have 25 negations in 100 sentences", () => {
	const page = (negated: number) =>
		[...Array(100).keys()]
			.map((index) => `- The provider ${index < negated ? "never buys" : "buys"} a number.`)
			.join("\n");
	expect(findingsOfPage("a.md", page(25))).toEqual([]);
	expect(findingsOfPage("a.md", page(26)).map(({ rule }) => rule)).toEqual(["negations"]);
});
