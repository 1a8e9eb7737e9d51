/** Types with the contract's limits, and the messages for values beyond them. */
import { expect, test } from "vitest";
import { z } from "zod";
import { canonical } from "../../../provider/properties/form";
import { aCountry, boundsOf, choice, countryForm, seconds, whole } from "../../../provider/properties/limits";
import { e164, isMisspelledE164, numberName, writtenName } from "../../../provider/properties/phone";

const problemsOf = (type: z.ZodType, value: unknown) =>
	type.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

test.each<[z.ZodType, number, number]>([
	[z.number().min(2).max(5), 2, 5],
	[z.number().min(2), 2, Infinity],
	[z.string().min(2).max(5).nullable().optional(), 2, 5],
	[z.string(), 0, Infinity],
	[z.array(z.string()).min(2).max(5), 2, 5],
	[z.array(z.string()).max(5), 0, 5],
	[z.array(z.string()).min(2), 2, Infinity],
])("has the bounds of the contract: %#", (type, least, most) => expect(boundsOf(type)).toEqual({ least, most }));

test("refuses what is beyond a bound, with the bounds", () => {
	const type = whole(z.number().min(1).max(30));
	expect([1, 30].flatMap((value) => problemsOf(type, value))).toEqual([]);
	for (const value of [0, 31, 1.5, "1"])
		expect(problemsOf(type, value)).toContain("must be a whole number from 1 to 30");
	expect(problemsOf(seconds(), 1)).toEqual([]);
	expect(problemsOf(seconds(), 0)).toEqual(["must be at least 1 second"]);
	expect(problemsOf(seconds(), 1.5)).toEqual(["must be a whole number of seconds"]);
});

test("marks an unknown word of a choice, which the service may know", () => {
	const type = choice(z.enum(["udp", "tcp"]).optional());
	const issuesOf = (value: string) => type.safeParse(value).error?.issues;
	expect(["udp", "tcp"].map(issuesOf)).toEqual([undefined, undefined]);
	const message = "must be one of udp, tcp";
	expect(issuesOf("wss")).toMatchObject([{ message, params: { knownValues: ["udp", "tcp"] } }]);
	expect(issuesOf("no word")?.map((issue) => [issue.message, "params" in issue])).toEqual([[message, false]]);
	expect(type.meta()).toEqual({ "x-known-values": ["udp", "tcp"] });
});

test("names the country that is meant", () => {
	expect(problemsOf(aCountry(), "NL")).toEqual([]);
	expect(problemsOf(aCountry(), "nl")).toEqual([expect.stringMatching(/Did you mean NL\?$/)]);
	expect(problemsOf(aCountry(), "Atlantis")).toEqual([expect.stringMatching(/such as NL$/)]);
	expect(canonical(countryForm, " nl ")).toBe("NL");
});

test("asks for the value that a list lacks", () => {
	for (const type of [e164(), numberName("must be a number")]) {
		expect(problemsOf(type, null)).toEqual([expect.stringContaining("leave this property out until then")]);
		expect(problemsOf(type, 7)).not.toEqual([expect.stringContaining("leave this property out until then")]);
	}
});

test.each([
	[" +31 6 12345678 ", "+31612345678", false],
	["+31 6 1234567O", "+31 6 1234567O", true],
	["tel:+31612345678 x", "tel:+31612345678 x", true],
	[" num_01 ", "num_01", false],
	["x+31612345678O", "x+31612345678O", false],
])("finds a number by %j", (text, name, isMisspelled) =>
	expect([writtenName(text), isMisspelledE164(text)]).toEqual([name, isMisspelled]),
);

test.each<[string, string | undefined, unknown[]]>([
	["0612345678", "NL", [expect.stringMatching(/Did you mean \+31612345678\?$/)]],
	["0612345678", undefined, [expect.stringMatching(/such as \+31201234567$/)]],
	["612345678", "NL", [expect.stringMatching(/Did you mean \+31612345678\?$/)]],
	["612345678", undefined, [undefined]],
	["123456", "NL", []],
	["num_0612345678", "NL", []],
])("takes digits for an id unless the country has the number: %s, %s", (text, country, reasons) => {
	const { error } = numberName("must be a number").safeParse(text);
	const found = error?.issues.map((issue) => (issue.code === "custom" ? issue.params?.reason({ country }, {}) : issue));
	expect(found ?? []).toEqual(reasons);
});
