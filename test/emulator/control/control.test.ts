import { describe, expect, test } from "vitest";
import { kinds } from "../../../provider/api/contract";
import type { TestEmulator } from "../../helpers/emulator";
import { digest, mobile, refusal, useVirtualEmulator } from "../fixture";
import { everything, newFolder, open } from "../folders";

const { emulator, call, outside, read, buy, hook, trunk, profile, port, set } = useVirtualEmulator();

describe("the control API", () => {
	test("edits and deletes without the rules of the API", async () => {
		const { id } = await buy("DE");
		const patch = { status: "suspended", label: "dashboard", routing: { type: "fax", tray: 2 } };
		expect((await outside("PATCH", `/_emulator/numbers/${id}`, patch)).status).toBe(200);
		expect(await read(`/numbers/${id}`)).toMatchObject(patch);
		emulator.control.patchNumber(id, { status: "released" });
		expect((await call("GET", `/numbers/${id}`)).status).toBe(404);
		expect(emulator.control.ledger()).toMatchObject([{ kind: "purchase" }, { kind: "release", key: null }]);
		const webhook = `/webhooks/${(await hook()).id}`;
		await outside("PATCH", `/_emulator${webhook}`, { rotate_secret: true });
		expect(await read(webhook)).toMatchObject({ secret_version: 2 });
		expect((await outside("DELETE", `/_emulator${webhook}`)).status).toBe(204);
		const { body: state } = await outside("GET", "/_emulator/state");
		expect(state).toMatchObject({ profile: "full", webhooks: [], kyc: { policy: "manual" } });
		expect(JSON.stringify(state)).not.toContain(emulator.apiKey);
	});

	test("edits every kind that a request can change, and removes all but ports", async () => {
		const made = {
			numbers: await buy(),
			trunks: await trunk(),
			webhooks: await hook(),
			kycProfiles: await profile(),
			portOrders: await port(),
		};
		for (const [name, { id }] of Object.entries(made)) {
			const path = `/_emulator${kinds[name as keyof typeof made].path}/${id}`;
			const edited = await outside("PATCH", path, { reference: "by hand" });
			expect(edited, path).toMatchObject({ status: 200, body: { id, reference: "by hand" } });
			expect((await outside("DELETE", path)).status, path).toBe(name === "portOrders" ? 405 : 204);
		}
		const rest = { numbers: [{ status: "released" }], trunks: [], webhooks: [], kycProfiles: [], portOrders: [{}] };
		expect(emulator.control.state()).toMatchObject(rest);
	});

	test("resets everything, but repeats no id and no number", async () => {
		const before = await buy();
		set({ pageSize: 1 });
		emulator.control.kyc("reject");
		expect((await outside("POST", "/_emulator/reset")).status).toBe(204);
		const { numbers, settings, kyc } = emulator.control.state();
		expect([numbers, settings.pageSize, kyc.policy]).toEqual([[], null, "manual"]);
		expect([emulator.control.ledger(), emulator.control.requests()]).toEqual([[], []]);
		const after = await buy();
		expect([before.id, before.number]).not.toContain(after.id);
		expect(after.number).not.toBe(before.number);
	});

	test("counts the requests that it no longer keeps", async () => {
		const few = await open({ keepRequests: 2 });
		for (let n = 0; n < 5; n++) await few.call("GET", `/numbers/n${n}`);
		const page = { data: [{ path: "/v1/numbers/n3" }], next_cursor: "4", dropped: 3 };
		expect((await few.outside("GET", "/_emulator/requests?limit=1")).body).toMatchObject(page);
	});

	const edit = ["PATCH", "/_emulator/numbers/num_0"] as const;
	test.each([
		["PATCH", "/_emulator/settings", { pageSize: 0 }, 400],
		["PATCH", "/_emulator/settings", { requestsPerSecond: 1e-300 }, 400],
		["PATCH", "/_emulator/settings", "null", 400],
		["POST", "/_emulator/kyc", { policy: "5y" }, 400],
		[...edit, { colour: "red" }, 400],
		[...edit, { routing: { type: "fax", ring_timeout_seconds: "long" } }, 400],
		[...edit, { kyc: { deadline: "soon" } }, 400],
		[...edit, { label: "x" }, 404],
		["POST", "/_emulator/reset", "{", 400],
		["GET", "/_emulator/nowhere", undefined, 404],
		["DELETE", "/_emulator/state", undefined, 405],
	] as const)("refuses %s %s %j with %i", async (method, path, body, status) => {
		const error = { error: expect.any(String), request_id: expect.any(String) };
		expect(await outside(method, path, body)).toMatchObject({ status, body: error });
	});
});

