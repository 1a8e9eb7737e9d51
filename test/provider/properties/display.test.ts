/** What messages and drift reports say of a value: never a secret, nothing that a terminal obeys, and not too much. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { code, listed, masked, maskWhole, named, shortenedValue, shown } from "../../../provider/properties/display";

describe("credentials never get into a report", () => {
	test.each([
		["https://user:pa55word@a.example/x?q=1", `https://${masked}@a.example/x?q=1`],
		["http://pa55word@a.example", `http://${masked}@a.example`],
		["see https://u:pa55word@a.example and wss://u:pa55word@b.example", null],
		["sip:desk:pa55word@pbx.example", `sip:desk:${masked}@pbx.example`],
		["SIPS:desk:pa55:word@pbx.example;transport=tls", `SIPS:desk:${masked}@pbx.example;transport=tls`],
		["<sip:a:pa55word@b.example> or <sip:c:pa55word@d.example>", null],
	])("of the address %s", (text, expected) => {
		for (const value of [text, [text], { url: text }, { deep: [{ url: text }] }]) {
			expect(shown(value)).not.toContain("pa55word");
			expect(JSON.stringify(shortenedValue(value))).not.toContain("pa55word");
		}
		if (expected !== null)
			expect({ text: shown(text), shortenedValue: shortenedValue(text) }).toEqual({
				text: JSON.stringify(expected),
				shortenedValue: expected,
			});
	});

	test.each([
		"https://a.example/x@y",
		"https://a.example?to=b@c.example",
		"https://a.example/#@x",
		"sip:desk@pbx.example",
	])("but %s has none, and is shown as it is", (text) =>
		expect({ text: shown(text), shortenedValue: shortenedValue(text) }).toEqual({
			text: `"${text}"`,
			shortenedValue: text,
		}),
	);

	test("of a whole secret object, nothing but which variant it is", () => {
		const auth = { mode: "digest", type: "x", username: "u", password: "p", list: ["a"], port: 5060, none: null };
		expect(maskWhole(auth)).toEqual({
			mode: "digest",
			type: "x",
			username: masked,
			password: masked,
			list: [masked],
			port: 5060,
			none: null,
		});
	});

	test("the mask itself stands without quotes", () => {
		expect([shown(masked), shown({ a: masked, b: [masked] })]).toEqual([masked, `{"a":${masked},"b":[${masked}]}`]);
	});
});

describe("a value in a message", () => {
	test("is one line that a terminal obeys in nothing, whatever it holds", () =>
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (key, text) => {
				for (const each of [text, [text], { [key]: text }])
					expect(shown(each)).toMatch(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u);
			}),
		));

	test("says which invisible sign was in it", () => {
		expect(shown("a\u202eb\u2028\u009b")).toBe('"a\\u{202e}b\\u{2028}\\u{9b}"');
	});

	test("that isn't there is called so", () => {
		expect(shown(undefined)).toBe("not set");
		expect(shown(null)).toBe("not set");
		expect(shown("")).toEqual('""');
		expect(shown(0)).toBe("0");
		expect(shown(false)).toBe("false");
	});

	test("is cut at 200 characters, and not before", () => {
		expect(shortenedValue("x".repeat(200))).toBe("x".repeat(200));
		expect(shortenedValue(["x".repeat(201)])).toEqual([`${"x".repeat(199)}…`]);
		expect(shown("x".repeat(198))).toBe(`"${"x".repeat(198)}"`);
		expect(shown("x".repeat(199))).toBe(`"${"x".repeat(199)}…`.slice(0, 199).concat("…"));
	});

	test("is never cut inside a character", () => {
		for (const before of [196, 197, 198, 199])
			expect(shortenedValue(`${"x".repeat(before)}😀😀`)).not.toMatch(/\p{Cs}/u);
		expect(shortenedValue(`😀${"x".repeat(200)}`)).toBe(`😀${"x".repeat(197)}…`);
	});

	test("keeps its type and its shape", () => {
		for (const value of [1, true, null, undefined, [], {}, { a: [1, { b: "c" }] }])
			expect(shortenedValue(value)).toEqual(value);
	});

	test("can't break out of its code span in Markdown, nor can a name", () => {
		expect(code("a`b")).toEqual('`"a\\u0060b"`');
		expect(code(5)).toBe("`5`");
		expect(named("pbx")).toBe("`pbx`");
		expect(named("a`b")).toBe("`a\\u0060b`");
		expect(named('"a" or "b"')).toBe('`\\"a\\" or \\"b\\"`');
	});

	test("a list names ten, and says how many more there are", () => {
		const items = Array.from({ length: 12 }, (_, n) => `n${n}`);
		expect(listed(items.slice(0, 10), ", ")).toBe(items.slice(0, 10).join(", "));
		expect(listed(items.slice(0, 11), "; ")).toBe(`${items.slice(0, 10).join("; ")} and 1 more`);
		expect(listed(items, ", ")).toMatch(/n9 and 2 more$/);
	});
});
