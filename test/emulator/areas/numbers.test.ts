import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { day, refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, outside, buy, trunk } = useVirtualEmulator();

describe("a number", () => {
	test("in an open market is active at once", async () => {
		const bought = await call("POST", "/numbers", { country: "US", area: "415", type: "geographic" });
		expect(bought.status).toBe(201);
		expect(bought.body).toMatchObject({
			id: expect.stringMatching(/^num_[a-z2-7]{12}$/),
			number: expect.stringMatching(/^\+1415\d{7}$/),
			country: "US",
			area: "415",
			type: "geographic",
			status: "active",
			kyc: null,
			capabilities: ["voice"],
			routing: null,
			metadata: {},
			release_protection: false,
			source: "purchase",
		});
		expect(bought.body.activated_at).toBe(bought.body.created_at);
		expect(bought.body).not.toHaveProperty("kyc_required");
	});

	test("in a regulated market waits for a decision, and an approval activates it", async () => {
		const { id, ...bought } = await buy("DE");
		const deadline = new Date(clock.now() + 14 * day).toISOString();
		expect(bought).toMatchObject({
			status: "pending",
			kyc_required: true,
			kyc: { status: "action_required", profile_id: null, reasons: [], deadline },
			activated_at: null,
		});
		clock.advance(day);
		const decided = await outside("POST", `/_emulator/numbers/${id}/kyc`, { decision: "approve" });
		expect(decided).toMatchObject({ status: 200, body: { status: "active" } });
		expect((await call("GET", `/numbers/${id}`)).body).toMatchObject({
			status: "active",
			kyc: { status: "approved", deadline: null },
			activated_at: new Date(clock.now()).toISOString(),
		});
	});

	test("that was rejected stays pending with the reasons, and can be approved later", async () => {
		const { id } = await buy("FR");
		const reasons = [{ code: "address_mismatch", message: "The address differs from the passport's." }];
		emulator.control.decide(id, "reject", reasons);
		expect((await call("GET", `/numbers/${id}`)).body).toMatchObject({
			status: "pending",
			kyc: { status: "rejected", reasons },
		});
		emulator.control.decide(id, "approve");
		expect((await call("GET", `/numbers/${id}`)).body).toMatchObject({ status: "active", kyc: { reasons: [] } });
	});

	test("whose KYC expired has failed for good", async () => {
		const { id } = await buy("IT");
		emulator.control.decide(id, "expire");
		expect((await call("GET", `/numbers/${id}`)).body).toMatchObject({ status: "failed", kyc: { status: "expired" } });
		expect(() => emulator.control.decide(id, "approve")).toThrow(/failed/);
	});

	test("is decided on by the policy of the day it was bought", async () => {
		emulator.control.kyc("immediate");
		expect(await buy("ES")).toMatchObject({ status: "active", kyc_required: true, kyc: { status: "approved" } });
		await outside("POST", "/_emulator/kyc", { policy: "reject" });
		expect(await buy("ES")).toMatchObject({
			status: "pending",
			kyc: { status: "rejected", reasons: [{ code: expect.any(String), message: expect.any(String) }] },
		});
		emulator.control.kyc("10d");
		const { id, kyc } = await buy("BR");
		expect(kyc).toMatchObject({ status: "in_review", deadline: null });
		clock.advance(10 * day - 1);
		expect((await call("GET", `/numbers/${id}`)).body.status).toBe("pending");
		clock.advance(1);
		const active = (await call("GET", `/numbers/${id}`)).body;
		expect(active).toMatchObject({ status: "active", activated_at: new Date(clock.now()).toISOString() });
	});

	test("decided by hand is not decided again when its duration is over", async () => {
		emulator.control.kyc("1h");
		const { id } = await buy("IN");
		emulator.control.decide(id, "reject");
		clock.advance(day);
		expect((await call("GET", `/numbers/${id}`)).body.status).toBe("pending");
	});

	test("that is ported out while it is in review is decided on by nobody", async () => {
		emulator.control.kyc("1h");
		const { id } = await buy("IN");
		emulator.control.patchNumber(id, { status: "ported_out" });
		clock.advance(day);
		expect((await call("GET", `/numbers/${id}`)).body.status).toBe("ported_out");
	});

	test("has its route replaced whole and cleared by null", async () => {
		const { id } = await buy();
		const { id: trunk_id } = await trunk();
		const failover = { type: "forward", to: "+49301234567" };
		const routed = await call("PATCH", `/numbers/${id}`, { routing: { type: "trunk", trunk_id, failover } });
		expect(routed.body.routing).toEqual({
			type: "trunk",
			trunk_id,
			ring_timeout_seconds: 30,
			failover: { ...failover, ring_timeout_seconds: 30 },
		});
		const route = { type: "sip_uri", uri: "sip:a@b.example", ring_timeout_seconds: 10 };
		expect((await call("PATCH", `/numbers/${id}`, { routing: route })).body.routing).toEqual(route);
		expect((await call("PATCH", `/numbers/${id}`, { routing: null })).body.routing).toBeNull();
	});

	test("keeps what a PATCH omits, and its updated_at when nothing changes", async () => {
		const { id, updated_at } = await buy();
		clock.advance(1000);
		const patch = { label: "desk", metadata: { team: "a" }, sms_webhook_url: "https://a.example/sms" };
		const changed = (await call("PATCH", `/numbers/${id}`, patch)).body;
		expect(changed.updated_at).not.toBe(updated_at);
		clock.advance(1000);
		expect((await call("PATCH", `/numbers/${id}`, { ...patch, country: "US" })).body).toEqual(changed);
		expect((await call("PATCH", `/numbers/${id}`, { metadata: null })).body).toMatchObject({
			...patch,
			metadata: {},
		});
	});

	test.each([
		["unsupported_market", "POST", "/numbers", { country: "JP", type: "mobile" }, "country"],
		["validation_failed", "POST", "/numbers", { country: "us", type: "mobile" }, "country"],
		["validation_failed", "POST", "/numbers", { country: "US", type: "fax" }, "type"],
		["validation_failed", "POST", "/numbers", { country: "US", type: "mobile", label: "x" }, "label"],
		["validation_failed", "PATCH", "/numbers/ID", { routing: { type: "forward", to: "123" } }, "routing.to"],
		["validation_failed", "PATCH", "/numbers/ID", { routing: { type: "pigeon" } }, "routing.type"],
		["validation_failed", "PATCH", "/numbers/ID", { kyc_profile_id: "kyc_1" }, "kyc_profile_id"],
		["immutable_field", "PATCH", "/numbers/ID", { country: "CA" }, "country"],
		[
			"invalid_reference",
			"PATCH",
			"/numbers/ID",
			{ routing: { type: "trunk", trunk_id: "trk_0" } },
			"routing.trunk_id",
		],
		[
			"invalid_reference",
			"PATCH",
			"/numbers/ID",
			{ routing: { type: "agent", agent_id: "a", failover: { type: "trunk", trunk_id: "trk_0" } } },
			"routing.failover.trunk_id",
		],
		["validation_failed", "GET", "/numbers?limit=0", undefined, "limit"],
		["validation_failed", "GET", "/numbers?colour=red", undefined, "colour"],
	])("refuses with %s: %s %s %j", async (error, method, path, body, field) => {
		const { id } = await buy();
		const answer = await call(method, path.replace("ID", id), body);
		expect(answer).toMatchObject({ ...refusal(400, error), body: { error, details: [{ field }] } });
	});

	test("without sms takes no SMS webhook", async () => {
		const { id } = await buy("US", "geographic");
		const patch = { sms_webhook_url: "https://a.example" };
		expect(await call("PATCH", `/numbers/${id}`, patch)).toMatchObject(refusal(400, "capability_missing"));
	});

	test("is released once, is gone afterwards, and leaves its purchase and release in the ledger", async () => {
		const { id } = await buy("US", "mobile", { "Idempotency-Key": "k1" });
		const released = await call("DELETE", `/numbers/${id}`);
		expect(released).toMatchObject({ status: 200, body: { id, status: "released", routing: null } });
		expect(await call("GET", `/numbers/${id}`)).toMatchObject(refusal(404, "not_found"));
		expect(await call("DELETE", `/numbers/${id}`)).toMatchObject(refusal(404, "not_found"));
		expect((await call("GET", "/numbers")).body.data).toEqual([]);
		expect((await call("GET", "/numbers?status=released")).body.data).toMatchObject([{ id }]);
		const { data } = (await outside("GET", "/_emulator/ledger")).body;
		const row = { number_id: id, request_id: expect.stringMatching(/^req_/), at: expect.any(String) };
		expect(data).toEqual([
			{ kind: "purchase", key: "k1", ...row },
			{ kind: "release", key: null, ...row },
		]);
	});

	test("under protection is not released, and the refusal is in the ledger", async () => {
		const { id } = await buy();
		await call("PATCH", `/numbers/${id}`, { release_protection: true });
		expect(await call("DELETE", `/numbers/${id}`)).toMatchObject(refusal(409, "release_protected"));
		expect((await call("GET", `/numbers/${id}`)).status).toBe(200);
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "refusal"]);
	});

	test("is valid in each market and type, and never comes twice", async () => {
		const seen = new Set<unknown>();
		const markets = ["DE", "FR", "ES", "IT", "IN", "BR", "US", "CA", "GB", "NL", "SE"];
		for (const country of markets) {
			for (const type of ["geographic", "mobile", "toll_free", "national"]) {
				for (const area of [undefined, "020", "Springfield"]) {
					const { id, number, kyc_required } = (await call("POST", "/numbers", { country, type, area })).body;
					expect(kyc_required).toBe(markets.indexOf(country) < 6 ? true : undefined);
					expect(parsePhoneNumberFromString(String(number))?.isValid(), `${country} ${type} ${number}`).toBe(true);
					seen.add(number);
					await call("DELETE", `/numbers/${id}`);
				}
			}
		}
		expect(seen.size).toBe(markets.length * 4 * 3);
	});
});
