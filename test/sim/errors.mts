/** Errors of a run. Stories and promises read their codes and values, so that a message can be reworded. */
import type { ErrorCode } from "../../provider/api/contract.ts";
import type { MessageCode } from "../../provider/api/message-codes.ts";

interface Cause {
	readonly values?: Readonly<Record<string, unknown>>;
	readonly cause?: unknown;
}

/** The engine skips a resource that needs one which failed. */
export class Skipped extends Error {}

export class RunError {
	/** The resource; empty for an error of the whole run. */
	readonly name: string;
	readonly text: string;
	readonly isSkipped: boolean;
	readonly #codes: ReadonlySet<string>;
	readonly #values: Readonly<Record<string, unknown>> | undefined;

	constructor(name: string, error: unknown) {
		this.name = name;
		this.text = error instanceof Error ? error.message : String(error);
		this.isSkipped = error instanceof Skipped;
		this.#codes = new Set([...this.text.matchAll(/\[telephony:([a-z-]+)\]/g)].map(([, code = ""]) => code));
		const { values, cause } = (error ?? {}) as Cause;
		this.#values = values ?? (cause as Cause | undefined)?.values;
	}

	/** True if the error ends with one of these codes. The CLI prints the errors of a run as one text. */
	has(...codes: MessageCode[]): boolean {
		return codes.some((code) => this.#codes.has(code));
	}

	/** True if the service refused a request with one of these codes. */
	hasServiceCode(...codes: ErrorCode[]): boolean {
		return codes.some((code) => this.text.includes(code));
	}

	/** Returns those of the objects that the error names. Only an error from this process carries values. */
	idsAmong(ids: Iterable<string>): string[] {
		const named = this.#values?.ids;
		return [...ids].filter((id) => (Array.isArray(named) ? named.includes(id) : this.text.includes(id)));
	}

	toString(): string {
		return this.name === "" ? this.text : `${this.name}: ${this.text}`;
	}
}
