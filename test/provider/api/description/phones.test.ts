/** The forms in which services write phone numbers. */
import fc from "fast-check";
import { type CountryCode, getCountries, getCountryCallingCode, getExampleNumber } from "libphonenumber-js/min";
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

test("reads each form of any digits back, whatever the country's plan has", () => {
	const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
	const country = fc.constantFrom(...numbers.map(([country]) => country));
	const any = fc.oneof(
		digits,
		fc.tuple(country, digits).map(([place, rest]) => getCountryCallingCode(place) + rest.slice(0, 8)),
	);
	fc.assert(
		fc.property(any, fc.constantFrom(...phoneForms), country, (number, form, place) => {
			expect(phoneIn(phoneOut(`+${number}`, form, place), form, place)).toBe(`+${number}`);
		}),
		{ numRuns: 5_000 },
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
	["digits", "49 30 1234567 / 8", "DE", "49 30 1234567 / 8"],
	["international", "0049 30 1234567/8", "DE", "0049 30 1234567/8"],
	["national", "030 1234567 / 8", "DE", "030 1234567 / 8"],
	["national", "030 1234567 ext 8", "DE", "030 1234567 ext 8"],
	["digits", "4930123456O", "DE", "4930123456O"],
	["national", "07123456", "CI", "+22507123456"],
	["national", "15512345678", "MX", "+5215512345678"],
	["digits", "22507123456", "CI", "+22507123456"],
] as const)("reads the %s form %s in %s as %s", (form, text, country, expected) => {
	expect(phoneIn(text, form, country as CountryCode | undefined)).toBe(expected);
});
