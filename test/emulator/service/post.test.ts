/** Allowed and refused receivers of an emulator. */
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { parsePattern } from "../../../emulator/service/hosts";
import { createPost, type Resolve } from "../../../emulator/service/post";
import { useReceiver } from "../../helpers/receiver";
import { listen } from "../../helpers/servers";
import { mobile, refusal } from "../fixture";
import { open } from "../folders";

const receiver = useReceiver();
const portOf = (url: string) => Number(new URL(url).port);

interface Sending {
	/** Of the name; by default the machine's own resolver finds them. */
	readonly addresses?: readonly string[];
	readonly names?: Resolve;
	readonly to?: "loopback" | "any";
	readonly deliverTo?: readonly string[];
	readonly ownPort?: number;
	/** Ends before anything leaves this machine: only a refusal counts. */
	readonly isCut?: boolean;
}

const resolving =
	(addresses: readonly string[]): Resolve =>
	(_, done) =>
		done(
			null,
			addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
		);

const send = (url: string, { addresses, names, to = "any", deliverTo = [], ownPort, isCut }: Sending = {}) => {
	const patterns = deliverTo.map(parsePattern).filter((pattern) => pattern !== undefined);
	const post = createPost({ deliver: to, deliverTo: patterns }, addresses ? resolving(addresses) : names);
	onTestFinished(() => post.close());
	if (ownPort !== undefined) post.refusePort(ownPort);
	return post.send({ url, headers: {}, body: "{}" }, 5000, isCut ? AbortSignal.abort() : new AbortController().signal);
};

/** The account after an event at a webhook with the address that `at` makes of the emulator's port. */
const accountAfter = async (at: (port: number) => string, deliver: "loopback" | "any") => {
	const emulator = await open({ clock: "virtual", deliver });
	await emulator.call("POST", "/webhooks", { url: at(portOf(emulator.url)), events: ["number.activated"] });
	await emulator.call("POST", "/numbers", mobile());
	await emulator.control.settled();
	return emulator.control.state();
};
/** Allowed, but without a response. */
const isSent = { status: null, refused: false };
const isRefused = { status: "refused", next_at: null, attempts: [{ status: null }] };

describe("a webhook", () => {
	test.each(["loopback", "any"] as const)("reaches this machine, by name too: %s", async (to) => {
		const url = receiver.url.replace("127.0.0.1", "localhost");
		expect((await accountAfter(() => url, to)).deliveries).toMatchObject([{ status: "delivered" }]);
	});

	test.each([
		...["127.0.0.1", "localhost", "[::1]"].map((host) => (port: number) => `http://${host}:${port}/_emulator/reset`),
		...["hooks.example.com", "8.8.8.8", "10.0.0.1", "localhost.example"].map((host) => () => `https://${host}/`),
	])("reaches neither the emulator nor others: %s", async (at) => {
		const { deliveries, numbers } = await accountAfter(at, "loopback");
		expect(deliveries).toMatchObject([isRefused]);
		expect(numbers).toHaveLength(1);
	});

	test("never reaches the control API, even through another port", async () => {
		const statuses: number[] = [];
		let control = 0;
		const proxy = createServer(async (request, response) => {
			const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
			const { url = "", method = "" } = request;
			const upstream = await fetch(`http://127.0.0.1:${control}${url}`, { method, headers, body: await text(request) });
			statuses.push(upstream.status);
			response.writeHead(upstream.status).end();
		});
		onTestFinished(() => void proxy.close());
		const origin = await listen(proxy);
		const { numbers } = await accountAfter((port) => {
			control = port;
			return `${origin}/_emulator/reset`;
		}, "loopback");
		expect([statuses, numbers.length]).toEqual([[403], 1]);
	});
});

