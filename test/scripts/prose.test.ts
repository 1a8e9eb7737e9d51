import { expect, test } from "vitest";
import { textsOfCode } from "../../scripts/prose/code.mts";

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
