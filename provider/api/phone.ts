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
	const spelled = visible.replace(separators, "");
	const number = spelled.replace(trunkZero, "$1").replace(/\(([\d+]+)\)/g, "$1");
	if (!/\d$/.test(visible) || !/^\+?\d+$/.test(number)) return undefined;
	if (!spelled.includes("(0)")) return number;
	// Italian numbers, for example, keep the zero.
	const dialed = numberingPlans().parsePhoneNumberFromString(`+${spelled.replace(/\D/g, "")}`)?.number;
	return trunkZero.test(spelled) && dialed === `+${number.replace("+", "")}` ? number : undefined;
}
