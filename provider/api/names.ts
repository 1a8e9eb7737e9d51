import { closest, distance } from "fastest-levenshtein";

/** The letters and digits of a name in lower case, to compare names in any spelling. */
export const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9*]/g, "");

/** Returns the known name that was probably meant; undefined if none is close. */
export function closestName(name: string, validNames: readonly string[]): string | undefined {
	const inOtherCase = validNames.find((valid) => valid.toLowerCase() === name.toLowerCase());
	if (inOtherCase !== undefined) return inOtherCase;
	const near = validNames.length > 0 ? closest(name, validNames) : undefined;
	// Short names can differ in every letter within the limit.
	const limit = Math.min(name.length - 1, Math.max(2, name.length / 3));
	return near !== undefined && distance(name, near) <= limit ? near : undefined;
}
