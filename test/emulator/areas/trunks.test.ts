import { describe, expect, test } from "vitest";
import { digest, refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, buy, trunk, set } = useVirtualEmulator();

describe("a trunk", () => {
	test("shows a generated password once, and keeps it when only the username changes", async () => {
		const created = await trunk();
		const { auth, id } = created as typeof created & { auth: { password: string } };
		expect(created).toMatchObject({
			id: expect.stringMatching(/^trk_/),
			enabled: true,
			status: "active",
			media_encryption: "none",
			codecs: ["PCMU", "PCMA"],
			targets: [],
			cps: null,
			numbers_count: 0,
		});
		expect(auth.password.length).toBeGreaterThanOrEqual(12);
		const read = (await call("GET", `/trunks/${id}`)).body;
		const { password, ...shown } = auth;
		expect(read.auth).toEqual(shown);
		clock.advance(1000);
		const renamed = await call("PATCH", `/trunks/${id}`, { auth: { mode: "digest", username: "office-2" } });
		expect(renamed.body.auth).toEqual({ ...shown, username: "office-2" });
		expect(emulator.control.state().trunks).toMatchObject([{ auth: { password } }]);
	});

	test("never shows a password that was given", async () => {
		const given = { ...digest, password: "correct-horse-battery" };
		const { id, auth } = await trunk({ auth: given });
		expect(auth).toMatchObject({ password_set: true });
		expect(auth).not.toHaveProperty("password");
		const { updated_at } = (await call("GET", `/trunks/${id}`)).body;
		clock.advance(1000);
		expect((await call("PATCH", `/trunks/${id}`, { auth: given })).body.updated_at).toBe(updated_at);
		const other = { ...digest, password: "wrong-horse-battery" };
		const changed = (await call("PATCH", `/trunks/${id}`, { auth: other })).body;
		expect(changed.auth).toMatchObject({ password_updated_at: new Date(clock.now()).toISOString() });
	});

	test("changes its mode in place", async () => {
		const { id } = await trunk({ auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] } });
		expect(await call("POST", `/trunks/${id}/rotate_password`)).toMatchObject(refusal(400, "bad_request"));
		const patched = (await call("PATCH", `/trunks/${id}`, { auth: digest })).body;
		expect(patched.auth).toMatchObject({ mode: "digest", password: expect.any(String) });
		expect(patched.auth).not.toHaveProperty("allowed_cidrs");
		const rotated = (await call("POST", `/trunks/${id}/rotate_password`)).body;
		expect(rotated.auth).toMatchObject({ password: expect.any(String) });
		expect(rotated.auth).not.toMatchObject({ password: (patched.auth as { password: string }).password });
	});

	test("falls back to defaults where an option is set to null", async () => {
		const targets = [{ host: "sip.example.com", transport: "tls" }];
		const { id, ...created } = await trunk({ targets, media_encryption: "srtp", codecs: ["opus"], enabled: false });
		expect(created).toMatchObject({
			status: "disabled",
			targets: [{ host: "sip.example.com", port: 5061, transport: "tls", priority: 10, weight: 10 }],
		});
		const patch = { targets: null, media_encryption: null, codecs: null, enabled: true };
		expect((await call("PATCH", `/trunks/${id}`, patch)).body).toMatchObject({
			targets: [],
			media_encryption: "none",
			codecs: ["PCMU", "PCMA"],
			status: "active",
		});
	});

	test("in use by a live number, even as failover, is not deleted", async () => {
		const { id } = await trunk();
		const number = await buy();
		const failover = { type: "trunk", trunk_id: id };
		await call("PATCH", `/numbers/${number.id}`, { routing: { type: "agent", agent_id: "a", failover } });
		expect((await call("GET", `/trunks/${id}`)).body.numbers_count).toBe(1);
		const refused = await call("DELETE", `/trunks/${id}`);
		expect(refused).toMatchObject({
			status: 409,
			body: { error: "trunk_in_use", details: { number_ids: [number.id] } },
		});
		await call("DELETE", `/numbers/${number.id}`);
		expect((await call("DELETE", `/trunks/${id}`)).status).toBe(204);
		expect(await call("DELETE", `/trunks/${id}`)).toMatchObject(refusal(404, "not_found"));
	});

	test("has a name, valid addresses, and no more capacity than the account", async () => {
		const body = { auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.300"] }, capacity: 1 };
		const { details } = (await call("POST", "/trunks", body)).body;
		expect(details).toMatchObject([{ field: "name" }, { field: "auth.allowed_cidrs.0" }]);
		set({ capacityMax: 30 });
		const { id } = await trunk();
		const refused = { status: 409, body: { error: "capacity_exceeded", details: { max: 30 } } };
		expect(await call("PATCH", `/trunks/${id}`, { capacity: 31 })).toMatchObject(refused);
	});
});
