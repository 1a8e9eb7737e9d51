/** What a parser or a schema would drop or change without a word: it is refused, never half stored. */
import type { FieldProblem } from "./errors";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Deeper than any body should be, and far below the depth where a recursion would fail. */
export const deepest = 100;

export const isDeeper = (value: unknown, levels = deepest): boolean =>
	isObject(value) && (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

/** With the flag `u`, a pair is one character: this finds halves only. */
const halfCharacter = /\p{Surrogate}/u;
const half = "half a character (a lone surrogate), which UTF-8 can't hold";

/** The values that could not be kept as they were sent, by their fields. */
export const unkeepable = (value: unknown, field = ""): FieldProblem[] => {
	if (typeof value === "string") {
		return halfCharacter.test(value) ? [{ field: field === "" ? "body" : field, message: `has ${half}` }] : [];
	}
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, part]) => {
		const its = field === "" ? name : `${field}.${name}`;
		if (name === "__proto__") return [{ field: its, message: "unknown field" }];
		if (halfCharacter.test(name))
			return [{ field: field === "" ? "body" : field, message: `a name in it has ${half}` }];
		return unkeepable(part, its);
	});
};

const countNames = (value: unknown): number => {
	if (!isObject(value)) return 0;
	const parts = Object.values(value);
	const own = Array.isArray(value) ? 0 : parts.length;
	return parts.reduce<number>((sum, part) => sum + countNames(part), own);
};

const isEscaped = (json: string, quote: number): boolean => {
	let first = quote;
	while (json[first - 1] === "\\") first -= 1;
	return (quote - first) % 2 === 1;
};

/** Whether an object of the JSON gives a name twice: of those, a parser keeps the last only. */
export const repeatsNames = (json: string, parsed: unknown): boolean => {
	const colon = /[\t\n\r ]*:/y;
	let names = 0;
	for (let quote = json.indexOf('"'); quote >= 0; quote = json.indexOf('"', quote + 1)) {
		do quote = json.indexOf('"', quote + 1);
		while (isEscaped(json, quote));
		colon.lastIndex = quote + 1;
		if (colon.test(json)) names += 1;
	}
	return names !== countNames(parsed);
};
