import { describe, expect, test } from "vitest";
import { day, digest, refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, outside, buy, trunk, hook, set } = useVirtualEmulator();

const mobile = { country: "US", type: "mobile" };
const purchases = () => emulator.control.ledger().filter(({ kind }) => kind === "purchase").length;

describe("a rate limit", () => {
	const status = async () => (await call("GET", "/numbers")).status;

	test("lets a burst through, then as many as come in time, and says when to come again", async () => {
		set({ requestsPerSecond: 2, requestBurst: 3 });
		const first = await call("GET", "/numbers");
		expect(first.headers.get("RateLimit-Policy")).toBe('"account";q=4;w=2');
		expect(first.headers.get("RateLimit")).toBe('"account";r=2;t=0');
		expect(await status()).toBe(200);
		expect(await status()).toBe(200);
		const refused = await call("GET", "/numbers");
		expect(refused).toMatchObject(refusal(429, "rate_limited"));
		expect(refused.headers.get("Retry-After")).toBe("1");
		expect(refused.headers.get("RateLimit")).toBe('"account";r=0;t=1');
		clock.advance(500);
		expect(await status()).toBe(200);
		expect(await status()).toBe(429);
		clock.advance(60_000);
		expect(await status()).toBe(200);
		expect(await status()).toBe(200);
		expect(await status()).toBe(200);
		expect(await status()).toBe(429);
	});

	test("says when to come again as a date, or not at all", async () => {
		set({ requestsPerSecond: 0.1, requestBurst: 1, retryAfter: "date" });
		await status();
		const { headers } = await call("GET", "/numbers");
		expect(Date.parse(headers.get("Retry-After") ?? "")).toBeGreaterThanOrEqual(clock.now() + 10_000);
		set({ retryAfter: "none" });
		expect((await call("GET", "/numbers")).headers.get("Retry-After")).toBeNull();
	});

	test("counts calls with the right key only, and not the control API's", async () => {
		set({ requestsPerSecond: 1, requestBurst: 1 });
		const wrong = { Authorization: "Bearer wrong" };
		for (let turn = 0; turn < 3; turn++) expect((await call("GET", "/numbers", undefined, wrong)).status).toBe(401);
		const key = { "Idempotency-Key": "k" };
		await call("GET", "/numbers");
		expect((await call("POST", "/numbers", mobile, key)).status).toBe(429);
		expect(purchases()).toBe(0);
		for (let turn = 0; turn < 3; turn++) expect((await outside("GET", "/_emulator/clock")).status).toBe(200);
		clock.advance(1000);
		expect((await call("POST", "/numbers", mobile, key)).status).toBe(201);
		set({ requestsPerSecond: null });
		expect((await call("GET", "/numbers")).headers.has("RateLimit")).toBe(false);
	});
});

describe("what there is to buy", () => {
	test("inventoryLeft runs out, for searches too", async () => {
		set({ inventoryLeft: 2 });
		await Promise.all([buy(), buy("DE")]);
		expect(await call("POST", "/numbers", mobile)).toMatchObject(refusal(409, "no_inventory"));
		expect((await call("GET", "/available_numbers?country=US")).body.data).toEqual([]);
		expect(purchases()).toBe(2);
	});

	test("exhausted is a market, a type or an area", async () => {
		const free = async (query: string) => (await call("GET", `/available_numbers?limit=1&${query}`)).body.data.length;
		set({ exhausted: ["FR", "DE/geographic/30", "US/mobile"] });
		expect(await call("POST", "/numbers", mobile)).toMatchObject(refusal(409, "no_inventory"));
		expect((await buy("FR", "national")).error).toBe("no_inventory");
		expect(await free("country=DE&type=geographic&area=30")).toBe(0);
		expect(await free("country=DE&type=geographic&area=40")).toBe(1);
		expect((await buy("US", "national")).status).toBe("active");
	});

	test("stealOnBuy gives what a search has shown to somebody else", async () => {
		set({ stealOnBuy: 1 });
		const [shown] = (await call("GET", "/available_numbers?country=US&type=mobile")).body.data;
		expect(await call("POST", "/numbers", mobile)).toMatchObject(refusal(409, "no_inventory"));
		const bought = await buy();
		expect(bought.number).not.toBe(shown?.number);
		expect({ status: bought.status, purchases: purchases() }).toEqual({ status: "active", purchases: 1 });
	});

	test("numbersMax, trunksMax and churnLimit are limits of the account", async () => {
		set({ numbersMax: 1, trunksMax: 1 });
		const { id } = await buy();
		expect(await call("POST", "/numbers", mobile)).toMatchObject({
			...refusal(409, "limit_exceeded"),
			body: { details: { max: 1 } },
		});
		await trunk();
		expect((await trunk()).error).toBe("limit_exceeded");
		await call("DELETE", `/numbers/${id}`);
		set({ churnLimit: 1 });
		expect((await buy()).message).toMatch(/released 1 number\(s\) within 180 days/);
		clock.advance(181 * day);
		expect((await buy()).status).toBe("active");
	});
});

