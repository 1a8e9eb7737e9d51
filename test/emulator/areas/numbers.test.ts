import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { describe, expect, test } from "vitest";
import { submitPort } from "../../helpers/ports";
import { day, iso, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, outside, post, patch, remove, read, list, buy, trunk, set } = virtual;

describe("a purchase", () => {
	test("is active at once in an open market", async () => {
		const bought = await post("/numbers", { country: "US", area: "415", type: "geographic" });
		expect(bought).toMatchObject({
			status: 201,
			body: {
				id: expect.stringMatching(/^num_[a-z2-7]{12}$/),
				number: expect.stringMatching(/^\+1415\d{7}$/),
				...{ country: "US", area: "415", type: "geographic", status: "active", kyc: null, capabilities: ["voice"] },
				...{ routing: null, metadata: {}, release_protection: false, source: "purchase" },
				activated_at: bought.body.created_at,
			},
		});
		expect(bought.body).not.toHaveProperty("kyc_required");
	});

	test("waits for an approval in a regulated market", async () => {
		const { id, ...bought } = await buy("DE");
		const kyc = { status: "action_required", profile_id: null, reasons: [], deadline: iso(clock.now() + 14 * day) };
		expect(bought).toMatchObject({ status: "pending", kyc_required: true, kyc, activated_at: null });
		const reasons = [{ code: "address_mismatch", message: "The address differs from the passport's." }];
		emulator.control.decide(id, "reject", reasons);
		expect(await read(`/numbers/${id}`)).toMatchObject({ status: "pending", kyc: { status: "rejected", reasons } });
		clock.advance(day);
		await outside("POST", `/_emulator/numbers/${id}/kyc`, { decision: "approve" });
		const approved = { status: "approved", deadline: null, reasons: [] };
		const activated_at = iso(clock.now());
		expect(await read(`/numbers/${id}`)).toMatchObject({ status: "active", kyc: approved, activated_at });
		const failed = await buy("IT");
		emulator.control.decide(failed.id, "expire");
		expect(await read(`/numbers/${failed.id}`)).toMatchObject({ status: "failed", kyc: { status: "expired" } });
		expect(() => emulator.control.decide(failed.id, "approve")).toThrow();
	});

	test("follows the KYC policy of its day", async () => {
		emulator.control.kyc("immediate");
		expect(await buy("ES")).toMatchObject({ status: "active", kyc_required: true, kyc: { status: "approved" } });
		await outside("POST", "/_emulator/kyc", { policy: "reject" });
		const reasons = [{ code: expect.any(String), message: expect.any(String) }];
		expect(await buy("ES")).toMatchObject({ status: "pending", kyc: { status: "rejected", reasons } });
		emulator.control.kyc("10d");
		const [{ id, kyc }, rejected] = [await buy("BR"), await buy("BR")];
		emulator.control.decide(rejected.id, "reject");
		expect(kyc).toMatchObject({ status: "in_review", deadline: null });
		clock.advance(10 * day - 1);
		expect(await read(`/numbers/${id}`)).toMatchObject({ status: "pending" });
		clock.advance(1);
		expect(await read(`/numbers/${id}`)).toMatchObject({ status: "active", activated_at: iso(clock.now()) });
		expect(await read(`/numbers/${rejected.id}`)).toMatchObject({ status: "pending" });
	});

	test("gets a valid number in each market and type, never one twice", async () => {
		const pages: unknown[] = [];
		const [regulated, others] = ["DE FR ES IT IN BR", "US CA GB NL SE"];
		for (const country of `${regulated} ${others}`.split(" "))
			for (const type of ["geographic", "mobile", "toll_free", "national"])
				for (const area of [undefined, "020", "Springfield"]) {
					const { number, kyc_required } = (await post("/numbers", { country, type, area })).body;
					expect(kyc_required).toBe(regulated.includes(country) ? true : undefined);
					expect(parsePhoneNumberFromString(String(number))?.isValid(), `${number}`).toBe(true);
					pages.push(number);
				}
		expect(new Set(pages).size).toBe(11 * 4 * 3);
	});
});

