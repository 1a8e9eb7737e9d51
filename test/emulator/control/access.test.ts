/** Access to the control API and the console. */
import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { createAccess } from "../../../emulator/control/access";
import { parsePattern } from "../../../emulator/service/hosts";
import { open, start } from "../folders";

const token = "let-me-in-0815";

const patterns = (hosts: readonly string[]) => hosts.map(parsePattern).filter((pattern) => pattern !== undefined);

interface Case {
	readonly from?: string;
	readonly host?: string;
	readonly headers?: Record<string, string>;
	readonly session?: string;
}

const checkWith =
	(controlToken?: string, hosts: readonly string[] = []) =>
	({ from = "127.0.0.1", host = "127.0.0.1:4010", headers = {}, session }: Case) =>
	() =>
		createAccess({ controlToken, allowedHosts: patterns(hosts) }).check({
			headers: new Headers({ host, ...headers }),
			remoteAddress: from,
			session,
		});

const refused = (error: string) => expect.objectContaining({ error });
const bearer = { authorization: `Bearer ${token}` };

describe("without a token, the control API", () => {
	const check = checkWith();

	test.each([
		["127.0.0.1", "localhost:4010", null],
		["127.8.8.8", "127.0.0.1", null],
		["::1", "[::1]:4010", null],
		["::ffff:127.0.0.1", "LocalHost", null],
		["10.0.0.5", "localhost:4010", "this machine only"],
		["::ffff:10.0.0.5", "127.0.0.1", "this machine only"],
		["2001:db8::127.0.0.1", "127.0.0.1", "this machine only"],
		["", "127.0.0.1", "this machine only"],
		["127.0.0.1", "", "is reached as"],
		["127.0.0.1", "localhost.evil.example", "is reached as"],
		["127.0.0.1", "127.0.0.1@evil.example", "is reached as"],
		["127.0.0.1", "10.0.0.5", "is reached as"],
	])("is for programs of this machine: from %s, for the host %j", (from, host, message) => {
		if (message === null) expect(check({ from, host })).not.toThrow();
		else expect(check({ from, host })).toThrow(message);
	});

	test("asks for none, whatever is sent", () => {
		expect(check({ headers: bearer })).not.toThrow();
		expect(check({ headers: { "x-forwarded-for": "10.0.0.5" } })).not.toThrow();
		expect(check({ from: "10.0.0.5", headers: bearer })).toThrow(refused("forbidden"));
	});

	test("may be called by other names, and stays this machine's", () => {
		const named = checkWith(undefined, ["emulator", "*.internal"]);
		for (const host of ["emulator:4010", "EMULATOR.", "host.docker.internal", "localhost:1"])
			expect(named({ host })).not.toThrow();
		for (const host of ["emulator.evil.example", "internal", "internal.example", "*.internal", "emulator@x"])
			expect(named({ host })).toThrow("is reached as");
		expect(named({ host: "emulator", from: "10.0.0.5" })).toThrow("this machine only");
		expect(named({ host: "emulator", headers: { origin: "http://emulator" } })).not.toThrow();
		expect(named({ host: "emulator", headers: { origin: "http://other" } })).toThrow("other origins");
	});
});

