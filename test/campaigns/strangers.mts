/** What somebody may have written whom the state knows nothing of: others, a killed run, the other entry of a replacement. */
import { must } from "./campaign.mts";

export class Strangers {
	readonly #ids = new Set<string>();

	add(ids: Iterable<string>): void {
		for (const id of ids) this.#ids.add(id);
	}

	/** `all` are the ids of what is there. */
	mustBeNamed(said: string, all: readonly string[]): void {
		for (const line of said.split("\n")) {
			if (!/\[telephony:(reference-cleared|another-attempt)\]/.test(line)) continue;
			const id = all.find((each) => line.includes(each));
			must(id === undefined || this.#ids.has(id), () => `nobody but this state has written ${id}: ${line.trim()}`);
		}
	}
}
