import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator";
import { digest, statusOf, useVirtualEmulator } from "../fixture";
import { mobile, open } from "../folders";

const { clock, emulator, call, outside, buy, trunk, hook, set } = useVirtualEmulator();

describe("the control API", () => {
	test("edits behind the API's back", async () => {
		const number = await buy("DE");
		const patch = { status: "suspended", label: "dashboard", routing: { type: "fax", tray: 2 } };
		expect((await outside("PATCH", `/_emulator/numbers/${number.id}`, patch)).status).toBe(200);
		expect((await call("GET", `/numbers/${number.id}`)).body).toMatchObject(patch);
		emulator.control.patchNumber(number.id, { status: "released" });
		expect((await call("GET", `/numbers/${number.id}`)).status).toBe(404);
		expect(emulator.control.ledger()).toMatchObject([{ kind: "purchase" }, { kind: "release", key: null }]);

		const { id } = await trunk();
		clock.advance(1000);
		const auth = { ...digest, password: "set-in-the-dashboard" };
		await outside("PATCH", `/_emulator/trunks/${id}`, { auth, capacity: 5 });
		expect((await call("GET", `/trunks/${id}`)).body).toMatchObject({
			capacity: 5,
			auth: { password_updated_at: new Date(clock.now()).toISOString() },
		});

		const webhook = await hook();
		await outside("PATCH", `/_emulator/webhooks/${webhook.id}`, { rotate_secret: true });
		expect((await call("GET", `/webhooks/${webhook.id}`)).body.secret_version).toBe(2);
		expect((await outside("DELETE", `/_emulator/webhooks/${webhook.id}`)).status).toBe(204);
		expect(emulator.control.state().webhooks).toEqual([]);
	});

	test("shows the whole state with what tests need to know, but not the API key", async () => {
		await trunk();
		const { secret } = await hook();
		const { body } = await outside("GET", "/_emulator/state");
		expect(body).toMatchObject({
			profile: "full",
			kyc: { policy: "manual" },
			settings: { pageSize: null, features: { trunks: true } },
			trunks: [{ auth: { password: expect.any(String) } }],
			webhooks: [{ secret }],
		});
		expect(JSON.stringify(body)).not.toContain(emulator.apiKey);
	});

	test("resets everything but what may never come again", async () => {
		const before = await buy();
		set({ pageSize: 1 });
		emulator.control.kyc("reject");
		expect((await outside("POST", "/_emulator/reset")).status).toBe(204);
		const { numbers, settings, kyc } = emulator.control.state();
		expect({ numbers, pageSize: settings.pageSize, kyc }).toEqual({
			numbers: [],
			pageSize: null,
			kyc: { policy: "manual" },
		});
		expect(emulator.control.ledger()).toEqual([]);
		expect(emulator.control.requests()).toEqual([]);
		const after = await buy();
		expect(after.id).not.toBe(before.id);
		expect(after.number).not.toBe(before.number);
	});

	test.each([
		["PATCH", "/_emulator/settings", { pageSize: 0 }, 400],
		["PATCH", "/_emulator/settings", { speed: 1 }, 400],
		["PATCH", "/_emulator/settings", { requestsPerSecond: 1e-300 }, 400],
		["POST", "/_emulator/kyc", { policy: "5y" }, 400],
		["PATCH", "/_emulator/numbers/num_0", { colour: "red" }, 400],
		["PATCH", "/_emulator/numbers/num_0", { routing: { type: "fax", failover: 5 } }, 400],
		["PATCH", "/_emulator/numbers/num_0", { routing: { type: "fax", to: 5 } }, 400],
		["PATCH", "/_emulator/numbers/num_0", { routing: { type: "fax", ring_timeout_seconds: "long" } }, 400],
		["PATCH", "/_emulator/numbers/num_0", { kyc: { deadline: "soon" } }, 400],
		["POST", "/_emulator/faults", "null", 400],
		["POST", "/_emulator/faults", "[]", 400],
		["PATCH", "/_emulator/numbers/num_0", { label: "x" }, 404],
		["POST", "/_emulator/numbers/num_0/kyc", { decision: "approve" }, 404],
		["POST", "/_emulator/reset", "{", 400],
		["GET", "/_emulator/nowhere", undefined, 404],
		["DELETE", "/_emulator/state", undefined, 405],
	])("refuses %s %s %j", async (method, path, body, status) => {
		const answer = await outside(method, path, body);
		expect(answer).toMatchObject({ status, body: { error: expect.any(String), request_id: expect.any(String) } });
	});

	test("answers this machine only, and no page of another origin", async () => {
		const { host, port } = new URL(emulator.url);
		const state = (headers: Record<string, string>) =>
			statusOf(emulator.url.replace("/v1", "/_emulator/state"), headers);
		expect(await state({ Host: "evil.example" })).toBe(403);
		expect(await state({ Host: "127.0.0.1.evil.example" })).toBe(403);
		expect(await state({ Origin: "https://evil.example" })).toBe(403);
		expect(await state({ Origin: "null" })).toBe(403);
		expect(await state({ Origin: `http://${host}` })).toBe(200);
		expect(await state({ Host: `localhost:${port}` })).toBe(200);
		const named = { Host: "pbx.local", Authorization: `Bearer ${emulator.apiKey}` };
		expect(await statusOf(`${emulator.url}/numbers`, named)).toBe(200);
	});
});

describe("an emulator", () => {
	test("shares nothing with another one, and repeats itself by its seed", async () => {
		const [one, two] = [await open({ seed: 7 }), await open({ seed: 7, apiKey: "other" })];
		const first = (await one.call("POST", "/numbers", mobile("US"))).body;
		expect(two.control.state().numbers).toEqual([]);
		expect((await two.call("POST", "/numbers", mobile("US"))).body.id).toBe(first.id);
		await one.close();
		await expect(fetch(`${one.url}/numbers`)).rejects.toThrow();
	});

	test("refuses a KYC policy it does not know", async () => {
		await expect(createEmulator({ kyc: "soon" })).rejects.toThrow(
			/kyc must be manual, immediate, reject or a duration/,
		);
	});
});
