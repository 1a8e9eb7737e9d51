/** Who may use the control API and the console. */
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { createAccess } from "../../../emulator/control/access";
import { parsePattern } from "../../../emulator/service/hosts";
import { run } from "../../helpers/engine";
import { repository } from "../../helpers/repository";
import { statusOf, useVirtualEmulator } from "../fixture";
import { open, start } from "../folders";

const { emulator } = useVirtualEmulator();

const token = "let-me-in-0815";
const bearer = { authorization: `Bearer ${token}` };
const sent = (authorization: string) => ({ authorization });
const origin = (site: string) => ({ ...bearer, origin: site });

type Case = readonly [from: string, host: string, headers: Record<string, string>, error: string | undefined];
const [local, lan, docker] = ["127.0.0.1", "10.0.0.5", "172.18.0.5"];

const withoutToken: readonly Case[] = [
	[local, "localhost:4010", {}, undefined],
	["127.8.8.8", local, {}, undefined],
	["::1", "[::1]:4010", {}, undefined],
	["::ffff:127.0.0.1", "LocalHost", {}, undefined],
	[local, local, bearer, undefined],
	[local, local, { "x-forwarded-for": lan }, undefined],
	[local, "EMULATOR.", {}, undefined],
	[local, "host.docker.internal", {}, undefined],
	[local, "emulator", { origin: "http://emulator" }, undefined],
	[local, "emulator", { origin: "http://other" }, "forbidden"],
	[lan, "emulator", {}, "forbidden"],
	[lan, "localhost:4010", bearer, "forbidden"],
	["::ffff:10.0.0.5", local, {}, "forbidden"],
	["2001:db8::127.0.0.1", local, {}, "forbidden"],
	["", local, {}, "forbidden"],
	...["", "localhost.evil.example", "127.0.0.1@evil.example", lan, "emulator.evil.example", "emulator@x"].map(
		(host): Case => [local, host, {}, "forbidden"],
	),
	...["internal", "internal.example", "*.internal"].map((host): Case => [local, host, {}, "forbidden"]),
];

const withToken: readonly Case[] = [
	...["emulator:4010", "localhost:4010", "172.18.0.2:4010", "[fd00::2]"].map(
		(host): Case => [docker, host, bearer, undefined],
	),
	[docker, "emulator", sent(`bearer   ${token}`), undefined],
	[docker, "elsewhere.example", bearer, "forbidden"],
	[docker, "emulator:4010", origin("http://emulator:4010"), undefined],
	[docker, "emulator:4010", origin("https://emulator:4010"), undefined],
	...["http://emulator", "http://evil.example", "null"].map(
		(site): Case => [docker, "emulator:4010", origin(site), "forbidden"],
	),
	[docker, "emulator", {}, "unauthorized"],
	...["Basic bGV0", "Bearer", "Bearer ", "Bearer wrong", `Bearer ${token}x`, `Bearer ${token.slice(1)}`].map(
		(value): Case => [docker, "emulator", sent(value), "unauthorized"],
	),
	[local, local, {}, undefined],
	[local, local, sent("Bearer wrong"), "unauthorized"],
	...["x-forwarded-for", "forwarded", "via", "x-real-ip"].map(
		(header): Case => [local, local, { [header]: lan }, "unauthorized"],
	),
];

describe.each([
	["without", undefined, withoutToken],
	["with", token, withToken],
])("%s a token, the control API", (_, controlToken, cases) => {
	const patterns = ["emulator", "*.internal"].map(parsePattern).filter((pattern) => pattern !== undefined);
	test.each(cases)("from %j at host %j with %j: %s", (remoteAddress, host, headers, error) => {
		const check = (session?: string) =>
			createAccess({ controlToken, allowedHosts: patterns }).check({
				headers: new Headers({ host, ...headers }),
				remoteAddress,
				session,
			});
		if (error === undefined) expect(() => check()).not.toThrow();
		else
			for (const session of [undefined, "guessed", token])
				expect(() => check(session)).toThrow(expect.objectContaining({ error }));
	});
});

test.each(["/_emulator/state", "/_console", "/_console/numbers", "/_console/live", "/_console/console.js"])(
	"refuses other hosts and origins at %s, unlike /v1",
	async (path) => {
		const { host, port } = new URL(emulator.url);
		const status = (headers: Record<string, string>) => statusOf(emulator.url.replace("/v1", path), headers);
		expect(await status({ Host: `localhost:${port}` })).toBe(200);
		expect(await status({ Origin: `http://${host}` })).toBe(200);
		for (const headers of [{ Host: "evil.example" }, { Origin: "https://evil.example" }, { Origin: "null" }])
			expect(await status(headers as Record<string, string>)).toBe(403);
		const named = { Host: "pbx.local", Authorization: `Bearer ${emulator.apiKey}` };
		expect(await statusOf(`${emulator.url}/numbers`, named)).toBe(200);
	},
);

/** An address by which this machine is another host to itself. */
const address = Object.values(networkInterfaces())
	.flatMap((each) => each ?? [])
	.find(({ internal, family }) => !internal && family === "IPv4")?.address;
const why = address === undefined ? " (skipped: this machine has no address but loopback)" : "";

