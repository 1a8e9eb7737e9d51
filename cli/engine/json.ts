import { parseText } from "../../provider/api/json";

/** Parses JSON; undefined if the text isn't JSON. */
export function findJson(text: string): unknown {
	try {
		return parseText(text);
	} catch {
		return undefined;
	}
}
