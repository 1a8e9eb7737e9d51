/** Phone numbers as people and services write them: digits, one leading plus, and the usual separators. */

/** Numbering plans. Loaded when needed: their table would slow down the start of every process. */
export const numberingPlans = () => require("libphonenumber-js/min") as typeof import("libphonenumber-js/min");

/** Characters that pages and address books put around a number, none of which changes the order in which people read it. */
const invisible = /[\u00ad\u200b-\u200e\u2060\u202a\u202c\u202d\u2066\u2068\u2069\ufeff]/g;

/** Blanks, hyphens, the en dash, the minus sign and dots. Longer dashes stand between two numbers. */
const separators = /[\t\p{Zs}\u2010-\u2013\u2212.-]/gu;

/** A country code with a zero in parentheses after it, which callers from other countries don't dial. */
const trunkZero = /^(\(?\+?\d{1,3}\)?)\(0\)(?=[\d(])/;

/**
 * Returns the digits, after a plus if there is one. Returns undefined for any other text, such as letters, an extension,
 * or several numbers. No digit is dropped, except a `(0)` after the country code where the country's callers dial it.
 */
export function digitsOf(text: string): string | undefined {
	const visible = text.replace(invisible, "").trim();
	if (!/\d$/.test(visible)) return undefined;
	const spelled = visible.replace(separators, "");
	const written = spelled.replace(trunkZero, "$1");
	const number = withoutSlash(written.replace(/\(([\d+]+)\)/g, "$1"));
	if (number === undefined || !/^\+?\d+$/.test(number)) return undefined;
	const isPlain = !spelled.includes("(0)");
	return isPlain || isTrunkZero(spelled, number) ? number : undefined;
}

/** True if the numbering plan drops the zero in parentheses. Italian numbers, for example, keep it. */
function isTrunkZero(spelled: string, number: string): boolean {
	const dialed = spelled.replace(/\D/g, "");
	return (
		trunkZero.test(spelled) &&
		numberingPlans().parsePhoneNumberFromString(`+${dialed}`)?.number === `+${number.replace("+", "")}`
	);
}

/**
 * Joins the two parts of `+49 30/1234567`, where the slash ends the area code. In `+49 30 1234567/8` it stands between two
 * numbers, or their last digits: the second part has more digits than the area only in the first case.
 */
function withoutSlash(number: string): string | undefined {
	const [start = "", rest, ...more] = number.split("/");
	if (rest === undefined) return number;
	const code = number.startsWith("+")
		? (numberingPlans().parsePhoneNumberFromString(start + rest)?.countryCallingCode ?? "")
		: "";
	const area = start.replace("+", "").slice(code.length);
	const isArea = area !== "" && rest.length > area.length && !rest.startsWith("0") && more.length === 0;
	return isArea ? start + rest : undefined;
}