describe("with a token, the control API", () => {
	const check = checkWith(token, ["emulator"]);
	const from = "172.18.0.5";

	test("is open to other hosts that send it", () => {
		for (const host of ["emulator:4010", "localhost:4010", "172.18.0.2:4010", "[fd00::2]"])
			expect(check({ from, host, headers: bearer })).not.toThrow();
		expect(check({ from, host: "emulator", headers: { authorization: `bearer   ${token}` } })).not.toThrow();
		expect(check({ from, host: "elsewhere.example", headers: bearer })).toThrow(refused("forbidden"));
		const origin = (site: string) => check({ from, host: "emulator:4010", headers: { ...bearer, origin: site } });
		for (const site of ["http://emulator:4010", "https://emulator:4010"]) expect(origin(site)).not.toThrow();
		for (const site of ["http://emulator", "http://evil.example", "null"])
			expect(origin(site)).toThrow("other origins");
	});

	test("is closed to those that don't, or send another", () => {
		const others = [
			"",
			"Basic bGV0",
			"Bearer",
			"Bearer ",
			"Bearer wrong",
			`Bearer ${token}x`,
			`Bearer ${token.slice(1)}`,
		];
		for (const authorization of others) {
			const headers: Record<string, string> = authorization === "" ? {} : { authorization };
			expect(check({ from, host: "emulator", headers }), authorization).toThrow(refused("unauthorized"));
		}
		expect(check({ from, host: "emulator", session: "guessed" })).toThrow(refused("unauthorized"));
		expect(check({ from, host: "emulator", session: token })).toThrow(refused("unauthorized"));
	});

	test("still needs none from this machine, unless it asks for somebody else", () => {
		expect(check({})).not.toThrow();
		expect(check({ headers: { authorization: "Bearer wrong" } })).toThrow(refused("unauthorized"));
		for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"])
			expect(check({ headers: { [header]: "10.0.0.5" } })).toThrow(refused("unauthorized"));
	});
});

/** An address of this machine by which it is another host to itself. */
const address = Object.values(networkInterfaces())
	.flatMap((each) => each ?? [])
	.find(({ internal, family }) => !internal && family === "IPv4")?.address;
const describeFromOutside = describe.skipIf(address === undefined);
const why = address === undefined ? " (skipped: this machine has no address but loopback)" : "";

