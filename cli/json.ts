/** A command's output as JSON; undefined if it isn't JSON. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
