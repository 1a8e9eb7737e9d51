import { parseText } from "../provider/api/json";

/** A command's output as JSON; undefined if it isn't JSON. */
export function parsed(text: string): unknown {
	try {
		return parseText(text);
	} catch {
		return undefined;
	}
}
