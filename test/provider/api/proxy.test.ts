import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Client } from "../../../provider/api/client";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { useScriptedServer } from "../../helpers/scripted-server";

const tunnels: { url: string | undefined; headers: string }[] = [];
const seen: (string | undefined)[] = [];
const proxy = createServer((request, response) => {
	seen.push(request.url);
	response.writeHead(502).end();
}).on("connect", (request, socket) => {
	tunnels.push({ url: request.url, headers: JSON.stringify(request.headers) });
	socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
});
const server = useScriptedServer();
const get = (baseUrl: string, allowHttp: readonly string[] = []) =>
	new Client({ baseUrl, allowHttp, apiKey: "sk-secret", clock: new FakeClock(), retry: { tries: 1 } }).trunks.get("x");

beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve)));
beforeEach(() => {
	tunnels.length = 0;
	for (const name of ["http_proxy", "https_proxy", "no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
	const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	vi.stubEnv("HTTP_PROXY", address);
	vi.stubEnv("HTTPS_PROXY", address);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => void proxy.close());

test("a service is reached through HTTPS_PROXY, which never sees the key", async () => {
	expect((await failureOf(get("https://service.invalid/v1"))).kind).toBe("Unavailable");
	expect(tunnels.map(({ url }) => url)).toEqual(["service.invalid:443"]);
	expect(tunnels[0]?.headers).not.toContain("sk-secret");
});

test("a service that NO_PROXY names is reached directly", async () => {
	vi.stubEnv("NO_PROXY", "other.invalid,.invalid");
	await failureOf(get("https://service.invalid/v1"));
	expect(tunnels).toEqual([]);
});

test("a service on this machine is reached directly, whatever the environment says", async () => {
	expect(await get(server.url)).toMatchObject({ id: "x" });
	expect(tunnels).toEqual([]);
});

test("an emulator over plain http is reached directly: a proxy would see the key", async () => {
	expect((await failureOf(get("http://emulator.invalid/v1", ["emulator.invalid"]))).kind).toBe("Unavailable");
	expect(tunnels).toEqual([]);
	expect(seen).toEqual([]);
});