describe("a release", () => {
	test("is refused while the number is routed, or has not been here for long, if so switched", async () => {
		const { id } = await buy();
		await call("PATCH", `/numbers/${id}`, { routing: { type: "forward", to: "+49301234567" } });
		set({ refuseReleaseWhileRouted: true, coolOffDays: 2 });
		expect(await call("DELETE", `/numbers/${id}`)).toMatchObject(refusal(409, "number_in_use"));
		await call("PATCH", `/numbers/${id}`, { routing: null });
		const early = await call("DELETE", `/numbers/${id}`);
		expect(early).toMatchObject(refusal(409, "release_protected"));
		expect(early.body.details).toEqual({ until: new Date(clock.now() + 2 * day).toISOString() });
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "refusal", "refusal"]);
		clock.advance(2 * day);
		expect((await call("DELETE", `/numbers/${id}`)).status).toBe(200);
	});

	test("with softDelete leaves the number to be read, and happens once", async () => {
		set({ softDelete: true });
		const { id } = await buy();
		await call("DELETE", `/numbers/${id}`);
		expect((await call("GET", `/numbers/${id}`)).body.status).toBe("released");
		expect((await call("GET", "/numbers")).body.data).toMatchObject([{ id, status: "released" }]);
		expect(await call("DELETE", `/numbers/${id}`)).toMatchObject({ status: 200, body: { status: "released" } });
		expect((await call("PATCH", `/numbers/${id}`, { label: "x" })).status).toBe(404);
		expect(emulator.control.ledger().filter(({ kind }) => kind === "release")).toHaveLength(1);
	});

	test.each([0, 60_000])("detachLagMs keeps a trunk in use after its last number has left: %i ms later", async (ms) => {
		const [{ id }, number] = [await trunk(), await buy()];
		await call("PATCH", `/numbers/${number.id}`, { routing: { type: "trunk", trunk_id: id } });
		set({ detachLagMs: 5000 });
		clock.advance(ms);
		await call("PATCH", `/numbers/${number.id}`, { routing: null });
		const refused = await call("DELETE", `/trunks/${id}`);
		expect(refused).toMatchObject({ ...refusal(409, "trunk_in_use"), body: { details: { number_ids: [number.id] } } });
		clock.advance(5000);
		expect((await call("DELETE", `/trunks/${id}`)).status).toBe(204);
	});
});

