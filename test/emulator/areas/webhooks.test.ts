import { describe, expect, test } from "vitest";
import { day, iso, refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, post, patch, remove, read, hook, set } = useVirtualEmulator();

describe("a webhook", () => {
	test("shows its secret only when it is created or rotated", async () => {
		const { id, secret, ...created } = await hook();
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
		expect(created).toMatchObject({ secret_hint: String(secret).slice(-4), secret_version: 1, status: "enabled" });
		expect(await read(`/webhooks/${id}`)).toEqual({ id, ...created });
		const rotate = async (body?: object) => (await post(`/webhooks/${id}/rotate_secret`, body)).body;
		const rotated = await rotate({ previous_expires_in: 60 });
		expect(rotated).toMatchObject({ secret_version: 2, previous_secret_expires_at: iso(clock.now() + 60_000) });
		expect(rotated.secret).not.toBe(secret);
		clock.advance(60_000);
		expect(await read(`/webhooks/${id}`)).toMatchObject({ previous_secret_expires_at: null });
		expect(await rotate()).toMatchObject({ previous_secret_expires_at: iso(clock.now() + day) });
	});

	test("is enabled again by its user, whoever disabled it", async () => {
		const { id } = await hook({ enabled: false });
		const at = `/webhooks/${id}`;
		expect(await read(at)).toMatchObject({ enabled: false, status: "disabled", disabled_reason: "user" });
		const enabled = { enabled: true, status: "enabled", disabled_reason: null };
		expect((await patch(at, { enabled: true })).body).toMatchObject(enabled);
		const failing = { status: "disabled", disabled_reason: "failures" } as const;
		emulator.control.patchWebhook(id, failing);
		expect(await read(at)).toMatchObject({ enabled: true, ...failing });
		expect((await patch(at, { enabled: true })).body).toMatchObject(enabled);
		expect((await remove(at)).status).toBe(204);
		expect(await call("GET", at)).toMatchObject(refusal(404, "not_found"));
	});

	test("can be limited in number and in rotations", async () => {
		set({ webhooksMax: 1, refuseOverlappingRotation: true });
		const { id } = await hook({ url: "http://127.0.0.1:9/hook" });
		expect(await hook()).toMatchObject({ error: "limit_exceeded", details: { max: 1 } });
		const rotate = () => post(`/webhooks/${id}/rotate_secret`, { previous_expires_in: 60 });
		expect((await rotate()).status).toBe(200);
		expect(await rotate()).toMatchObject(refusal(409, "rotation_in_progress"));
		clock.advance(60_000);
		expect((await rotate()).status).toBe(200);
	});
});
