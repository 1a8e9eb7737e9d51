import { describe, expect, test } from "vitest";
import { day, refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, hook, set } = useVirtualEmulator();

describe("a webhook", () => {
	test("shows its secret only when it is made", async () => {
		const { id, secret, ...created } = await hook();
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
		expect(created).toMatchObject({ secret_hint: String(secret).slice(-4), secret_version: 1, status: "enabled" });
		expect((await call("GET", `/webhooks/${id}`)).body).toEqual({ id, ...created });
		const rotated = (await call("POST", `/webhooks/${id}/rotate_secret`, { previous_expires_in: 60 })).body;
		expect(rotated).toMatchObject({
			secret_version: 2,
			previous_secret_expires_at: new Date(clock.now() + 60_000).toISOString(),
		});
		expect(rotated.secret).not.toBe(secret);
		clock.advance(60_000);
		expect((await call("GET", `/webhooks/${id}`)).body.previous_secret_expires_at).toBeNull();
		expect((await call("POST", `/webhooks/${id}/rotate_secret`)).body.previous_secret_expires_at).toBe(
			new Date(clock.now() + day).toISOString(),
		);
	});

	test("is disabled and enabled again by its user", async () => {
		const { id } = await hook({ enabled: false });
		const read = async () => (await call("GET", `/webhooks/${id}`)).body;
		expect(await read()).toMatchObject({ enabled: false, status: "disabled", disabled_reason: "user" });
		await call("PATCH", `/webhooks/${id}`, { enabled: true });
		expect(await read()).toMatchObject({ enabled: true, status: "enabled", disabled_reason: null });
		emulator.control.patchWebhook(id, { status: "disabled", disabled_reason: "failures" });
		expect(await read()).toMatchObject({ enabled: true, status: "disabled", disabled_reason: "failures" });
		await call("PATCH", `/webhooks/${id}`, { enabled: true });
		expect(await read()).toMatchObject({ status: "enabled", disabled_reason: null });
		expect((await call("DELETE", `/webhooks/${id}`)).status).toBe(204);
		expect(await call("GET", `/webhooks/${id}`)).toMatchObject(refusal(404, "not_found"));
	});

	test.each([
		"http://a.example/",
		"https://user:pw@a.example/",
		"http://127.0.0.1:9@a.example/",
		"https://a.example/#x",
		"https://[::1",
		"https://a.example:99999/",
	])("does not take %s as its address", async (url) => {
		expect(await hook({ url })).toMatchObject({ error: "validation_failed", details: [{ field: "url" }] });
	});

	test("may be limited in number and in rotations", async () => {
		set({ webhooksMax: 1, refuseOverlappingRotation: true });
		const { id } = await hook({ url: "http://127.0.0.1:9/hook" });
		expect(await hook()).toMatchObject({ error: "limit_exceeded", details: { max: 1 } });
		const rotate = () => call("POST", `/webhooks/${id}/rotate_secret`, { previous_expires_in: 60 });
		expect((await rotate()).status).toBe(200);
		expect(await rotate()).toMatchObject(refusal(409, "rotation_in_progress"));
		clock.advance(60_000);
		expect((await rotate()).status).toBe(200);
	});
});
