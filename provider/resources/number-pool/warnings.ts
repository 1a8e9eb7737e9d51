/** Gathers the warnings of a pool's numbers: a pool may have ten thousand, and the engine shows one line for it. */
import type { MessageCode } from "../../api/message-codes";
import type { Reports } from "../../session/progress";

/** The most numbers that a warning describes. It only names the others. */
const mostDescribed = 3;

export class WarningDigest {
	readonly #progress: Reports;
	readonly #urn: string;
	readonly #warnings = new Map<MessageCode, { readonly name: string; readonly text: string }[]>();

	constructor(progress: Reports, urn: string) {
		this.#progress = progress;
		this.#urn = urn;
	}

	/** Takes the reports of one number. */
	of(name: string): Reports {
		const { status } = this.#progress;
		return {
			...this.#progress,
			status: (_, text) => status(this.#urn, `${name}: ${text}`),
			warn: (_, code, text) => {
				this.#warnings.set(code, [...(this.#warnings.get(code) ?? []), { name, text }]);
			},
		};
	}

	print(): void {
		for (const [code, all] of this.#warnings) {
			const texts = all.slice(0, mostDescribed).map(({ name, text }) => `${name}: ${text}`);
			const others = all.slice(mostDescribed).map(({ name }) => name);
			const more = others.length === 0 ? [] : [`This also applies to ${others.join(", ")}.`];
			this.#progress.warn(this.#urn, code, [...texts, ...more].join(" "));
		}
	}
}
