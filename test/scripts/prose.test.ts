import { describe, expect, test } from "vitest";
import { textsOfCode } from "../../scripts/prose/code.mts";
import { textsOfPage } from "../../scripts/prose/pages.mts";
import { findingsOf } from "../../scripts/prose/rules.mts";

const rulesBroken = (text: string, kind: "page" | "comment" | "title" | "name" = "page") =>
	findingsOf({ kind, line: 1, text }).map(({ rule }) => rule);

describe("the rules of prose", () => {
	test.each([
		["headless sentence", "It reads a list. What it finds is kept."],
		["headless sentence", "The same holds for trunks."],
		["phrase", "The run goes on."],
		["phrase", "The number is gone."],
		["phrase", "A trunk is no number."],
		["long sentence", `${"A number costs rent and ".repeat(7)}.`],
	])("find a %s", (rule, text) => {
		expect(rulesBroken(text)).toEqual([rule]);
	});

	test.each([
		"What happens if the key is wrong?",
		"There is no trunk.",
		"The stack is no longer there, in front of you.",
		"A run reads `what it finds, and goes on` once.",
	])("accept: %s", (text) => {
		expect(rulesBroken(text)).toEqual([]);
	});

	test("limit messages, titles and names", () => {
		expect(findingsOf({ kind: "message", line: 1, text: "Run it. ".repeat(40) }, true)).toMatchObject([
			{ rule: "long message" },
		]);
		expect(rulesBroken("x".repeat(71), "title")).toEqual(["long title"]);
		expect(rulesBroken("told", "name")).toEqual(["vague name"]);
		expect(rulesBroken("toldBy", "name")).toEqual([]);
	});
});

test("a page's prose is read without its code", () => {
	const page = [
		"# Title",
		"One line,",
		"two [lines](a.md).",
		"",
		"```sh",
		"what goes on",
		"```",
		"| a | b `c` |",
		"|---|---|",
	];
	expect(textsOfPage(page.join("\n"))).toEqual([
		{ kind: "page", line: 2, text: "One line, two lines." },
		{ kind: "page", line: 8, text: "a" },
		{ kind: "page", line: 8, text: "b `c`" },
	]);
});

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
