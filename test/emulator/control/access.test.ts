/** Who may use the control API and the console. */
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { createAccess } from "../../../emulator/control/access";
import { parsePattern } from "../../../emulator/service/hosts";
import { run } from "../../helpers/engine";
import { repository } from "../../helpers/repository";
import { sendRaw, useVirtualEmulator } from "../fixture";
import { open, start } from "../folders";

const { emulator } = useVirtualEmulator();

const token = "let-me-in-0815";
const bearer = { authorization: `Bearer ${token}` };
const authorized = (authorization: string) => ({ authorization });
const from = (origin: string) => ({ ...bearer, origin });

/** From an address, each host with each of the headers: the error. */
type Case = [address: string, hosts: string, headers: readonly Record<string, string>[], error?: string];
const [docker, any] = ["172.18.0.5", [{}, bearer, { "x-forwarded-for": "10.0.0.5" }, { origin: "http://emulator" }]];
const others = "localhost.evil.example 127.0.0.1@evil.example 10.0.0.5 emulator.evil.example internal *.internal";
const elsewhere = ["10.0.0.5", "::ffff:10.0.0.5", "2001:db8::127.0.0.1", ""];
const forwarding = [
	...["x-forwarded-for", "x-forwarded-proto", "x-forwarded-server", "x-real-ip", "via", "cf-connecting-ip"],
	...["true-client-ip", "x-client-ip", "x-envoy-external-address", "cdn-loop", "x-original-host", "forwarded"],
].map((name) => ({ [name]: "10.0.0.5" }));
const withoutToken: readonly Case[] = [
	["127.8.8.8", "localhost:4010 127.0.0.1 [::1]:4010 LocalHost EMULATOR. host.docker.internal", [{}]],
	["::1", "emulator", any],
	["::ffff:127.0.0.1", "emulator", [{}]],
	["127.0.0.1", "emulator", [{ origin: "http://other" }, { origin: "null" }], "forbidden"],
	["127.0.0.1", others, [{}], "forbidden"],
	["127.0.0.1", "127.0.0.1:4010 localhost [::1]", forwarding, "forbidden"],
	[
		"127.0.0.1",
		"emulator",
		[{ "x-forwarded-host": "evil.example" }, { forwarded: "for=1;host=evil.example" }],
		"forbidden",
	],
	["127.0.0.1", "emulator", [{ "x-forwarded-host": "emulator, evil.example" }], "forbidden"],
	["127.0.0.1", "127.0.0.1:4010 emulator", [{ "x-forwarded-host": "emulator" }, { forwarded: 'host="emulator:80"' }]],
	...elsewhere.map((address): Case => [address, "emulator", [{}, bearer], "forbidden"]),
];

const wrong = ["Basic bGV0", "Bearer", "Bearer ", "Bearer wrong", `Bearer ${token}x`, `Bearer ${token.slice(1)}`];
const proxies = ["x-forwarded-for", "forwarded", "via", "x-real-ip"].map((name) => ({ [name]: "10.0.0.5" }));
const withToken: readonly Case[] = [
	[docker, "emulator:4010 localhost:4010 172.18.0.2:4010 [fd00::2]", [bearer]],
	[docker, "emulator", [authorized(`bearer   ${token}`), from("http://emulator"), from("https://emulator")]],
	[docker, "elsewhere.example", [bearer], "forbidden"],
	[docker, "emulator", ["http://emulator:1", "http://evil.example", "null"].map(from), "forbidden"],
	[docker, "emulator", [{}, ...wrong.map(authorized)], "unauthorized"],
	["127.0.0.1", "emulator", [{}]],
	["127.0.0.1", "emulator", [authorized("Bearer wrong"), ...proxies], "unauthorized"],
	["127.0.0.1", "127.0.0.1:4010 localhost 10.0.0.5", forwarding.map((sent) => ({ ...bearer, ...sent })), "forbidden"],
	[docker, "172.18.0.2:4010", [{ ...bearer, "x-forwarded-host": "evil.example" }], "forbidden"],
	[docker, "172.18.0.2:4010 emulator", [{ ...bearer, "x-forwarded-host": "app.internal" }]],
];

