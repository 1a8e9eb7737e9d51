import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type State, VirtualClock } from "../../../emulator";
import { createPost, type Resolve } from "../../../emulator/service/post";
import { say, useReceiver } from "../../helpers/receiver";
import { start } from "../fixture";

const receiver = useReceiver();

/** The account after one event at a webhook with the address that `at` makes of the emulator's port. */
const accountAfter = async (at: (port: string) => string, to: "loopback" | "any") => {
	const emulator = await createEmulator({ clock: new VirtualClock(start), deliver: to });
	onTestFinished(() => emulator.close());
	const url = at(new URL(emulator.url).port);
	const headers = { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" };
	const post = (path: string, body: object) =>
		fetch(emulator.url + path, { method: "POST", headers, body: JSON.stringify(body) });
	expect((await post("/webhooks", { url, events: ["*"] })).status).toBe(201);
	await post("/numbers", { country: "US", type: "mobile" });
	await emulator.control.settled();
	return emulator.control.state();
};

/** What becomes of that event. */
const deliver = async (url: string, to: "loopback" | "any") => (await accountAfter(() => url, to)).deliveries[0];

const send = async (url: string, names: Resolve) => {
	const post = createPost({ deliver: "any", deliverTo: [] }, names);
	onTestFinished(() => post.close());
	return post.send({ url, headers: {}, body: "{}" }, 5000, new AbortController().signal);
};

const answering =
	(...addresses: string[]): Resolve =>
	(_, done) =>
		done(
			null,
			addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
		);

describe("unless asked to deliver to anybody, an emulator", () => {
	test("delivers to this machine, by name too", async () => {
		const url = receiver.url.replace("127.0.0.1", "localhost");
		expect(await deliver(url, "loopback")).toMatchObject({ status: "delivered" });
		expect(receiver.posts).toHaveLength(1);
	});

	test.each(["127.0.0.1", "localhost", "[::1]"])(
		"sends nothing to itself, called %s: a reset would end the account",
		async (host) => {
			const at = (port: string) => `http://${host}:${port}/_emulator/reset`;
			const { deliveries, numbers } = await accountAfter(at, "loopback");
			expect(deliveries).toMatchObject([
				{ status: "refused", attempts: [{ error: expect.stringContaining("own port") }] },
			]);
			expect(numbers).toHaveLength(1);
		},
	);

	test.each(["https://hooks.example.com/t", "https://8.8.8.8/", "https://10.0.0.1/", "https://localhost.example/"])(
		"logs a delivery to %s as refused, and sends nothing",
		async (url) => {
			expect(await deliver(url, "loopback")).toMatchObject({
				status: "refused",
				next_at: null,
				attempts: [{ status: null, error: expect.stringMatching(/is not this machine.*"any" lifts that/) }],
			});
		},
	);
});

describe("asked to deliver to anybody, an emulator", () => {
	test("is so by an option of the command too", async () => {
		const args = ["bin/telephony", "emulator", "--memory", "--port", "0", "--deliver", "any"];
		const cwd = resolve(__dirname, "../../..");
		const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
		onTestFinished(() => void child.kill());
		const [line] = (await once(createInterface(child.stdout), "line")) as [string];
		const [, url = ""] = /listening on (\S+)\/v1/.exec(line) ?? [];
		const post = async (path: string, body: object) => {
			const headers = { authorization: "Bearer emulator-key", "content-type": "application/json" };
			return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
		};
		await post("/v1/webhooks", { url: "https://10.0.0.1/", events: ["*"] });
		await post("/v1/numbers", { country: "US", type: "mobile" });
		await fetch(`${url}/_emulator/settled`, { method: "POST" });
		const { deliveries } = (await (await fetch(`${url}/_emulator/state`)).json()) as State;
		expect(deliveries[0]?.attempts[0]?.error).toBe("not sent: 10.0.0.1 is a private address");
	});

	test("still delivers to this machine", async () => {
		expect(await deliver(receiver.url, "any")).toMatchObject({ status: "delivered" });
	});

	test.each([
		["https://10.1.2.3/", "private"],
		["https://192.168.0.1/", "private"],
		["https://169.254.169.254/latest/meta-data", "linkLocal"],
		["https://100.64.0.1/", "carrierGradeNat"],
		["https://0.0.0.0/", "unspecified"],
		["https://0x0a000001/", "private"],
		["https://192.0.2.1/", "reserved"],
		["https://224.0.0.1/", "multicast"],
		["https://255.255.255.255/", "broadcast"],
		["https://[::ffff:10.0.0.1]/", "private"],
		["https://[::ffff:a9fe:a9fe]/", "linkLocal"],
		["https://[fd00::1]/", "uniqueLocal"],
		["https://[fe80::1]/", "linkLocal"],
		["https://[64:ff9b::a00:1]/", "rfc6052"],
		["https://[64:ff9b:1::a00:1]/", "rfc6052"],
		["https://[2002:a00:1::]/", "6to4"],
		["https://[::a00:1]/", "reserved"],
		["https://[4000::1]/", "reserved"],
	])("refuses %s, which is %s", async (url, range) => {
		const delivery = await deliver(url, "any");
		expect(delivery?.attempts[0]?.error).toMatch(new RegExp(`^not sent: .* is a ${range} address$`));
		expect(delivery).toMatchObject({ status: "refused", attempts: [{ status: null }] });
	});

	test.each([["127.0.0.1"], ["::1"], ["10.0.0.1"], ["::ffff:127.0.0.1"], ["8.8.8.8", "10.0.0.1"]])(
		"refuses a public name that leads to %s",
		async (...addresses) => {
			const { port } = new URL(receiver.url);
			const outcome = await send(`https://hooks.example.com:${port}/`, answering(...addresses));
			expect(outcome).toMatchObject({ status: null, refused: true });
			expect(outcome.error).toMatch(/^not sent: hooks\.example\.com \(.+\) is a \w+ address$/);
			expect(receiver.posts).toHaveLength(0);
		},
	);

	test("takes no other name's word for what this machine is", async () => {
		expect(await send(receiver.url.replace("127.0.0.1", "localhost"), answering("8.8.8.8"))).toMatchObject({
			refused: true,
			error: "not sent: localhost (8.8.8.8) is a unicast address",
		});
	});

	test("would connect to a public address, of either kind", async () => {
		const hosts = ["8.8.8.8", "[2606:4700::1111]"];
		const gone = AbortSignal.abort();
		const post = createPost({ deliver: "any", deliverTo: [] });
		onTestFinished(() => post.close());
		for (const host of hosts) {
			const posting = { url: `https://${host}/`, headers: {}, body: "" };
			// Ended before anything leaves this machine: what counts is that it is not refused.
			expect(await post.send(posting, 5000, gone)).toMatchObject({ status: null, refused: false });
		}
	});

	test("sends nothing unencrypted beyond this machine", async () => {
		const outcome = await send("http://hooks.example.com/", answering("8.8.8.8"));
		expect(outcome).toMatchObject({ refused: true, error: "not sent: only https goes beyond this machine" });
	});

	test("may try again later where a name has no address", async () => {
		const nowhere: Resolve = (host, done) => done(new Error(`getaddrinfo ENOTFOUND ${host}`), []);
		const outcome = await send("https://hooks.example.com/", nowhere);
		expect(outcome).toMatchObject({ status: null, error: "getaddrinfo ENOTFOUND hooks.example.com", refused: false });
		expect(await send("https://hooks.example.com/", answering())).toMatchObject({ status: null, refused: false });
	});

	test("does not follow a redirect", async () => {
		receiver.answer = say(302, { location: `${receiver.url}/elsewhere` });
		expect(await send(receiver.url, answering())).toMatchObject({ status: 302 });
		expect(receiver.posts).toHaveLength(1);
	});
});

describe("a name", () => {
	const folder = mkdtempSync(join(tmpdir(), "telephony-tls-"));
	const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
	const hosts: (string | undefined)[] = [];
	const server = { url: "", close: () => {} };
	beforeAll(async () => {
		const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
		const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
		const args = ["req", "-x509", "-nodes", "-days", "2", ...ec, "-keyout", key, "-out", cert, ...subject];
		execFileSync("openssl", args, { stdio: "ignore" });
		const https = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
			hosts.push(request.headers.host);
			response.writeHead(204).end();
		});
		await new Promise<void>((resolve) => https.listen(0, "127.0.0.1", resolve));
		server.url = `https://localhost:${(https.address() as AddressInfo).port}/`;
		server.close = () => {
			https.closeAllConnections();
			https.close();
		};
	});
	afterAll(() => {
		server.close();
		rmSync(folder, { recursive: true });
	});

	test("is resolved once, and the connection goes to that address with the name's certificate", async () => {
		const before = getCACertificates("default");
		onTestFinished(() => setDefaultCACertificates(before));
		let asked = 0;
		const names: Resolve = (_, done) => {
			asked += 1;
			done(null, [{ address: asked === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]);
		};
		const untrusted = await send(server.url, answering("127.0.0.1"));
		expect(untrusted).toMatchObject({ status: null, error: expect.stringMatching(/self-signed/) });
		setDefaultCACertificates([...before, readFileSync(cert, "utf8")]);
		expect(await send(server.url, names)).toMatchObject({ status: 204 });
		expect([asked, hosts]).toEqual([1, [new URL(server.url).host]]);
		const byAddress = await send(server.url.replace("localhost", "127.0.0.1"), names);
		expect(byAddress).toMatchObject({ status: null, error: expect.stringMatching(/altnames|does not match/) });
	});
});
