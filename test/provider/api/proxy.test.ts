import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Client, type ClientOptions } from "../../../provider/api/client";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { useScriptedServer } from "../../helpers/scripted-server";

const tunnels: { url: string | undefined; headers: string }[] = [];
const plain: unknown[] = [];
/** The proxy's response to CONNECT. */
let reply = "";
const proxy = createServer(({ url }, response) => {
	plain.push(url);
	response.writeHead(502).end();
}).on("connect", ({ url, headers }, socket) => {
	tunnels.push({ url, headers: JSON.stringify(headers) });
	socket.end(reply);
});
const server = useScriptedServer();
const address = () => `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const clientOf = (options: Partial<ClientOptions> = {}) =>
	new Client({
		...{ baseUrl: "https://service.invalid/v1", apiKey: "sk-secret", clock: new FakeClock(), retry: { tries: 1 } },
		...{ timeouts: { connect: 300, total: 2_000 }, ...options },
	});
const get = (options: Partial<ClientOptions> = {}) => clientOf(options).trunks.get("x");

beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve)));
beforeEach(() => {
	tunnels.length = 0;
	reply = "HTTP/1.1 502 Bad Gateway\r\n\r\n";
	for (const name of ["http_proxy", "https_proxy", "no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
	for (const name of ["HTTP_PROXY", "HTTPS_PROXY"]) vi.stubEnv(name, `http://${address()}`);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => void proxy.close());

test.each(["http://", "", "user:secret@"])("reaches a service through HTTPS_PROXY=%shost:port", async (start) => {
	vi.stubEnv("HTTPS_PROXY", start + address());
	expect((await failureOf(get())).kind).toBe("Unavailable");
	expect(tunnels.map(({ url }) => url)).toEqual(["service.invalid:443"]);
	expect(tunnels[0]?.headers.includes("proxy-authorization")).toBe(start.startsWith("user"));
	expect(tunnels[0]?.headers).not.toContain("sk-secret");
});

test("reaches loopback and plain http directly, as a proxy would see the key", async () => {
	expect(await get({ baseUrl: server.url })).toMatchObject({ id: "x" });
	const emulator = { baseUrl: "http://emulator.invalid/v1", allowHttp: ["emulator.invalid"] };
	expect((await failureOf(get(emulator))).kind).toBe("Unavailable");
	expect([...tunnels, ...plain]).toEqual([]);
});

const mistakes = ["http://", "ftp://proxy:21", "http://us er:secret@proxy:99999", "user:se%cret@proxy:8080"];
test.each([...mistakes, '"http://proxy:8080"', "http://user:se#cret@proxy:8080", "http://proxy:8080/secret@"])(
	"refuses HTTPS_PROXY=%s without repeating it",
	(value) => {
		vi.stubEnv("HTTPS_PROXY", value);
		expect(() => clientOf()).toThrow(expect.objectContaining({ kind: "Config" }));
		expect(() => clientOf()).not.toThrow(/secret@|cret@|ftp/);
	},
);

const loopback = ["localhost:1", "127.1.2.3:1", "[::1]:1"];
/** By host: values of NO_PROXY that cover it, and values that don't. */
const entries: Record<string, readonly [covering: readonly string[], others: readonly string[]]> = {
	"service.invalid": [
		["*", "a.invalid, *", "a.invalid, service.invalid.", ".invalid", "*.invalid", "invalid", "SERVICE.invalid:443"],
		["service.invalid:444", "other.invalid", "vice.invalid", "10.0.0.0/8", "s?rvice.invalid", ".", "*.service"],
	],
	"192.0.2.7:1": [["192.0.2.7", "192.0.2.7:1"], ["192.0.2.7:2"]],
	"[2001:db8::7]:1": [["[2001:db8::7]", "[2001:db8::7]:1"], ["[2001:db8::7]:2"]],
	...Object.fromEntries(loopback.map((host) => [host, [[""], []]])),
	"localhost.invalid": [[], [""]],
};
test.each(Object.entries(entries))("reaches %s directly if NO_PROXY covers it", async (host, [covering, others]) => {
	const isProxied = async (noProxy: string) => {
		tunnels.length = 0;
		vi.stubEnv("NO_PROXY", noProxy);
		await failureOf(get({ baseUrl: `https://${host}/v1` }));
		return tunnels.length > 0;
	};
	for (const host of covering) expect(await isProxied(host), host).toBe(false);
	for (const host of others) expect(await isProxied(host), host).toBe(true);
});

test.each([
	["no method of authentication", [[5, 0xff]]],
	[
		"the host",
		[
			[5, 0],
			[5, 2, 0, 1, 0, 0, 0, 0, 0, 0],
		],
	],
])("knows that nothing was sent if a SOCKS proxy refuses %s", async (_, replies) => {
	const socks = createSocketServer((socket) => {
		const rest = replies.map((bytes) => Buffer.from(bytes));
		socket.on("data", () => socket.write(rest.shift() ?? "")).on("error", () => {});
	});
	await new Promise<void>((resolve) => socks.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void socks.close());
	vi.stubEnv("HTTPS_PROXY", `socks5h://127.0.0.1:${(socks.address() as AddressInfo).port}`);
	const error = await failureOf(clientOf().numbers.buy({ country: "NL", type: "mobile" }));
	expect(error).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
	expect(error.message).toContain("socks5://127.0.0.1");
});

const refusals = [403, 407, 302].map((status) => `HTTP/1.1 ${status} No\r\n\r\n`);
test.each([...refusals, "", "HTTP/1.1 200 OK\r\n\r\n"])(
	"knows that nothing was sent if the proxy replies %j",
	async (text) => {
		reply = text;
		vi.stubEnv("HTTPS_PROXY", `http://user:hunter2@${address()}`);
		const buy = clientOf({ retry: { tries: 2 } }).numbers.buy({ country: "NL", type: "mobile" });
		const error = await failureOf(buy);
		expect(error).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
		expect(error.message).toContain(address());
		expect(error.message).not.toContain("hunter2");
		expect(tunnels).toHaveLength(2);
		vi.stubEnv("HTTPS_PROXY", "127.0.0.1:1");
		expect(await failureOf(get())).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
	},
);