test("emulators of one seed are alike, and share nothing", async () => {
	const [first, second] = [await open({ seed: 7 }), await open({ seed: 7, apiKey: "other" })];
	const number = (await first.call("POST", "/numbers", mobile())).body;
	expect(second.live()).toEqual([]);
	expect((await second.call("POST", "/numbers", mobile())).body.id).toBe(number.id);
	await first.close();
	await expect(fetch(`${first.url}/numbers`)).rejects.toThrow();
});

describe("a snapshot", () => {
	const restore = ({ outside: send }: Pick<TestEmulator, "outside">, body: unknown) =>
		send("POST", "/_emulator/restore", body);
	const key = { "Idempotency-Key": "k" };

	test("moves the account, its clock and its keys to another emulator", async () => {
		const service = await open({ kyc: "10d", clock: "virtual" });
		const number = (await service.call("POST", "/numbers", mobile("DE"))).body;
		await service.call("POST", "/trunks", { name: "office", auth: digest, capacity: 30 });
		await service.outside("POST", "/_emulator/clock", { advance: "9d" });
		const { id } = (await service.call("POST", "/numbers", mobile("FR"), key)).body;
		const snapshot = (await service.outside("GET", "/_emulator/snapshot")).body;
		const data = newFolder();
		const restored = await open({ data });
		const before = (await restored.call("POST", "/numbers", mobile("DE"))).body;
		expect((await restore(restored, snapshot)).status).toBe(204);
		expect(everything(restored)).toEqual(everything(service));
		expect(restored.control.clock()).toEqual(service.control.clock());
		expect((await restored.call("POST", "/numbers", mobile("FR"), key)).body.id).toBe(id);
		restored.control.clock({ advance: "1d" });
		expect((await restored.call("GET", `/numbers/${number.id}`)).body).toMatchObject({ status: "active" });
		const after = (await restored.call("POST", "/numbers", mobile("DE"))).body;
		expect([before.number, number.number]).not.toContain(after.number);
		const whole = everything(restored);
		await restored.close();
		expect(everything(await open({ data }))).toEqual(whole);
	});

	const times = { seq: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
	const number = {
		...{ ...times, id: "num_1", number: "+12025550100", country: "US", area: null, type: "mobile", status: "active" },
		...{ kyc_required: false, kyc: null, capabilities: ["voice"], routing: null, sms_webhook_url: null, label: null },
		...{ reference: null, metadata: {}, release_protection: false, reconciling: false, source: "purchase" },
		...{ activated_at: null, released_at: null, billed: [], quarantine_until: null },
	};
	const tables = { numbers: [["num_1", number]] };
	test.each<object>([
		{ nobody: [] },
		{ account: [["clock", { mode: "virtual", now: 1e16 }]] },
		{ account: [["clock", { mode: "virtual" }]] },
		{ account: [["kycPolicy", "soon"]] },
		{ account: [["settings", { pageSize: 0 }]] },
	])("is refused whole if it is wrong: %j", async (wrong) => {
		expect((await restore(emulator, { format: 1, tables })).status).toBe(204);
		const before = everything(emulator);
		for (const body of [{ format: 1, tables: wrong }, { tables: {} }, { format: 2, tables: {} }])
			expect(await restore(emulator, body)).toMatchObject(refusal(400, "validation_failed"));
		expect(everything(emulator)).toEqual(before);
		expect(await read("/numbers/num_1")).toMatchObject({ number: number.number });
	});
});
