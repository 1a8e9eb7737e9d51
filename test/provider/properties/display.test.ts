/** Values in messages and drift reports: never a secret, nothing that a terminal obeys, and short. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	code,
	displayed,
	lines,
	listed,
	masked,
	maskWhole,
	named,
	sentence,
	shortenedValue,
} from "../../../provider/properties/display";

describe("credentials", () => {
	test.each<readonly [string, string]>([
		["https://user:pa55word@a.example/x?q=1", `https://${masked}@a.example/x?${masked}`],
		["https://a.example/x?token=pa55#top", `https://a.example/x?${masked}#top`],
		["http://pa55word@a.example", `http://${masked}@a.example`],
		[
			"see https://u:pa55word@a.example and wss://u:pa55word@b.example",
			`see https://${masked}@a.example and wss://${masked}@b.example`,
		],
		["sip:desk:pa55word@pbx.example", `sip:desk:${masked}@pbx.example`],
		["SIPS:desk:pa55:word@pbx.example;transport=tls", `SIPS:desk:${masked}@pbx.example;transport=tls`],
		[
			"<sip:a:pa55word@b.example> or <sip:c:pa55word@d.example>",
			`<sip:a:${masked}@b.example> or <sip:c:${masked}@d.example>`,
		],
		...["https://a.example/x@y", "https://a.example/?", "https://a.example/#@x", "sip:desk@pbx.example"].map(
			(text) => [text, text] as const,
		),
	])("are masked in %s", (text, expected) => {
		expect([displayed(text), shortenedValue(text)]).toEqual([JSON.stringify(expected), expected]);
		for (const value of [[text], { url: text }, { deep: [{ url: text }] }])
			expect(displayed(value) + JSON.stringify(shortenedValue(value))).not.toContain("pa55");
	});

	test("are masked in a secret object, which keeps its variant", () => {
		const auth = { mode: "digest", type: "x", username: "u", list: ["a"], port: 5060, none: null };
		expect(maskWhole(auth)).toEqual({ ...auth, username: masked, list: [masked] });
		expect([displayed(masked), displayed({ a: masked, b: [masked] })]).toEqual([
			masked,
			`{"a":${masked},"b":[${masked}]}`,
		]);
	});
});

describe("a value in a message", () => {
	test("is one line without terminal control characters", () =>
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (key, text) => {
				for (const value of [text, [text], { [key]: text }])
					expect(displayed(value)).toMatch(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u);
			}),
		));

	test.each([
		["a\u202eb\u2028\u009b", '"a\\u{202e}b\\u{2028}\\u{9b}"'],
		[undefined, "not set"],
		[null, "not set"],
		["", '""'],
		[0, "0"],
		[false, "false"],
		["x".repeat(198), `"${"x".repeat(198)}"`],
		["x".repeat(199), `"${"x".repeat(198)}…`],
	])("is shown: %j", (value, text) => expect(displayed(value)).toBe(text));

	test.each<readonly [unknown, unknown]>([
		["x".repeat(200), "x".repeat(200)],
		[["x".repeat(201)], [`${"x".repeat(199)}…`]],
		[`😀${"x".repeat(200)}`, `😀${"x".repeat(197)}…`],
		[`${"x".repeat(198)}😀😀`, `${"x".repeat(198)}…`],
		...[1, true, null, undefined, [], {}, { a: [1, { b: "c" }] }].map((value) => [value, value] as const),
	])("keeps its shape when it is shortened: %j", (value, short) => expect(shortenedValue(value)).toEqual(short));

	test("stays in its code span in Markdown", () => {
		expect([code("a`b"), code(5)]).toEqual(['`"a\\u0060b"`', "`5`"]);
		expect([named("pbx"), named("a`b"), named('"a" or "b"')]).toEqual(["`pbx`", "`a\\u0060b`", '`\\"a\\" or \\"b\\"`']);
	});

	test.each([
		[10, "", "; "],
		[11, " and 1 more", "; "],
		[12, " and 2 more", ", "],
	])("names the first ten of a list of %i", (count, rest, separator) => {
		const items = Array.from({ length: count }, (_, n) => `n${n}`);
		expect(listed(items, separator)).toBe(items.slice(0, 10).join(separator) + rest);
	});

	test.each([
		[3, ""],
		[4, "\n  and 1 more"],
		[5, "\n  and 2 more"],
	])("has the first three of %i items in lines of their own", (count, rest) => {
		const items = Array.from({ length: count }, (_, n) => `n${n}`);
		expect(lines(items)).toBe(`\n  n0\n  n1\n  n2${rest}`);
	});

	test("is a sentence with a capital and a full stop", () => expect(sentence("buys a number")).toBe("Buys a number."));
});
