/** Values as people may see them: without secrets, without terminal control characters, and short. */
import { isObject, mapLeaves, mapValues } from "../api/json";

export const masked = "[secret]";

const longest = 200;

/** Never cuts inside a character of two code units. */
const cut = (text: string): string =>
	text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/** Credentials in addresses are secrets too, in any text. The query of a URL may have a token. */
const withoutCredentials = (text: string): string =>
	text
		.replace(/:\/\/[^\s/?#"]+@/g, `://${masked}@`)
		.replace(/(https?:\/\/[^\s"?#]*\?)[^\s"#]+/gi, `$1${masked}`)
		.replace(/(sips?:[^\s:@"]+):[^\s"]+@/gi, `$1:${masked}@`);

/** The value with each text in it cut to at most 200 characters. */
export const shortenedValue = (value: unknown): unknown =>
	mapLeaves(value, (leaf) => (typeof leaf === "string" ? cut(withoutCredentials(leaf)) : leaf));

/** A value as a code span; a backtick within becomes what JavaScript reads as one. */
export const code = (value: unknown): string => `\`${displayed(value).replaceAll("`", "\\u0060")}\``;

/** A name as a code span. */
export const named = (name: string): string => code(name).replace(/^`"|"`$/g, "`");

/** A value in one line of at most 200 characters, without terminal control characters. */
export function displayed(value: unknown): string {
	if (value === undefined || value === null) return "not set";
	if (value === masked) return masked;
	const text = withoutCredentials(JSON.stringify(value)).replaceAll(`"${masked}"`, masked);
	return cut(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`));
}

/** The first items: more would fill the screen. */
export const listed = (items: readonly string[], separator: string, most = 10): string =>
	items.length <= most
		? items.join(separator)
		: `${items.slice(0, most).join(separator)} and ${items.length - most} more`;

/** The first three items, each in a line of its own after a message. */
export function lines(items: readonly string[]): string {
	const first = items.slice(0, 3).map((item) => `\n  ${item}`);
	return `${first.join("")}${items.length > 3 ? `\n  and ${items.length - 3} more` : ""}`;
}

/** Masks all strings except the ones that name a variant. */
export function maskWhole(value: unknown): unknown {
	if (typeof value === "string") return masked;
	if (Array.isArray(value)) return value.map(maskWhole);
	if (!isObject(value)) return value;
	return mapValues(value, (item, key) => (key === "type" || key === "mode" ? item : maskWhole(item)));
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the words with a capital and a full stop. */
export const sentence = (words: string): string => `${capitalized(words)}.`;
