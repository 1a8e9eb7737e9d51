/** The effect of each setting on responses. */
import { describe, expect, test } from "vitest";
import { features, type Operation, operations } from "../../../provider/api/contract";
import { useEmulator } from "../../helpers/emulator";
import { mobile, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, outside, post, patch, remove, read, buy, trunk, hook, set } = virtual;

const key = { "Idempotency-Key": "k" };
const purchase = (body: object = mobile()) => post("/numbers", body);
const forward = { type: "forward", to: "+49301234567" };
const routed = async (routing: object) => (await patch(`/numbers/${(await buy()).id}`, { routing })).body.routing;
const acl = (...allowed_cidrs: string[]) => ({ auth: { mode: "ip_acl", allowed_cidrs } });
const noInventory = refusal(409, "no_inventory");

describe("a feature", () => {
	test.each(features)("can be off, with its operations and no others: %s", async (feature) => {
		const table = Object.entries<Operation>(operations);
		const refused = async () => {
			const found = table.map(async ([name, { method, path }]) => {
				const { error } = (await call(method, path.replace("{id}", "x"), method === "POST" ? {} : undefined)).body;
				return ["operation_not_offered", "method_not_allowed"].includes(error) ? [name] : [];
			});
			return (await Promise.all(found)).flat();
		};
		expect(await refused()).toEqual([]);
		set({ features: { [feature]: false } });
		expect(await refused()).toEqual(
			table.flatMap(([name, operation]) => (operation.feature === feature ? [name] : [])),
		);
		expect((await call("GET", "/numbers")).headers.get("Telephony-Features")).not.toContain(feature);
	});

	test("takes its fields, filters and headers along", async () => {
		const { id } = await trunk({ reference: "r" });
		set({ features: { reference: false, statusFilter: false, idempotencyKey: false } });
		expect(await read(`/trunks/${id}`)).not.toHaveProperty("reference");
		const body = { url: "https://a.example/", events: ["*"], reference: "r" };
		expect(await post("/webhooks", body)).toMatchObject(refusal(400, "validation_failed", "reference"));
		for (const filter of ["reference=r", "status=released"])
			expect(await call("GET", `/numbers?${filter}`)).toMatchObject(refusal(400, "validation_failed"));
		expect((await buy("US", "mobile", key)).id).not.toBe((await buy("US", "mobile", key)).id);
	});

	const seed = useEmulator({ profile: "seed", clock });
	test("is absent from the profile seed, which only lists and buys", async () => {
		const buyFrom = (country: string) => seed.call("POST", "/numbers", mobile(country));
		const { body, headers } = await buyFrom("DE");
		expect(body).toMatchObject({ id: expect.any(String), kyc_required: true });
		expect(headers.get("Telephony-Features")).toBe("");
		const expected = { id: body.id, country: "DE", type: "mobile", status: "pending" };
		expect((await seed.call("GET", "/numbers?limit=1")).body).toEqual({ data: [expected], next_cursor: null });
		expect(await seed.call("GET", "/trunks")).toMatchObject(refusal(404, "operation_not_offered"));
		seed.control.settings({ purchaseId: false });
		expect([(await buyFrom("DE")).body, (await buyFrom("US")).body]).toEqual([{ kyc_required: true }, {}]);
	});
});