/** A request as another host sends it, with the `Host` that it knows. */
const send = (url: string, method = "GET", headers: Record<string, string> = {}, body = "") =>
	new Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }>(
		(done, fail) => {
			const { port, pathname, search } = new URL(url);
			const path = pathname + search;
			const sent = request(
				{ host: address, port, path, method, headers: { host: "emulator", ...headers } },
				(answer) => {
					let text = "";
					answer.setEncoding("utf8").on("data", (part) => {
						text += part;
					});
					answer.on("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
				},
			);
			sent.on("error", fail).end(body);
		},
	);

describeFromOutside(`from another host${why}`, () => {
	const options = { host: "0.0.0.0", controlToken: token, allowedHosts: ["emulator"] };
	const opened = async (more = {}) => {
		const emulator = await open({ ...options, ...more });
		return { ...emulator, at: (path: string) => emulator.url.replace(/\/v1$/, path) };
	};
	const form = { "content-type": "application/x-www-form-urlencoded" };

	test("the control API is reached with the token, and not with the console's cookie", async () => {
		const { at, control } = await opened();
		expect(await send(at("/_emulator/state"))).toMatchObject({
			status: 401,
			headers: { "www-authenticate": "Bearer" },
		});
		expect(await send(at("/_emulator/state"), "GET", bearer)).toMatchObject({ status: 200 });
		const json = { ...bearer, "content-type": "application/json" };
		expect((await send(at("/_emulator/settings"), "PATCH", json, '{"pageSize": 3}')).status).toBe(200);
		expect(control.settings().pageSize).toBe(3);
		const answer = await send(at("/_console/login"), "POST", form, `token=${token}`);
		const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? "";
		expect((await send(at("/_emulator/state"), "GET", { cookie })).status).toBe(401);
	});

	test("without a token it is closed, as it was", async () => {
		const { at } = await opened({ controlToken: undefined, allowedHosts: undefined });
		expect(await send(at("/_emulator/state"), "GET", bearer)).toMatchObject({ status: 403 });
		expect(await send(at("/_console"), "GET", bearer)).toMatchObject({ status: 403 });
		expect(await send(at("/_console/login"), "POST", form, "token=")).toMatchObject({ status: 403 });
	});

	test("the console asks for the token, and then goes where one wanted to", async () => {
		const { at, control } = await opened();
		const first = await send(at("/_console/kyc?q=DE"));
		expect(first).toMatchObject({
			status: 401,
			headers: { "content-type": expect.stringMatching(/^text\/html; charset=utf-8$/i) },
		});
		expect(first.text).toContain('name="next" value="/_console/kyc?q=DE"');
		expect(first.text).not.toContain("Ledger");
		expect((await send(at("/_console/console.css"))).status).toBe(200);
		for (const path of ["/_console/live", "/_console/numbers/num_1"]) expect((await send(at(path))).status).toBe(401);
		expect((await send(at("/_console/reset"), "POST", form)).status).toBe(401);

		const wrong = await send(at("/_console/login"), "POST", form, "token=wrong&next=/_console/kyc");
		expect(wrong).toMatchObject({ status: 401, text: expect.stringContaining("That is not the control token.") });
		expect(wrong.headers["set-cookie"]).toBeUndefined();
		const right = await send(at("/_console/login"), "POST", form, `token=${token}&next=/_console/kyc?q=DE`);
		expect(right).toMatchObject({ status: 303, headers: { location: "/_console/kyc?q=DE" } });
		const [given = "", ...attributes] = String(right.headers["set-cookie"]).split("; ");
		expect(attributes.sort()).toEqual(["HttpOnly", "Path=/_console", "SameSite=Strict"]);
		expect(given).not.toContain(token);

		expect(await send(at("/_console"), "GET", { cookie: given })).toMatchObject({ status: 200 });
		const acted = await send(at("/_console/kyc"), "POST", { ...form, cookie: given }, "policy=2h");
		expect({ status: acted.status, policy: control.state().kyc.policy }).toEqual({ status: 303, policy: "2h" });
		const foreign = { ...form, cookie: given, origin: "http://evil.example" };
		expect((await send(at("/_console/kyc"), "POST", foreign, "policy=3h")).status).toBe(403);
		expect(
			(await send(at("/_console/login"), "POST", { ...form, origin: "http://evil.example" }, `token=${token}`)).status,
		).toBe(403);
		expect((await send(at("/_console"), "GET", { cookie: `${given}x` })).status).toBe(401);
	});

	test.each(["https://evil.example/", "//evil.example", "/_consoles", "/v1", ""])(
		"a sign-in leads not to %j",
		async (next) => {
			const { at } = await opened();
			const body = new URLSearchParams({ token, next }).toString();
			expect((await send(at("/_console/login"), "POST", form, body)).headers.location).toBe("/_console");
		},
	);

	test("the token is in nothing that the emulator says or keeps", async () => {
		const { at, call, control, data } = await opened({ data: undefined });
		expect(data).toBeUndefined();
		await send(at("/_console/login"), "POST", form, `token=${token}`);
		await send(at("/_console/login"), "POST", form, `token=${token}x`);
		await call("GET", "/numbers");
		for (const path of ["state", "requests", "snapshot", "settings"]) {
			const { text } = await send(at(`/_emulator/${path}`), "GET", bearer);
			expect(text).not.toContain(token);
		}
		for (const path of ["", "/requests", "/settings"])
			expect((await send(at(`/_console${path}`), "GET", bearer)).text).not.toContain(token);
		expect(JSON.stringify([control.state(), control.requests()])).not.toContain(token);
	});
});

describe("the command", () => {
	test("takes the token from the environment, and prints it nowhere", async () => {
		const env = [
			"env",
			`TELEPHONY_CONTROL_TOKEN=${token}`,
			"TELEPHONY_ALLOWED_HOSTS=emulator, *.internal",
			"TELEPHONY_DELIVER_TO=",
		];
		const { child, url, told } = await start(["--memory", "--host", "0.0.0.0"], env);
		const asked = await send(url.replace(/\/v1$/, "/_emulator/clock"), "GET", address === undefined ? {} : bearer);
		expect(asked.status).toBe(200);
		const ended = new Promise((done) => child.once("close", done));
		child.kill("SIGTERM");
		expect(await ended).toBe(0);
		expect(told()).not.toContain(token);
	});

	test("is no other in process", async () => {
		await expect(createEmulator({ controlToken: "" })).rejects.toThrow(/^controlToken must be printable/);
		await expect(createEmulator({ allowedHosts: ["*"] })).rejects.toThrow(/^allowedHosts must be a host/);
	});
});
