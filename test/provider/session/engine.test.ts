/** How a provider process knows whether its engine is alive, whatever proxy the environment names. */

import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { engineProgress, type Progress } from "../../../provider/session/progress";
import { openEngine } from "../../helpers/host-process.mts";
import { startRefusingProxy } from "../../helpers/refusing-proxy";

afterEach(() => vi.unstubAllEnvs());

async function startEngine(log: string[] = []) {
	const engine = await openEngine((line) => log.push(line));
	onTestFinished(() => engine.kill());
	return engine;
}

const isAlive = ({ isEngineAlive }: Progress) => isEngineAlive?.();

/** A server that accepts connections and never sends a byte, as a stopped engine does. */
async function startSilentServer(): Promise<{ server: Server; address: string }> {
	const server = createServer();
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	onTestFinished(() => void server.close());
	return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("the engine", () => {
	test("is alive while it answers, and gone once its process has ended", async () => {
		const log: string[] = [];
		const engine = await startEngine(log);
		const progress = engineProgress(engine.address);
		expect(await isAlive(progress)).toBe(true);
		progress.warn("", "heard");
		await vi.waitFor(() => expect(log).toEqual(["heard"]));
		expect(await isAlive(progress)).toBe(true);
		engine.kill();
		await vi.waitFor(async () => expect(await isAlive(progress)).toBe(false));
	});

	test("is alive while it accepts connections, however slowly it answers", async () => {
		const { address } = await startSilentServer();
		const progress = engineProgress(address);
		for (const _ of [1, 2, 3]) expect(await isAlive(progress)).toBe(true);
	});

	test("is gone if nothing listens at its address", async () => {
		const { server, address } = await startSilentServer();
		await new Promise((closed) => server.close(closed));
		expect(await isAlive(engineProgress(address))).toBe(false);
	});
});

test.each([
	["no exception", {}],
	["an exception with a space", { no_proxy: "localhost, 127.0.0.1" }],
	["an exception for another host", { no_grpc_proxy: "service.invalid" }],
	["a proxy for gRPC", { grpc_proxy: "$http_proxy", no_proxy: "127.0.0.1 " }],
])("warnings reach the engine directly, with a proxy and %s", async (_, changes) => {
	const proxy = await startRefusingProxy();
	for (const [name, value] of Object.entries({ ...proxy.env, ...changes }))
		vi.stubEnv(name, value === "$http_proxy" ? proxy.env.http_proxy : value);
	const log: string[] = [];
	const progress = engineProgress((await startEngine(log)).address);
	progress.warn("", "heard");
	await vi.waitFor(() => expect(log).toEqual(["heard"]), 5_000);
	expect(await isAlive(progress)).toBe(true);
	expect(proxy.requests).toEqual([]);
});
