import type { EngineEvent } from "./engine";

/** Progress on stderr: in a terminal a line that changes, elsewhere one line every ten seconds. */
export class ProgressLine {
	readonly #what: string;
	readonly #started = Date.now();
	readonly #timer: NodeJS.Timeout;
	#read = 0;

	constructor(what: string) {
		this.#what = what;
		if (!process.stderr.isTTY) process.stderr.write(`${what} …\n`);
		this.#timer = setInterval(() => this.#print(), process.stderr.isTTY ? 200 : 10_000);
	}

	see({ resOutputsEvent }: EngineEvent): void {
		if (resOutputsEvent?.metadata.type.includes("telephony:")) this.#read += 1;
	}

	end(): void {
		clearInterval(this.#timer);
		if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
	}

	#print(): void {
		const seconds = Math.round((Date.now() - this.#started) / 1000);
		const text = `${this.#what}: ${this.#read} resources, ${seconds} s`;
		process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
	}
}