describe.skipIf(address === undefined)(`from another host${why}`, () => {
	const form = { "content-type": "application/x-www-form-urlencoded" };
	const opened = async () => {
		const running = await open({ host: "0.0.0.0", controlToken: token, allowedHosts: ["emulator"] });
		const { port } = new URL(running.url);
		const send = (method: string, path: string, headers: Record<string, string> = {}, body = "") =>
			new Promise<{ status: number; text: string; location: unknown; cookie: string }>((done, fail) => {
				const headersOut = { host: "emulator", ...headers };
				const going = request({ host: address, port, path, method, headers: headersOut }, (answer) => {
					const parts: string[] = [];
					answer.setEncoding("utf8").on("data", (part) => parts.push(part));
					const { location, "set-cookie": cookie = "" } = answer.headers;
					const { statusCode: status = 0 } = answer;
					answer.on("end", () => done({ status, text: parts.join(""), location, cookie: String(cookie) }));
				});
				going.on("error", fail).end(body);
			});
		return { ...running, send, login: (body: string) => send("POST", "/_console/login", form, body) };
	};

	test("the control API takes the token, and no cookie", async () => {
		const { send, login, control } = await opened();
		expect(await send("GET", "/_emulator/state")).toMatchObject({ status: 401 });
		expect(await send("GET", "/_emulator/state", bearer)).toMatchObject({ status: 200 });
		const json = { ...bearer, "content-type": "application/json" };
		await send("PATCH", "/_emulator/settings", json, '{"pageSize": 3}');
		expect(control.settings().pageSize).toBe(3);
		const [cookie = ""] = (await login(`token=${token}`)).cookie.split(";");
		expect(await send("GET", "/_emulator/state", { cookie })).toMatchObject({ status: 401 });
	});

	test("both are closed without a token", async () => {
		const emulatorOnly = await open({ host: "0.0.0.0" });
		const port = new URL(emulatorOnly.url).port;
		for (const path of ["/_emulator/state", "/_console", "/_console/login"])
			expect(await statusOf(`http://${address}:${port}${path}`, bearer)).toBe(403);
	});

	test("the console asks for the token, once", async () => {
		const { send, login, control } = await opened();
		const first = await send("GET", "/_console/kyc?q=DE");
		expect(first).toMatchObject({ status: 401, text: expect.stringContaining('value="/_console/kyc?q=DE"') });
		expect(first.text).not.toContain("Ledger");
		expect(await send("GET", "/_console/console.css")).toMatchObject({ status: 200 });
		for (const [method, path] of [
			["GET", "live"],
			["GET", "numbers/num_1"],
			["POST", "reset"],
		] as const)
			expect(await send(method, `/_console/${path}`, form)).toMatchObject({ status: 401 });
		expect(await login("token=wrong&next=/_console/kyc")).toMatchObject({ status: 401, cookie: "" });
		const right = await login(`token=${token}&next=/_console/kyc?q=DE`);
		expect(right).toMatchObject({ status: 303, location: "/_console/kyc?q=DE" });
		const [cookie = "", ...attributes] = right.cookie.split("; ");
		expect(attributes.sort()).toEqual(["HttpOnly", "Path=/_console", "SameSite=Strict"]);
		expect(cookie).not.toContain(token);
		expect(await send("GET", "/_console", { cookie })).toMatchObject({ status: 200 });
		expect(await send("GET", "/_console", { cookie: `${cookie}x` })).toMatchObject({ status: 401 });
		expect(await send("POST", "/_console/kyc", { ...form, cookie }, "policy=2h")).toMatchObject({ status: 303 });
		const foreign = { ...form, cookie, origin: "http://evil.example" };
		for (const [path, body] of [
			["kyc", "policy=3h"],
			["login", `token=${token}`],
		] as const)
			expect(await send("POST", `/_console/${path}`, foreign, body)).toMatchObject({ status: 403 });
		expect(control.state().kyc.policy).toBe("2h");
		for (const next of ["https://evil.example/", "//evil.example", "/_consoles", "/v1", ""])
			expect((await login(new URLSearchParams({ token, next }).toString())).location).toBe("/_console");
		for (const path of ["_emulator/state", "_emulator/requests", "_emulator/snapshot", "_console/requests"])
			expect((await send("GET", `/${path}`, bearer)).text).not.toContain(token);
	});
});

describe("the command", () => {
	test("takes the token from the environment, and prints no secret", async () => {
		const env = [
			"env",
			`TELEPHONY_CONTROL_TOKEN=${token}`,
			"TELEPHONY_ALLOWED_HOSTS=emulator",
			"TELEPHONY_DELIVER_TO=",
		];
		const { child, line, url, told } = await start(["--memory", "--api-key", "my-own-secret-key"], env);
		const clock = url.replace(/\/v1$/, "/_emulator/clock");
		expect(await statusOf(clock, { host: "emulator", via: lan })).toBe(401);
		expect(await statusOf(clock, { host: "emulator", via: lan, ...bearer })).toBe(200);
		const ended = new Promise((done) => child.once("close", done));
		child.kill("SIGTERM");
		expect(await ended).toBe(0);
		expect(line + told()).not.toMatch(new RegExp(`${token}|my-own`));
	});

	test.each([
		["--data", ""],
		["--port", "99999"],
		["--start-at", "soon"],
		["--kyc", "soon"],
		["--api-key", "two words"],
		["--control-token", "two words"],
		["--control-token", ""],
		["--allowed-hosts", "emulator,*"],
		["--deliver-to", "http://app"],
	])("refuses %s %j", async (option, value) => {
		const done = await run("node", ["bin/telephony", "emulator", option, value], repository, process.env);
		expect(done).toMatchObject({ code: 2, stdout: "" });
		expect(done.output).toMatch(new RegExp(`^telephony: ${option}\\b.*\\[telephony:usage\\]\n$`));
		expect(done.output).not.toContain("two words");
	});

	test.each([{ kyc: "soon" }, { controlToken: "" }, { allowedHosts: ["*"] }, { startAt: "tomorrow" }])(
		"refuses the same in process: %j",
		async (options) => {
			await expect(createEmulator(options)).rejects.toThrow(Object.keys(options)[0]);
		},
	);
});
