import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Client, type ClientOptions } from "../../../provider/api/client";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { useScriptedServer } from "../../helpers/scripted-server";

const tunnels: { url: string | undefined; headers: string }[] = [];
const plain: (string | undefined)[] = [];
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

test.each(["http://", "ftp://proxy:21", "http://us er:secret@proxy:99999", "user:se%cret@proxy:8080"])(
	"refuses HTTPS_PROXY=%s without repeating it",
	(value) => {
		vi.stubEnv("HTTPS_PROXY", value);
		expect(() => clientOf()).toThrow(expect.objectContaining({ kind: "Config" }));
		expect(() => clientOf()).not.toThrow(/secret@|cret@|ftp/);
	},
);

const isProxied = async (noProxy: string, host: string): Promise<boolean> => {
	vi.stubEnv("NO_PROXY", noProxy);
	await failureOf(get({ baseUrl: `https://${host}/v1` }));
	return tunnels.length > 0;
};

const here = ["localhost:1", "svc.localhost:1", "127.1.2.3:1", "[::1]:1", "[::ffff:127.0.0.1]:1"];
const covering = [
	"*",
	"a.invalid, *",
	"a.invalid, service.invalid",
	".invalid",
	"*.invalid",
	"invalid",
	"SERVICE.invalid:443",
];
test.each<[noProxy: string, host: string]>([
	...here.map((host): [string, string] => ["", host]),
	...covering.map((value): [string, string] => [value, "service.invalid"]),
	["10.0.0.0/8", "10.255.0.1:1"],
	["a.invalid, 192.0.2.0/24 ", "192.0.2.7:1"],
	["192.0.2.7", "192.0.2.7:1"],
	["2001:db8::/32", "[2001:db8::7]:1"],
	["2001:db8:0::7", "[2001:db8::7]:1"],
])("reaches a host directly if NO_PROXY=%s covers %s", async (value, host) => {
	expect(await isProxied(value, host)).toBe(false);
});

const others = ["service.invalid:444", "other.invalid", "vice.invalid", "10.0.0.0/8"];
test.each<[noProxy: string, host: string]>([
	...others.map((value): [string, string] => [value, "service.invalid"]),
	["10.0.0.0/8", "11.0.0.1"],
	["10.0.0.0/99", "10.0.0.1"],
	["::/0", "10.0.0.1"],
	["", "localhost.invalid"],
])("uses the proxy if NO_PROXY=%s doesn't cover %s", async (value, host) => {
	expect(await isProxied(value, host)).toBe(true);
});

test.each([
	["HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP 403"],
	["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "HTTP 407"],
	["HTTP/1.1 302 Found\r\nlocation: https://login.invalid\r\n\r\n", "HTTP 302"],
	["", ""],
	["nonsense\r\n\r\n", ""],
])("knows that nothing was sent if the proxy replies %j", async (text, status) => {
	reply = text;
	vi.stubEnv("HTTPS_PROXY", `http://user:hunter2@${address()}`);
	const error = await failureOf(clientOf({ retry: { tries: 2 } }).numbers.buy({ country: "NL", type: "mobile" }));
	expect(error).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
	for (const part of [address(), status]) expect(error.message).toContain(part);
	expect(error.message).not.toContain("hunter2");
	expect(tunnels).toHaveLength(2);
});

test("knows that nothing was sent if the proxy can't be reached", async () => {
	vi.stubEnv("HTTPS_PROXY", "127.0.0.1:1");
	expect(await failureOf(get())).toMatchObject({ kind: "Unavailable", messageCode: "proxy" });
});