describe("PATCH /numbers/{id}", () => {
	test("replaces the route whole, and clears it with null", async () => {
		const [{ id }, { id: trunk_id }] = [await buy(), await trunk()];
		const routed = async (routing: object | null) => (await patch(`/numbers/${id}`, { routing })).body.routing;
		const failover = { type: "forward", to: "+49301234567" };
		const ring = { ring_timeout_seconds: 30 };
		const route = { type: "trunk", trunk_id };
		expect(await routed({ ...route, failover })).toEqual({ ...route, ...ring, failover: { ...failover, ...ring } });
		const sip = { type: "sip_uri", uri: "sip:a@b.example", ring_timeout_seconds: 10 };
		expect(await routed(sip)).toEqual(sip);
		expect(await routed(null)).toBeNull();
	});

	test("keeps omitted fields, and updated_at if nothing changes", async () => {
		const { id, updated_at } = await buy();
		clock.advance(1000);
		const fields = { label: "desk", metadata: { team: "a" }, sms_webhook_url: "https://a.example/sms" };
		const changed = (await patch(`/numbers/${id}`, fields)).body;
		expect(changed.updated_at).not.toBe(updated_at);
		clock.advance(1000);
		expect((await patch(`/numbers/${id}`, { ...fields, country: "US" })).body).toEqual(changed);
		expect((await patch(`/numbers/${id}`, { metadata: null })).body).toMatchObject({ ...fields, metadata: {} });
	});

	test("refuses __proto__ as a key of metadata", async () => {
		const { id } = await buy();
		const body = '{"metadata": {"__proto__": "x", "team": "sales"}}';
		const refused = refusal(400, "validation_failed", "metadata.__proto__");
		expect(await patch(`/numbers/${id}`, body)).toMatchObject(refused);
		expect((await outside("PATCH", `/_emulator/numbers/${id}`, body)).status).toBe(400);
		const metadata = { "\ud83d": "half a surrogate pair", constructor: "x" };
		expect((await patch(`/numbers/${id}`, { metadata })).body.metadata).toEqual(metadata);
	});
});

describe("a release", () => {
	test("ends the number, once, and is in the ledger", async () => {
		const { id } = await buy("US", "mobile", { "Idempotency-Key": "k1" });
		const released = { id, status: "released", routing: null };
		expect(await remove(`/numbers/${id}`)).toMatchObject({ status: 200, body: released });
		expect(await call("GET", `/numbers/${id}`)).toMatchObject(refusal(404, "not_found"));
		expect(await remove(`/numbers/${id}`)).toMatchObject(refusal(404, "not_found"));
		expect((await read("/numbers")).data).toEqual([]);
		expect((await read("/numbers?status=released")).data).toMatchObject([{ id }]);
		const { data } = (await outside("GET", "/_emulator/ledger")).body;
		const row = { number_id: id, request_id: expect.stringMatching(/^req_/), at: expect.any(String) };
		expect(data).toEqual([
			{ kind: "purchase", key: "k1", ...row },
			{ kind: "release", key: null, ...row },
		]);
	});

	test("is refused under protection, and the refusal is in the ledger", async () => {
		const { id } = await buy();
		await patch(`/numbers/${id}`, { release_protection: true });
		expect(await remove(`/numbers/${id}`)).toMatchObject(refusal(409, "release_protected"));
		expect((await call("GET", `/numbers/${id}`)).status).toBe(200);
		expect(emulator.kinds()).toEqual(["purchase", "refusal"]);
	});

	test("can be undone within the quarantine, without the route", async () => {
		const { id, number } = await buy();
		const restore = (body?: object) => post(`/numbers/${id}/restore`, body);
		expect(await restore()).toMatchObject(refusal(409, "not_restorable"));
		await patch(`/numbers/${id}`, { routing: { type: "forward", to: "+12125550100" }, label: "desk" });
		await remove(`/numbers/${id}`);
		clock.advance(7 * day - 1);
		expect(await restore({ force: true })).toMatchObject(refusal(400, "validation_failed"));
		const { body } = await restore();
		expect(body).toMatchObject({ id, number, status: "active", routing: null, label: "desk", released_at: null });
		expect(await read(`/numbers/${id}`)).toEqual(body);
		expect(emulator.kinds()).toEqual(["purchase", "release", "restore"]);
		expect(await restore()).toMatchObject(refusal(409, "not_restorable"));
		await remove(`/numbers/${id}`);
		clock.advance(7 * day);
		expect(await restore()).toMatchObject(refusal(410, "gone"));
	});
});