describe("a change", () => {
	test.each([0, 1000])(
		"is reconciling for applyLagMs, and shows what was before unless echoIntent: made %i ms ago",
		async (ms) => {
			const [number, { id }] = [await buy(), await trunk()];
			clock.advance(ms);
			set({ applyLagMs: 3000, echoIntent: false });
			const routing = { type: "forward", to: "+49301234567" };
			const paths = [`/numbers/${number.id}`, `/trunks/${id}`] as const;
			expect((await call("PATCH", paths[0], { routing, label: "desk" })).body).toMatchObject({
				routing: null,
				label: "desk",
				reconciling: true,
			});
			expect((await call("PATCH", paths[1], { capacity: 7 })).body).toMatchObject({ capacity: 30, reconciling: true });
			clock.advance(2999);
			expect((await call("GET", paths[0])).body).toMatchObject({ routing: null, reconciling: true });
			clock.advance(1);
			expect((await call("GET", paths[0])).body).toMatchObject({ routing, reconciling: false });
			expect((await call("GET", paths[1])).body).toMatchObject({ capacity: 7, reconciling: false });
			set({ echoIntent: true });
			expect((await call("PATCH", paths[1], { capacity: 8 })).body).toMatchObject({ capacity: 8, reconciling: true });
		},
	);

	test("enumDriftAfterCreate answers the type in older words for ten seconds", async () => {
		set({ enumDriftAfterCreate: true });
		const { id, type } = await buy("US", "toll_free");
		expect(type).toBe("tollfree");
		clock.advance(9999);
		expect((await call("GET", `/numbers/${id}`)).body.type).toBe("tollfree");
		clock.advance(1);
		expect((await call("GET", `/numbers/${id}`)).body.type).toBe("toll_free");
	});

	test("ignoreIdempotencyKey offers the key, and buys again all the same", async () => {
		set({ ignoreIdempotencyKey: true });
		const key = { "Idempotency-Key": "k" };
		const first = await call("POST", "/numbers", mobile, key);
		expect(first.headers.get("Telephony-Features")).toContain("idempotencyKey");
		expect((await call("POST", "/numbers", mobile, key)).body.id).not.toBe(first.body.id);
		expect(purchases()).toBe(2);
	});

	test("kycDeadline fails a number whose papers have not come, rejected ones too, but none in review", async () => {
		set({ kycDeadline: true });
		const ids = [await buy("DE"), await buy("DE"), await buy("DE")].map(({ id }) => id);
		clock.advance(day);
		emulator.control.decide(String(ids[1]), "reject");
		emulator.control.patchNumber(String(ids[2]), { kyc: { status: "in_review" } });
		const statuses = () => emulator.control.state().numbers.map(({ status }) => status);
		clock.advance(13 * day);
		expect(statuses()).toEqual(["failed", "pending", "pending"]);
		clock.advance(day);
		expect(statuses()).toEqual(["failed", "failed", "pending"]);
		set({ kycDeadline: false });
		await buy("DE");
		clock.advance(30 * day);
		expect(statuses().at(-1)).toBe("pending");
	});

	test("kycDeadline goes by the deadline that stands, moved nearer or further away", async () => {
		set({ kycDeadline: true });
		const ids = [await buy("DE"), await buy("DE")].map(({ id }) => id);
		const move = (id: unknown, days: number) =>
			emulator.control.patchNumber(String(id), {
				kyc: { deadline: new Date(clock.now() + days * day).toISOString() },
			});
		move(ids[0], 2);
		move(ids[1], 30);
		const statuses = () => emulator.control.state().numbers.map(({ status }) => status);
		clock.advance(2 * day);
		expect(statuses()).toEqual(["failed", "pending"]);
		clock.advance(20 * day);
		expect(statuses()).toEqual(["failed", "pending"]);
		clock.advance(8 * day);
		expect(statuses()).toEqual(["failed", "failed"]);
	});
});

test("no switch makes the emulator break its own contract", async () => {
	const [{ id }, number] = [await trunk({ auth: digest }), await buy("DE")];
	await hook();
	clock.advance(1000);
	set({ applyLagMs: 5000, echoIntent: false, enumDriftAfterCreate: true, softDelete: true, requestsPerSecond: 1000 });
	await call("PATCH", `/numbers/${number.id}`, { routing: { type: "trunk", trunk_id: id } });
	await call("DELETE", `/numbers/${number.id}`);
	for (const path of ["/numbers", `/numbers/${number.id}`, "/trunks", `/trunks/${id}`, "/webhooks"]) {
		expect((await call("GET", path)).status, path).toBe(200);
	}
});
