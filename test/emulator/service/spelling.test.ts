import { expect, test } from "vitest";
import { digest, useVirtualEmulator } from "../fixture";

const { emulator, call, buy, trunk, hook, profile, port, set } = useVirtualEmulator();

const routed = async (routing: object) => {
	const { id } = await buy();
	return async () => ((await call("PATCH", `/numbers/${id}`, { routing })).body.routing ?? {}) as object;
};

test("maskHostBits and mergeDuplicates answer each network once", async () => {
	set({ maskHostBits: true, mergeDuplicates: true, cidr: "add32" });
	const allowed_cidrs = ["198.51.100.7/24", "198.51.100.0/24", "192.0.2.1", "192.0.2.1/32", "2001:db8::1/64"];
	expect((await trunk({ auth: { mode: "ip_acl", allowed_cidrs } })).auth).toEqual({
		mode: "ip_acl",
		allowed_cidrs: ["198.51.100.0/24", "192.0.2.1/32", "2001:db8::/64"],
	});
	expect((await hook({ events: ["message.status", "message.received", "message.status"] })).events).toEqual([
		"message.status",
		"message.received",
	]);
});

test("hostCase and urlSlash respell URLs and SIP URIs, and leave path and user alone", async () => {
	set({ hostCase: "upper", urlSlash: "add" });
	expect(await hook({ url: "https://hooks.example.com/Path?q=a/" })).toMatchObject({
		url: "HTTPS://HOOKS.EXAMPLE.COM/Path/?q=a/",
	});
	expect(await (await routed({ type: "sip_uri", uri: "sip:Desk@pbx.example.com;transport=tls" }))()).toMatchObject({
		uri: "sip:Desk@PBX.EXAMPLE.COM;transport=tls",
	});
	set({ hostCase: "lower", urlSlash: "strip" });
	expect(await (await routed({ type: "webhook", url: "https://A.example/b/" }))()).toMatchObject({
		url: "https://a.example/b",
	});
});

test("phonePlus false answers digits only, also of a failover", async () => {
	set({ phonePlus: false });
	expect((await buy()).number).toMatch(/^1\d+$/);
	const failover = { type: "forward", to: "+31201234567" };
	expect(await (await routed({ type: "forward", to: "+49301234567", failover }))()).toMatchObject({
		to: "49301234567",
		failover: { to: "31201234567" },
	});
	expect((await port()).numbers).toEqual(["31201234567", "31612345678"]);
});

test("trimText takes blanks away, and what is nothing else is null", async () => {
	set({ trimText: true });
	expect(await trunk({ name: " office ", label: "  " })).toMatchObject({ name: "office", label: null });
	expect(await profile({ name: " Example GmbH " })).toMatchObject({ name: "Example GmbH" });
	const [carrier, subscriber] = [{ name: " Old Telecom" }, { name: "Example B.V. ", address: "Damrak 1" }];
	expect(await port({ carrier, subscriber })).toMatchObject({
		carrier: { name: "Old Telecom" },
		subscriber: { name: "Example B.V." },
	});
});

test("secretEcho shows a secret as asterisks or a hash, but never what it is", async () => {
	const password = "a-long-password-1";
	for (const [secretEcho, shown] of [
		["mask", /^\*+$/],
		["hash", /^sha256:[0-9a-f]{64}$/],
	] as const) {
		set({ secretEcho });
		const { auth, id } = await trunk({ auth: { ...digest, password } });
		expect(auth).toMatchObject({ password: expect.stringMatching(shown) });
		expect((await call("GET", `/trunks/${id}`)).body.auth).toMatchObject({ password: expect.stringMatching(shown) });
		const made = await hook();
		expect(made.secret).toMatch(/^whsec_/);
		expect((await call("GET", `/webhooks/${made.id}`)).body.secret).toMatch(shown);
	}
	expect(((await trunk()).auth as { password: string }).password).toMatch(/^[\w-]{20,}$/);
});

test("clampCapacity lowers what is too much, and repriceOnRead changes prices from read to read", async () => {
	set({ capacityMax: 10, clampCapacity: true, repriceOnRead: true });
	const { id, capacity } = await trunk({ capacity: 30 });
	expect(capacity).toBe(10);
	expect((await call("PATCH", `/trunks/${id}`, { capacity: 99 })).body.capacity).toBe(10);
	const number = await buy();
	const price = async () => (await call("GET", `/numbers/${number.id}`)).body.price;
	expect(await price()).not.toEqual(await price());
	expect(emulator.control.state().trunks).toMatchObject([{ capacity: 10 }]);
});