describe("a number that is taken", () => {
	const kind = { country: "NL", type: "geographic" };
	const buyDutch = () => buy("NL", "geographic");
	const offered = async () =>
		(await read(`/available_numbers?${new URLSearchParams(kind)}`)).data.map(({ number }) => String(number));
	const order = (number: string) => submitPort(virtual, [number]);

	test.each<[string, (number: string) => unknown]>([
		["by a port order", order],
		["by an edited number", async (number) => emulator.control.patchNumber((await buyDutch()).id, { number })],
		[
			"by a restored snapshot",
			async (number) => {
				await buyDutch();
				const { format, tables } = emulator.control.snapshot();
				const rows = (tables.numbers ?? []).map(([key, row]): [string, object] => [
					key,
					{ ...(row as object), number },
				]);
				emulator.control.restore({ format, tables: { ...tables, numbers: rows, used: [], taken: [] } });
			},
		],
	])("is not for sale: %s", async (_, take) => {
		const [, , number = ""] = await offered();
		await take(number);
		expect(await offered()).not.toContain(number);
		for (let bought = 0; bought < 3; bought++) expect((await buyDutch()).number).not.toBe(number);
	});

	test("isn't restored while a port order has it", async () => {
		const bought = await buyDutch();
		await remove(`/numbers/${bought.id}`);
		const id = await order(String(bought.number));
		expect(await post(`/numbers/${bought.id}/restore`)).toMatchObject(refusal(409, "not_restorable"));
		expect(emulator.control.decidePortOrder(id, "complete")).toMatchObject({ status: "completed" });
	});

	test("is neither ported nor restored a second time", async () => {
		const [number = ""] = await offered();
		const id = await order(number);
		const bought = await buyDutch();
		emulator.control.patchNumber(bought.id, { number });
		const exceptions = [{ code: "number_not_portable" }];
		expect(emulator.control.decidePortOrder(id, "complete")).toMatchObject({ status: "exception", exceptions });
		await remove(`/numbers/${bought.id}`);
		emulator.control.decidePortOrder(id, "cancel");
		emulator.control.decidePortOrder(await order(number), "complete");
		expect(await post(`/numbers/${bought.id}/restore`)).toMatchObject(refusal(409, "not_restorable"));
	});
});

const search = async (criteria: Record<string, string>) =>
	(await read(`/available_numbers?${new URLSearchParams(criteria)}`)).data;

describe("a search", () => {
	test.each([
		{ country: "NL", type: "geographic", area: "20" },
		{ country: "DE", type: "mobile" },
		{ country: "US", type: "toll_free" },
		{ country: "GB", type: "national", area: "Springfield" },
	])("shows first what the next purchase gets: %j", async (criteria) => {
		const [found] = await search(criteria);
		expect(emulator.control.ledger()).toEqual([]);
		const { number, capabilities, price, kyc_required = false } = (await post("/numbers", criteria)).body;
		expect(found).toMatchObject({ ...criteria, number, capabilities, price, kyc_required });
		expect((await search(criteria))[0]?.number).not.toBe(number);
	});

	test("ends after 1,000 different numbers for any page size", async () => {
		set({ pageSize: 37 });
		const available = await list("/available_numbers?country=NL&type=geographic&area=20");
		expect(available).toHaveLength(1000);
		expect(new Set(available.map(({ number }) => number)).size).toBe(1000);
	});

	test("finds by type, digits and capabilities", async () => {
		const types = async (query: string) =>
			new Set((await list(`/available_numbers?country=US${query}`)).map((available) => available.type));
		expect([...(await types(""))]).toEqual(["geographic", "mobile", "toll_free", "national"]);
		expect([...(await types("&capabilities=sms,voice"))].sort()).toEqual(["mobile", "toll_free"]);
		expect([...(await types("&capabilities=fax"))]).toEqual([]);
		const lucky = await list("/available_numbers?country=US&type=mobile&contains=777");
		expect(lucky.length).toBeGreaterThan(0);
		expect(lucky.filter(({ number }) => !String(number).includes("777"))).toEqual([]);
	});
});
