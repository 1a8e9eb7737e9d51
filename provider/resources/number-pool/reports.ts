/** What is reported of a pool's numbers, gathered: a pool may have ten thousand, and the engine shows one line for it. */
import type { MessageCode } from "../../api/message-codes";
import type { Reports } from "../../session/progress";

/** How many are described in full; the others are only named. */
const inFull = 3;

export class Gathered {
	readonly #progress: Reports;
	readonly #urn: string;
	readonly #warnings = new Map<MessageCode, { readonly what: string; readonly text: string }[]>();
	#told = false;

	constructor(progress: Reports, urn: string) {
		this.#progress = progress;
		this.#urn = urn;
	}

	/** Takes what is reported of one number. `what` names it. */
	of(what: string): Reports {
		const { status } = this.#progress;
		return {
			...this.#progress,
			status: (_, text) => status(this.#urn, `${what}: ${text}`),
			warn: (_, code, text) => {
				// Of work that goes on after the operation.
				if (this.#told) this.#progress.warn(this.#urn, code, `${what}: ${text}`);
				else this.#warnings.set(code, [...(this.#warnings.get(code) ?? []), { what, text }]);
			},
		};
	}

	tell(): void {
		this.#told = true;
		for (const [code, said] of this.#warnings) {
			const texts = said.slice(0, inFull).map(({ what, text }) => `${what}: ${text}`);
			const others = said.slice(inFull).map(({ what }) => what);
			const more = others.length === 0 ? [] : [`This also applies to ${others.join(", ")}.`];
			this.#progress.warn(this.#urn, code, [...texts, ...more].join(" "));
		}
	}
}
