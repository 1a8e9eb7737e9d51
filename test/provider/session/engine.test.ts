/** The connection of a provider process to its engine, whatever proxy the environment names. */
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { engineProgress } from "../../../provider/session/progress";
import { eventually } from "../../helpers/eventually";
import { openEngine } from "../../helpers/host-process.mts";
import { startRefusingProxy } from "../../helpers/refusing-proxy";

afterEach(() => vi.unstubAllEnvs());

async function startEngine() {
	const log: string[] = [];
	const engine = await openEngine((line) => log.push(line));
	onTestFinished(() => engine.kill());
	const progress = engineProgress(engine.address);
	const isHeard = async () => {
		progress.warn("", "heard");
		await eventually(() => expect(log).toEqual(["heard"]));
		return progress.isEngineAlive?.();
	};
	return { engine, isAlive: () => progress.isEngineAlive?.(), isHeard };
}

test("misses the engine once its process has ended", async () => {
	const { engine, isAlive, isHeard } = await startEngine();
	expect([await isAlive(), await isHeard()]).toEqual([true, true]);
	engine.kill();
	await eventually(async () => expect(await isAlive()).toBe(false));
});

test("waits for a slow engine that accepts connections", async () => {
	const servers = [createServer(), createServer()] as const;
	for (const server of servers) await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const [slow, closed] = servers.map((server) => engineProgress(`127.0.0.1:${(server.address() as AddressInfo).port}`));
	onTestFinished(() => void servers[0].close());
	for (const _ of [1, 2, 3]) expect(await slow?.isEngineAlive?.()).toBe(true);
	await new Promise((done) => servers[1].close(done));
	expect(await closed?.isEngineAlive?.()).toBe(false);
});

test.each([
	{},
	{ no_proxy: "localhost, 127.0.0.1" },
	{ no_grpc_proxy: "service.invalid" },
	{ grpc_proxy: "$http_proxy", no_proxy: "127.0.0.1 " },
])("reaches the engine directly with a proxy and %j", async (changes) => {
	const proxy = await startRefusingProxy();
	for (const [name, value] of Object.entries({ ...proxy.env, ...changes }))
		vi.stubEnv(name, value === "$http_proxy" ? proxy.env.http_proxy : value);
	const { isHeard } = await startEngine();
	expect([await isHeard(), proxy.requests]).toEqual([true, []]);
});