describe("spelling", () => {
	test("changes for addresses with `cidr`, and means the same", async () => {
		const { id } = await trunk(acl("192.0.2.1", "192.0.2.1/32", "198.51.100.0/24", "2001:db8::1"));
		set({ cidr: "add32" });
		const added = ["192.0.2.1/32", "192.0.2.1/32", "198.51.100.0/24", "2001:db8::1/128"];
		expect(await read(`/trunks/${id}`)).toMatchObject(acl(...added));
		set({ cidr: "strip32" });
		const stripped = ["192.0.2.1", "192.0.2.1", "198.51.100.0/24", "2001:db8::1"];
		expect(await read(`/trunks/${id}`)).toMatchObject(acl(...stripped));
	});

	test("changes for URLs, SIP URIs, numbers and texts by the settings", async () => {
		set({ hostCase: "upper", urlSlash: "add" });
		const { url } = await hook({ url: "https://hooks.example.com/Path?q=a/" });
		expect(url).toBe("HTTPS://HOOKS.EXAMPLE.COM/Path/?q=a/");
		const uri = await routed({ type: "sip_uri", uri: "sip:Desk@pbx.example.com;transport=tls" });
		expect(uri).toMatchObject({ type: "sip_uri", uri: "sip:Desk@PBX.EXAMPLE.COM;transport=tls" });
		const made = await trunk({ targets: [{ host: "sip.example.com" }] });
		expect(made).toMatchObject({ targets: [{ host: "SIP.EXAMPLE.COM" }] });
		set({ hostCase: "lower", urlSlash: "strip", phonePlus: false, trimText: true });
		expect(await routed({ ...forward, failover: forward })).toMatchObject({
			to: "49301234567",
			failover: { to: "49301234567" },
		});
		const { data } = await read("/available_numbers?country=US&type=mobile&limit=1");
		expect(data[0]?.number).toMatch(/^1\d{10}$/);
		expect(await trunk({ name: " office ", label: "  " })).toMatchObject({ name: "office", label: null });
		expect(await hook({ url: "https://A.example/b/" })).toMatchObject({ url: "https://a.example/b" });
	});
});

describe("a purchase", () => {
	test("finds nothing where the inventory is exhausted", async () => {
		const free = async (query: string) => (await read(`/available_numbers?limit=1&country=${query}`)).data.length;
		set({ exhausted: ["FR", "DE/geographic/30", "US/mobile"] });
		for (const body of [mobile(), { country: "FR", type: "national" }])
			expect(await purchase(body)).toMatchObject(noInventory);
		expect([await free("DE&type=geographic&area=30"), await free("DE&type=geographic&area=40")]).toEqual([0, 1]);
		set({ exhausted: [], inventoryLeft: 1, ignoreIdempotencyKey: true });
		expect((await post("/numbers", mobile(), key)).status).toBe(201);
		expect(await post("/numbers", mobile(), key)).toMatchObject(noInventory);
		expect(await free("US")).toBe(0);
		set({ inventoryLeft: null, stealOnBuy: 1 });
		const [available] = (await read("/available_numbers?country=US&type=mobile")).data;
		expect(await purchase()).toMatchObject(noInventory);
		expect((await buy()).number).not.toBe(available?.number);
	});

	test("stays within the account's limits", async () => {
		set({ numbersMax: 1, capacityMax: 10, clampCapacity: true });
		const { id } = await buy();
		const limited = refusal(409, "limit_exceeded");
		expect(await purchase()).toMatchObject({ ...limited, body: { details: { max: 1 } } });
		const office = await trunk();
		expect(office).toMatchObject({ capacity: 10 });
		expect((await patch(`/trunks/${office.id}`, { capacity: 99 })).body).toMatchObject({ capacity: 10 });
		await remove(`/numbers/${id}`);
		expect((await purchase()).status).toBe(201);
	});
});

describe("a removal", () => {
	test("is refused while routed, and recorded", async () => {
		const { id } = await buy();
		await patch(`/numbers/${id}`, { routing: forward });
		set({ refuseReleaseWhileRouted: true });
		expect(await remove(`/numbers/${id}`)).toMatchObject(refusal(409, "number_in_use"));
		await patch(`/numbers/${id}`, { routing: null });
		expect(emulator.kinds()).toEqual(["purchase", "refusal"]);
		expect((await remove(`/numbers/${id}`)).status).toBe(200);
	});

	test("leaves the number readable, with softDelete", async () => {
		set({ softDelete: true });
		const { id } = await buy();
		const released = { id, status: "released" };
		for (let count = 0; count < 2; count++)
			expect(await remove(`/numbers/${id}`)).toMatchObject({ status: 200, body: released });
		expect(await read(`/numbers/${id}`)).toMatchObject(released);
		expect((await read("/numbers")).data).toMatchObject([released]);
		expect((await patch(`/numbers/${id}`, { label: "x" })).status).toBe(404);
		expect(emulator.released()).toEqual([id]);
	});
});

