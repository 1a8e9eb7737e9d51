/**
 * The end of a provider process: the engine has exited, a signal arrives, or the engine calls Cancel. Waits end and save
 * the object with its id, nothing more is sent, and the next `up` continues.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Session } from "./session";

const checkEveryMs = 1_000;
/** Failed checks in a row after which the engine counts as exited: if it has answered before, or may still be starting. */
const misses = { answered: 2, never: 5 } as const;
/** Time for calls under way to be answered; to send the last response after a signal (`flush`), or one just before it (`sent`). */
const graceMs = { engineGone: 500, signal: 10_000, flush: 100, sent: 25 } as const;
export const uncaught = ["uncaughtException", "unhandledRejection"] as const;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** Counts the handlers' calls, so that the process can end as soon as they are answered. */
export class Shutdown {
	readonly #session: Session;
	#underWay = 0;
	/** When the last call was answered, by the process's own time. */
	#answeredAt = Number.NEGATIVE_INFINITY;
	#exitCode: number | undefined;
	/** True if the provider may end the process. */
	#isOwnProcess = false;
	#isWatched = false;

	constructor(session: Session) {
		this.#session = session;
		session.track = (work) => this.#track(work);
	}

	/**
	 * Handles signals, the engine's Cancel and the engine's end from now on, and ends the process. Only for a provider that has
	 * the process to itself.
	 */
	takeProcess(): void {
		const session = this.#session;
		this.#isOwnProcess = true;
		this.#followCancel();
		// This listener comes before the one that prints: an error may contain a request's headers.
		for (const event of uncaught)
			process.prependListener(event as "uncaughtException", (error: unknown) => {
				if (error instanceof Error) error.stack = session.secrets.mask(error.stack ?? error.message);
			});
		// The engine may be killed first. The SDK's host then prints each failed print, without end.
		for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
		for (const [signal, number] of Object.entries(signalNumbers)) {
			// A second signal finds no listener, and ends the process at once.
			process.once(signal, () => {
				session.end("the run was interrupted");
				this.#exit(128 + number, graceMs.signal);
			});
		}
	}

	async #track<T>(work: () => Promise<T>): Promise<T> {
		this.#watch();
		this.#underWay += 1;
		try {
			return await work();
		} finally {
			this.#underWay -= 1;
			this.#answeredAt = performance.now();
			if (this.#underWay === 0 && this.#exitCode !== undefined)
				setTimeout(() => process.exit(this.#exitCode), graceMs.flush);
		}
	}

	/** Checks from the first call on. An idle process would otherwise outlive its engine. */
	#watch(): void {
		const { isEngineAlive } = this.#session.progress;
		if (!this.#isOwnProcess || this.#isWatched || isEngineAlive === undefined) return;
		this.#isWatched = true;
		let missed = 0;
		let tolerated: number = misses.never;
		const check = async () => {
			missed += 1;
			if (await isEngineAlive()) {
				missed = 0;
				tolerated = misses.answered;
			}
			if (missed < tolerated) return void setTimeout(check, checkEveryMs).unref();
			this.#session.end("the Pulumi engine exited");
			this.#exit(1, graceMs.engineGone);
		};
		void check();
	}

	#exit(code: number, withinMs: number): void {
		this.#exitCode = code;
		// The engine signals at the end of every run too, when it has all responses, and waits for this process.
		const sent = Math.max(0, this.#answeredAt + graceMs.sent - performance.now());
		setTimeout(() => process.exit(code), this.#underWay === 0 ? sent : withinMs);
	}

	/**
	 * Ends the run at the first Ctrl-C. The engine then calls Cancel, which the SDK's host ignores, but Node 24 reports its
	 * HTTP/2 stream. The engine also calls it at every normal end, when nothing is left to end.
	 */
	#followCancel(): void {
		subscribe("http2.server.stream.start", (message) => {
			const { headers } = message as { headers?: Record<string, unknown> };
			if (headers?.[":path"] === "/pulumirpc.ResourceProvider/Cancel") this.#session.end("the run was cancelled");
		});
	}
}