describe("a post to any host", () => {
	const hosts = [
		...["10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0x0a000001", "192.0.2.1", "224.0.0.1"],
		...["255.255.255.255", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[fd00::1]", "[fe80::1]", "[64:ff9b::a00:1]"],
		...["[64:ff9b:1::a00:1]", "[2002:a00:1::]", "[::a00:1]", "[4000::1]"],
	];
	test.each<[string, Sending]>([
		...hosts.map((host): [string, Sending] => [`https://${host}/`, {}]),
		...[["127.0.0.1"], ["::1"], ["10.0.0.1"], ["::ffff:127.0.0.1"], ["8.8.8.8", "10.0.0.1"]].map(
			(addresses): [string, Sending] => ["https://hooks.example.com/", { addresses }],
		),
		["http://localhost/", { addresses: ["8.8.8.8"] }],
		["http://hooks.example.com/", { addresses: ["8.8.8.8"] }],
	])("is refused at %s %j", async (url, sending) => {
		expect(await send(url, sending)).toMatchObject({ status: null, refused: true });
	});

	test.each<[string, Sending]>([
		["https://8.8.8.8/", { isCut: true }],
		["https://[2606:4700::1111]/", { isCut: true }],
		["https://hooks.example.com/", { addresses: [] }],
		["https://hooks.example.com/", { names: (host, done) => done(new Error(`ENOTFOUND ${host}`), []) }],
	])("is allowed, and may fail, at %s %j", async (url, sending) => {
		expect(await send(url, sending)).toMatchObject(isSent);
	});

	test("resolves a name once, and connects to the address that it checked", async () => {
		const resolved: string[] = [];
		const names: Resolve = (name, done) => {
			resolved.push(name);
			done(null, [{ address: resolved.length === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]);
		};
		expect(await send(receiver.url.replace("127.0.0.1", "localhost"), { names })).toMatchObject({ status: 204 });
		expect(resolved).toEqual(["localhost"]);
	});
});

describe("a receiver that is named", () => {
	const named = (url: string, addresses: string[], sending: Sending = {}) =>
		send(url, { addresses, to: "loopback", deliverTo: ["app:3000", "*.internal", "10.0.0.5"], ...sending });
	const local = Object.values(networkInterfaces()).flatMap(
		(networkInterface) => networkInterface?.map(({ address }) => address) ?? [],
	);
	const bracketed = (address: string) => (address.includes(":") ? `[${address}]` : address);

	test("is reached at a private name or address, others are not", async () => {
		const port = portOf(receiver.url);
		const post = (host: string, deliverTo?: string[]) =>
			named(`http://${host}:${port}/hooks`, ["127.0.0.1"], deliverTo && { deliverTo });
		for (const host of ["crm.internal", "CRM.Internal."]) expect(await post(host)).toMatchObject({ status: 204 });
		expect(await post("app", [`app:${port}`])).toMatchObject({ status: 204 });
		for (const host of ["app", "apps", "internal", "crminternal", "internal.example", "my.app"])
			expect(await post(host), host).toMatchObject({ refused: true });
		for (const host of ["10.0.0.5", "192.168.7.7", "[fd00::7]", "100.64.0.1", "8.8.8.8"])
			expect(await named(`http://${host}:1/`, [], { deliverTo: [host], isCut: true })).toMatchObject(isSent);
	});

	test("is never a cloud's metadata service, in any spelling", async () => {
		const metadata = ["169.254.169.254", "169.254.7.7", "100.100.100.200", "168.63.129.16"];
		const ipv6 = ["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fe80::1", "febf::1"];
		const unroutable = ["224.0.0.1", "0.0.0.0", "::", "255.255.255.255"];
		for (const refused of [...metadata, ...metadata.map((address) => `::ffff:${address}`), ...ipv6, ...unroutable]) {
			const outcomes = [
				await named("http://metadata.internal:1/", [refused]),
				await named("http://metadata.internal:1/", ["10.0.0.5", refused]),
				await named(`http://${bracketed(refused)}:1/`, [], { deliverTo: [bracketed(refused)] }),
				await named("https://metadata.example/", [refused], { to: "any" }),
			];
			expect(outcomes, refused).toMatchObject(Array(4).fill({ refused: true }));
		}
	});

	test("is never the emulator itself, under any name or address", async () => {
		const ownPort = portOf(receiver.url);
		const usual = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"];
		const addresses = [...usual, ...local.filter((address) => !/^fe80/.test(address))];
		const hosts = ["localhost", ...addresses.filter((address) => !address.startsWith("::ffff")).map(bracketed)];
		const sending = { deliverTo: ["*.internal", ...hosts], ownPort };
		for (const address of addresses)
			expect((await named(`http://me.internal:${ownPort}/`, [address], sending)).refused, address).toBe(true);
		for (const host of hosts)
			expect((await named(`http://${host}:${ownPort}/`, ["127.0.0.1"], sending)).refused, host).toBe(true);
		expect(receiver.posts).toEqual([]);
	});

	test("may have plain http wherever a URL is stored", async () => {
		const { call, control } = await open({ deliverTo: ["app:3000"], kyc: "immediate", clock: "virtual" });
		const url = "http://app:3000/voice";
		const hook = (at: string) => call("POST", "/webhooks", { url: at, events: ["*"] });
		expect(await hook(url)).toMatchObject({ status: 201, body: { url } });
		const { id } = (await call("POST", "/numbers", mobile())).body;
		const patch = { routing: { type: "webhook", url }, sms_webhook_url: url };
		expect(await call("PATCH", `/numbers/${id}`, patch)).toMatchObject({ status: 200, body: patch });
		expect(control.patchNumber(id, patch)).toMatchObject(patch);
		for (const url of ["http://app:3001/", "http://other/", "http://app:3000/#part"])
			expect(await hook(url)).toMatchObject(refusal(400, "validation_failed", "url"));
		for (const wrong of ["", "*", "http://app", "app/x", "a b", "app:99999"])
			await expect(createEmulator({ deliverTo: [wrong] })).rejects.toThrow("deliverTo");
	});
});
