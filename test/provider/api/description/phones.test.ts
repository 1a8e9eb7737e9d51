/** The forms in which services write phone numbers. */
import fc from "fast-check";
import { type CountryCode, getCountries, getExampleNumber } from "libphonenumber-js/min";
import examples from "libphonenumber-js/mobile/examples";
import { expect, test } from "vitest";
import { phoneForms, phoneIn, phoneOut } from "../../../../provider/api/description/phones";

const numbers = getCountries().flatMap((country) => {
	const number = getExampleNumber(country, examples)?.number;
	return number === undefined ? [] : [[country, number] as const];
});
const numberOfCountry = fc.constantFrom(...numbers);

test("reads each form of a number back", () => {
	fc.assert(
		fc.property(numberOfCountry, fc.constantFrom(...phoneForms), ([country, number], form) => {
			expect(phoneIn(phoneOut(number, form, country), form, country)).toBe(number);
		}),
		{ numRuns: 1_000 },
	);
});

test("reads a number with a plus or 00, spaces and dashes in any form", () => {
	const separator = fc.constantFrom("", " ", "-", ".");
	fc.assert(
		fc.property(numberOfCountry, fc.constantFrom(...phoneForms), separator, ([country, number], form, between) => {
			const spelled = [number.slice(0, 4), number.slice(4)].join(between);
			for (const text of [spelled, spelled.replace("+", "00")]) expect(phoneIn(text, form, country)).toBe(number);
		}),
	);
});

test("never writes a number of another country without its country code", () => {
	fc.assert(
		fc.property(numberOfCountry, numberOfCountry, ([, number], [country]) => {
			const written = phoneOut(number, "national", country);
			expect(phoneIn(written, "national", country)).toBe(number);
		}),
		{ numRuns: 1_000 },
	);
});

test.each([
	["digits", "31 20-123 4567", "NL", "+31201234567"],
	["international", "0031201234567", "NL", "+31201234567"],
	["national", "020 123 4567", "NL", "+31201234567"],
	["national", "201234567", "NL", "+31201234567"],
	["national", "201234567", undefined, "201234567"],
	["digits", "anonymous", "NL", "anonymous"],
] as const)("reads the %s form %s in %s as %s", (form, text, country, expected) => {
	expect(phoneIn(text, form, country as CountryCode | undefined)).toBe(expected);
});
