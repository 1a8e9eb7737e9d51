/**
 * How a provider process ends: when its engine is gone, by a signal, or when the engine calls Cancel. Waits end as what
 * is saved with its id, nothing more is sent, and the next `up` goes on.
 */
import { subscribe } from "node:diagnostics_channel";
import type { Session } from "./session";

const checkEveryMs = 1_000;
/** In a row: of an engine that has answered before, and of one that may be slow to begin. */
const misses = { answered: 2, never: 5 } as const;
/** For what is under way to be answered, and the answers to leave. */
const graceMs = { engineGone: 500, signal: 10_000, flush: 100 } as const;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/** Handlers whose calls are counted, so that the process can end as soon as they are answered. */
export class Shutdown {
	readonly #session: Session;
	#underWay = 0;
	#exitCode: number | undefined;
	/** Whether the process is ours to end. */
	#isOurs = false;
	#watched = false;

	constructor(session: Session) {
		this.#session = session;
	}

	/**
	 * From now on signals, the engine's Cancel and its end are ours to see to, and the process ends with them. For a front
	 * that has the process for itself, and for no other.
	 */
	takeProcess(): void {
		const session = this.#session;
		this.#isOurs = true;
		endOnCancel(session);
		for (const [signal, number] of Object.entries(signalNumbers)) {
			// The second one finds no listener, and ends the process at once.
			process.once(signal, () => {
				session.end("the run was interrupted");
				this.#exit(128 + number, graceMs.signal);
			});
		}
	}

	/** The same handler; what it does is waited for at the end. */
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
			if (this.#underWay === 0 && this.#exitCode !== undefined) this.#exit(this.#exitCode, graceMs.flush);
		}
	}

	/** Asks from the first call on, as an idle process would otherwise outlive its engine for ever. */
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
			this.#session.end("the Pulumi engine is gone");
			this.#exit(1, graceMs.engineGone);
		};
		void check();
	}

	#exit(code: number, withinMs: number): void {
		this.#exitCode = code;
		setTimeout(() => process.exit(code), this.#underWay === 0 ? graceMs.flush : withinMs);
	}
}

/**
 * At the first Ctrl-C the engine calls Cancel, which the SDK's host ignores; this process can see it all the same, where
 * Node tells of HTTP/2 streams (24 does). It is also called at every normal end, when there is nothing left to end.
 */
function endOnCancel(session: Session): void {
	subscribe("http2.server.stream.start", (message) => {
		const { headers } = message as { headers?: Record<string, unknown> };
		if (headers?.[":path"] === "/pulumirpc.ResourceProvider/Cancel") session.end("the run was cancelled");
	});
}
