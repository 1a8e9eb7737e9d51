/**
 * How a provider process ends: its engine is gone, a signal arrives, or the engine calls Cancel. Waits end and save the
 * object with its id, nothing more is sent, and the next `up` continues.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Session } from "./session";

const checkEveryMs = 1_000;
/** Failed checks in a row before the engine counts as gone: if it has answered before, or may still be starting. */
const misses = { answered: 2, never: 5 } as const;
/** Time for calls under way to be answered, and for the answers to be sent. */
const graceMs = { engineGone: 500, signal: 10_000, flush: 100, sent: 10 } as const;
/** An error that nobody caught, thrown or as a rejection. */
export const uncaught = ["uncaughtException", "unhandledRejection"] as const;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** Counts the handlers' calls, so that the process can end as soon as they are answered. */
export class Shutdown {
	readonly #session: Session;
	#underWay = 0;
	/** The engine's calls whose answers aren't sent yet, but for those that began before this did. */
	readonly #unsent = new Set<unknown>();
	/** When the last answer was sent; a Node that doesn't report HTTP/2 streams never tells. */
	#sentAt = Number.NEGATIVE_INFINITY;
	/** When the last answer was given, by the process's own time. */
	#answeredAt = Number.NEGATIVE_INFINITY;
	#exitCode: number | undefined;
	/** Whether the process is ours to end. */
	#isOurs = false;
	#watched = false;

	constructor(session: Session) {
		this.#session = session;
	}

	/**
	 * From now on, signals, the engine's Cancel and the engine's end are handled here, and end the process. Only for a
	 * front that has the process to itself.
	 */
	takeProcess(): void {
		const session = this.#session;
		this.#isOurs = true;
		this.#followCalls();
		// Before whoever prints it: an agent or a library may have put a request's headers into its error.
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

	/** The same handler, with its calls counted, so that the end waits for them. */
	tracking<H extends object>(handler: H): H {
		const methods = Object.entries(handler as Record<string, (...args: unknown[]) => Promise<unknown>>);
		return Object.fromEntries(
			methods.map(([name, method]) => [name, (...args: unknown[]) => this.#track(() => method(...args))]),
		) as H;
	}

	async #track<T>(work: () => Promise<T>): Promise<T> {
		this.#watch();
		this.#underWay += 1;
		try {
			return await work();
		} finally {
			this.#underWay -= 1;
			this.#answeredAt = performance.now();
			if (this.#underWay === 0 && this.#exitCode !== undefined) this.#exit(this.#exitCode, graceMs.flush);
		}
	}

	/** Checks from the first call on, as an idle process would otherwise outlive its engine for ever. */
	#watch(): void {
		const { isEngineAlive } = this.#session.progress;
		if (!this.#isOurs || this.#watched || isEngineAlive === undefined) return;
		this.#watched = true;
		let missed = 0;
		let tolerated: number = misses.never;
		const check = async () => {
			missed += 1;
			if (await isEngineAlive()) [missed, tolerated] = [0, misses.answered];
			if (missed < tolerated) return void setTimeout(check, checkEveryMs).unref();
			this.#session.end("the Pulumi engine exited");
			this.#exit(1, graceMs.engineGone);
		};
		void check();
	}

	#exit(code: number, withinMs: number): void {
		this.#exitCode = code;
		// The engine signals at the end of every run too, and waits for this process.
		const flushed = Math.max(0, this.#answeredAt + graceMs.flush - performance.now());
		setTimeout(() => process.exit(code), this.#underWay === 0 ? flushed : withinMs);
		this.#exitOnceSent();
	}

	#exitOnceSent(): void {
		if (this.#exitCode === undefined || this.#underWay > 0 || this.#unsent.size > 0) return;
		// Not at once: a call that began before this did may be answered in the same moment, and isn't followed.
		if (this.#sentAt >= this.#answeredAt) setTimeout(() => process.exit(this.#exitCode), graceMs.sent);
	}

	/**
	 * At the first Ctrl-C the engine calls Cancel, which the SDK's host ignores. This process can still see it if Node
	 * reports HTTP/2 streams (24 does). The engine also calls it at every normal end, when there is nothing left to end.
	 */
	#followCalls(): void {
		subscribe("http2.server.stream.start", (message) => {
			const { stream, headers } = message as { stream: unknown; headers?: Record<string, unknown> };
			this.#unsent.add(stream);
			if (headers?.[":path"] === "/pulumirpc.ResourceProvider/Cancel") this.#session.end("the run was cancelled");
		});
		subscribe("http2.server.stream.close", (message) => {
			this.#unsent.delete((message as { stream: unknown }).stream);
			this.#sentAt = performance.now();
			this.#exitOnceSent();
		});
	}
}
