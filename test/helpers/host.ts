/** The provider's process in tests. */
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import { type Engine, type HostProcess, openEngine, startHost } from "./host-process.mts";
import { type FrontName, InitFailed } from "./protocol.mts";

export type { HostProcess as Host } from "./host-process.mts";
export type { Values } from "./protocol.mts";

/** Returns the partial failure of a create or update. */
export async function initFailureOf(work: Promise<unknown>): Promise<InitFailed> {
	const error = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (error instanceof InitFailed) return error;
	throw new Error("expected an InitFailed", { cause: error });
}

/** Starts provider processes for an engine that only listens. */
export function useHost(front: FrontName = "dynamic") {
	const log: string[] = [];
	let engine: Engine;
	const startEngine = async () => {
		engine = await openEngine((line) => log.push(line));
	};
	beforeEach(() => void log.splice(0));
	beforeAll(startEngine);
	afterAll(() => engine.kill());

	/** The test configures the process. */
	const none = { TELEPHONY_API_KEY: undefined, TELEPHONY_BASE_URL: undefined };
	async function start(env: Readonly<Record<string, string>> = {}): Promise<HostProcess> {
		const host = await startHost(engine, { ...none, ...env }, front);
		onTestFinished(() => host.kill());
		return host;
	}

	let shared: HostProcess | undefined;
	afterAll(() => shared?.kill());

	/** Returns the process that the tests of a file share; each configures it. */
	async function share(): Promise<HostProcess> {
		shared ??= await startHost(engine, none, front);
		return shared;
	}

	/** Replaces the engine by another one with another address. */
	async function killEngine(): Promise<void> {
		engine.kill();
		await startEngine();
	}

	return { log, start, share, killEngine };
}
