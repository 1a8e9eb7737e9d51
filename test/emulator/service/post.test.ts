import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type State, VirtualClock } from "../../../emulator";
import type { Resolve } from "../../../emulator/service/post";
import { say, useReceiver } from "../../helpers/receiver";
import { start } from "../fixture";
import { mobile, open, start as startCommand } from "../folders";
import { answering, send } from "./sending";

const receiver = useReceiver();

/** The account after one event at a webhook with the address that `at` makes of the emulator's port. */
const accountAfter = async (at: (port: string) => string, to: "loopback" | "any") => {
	const emulator = await open({ clock: new VirtualClock(start), deliver: to });
	const url = at(new URL(emulator.url).port);
	expect((await emulator.call("POST", "/webhooks", { url, events: ["*"] })).status).toBe(201);
	await emulator.call("POST", "/numbers", mobile("US"));
	await emulator.control.settled();
	return emulator.control.state();
};

/** What becomes of that event. */
const deliver = async (url: string, to: "loopback" | "any") => (await accountAfter(() => url, to)).deliveries[0];

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
		const { url } = await startCommand(["--memory", "--deliver", "any"]);
		const post = async (path: string, body: object) => {
			const headers = { authorization: "Bearer emulator-key", "content-type": "application/json" };
			return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
		};
		await post("/webhooks", { url: "https://10.0.0.1/", events: ["*"] });
		await post("/numbers", mobile("US"));
		await fetch(new URL("/_emulator/settled", url), { method: "POST" });
		const { deliveries } = (await (await fetch(new URL("/_emulator/state", url))).json()) as State;
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
		// Ended before anything leaves this machine: what counts is that it is not refused.
		const signal = AbortSignal.abort();
		for (const host of ["8.8.8.8", "[2606:4700::1111]"])
			expect(await send(`https://${host}/`, undefined, { signal })).toMatchObject({ status: null, refused: false });
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
		expect({ asked, hosts }).toEqual({ asked: 1, hosts: [new URL(server.url).host] });
		const byAddress = await send(server.url.replace("localhost", "127.0.0.1"), names);
		expect(byAddress).toMatchObject({ status: null, error: expect.stringMatching(/altnames|does not match/) });
	});
});