test.each<[string | undefined, ...Case]>([
	...withoutToken.map((row): [undefined, ...Case] => [undefined, ...row]),
	...withToken.map((row): [string, ...Case] => [token, ...row]),
])(
	"decides by token %j, address %j, hosts %s and headers %j: %s",
	(controlToken, remoteAddress, hosts, headers, error) => {
		const allowedHosts = ["emulator", "*.internal"].map(parsePattern).filter((pattern) => pattern !== undefined);
		const { check } = createAccess({ controlToken, allowedHosts });
		for (const host of hosts.split(" ")) {
			for (const sent of headers) {
				const by = (session?: string) => () =>
					check({ headers: new Headers({ host, ...sent }), remoteAddress, session });
				if (error === undefined) expect(by(), host).not.toThrow();
				else
					for (const session of [undefined, token])
						expect(by(session), host).toThrow(expect.objectContaining({ error }));
			}
		}
	},
);

test.each(["/_emulator/state", "/_console", "/_console/numbers", "/_console/live", "/_console/console.js"])(
	"refuses other hosts and origins at %s",
	async (path) => {
		const { host, port } = new URL(emulator.url);
		const status = async (headers: Record<string, string>) =>
			(await sendRaw(emulator.url.replace("/v1", path), headers)).status;
		expect(await status({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200);
		expect(await status({ host: "evil.example" })).toBe(403);
		expect(await status({ host, origin: "https://evil.example" })).toBe(403);
	},
);

const post = (url: string, path: string, body: object, headers = {}, method = "POST") => {
	const sent = { authorization: "Bearer emulator-key", "content-type": "application/json", ...headers };
	return sendRaw(url + path, sent, method, JSON.stringify(body));
};

test.each([
	["localhost", 200],
	["127.0.0.1:4010", 200],
	["[::1]:4010", 200],
	["192.0.2.7:4010", 200],
	["pbx.local", 403],
	["evil.example:4010", 403],
	["127.0.0.1.evil.example", 403],
	["localhost.evil.example", 403],
])("decides by the host %s at /v1: %i", async (host, expected) => {
	const sent = { host, authorization: `Bearer ${emulator.apiKey}` };
	for (const path of ["/numbers", "/nowhere"]) {
		const { status } = await sendRaw(emulator.url + path, sent);
		expect(status === 403).toBe(expected === 403);
	}
	expect(emulator.purchases()).toEqual([]);
});

test("accepts a host at /v1 that --allowed-hosts names", async () => {
	const { url } = await open({ allowedHosts: ["pbx.local"] });
	const sent = { host: "pbx.local:1", authorization: "Bearer emulator-key" };
	expect((await sendRaw(`${url}/numbers`, sent)).status).toBe(200);
});

test("lets only programs on this machine name its ports as receivers", async () => {
	const { url, control } = await open({ deliverTo: ["127.0.0.1:3000"] });
	const bought = JSON.parse((await post(url, "/numbers", { country: "US", type: "mobile" })).text) as { id: string };
	const asks = (receiver: string): [method: string, path: string, body: object][] => [
		["POST", "/webhooks", { url: receiver, events: ["message.received"] }],
		["PATCH", `/numbers/${bought.id}`, { sms_webhook_url: receiver }],
		["PATCH", `/numbers/${bought.id}`, { routing: { type: "webhook", url: receiver } }],
	];
	for (const receiver of ["http://127.0.0.1:6379/", "http://localhost:80/", "http://[::1]:22/", "https://127.1/"])
		for (const [method, path, body] of asks(receiver)) {
			expect((await post(url, path, body, { "x-forwarded-for": "10.0.0.5" }, method)).status).toBe(400);
			expect((await post(url, path, body, {}, method)).status).toBeLessThan(300);
		}
	const named = asks("http://127.0.0.1:3000/");
	for (const [method, path, body] of named)
		expect((await post(url, path, body, { via: "1.1 proxy" }, method)).status).toBeLessThan(300);
	expect(control.state().webhooks).toHaveLength(5);
});

/** An address by which this machine is another host to itself. */
const outside = Object.values(networkInterfaces())
	.flatMap((networkInterface) => networkInterface ?? [])
	.find(({ internal, family }) => !internal && family === "IPv4")?.address;
const why = outside === undefined ? " (skipped: this machine has no address but loopback)" : "";

const form = { "content-type": "application/x-www-form-urlencoded" };
const opened = async () => {
	const running = await open({ host: "0.0.0.0", controlToken: token, allowedHosts: ["emulator"] });
	const at = `http://${outside}:${new URL(running.url).port}/`;
	const send = (method: string, path: string, headers = {}, body = "") =>
		sendRaw(at + path, { host: "emulator", ...headers }, method, body);
	const login = (fields: Record<string, string>) =>
		send("POST", "_console/login", form, String(new URLSearchParams(fields)));
	return { ...running, send, login };
};

test.skipIf(outside === undefined)(`the token opens both to other hosts, a cookie the console${why}`, async () => {
	const { send, login, control } = await opened();
	const first = await send("GET", "_console/kyc?q=DE");
	expect(first).toMatchObject({ status: 401, text: expect.stringContaining('value="/_console/kyc?q=DE"') });
	expect(first.text).not.toContain("Ledger");
	expect(await send("GET", "_console/console.css")).toMatchObject({ status: 200 });
	for (const path of ["_console/live", "_console/numbers/num_1", "_emulator/state"])
		expect(await send("GET", path)).toMatchObject({ status: 401 });
	const next = "/_console/kyc?q=DE";
	expect(await login({ token: "wrong", next })).toMatchObject({ status: 401, cookie: "" });
	const right = await login({ token, next });
	expect(right).toMatchObject({ status: 303, location: next });
	for (const elsewhere of ["https://evil.example/", "//evil.example", "/_consoles", "/v1", ""])
		expect(await login({ token, next: elsewhere })).toMatchObject({ location: "/_console" });
	const [cookie = "", ...attributes] = right.cookie.split("; ");
	expect(attributes.sort()).toEqual(["HttpOnly", "Path=/_console", "SameSite=Strict"]);
	expect(cookie).not.toContain(token);
	expect(await send("GET", "_console", { cookie })).toMatchObject({ status: 200 });
	expect(await send("GET", "_console", { cookie: `${cookie}x` })).toMatchObject({ status: 401 });
	expect(await send("GET", "_emulator/state", { cookie })).toMatchObject({ status: 401 });
	expect(await send("POST", "_console/kyc", { ...form, cookie }, "policy=2h")).toMatchObject({ status: 303 });
	const foreign = { ...form, cookie, origin: "http://evil.example" };
	expect(await send("POST", "_console/kyc", foreign, "policy=3h")).toMatchObject({ status: 403 });
	expect(control.state().kyc.policy).toBe("2h");
	for (const path of ["_emulator/state", "_emulator/requests", "_emulator/snapshot", "_console/requests"]) {
		const { status, text } = await send("GET", path, bearer);
		expect([status, text.includes(token)]).toEqual([200, false]);
	}
});

describe("the command", () => {
	test("takes the token from the environment, and prints no secret", async () => {
		const env = [
			"env",
			`TELEPHONY_CONTROL_TOKEN=${token}`,
			"TELEPHONY_ALLOWED_HOSTS=emulator",
			"TELEPHONY_DELIVER_TO=",
		];
		const { child, line, url, stderr } = await start(["--memory", "--api-key", "my-own-secret-key"], env);
		const clock = url.replace(/\/v1$/, "/_emulator/clock");
		const proxied = { host: "emulator", via: "10.0.0.5" };
		expect(await sendRaw(clock, proxied)).toMatchObject({ status: 401 });
		expect(await sendRaw(clock, { ...proxied, ...bearer })).toMatchObject({ status: 200 });
		const ended = new Promise((done) => child.once("close", done));
		child.kill("SIGTERM");
		expect(await ended).toBe(0);
		expect(line + stderr()).not.toMatch(new RegExp(`${token}|my-own`));
	});

	test.each([
		["--data", ""],
		["--port", "99999"],
		["--start-at", "soon"],
		["--kyc", "soon"],
		["--api-key", "two words"],
		["--control-token", ""],
		["--allowed-hosts", "emulator,*"],
		["--deliver-to", "http://app"],
	])("refuses %s %j", async (option, value) => {
		const done = await run("node", ["bin/telephony", "emulator", option, value], repository, process.env);
		expect(done).toMatchObject({ code: 2, stdout: "" });
		expect(done.output).toMatch(new RegExp(`^telephony: ${option}\\b.*\\[telephony:usage\\]\n$`));
		expect(done.output).not.toContain("two words");
	});
});