describe("time", () => {
	test.each([0, 1000])("shows a change after applyLagMs, or with echoIntent at once: %i ms", async (ms) => {
		const [number, office] = [`/numbers/${(await buy()).id}`, `/trunks/${(await trunk()).id}`];
		clock.advance(ms);
		set({ applyLagMs: 3000, echoIntent: false });
		const before = { routing: null, reconciling: true };
		expect((await patch(number, { routing: forward })).body).toMatchObject(before);
		expect((await patch(office, { capacity: 7 })).body).toMatchObject({ capacity: 30, reconciling: true });
		clock.advance(2999);
		expect(await read(number)).toMatchObject(before);
		clock.advance(1);
		expect(await read(number)).toMatchObject({ routing: forward, reconciling: false });
		expect(await read(office)).toMatchObject({ capacity: 7, reconciling: false });
		set({ echoIntent: true });
		expect((await patch(office, { capacity: 8 })).body).toMatchObject({ capacity: 8, reconciling: true });
	});
});

const list = () => call("GET", "/numbers");
const statuses = async (count: number) => {
	const statuses: number[] = [];
	for (let turn = 0; turn < count; turn++) statuses.push((await list()).status);
	return statuses;
};

test("the rate limit allows a burst, then a rate, and says when to retry", async () => {
	set({ requestsPerSecond: 2, requestBurst: 3 });
	const { headers } = await list();
	expect(headers.get("RateLimit-Policy")).toBe('"account";q=4;w=2');
	const wrong = { Authorization: "Bearer wrong" };
	expect((await call("GET", "/numbers", undefined, wrong)).status).toBe(401);
	expect((await outside("GET", "/_emulator/clock")).status).toBe(200);
	expect(await statuses(2)).toEqual([200, 200]);
	expect((await post("/numbers", mobile(), key)).status).toBe(429);
	const refused = await list();
	expect(refused).toMatchObject(refusal(429, "rate_limited"));
	expect(refused.headers.get("Retry-After")).toBe("1");
	expect(refused.headers.get("RateLimit")).toBe('"account";r=0;t=1');
	clock.advance(500);
	expect(await statuses(2)).toEqual([200, 429]);
	clock.advance(60_000);
	expect(await statuses(4)).toEqual([200, 200, 200, 429]);
	set({ requestsPerSecond: 0.1, retryAfter: "date" });
	const date = (await list()).headers.get("Retry-After") ?? "";
	expect(Date.parse(date)).toBeGreaterThan(clock.now());
	set({ retryAfter: "none" });
	expect((await list()).headers.get("Retry-After")).toBeNull();
});

test("accepts words that the contract doesn't have if told so", async () => {
	const { id } = await trunk();
	const words = {
		codecs: ["iLBC", "PCMA"],
		media_encryption: "dtls",
		targets: [{ host: "a.example", transport: "ws" }],
	};
	const events = { url: "https://a.example/", events: ["fax.received", "call.completed"] };
	expect(await patch(`/trunks/${id}`, words)).toMatchObject(refusal(400, "validation_failed"));
	expect(await post("/webhooks", events)).toMatchObject(refusal(400, "validation_failed"));
	set({ acceptNewWords: true });
	expect((await patch(`/trunks/${id}`, words)).body).toMatchObject(words);
	expect(await read(`/trunks/${id}`)).toMatchObject(words);
	expect((await post("/webhooks", events)).body).toMatchObject(events);
	const { id: receiver } = await hook();
	const edits = { ...words, codecs: ["AMR-WB/16000"] };
	expect((await outside("PATCH", `/_emulator/trunks/${id}`, edits)).body).toMatchObject(edits);
	expect((await outside("PATCH", `/_emulator/webhooks/${receiver}`, { events: ["rcs.read"] })).status).toBe(200);
	for (const wrong of [{ codecs: [7] }, { codecs: ["iLBC"], capacity: 0 }, { enabled: "yes" }])
		expect(await patch(`/trunks/${id}`, wrong)).toMatchObject(refusal(400, "validation_failed"));
	expect((await purchase({ country: "NL", type: "premium" })).status).toBe(400);
});
