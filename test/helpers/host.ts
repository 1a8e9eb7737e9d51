/** The provider's process in a test. */
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import { type Engine, type HostProcess, openEngine, startHost } from "./host-process.mts";
import { type FrontName, InitFailed } from "./protocol.mts";

export type { HostProcess as Host } from "./host-process.mts";
export type { Values } from "./protocol.mts";

/** The failure that says: created, but not as wanted. */
export async function initFailureOf(work: Promise<unknown>): Promise<InitFailed> {
	const error = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error instanceof InitFailed) return error;
	throw new Error("expected an InitFailed", { cause: error });
}

/** An engine that only listens, and how to start a front's process for it. */
export function useHost(front: FrontName = "dynamic") {
	const log: string[] = [];
	let engine: Engine;
	const startEngine = async () => {
		engine = await openEngine((line) => log.push(line));
	};
	beforeEach(() => void log.splice(0));
	beforeAll(startEngine);
	afterAll(() => engine.kill());

	/** Configured by the test, not by its environment. */
	const none = { TELEPHONY_API_KEY: undefined, TELEPHONY_BASE_URL: undefined };
	async function start(env: Readonly<Record<string, string>> = {}): Promise<HostProcess> {
		const host = await startHost(engine, { ...none, ...env }, front);
		onTestFinished(() => host.kill());
		return host;
	}

	let shared: HostProcess | undefined;
	afterAll(() => shared?.kill());

	/** The same process for all tests of a file that configure it anew, and don't end what it does. */
	async function share(): Promise<HostProcess> {
		shared ??= await startHost(engine, none, front);
		return shared;
	}

	/** As if the engine were killed. The next one has another address. */
	async function killEngine(): Promise<void> {
		engine.kill();
		await startEngine();
	}

	return { log, start, share, killEngine };
}
