/** The provider's process in a test. */
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import { type Engine, type HostProcess, InitFailed, openEngine, startHost } from "./host-process.mts";

export type { HostProcess as Host, Values } from "./host-process.mts";

/** The failure that says: created, but not as wanted. */
export async function initFailureOf(work: Promise<unknown>): Promise<InitFailed> {
	const error = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error instanceof InitFailed) return error;
	throw new Error("expected an InitFailed", { cause: error });
}

/** An engine that only listens, and how to start a host for it. */
export function useHost() {
	const log: string[] = [];
	let engine: Engine;
	const startEngine = async () => {
		engine = await openEngine((line) => log.push(line));
	};
	beforeEach(() => void log.splice(0));
	beforeAll(startEngine);
	afterAll(() => engine.kill());

	/** Configured by the test, not by its environment. */
	async function start(env: Readonly<Record<string, string>> = {}): Promise<HostProcess> {
		const host = await startHost(engine, { TELEPHONY_API_KEY: undefined, TELEPHONY_BASE_URL: undefined, ...env });
		onTestFinished(() => host.kill());
		return host;
	}

	/** As if the engine were killed. The next one has another address. */
	async function killEngine(): Promise<void> {
		engine.kill();
		await startEngine();
	}

	return { log, start, killEngine };
}
