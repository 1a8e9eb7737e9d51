import { once } from "node:events";
import { createServer as createProxy } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { useReceiver } from "../../helpers/receiver";
import { mobile, open } from "../folders";
import { answering, type Sending, send } from "./sending";

const receiver = useReceiver();

describe("a receiver that is named", () => {
	const named = (url: string, addresses: string[], sending: Sending = {}) =>
		send(url, answering(...addresses), {
			to: "loopback",
			deliverTo: ["app:3000", "*.internal", "10.0.0.5"],
			...sending,
		});
	const port = () => Number(new URL(receiver.url).port);

	test("gets plain http at a private name, which others don't", async () => {
		const url = (host: string) => `http://${host}:${port()}/hooks`;
		expect(await named(url("app"), ["127.0.0.1"], { deliverTo: [`app:${port()}`] })).toMatchObject({ status: 204 });
		expect(await named(url("crm.internal"), ["127.0.0.1"])).toMatchObject({ status: 204 });
		expect(await named(url("CRM.Internal."), ["127.0.0.1"])).toMatchObject({ status: 204 });
		expect(receiver.posts.map(({ path }) => path)).toEqual(["/hooks", "/hooks", "/hooks"]);
		for (const host of ["app", "apps", "internal", "crminternal", "internal.example", "my.app"]) {
			expect(await named(url(host), ["127.0.0.1"])).toMatchObject({
				refused: true,
				error: expect.stringMatching(/is not this machine.*deliverTo for the hosts that it names/),
			});
		}
	});

	test("may be at a private address", async () => {
		// Ended before anything leaves this machine: what counts is whether it is refused.
		const gone = AbortSignal.abort();
		for (const host of ["10.0.0.5", "192.168.7.7", "[fd00::7]", "100.64.0.1", "8.8.8.8"]) {
			const outcome = await send(`http://${host}:1/`, undefined, { to: "loopback", deliverTo: [host], signal: gone });
			expect(outcome, host).toMatchObject({ status: null, refused: false });
		}
	});

	test("is never where a cloud keeps a machine's secrets, nor everybody, however the address is written or found", async () => {
		const v4 = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `169.254.${a}.${b}`);
		const known = fc.constantFrom("169.254.169.254", "100.100.100.200", "168.63.129.16");
		const v6 = fc
			.tuple(fc.integer({ min: 0xfe80, max: 0xfebf }), fc.nat(0xffff))
			.map(([first, last]) => `${first.toString(16)}::${last.toString(16)}`);
		const address = fc.oneof(
			v4,
			known,
			v6,
			fc.constantFrom("fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"),
			fc.constantFrom("224.0.0.1", "0.0.0.0", "::", "255.255.255.255"),
			fc.oneof(v4, known).map((each) => `::ffff:${each}`),
			v4.map((each) => ipaddr.IPv4.parse(each).toIPv4MappedAddress().toNormalizedString()),
		);
		await fc.assert(
			fc.asyncProperty(address, async (each) => {
				const host = each.includes(":") ? `[${each}]` : each;
				const outcomes = [
					await named("http://metadata.internal:1/", [each]),
					await named("http://metadata.internal:1/", ["10.0.0.5", each]),
					await named(`http://${host}:1/`, [], { deliverTo: [host] }),
					await named("https://metadata.example/", [each], { to: "any" }),
				];
				for (const outcome of outcomes)
					expect(outcome, each).toMatchObject({ refused: true, error: expect.stringMatching(/ is a \w+ address$/) });
			}),
			{ numRuns: 50 },
		);
	});

	test("is never the emulator itself, by whatever name or address", async () => {
		const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
		const sending = {
			deliverTo: ["*.internal", "localhost", ...own.filter((each) => !each.includes(":"))],
			ownPort: port(),
		};
		for (const address of [
			"127.0.0.1",
			"127.8.8.8",
			"::1",
			"::ffff:127.0.0.1",
			...own.filter((each) => !each.startsWith("fe80")),
		]) {
			const outcome = await named(`http://me.internal:${port()}/_emulator/reset`, [address], sending);
			expect(outcome, address).toMatchObject({ refused: true, error: expect.stringMatching(/own port/) });
		}
		for (const host of ["localhost", "127.0.0.1", "[::1]", ...own.filter((each) => !each.includes(":"))]) {
			const outcome = await named(`http://${host}:${port()}/_emulator/reset`, ["127.0.0.1"], sending);
			expect(outcome, host).toMatchObject({ refused: true, error: expect.stringMatching(/own port/) });
		}
		expect(receiver.posts).toEqual([]);
	});

	test("never delivers a webhook to the control API, by any port", async () => {
		const emulator = await open({ clock: "virtual", deliver: "loopback" });
		const seen: number[] = [];
		// A port of another name that leads back, as a container's published port does.
		const proxy = createProxy(async (request, response) => {
			const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
			const url = new URL(request.url ?? "", emulator.url);
			const answer = await fetch(url, { method: request.method ?? "", headers, body: await text(request) });
			seen.push(answer.status);
			response.writeHead(answer.status).end();
		}).listen(0, "127.0.0.1");
		onTestFinished(() => void proxy.close());
		await once(proxy, "listening");
		const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/_emulator/reset`;
		await emulator.call("POST", "/webhooks", { url, events: ["number.activated"] });
		await emulator.call("POST", "/numbers", mobile("US"));
		await emulator.control.settled();
		expect(seen).toEqual([403]);
		expect(emulator.control.state().numbers).toHaveLength(1);
	});

	test("is given by the option, and may then be written with plain http wherever a URL is", async () => {
		const options = { deliverTo: [`localhost:${port()}`, "app:3000"], kyc: "immediate", clock: "virtual" } as const;
		const { call, control } = await open(options);
		const url = "http://app:3000/voice";
		expect(await call("POST", "/webhooks", { url, events: ["*"] })).toMatchObject({ status: 201, body: { url } });
		const { id } = (await call("POST", "/numbers", { country: "US", type: "mobile" })).body;
		const failover = { type: "webhook", url: "https://a.example/" };
		const patch = { routing: { type: "webhook", url, failover }, sms_webhook_url: "http://app:3000/sms" };
		expect(await call("PATCH", `/numbers/${id}`, patch)).toMatchObject({ status: 200, body: patch });
		expect(control.patchNumber(id, { sms_webhook_url: url })).toMatchObject({ sms_webhook_url: url });
		for (const other of ["http://app:3001/", "http://other/", "http://app:3000/#part"]) {
			const refused = await call("POST", "/webhooks", { url: other, events: ["*"] });
			expect(refused).toMatchObject({ status: 400, body: { details: [{ field: "url" }] } });
		}
		for (const wrong of ["", "*", "http://app", "app/x", "a b", "app:99999"])
			await expect(createEmulator({ deliverTo: [wrong] })).rejects.toThrow(/^deliverTo must be a host such as/);
	});
});
