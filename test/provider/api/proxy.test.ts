import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Client } from "../../../provider/api/client";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { useScriptedServer } from "../../helpers/scripted-server";

const tunnels: { url: string | undefined; headers: string }[] = [];
const seen: (string | undefined)[] = [];
/** The proxy's response to CONNECT. */
let reply = "";
const proxy = createServer((request, response) => {
	seen.push(request.url);
	response.writeHead(502).end();
}).on("connect", (request, socket) => {
	tunnels.push({ url: request.url, headers: JSON.stringify(request.headers) });
	socket.end(reply);
});
const server = useScriptedServer();
const address = () => `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const get = (baseUrl: string, allowHttp: readonly string[] = []) =>
	new Client({ baseUrl, allowHttp, apiKey: "sk-secret", clock: new FakeClock(), retry: { tries: 1 } }).trunks.get("x");

beforeAll(() => new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve)));
beforeEach(() => {
	tunnels.length = 0;
	reply = "HTTP/1.1 502 Bad Gateway\r\n\r\n";
	for (const name of ["http_proxy", "https_proxy", "no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
	vi.stubEnv("HTTP_PROXY", `http://${address()}`);
	vi.stubEnv("HTTPS_PROXY", `http://${address()}`);
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

test.each(["", "user:secret@"])("HTTPS_PROXY needs no scheme: %shost:port", async (user) => {
	vi.stubEnv("HTTPS_PROXY", user + address());
	await failureOf(get("https://service.invalid/v1"));
	expect(tunnels.map(({ url }) => url)).toEqual(["service.invalid:443"]);
	expect(tunnels[0]?.headers.includes("proxy-authorization")).toBe(user !== "");
});

test.each(["http://", "ftp://proxy:21", "http://us er:secret@proxy:99999", "user:se%cret@proxy:8080"])(
	"HTTPS_PROXY=%s is refused by its name, without its value",
	(value) => {
		vi.stubEnv("HTTPS_PROXY", value);
		const open = () => new Client({ baseUrl: "https://service.invalid/v1", apiKey: "sk-secret" });
		expect(open).toThrow(expect.objectContaining({ kind: "Config", message: expect.stringContaining("HTTPS_PROXY") }));
		expect(open).not.toThrow(/secret@|cret@|ftp/);
	},
);

async function isProxied(noProxy: string, host: string): Promise<boolean> {
	vi.stubEnv("NO_PROXY", noProxy);
	const baseUrl = `https://${host}/v1`;
	const timeouts = { connect: 300, total: 2_000 };
	const options = { baseUrl, timeouts, apiKey: "sk-secret", clock: new FakeClock(), retry: { tries: 1 } };
	await failureOf(new Client(options).trunks.get("x"));
	return tunnels.length > 0;
}

test.each([
	["*", "service.invalid"],
	["a.invalid, *", "service.invalid"],
	["a.invalid, service.invalid", "service.invalid"],
	[".invalid", "service.invalid"],
	["*.invalid", "service.invalid"],
	["invalid", "service.invalid"],
	["SERVICE.invalid:443", "service.invalid"],
	["10.0.0.0/8", "10.255.0.1:1"],
	["a.invalid, 192.0.2.0/24 ", "192.0.2.7:1"],
	["192.0.2.7", "192.0.2.7:1"],
	["2001:db8::/32", "[2001:db8::7]:1"],
	["2001:db8:0::7", "[2001:db8::7]:1"],
	["", "localhost:1"],
	["", "svc.localhost:1"],
	["", "127.1.2.3:1"],
	["", "[::1]:1"],
	["", "[::ffff:127.0.0.1]:1"],
])("NO_PROXY=%s reaches %s directly", async (value, host) => {
	expect(await isProxied(value, host)).toBe(false);
});

test.each([
	["service.invalid:444", "service.invalid"],
	["other.invalid", "service.invalid"],
	["vice.invalid", "service.invalid"],
	["10.0.0.0/8", "11.0.0.1"],
	["10.0.0.0/8", "service.invalid"],
	["10.0.0.0/99", "10.0.0.1"],
	["::/0", "10.0.0.1"],
	["", "localhost.invalid"],
])("NO_PROXY=%s reaches %s through the proxy", async (value, host) => {
	expect(await isProxied(value, host)).toBe(true);
});

test.each([
	["HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP 403"],
	["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "HTTP 407"],
	["HTTP/1.1 302 Found\r\nlocation: https://login.invalid\r\n\r\n", "HTTP 302"],
	["", "other side closed"],
	["nonsense\r\n\r\n", ""],
])("a proxy that answers CONNECT with %j has sent nothing", async (answer, why) => {
	reply = answer;
	vi.stubEnv("HTTPS_PROXY", `http://user:hunter2@${address()}`);
	const retry = { tries: 2 };
	const options = { baseUrl: "https://service.invalid/v1", apiKey: "sk-secret", clock: new FakeClock(), retry };
	const bought = new Client(options).numbers.buy({ country: "NL", type: "mobile" });
	const error = await failureOf(bought);
	expect(error).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
	expect(error.message).toContain(`the proxy http://${address()} `);
	expect(error.message).toContain(why);
	expect(error.message).not.toContain("hunter2");
	expect(tunnels).toHaveLength(2);
});

test("a proxy that can't be reached has sent nothing", async () => {
	vi.stubEnv("HTTPS_PROXY", "127.0.0.1:1");
	const error = await failureOf(get("https://service.invalid/v1"));
	expect(error).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
	expect(error.message).toContain("http://127.0.0.1:1 ");
});
