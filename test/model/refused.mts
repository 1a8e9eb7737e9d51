/** A refusal, as a run prints it. `ids` are those that it names. */
export class Refused extends Error {
	readonly code: string;
	readonly ids: readonly string[];
	constructor(code: string, ids: readonly string[], message = code) {
		super(message);
		[this.code, this.ids] = [code, ids];
	}
}
