import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Post, say } from "../../helpers/receiver";
import { listen as serve } from "../../helpers/servers";
import { day, hour, iso, minute, refusal, second, useEvents } from "../fixture";

const events = useEvents();
const { clock, emulator, call, outside, post, patch, remove, read, list, buy, trunk, hook, set, listen } = events;
const { advance, at, deliveries, receiver, sentAt, settled, types } = events;

// So that the schedule shows in the headers.
beforeEach(() => void set({ webhookTimestamp: "clock" }));

const idsOf = (posts: readonly Post[]) => posts.map(({ headers }) => headers["webhook-id"]);
const hookStatus = async (id: string) => {
	const { status, disabled_reason } = await read(`/webhooks/${id}`);
	return [status, disabled_reason];
};

/** By the specification of Standard Webhooks, without the package that signs. */
const signature = ({ headers, body }: Post, secret: unknown) => {
	const key = Buffer.from(String(secret).replace("whsec_", ""), "base64");
	const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
	return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

describe("an event", () => {
	test("goes signed to each enabled webhook that takes it", async () => {
		const { secret } = await listen(["number.activated"]);
		await listen(["*"], { url: `${receiver.url}/all?x=1` });
		await listen(["number.released"]);
		await listen(["*"], { enabled: false });
		const number = await buy();
		await settled();
		expect(receiver.posts.map(({ path }) => path).sort()).toEqual(["/", "/all?x=1"]);
		const [first] = receiver.posts as [Post];
		expect(first.event).toEqual({ type: "number.activated", timestamp: number.created_at, data: number });
		expect(first.headers).toMatchObject({
			"content-type": "application/json",
			"webhook-id": expect.stringMatching(/^evt_\w+$/),
			"webhook-timestamp": String(clock.now() / 1000),
			"webhook-signature": signature(first, secret),
		});
		expect(new Set(idsOf(receiver.posts)).size).toBe(1);
		expect(deliveries()).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
	});

	test("reports each change of a number and a trunk, without secrets", async () => {
		await listen();
		const { id } = await buy("DE");
		for (const decision of ["reject", "approve"]) await outside("POST", `/_emulator/numbers/${id}/kyc`, { decision });
		await patch(`/numbers/${id}`, { label: "desk" });
		for (const status of ["suspended", "active"]) await outside("PATCH", `/_emulator/numbers/${id}`, { status });
		await remove(`/numbers/${id}`);
		const { id: office } = await trunk();
		for (const capacity of [30, 31]) await patch(`/trunks/${office}`, { capacity });
		await post(`/trunks/${office}/rotate_password`);
		await settled();
		const [kyc, active, updated] = ["number.kyc_updated", "number.activated", "trunk.updated"];
		const released = "number.released";
		expect(types()).toEqual([kyc, kyc, active, "number.suspended", active, released, updated, updated]);
		expect(receiver.posts.slice(0, 2).map(({ event }) => event.data.status)).toEqual(["pending", "active"]);
		expect(receiver.posts.at(-2)?.event.data).toMatchObject({ id: office, capacity: 31 });
		expect(receiver.posts.at(-1)?.body).not.toContain('"password":');
	});
});

describe("a failed delivery", () => {
	test("leaves the webhook enabled if another gets through meanwhile", async () => {
		receiver.respond = (response) => say(receiver.posts.at(-1)?.event.type === "number.released" ? 500 : 200)(response);
		const { id } = await listen();
		await remove(`/numbers/${(await buy()).id}`);
		await advance(hour);
		await buy();
		await advance(10 * day);
		expect([deliveries()[1]?.status, ...(await hookStatus(id))]).toEqual(["failed", "enabled", null]);
	});

	test("is retried on schedule, the same, until the webhook is disabled", async () => {
		const waits = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
		const due = waits.map((_, index) => waits.slice(0, index + 1).reduce((sum, wait) => sum + wait, 0));
		receiver.respond = say(500);
		const { id } = await listen();
		await buy();
		await settled();
		expect(deliveries()).toMatchObject([{ status: "pending", next_at: at(5 * second) }]);
		await advance(10 * day);
		expect(sentAt()).toEqual([0, ...due]);
		expect(new Set(receiver.posts.map(({ headers, body }) => headers["webhook-id"] + body)).size).toBe(1);
		const [delivery] = deliveries();
		expect(delivery).toMatchObject({ status: "failed", next_at: null });
		expect(delivery?.attempts).toHaveLength(10);
		expect(delivery?.attempts.at(-1)).toMatchObject({ at: at(due.at(-1) ?? 0), status: 500 });
		expect(await read(`/webhooks/${id}`)).toMatchObject({ enabled: true });
		expect(await hookStatus(id)).toEqual(["disabled", "failures"]);
		await buy();
		expect(deliveries()).toHaveLength(1);
	});

	test.each<[string, typeof receiver.respond, number | null]>([
		["503", say(503), 503],
		["a redirect", say(307, { location: "http://127.0.0.1:1/" }), 307],
		["a reset", ({ socket }) => socket?.resetAndDestroy(), null],
		["silence", () => {}, null],
	])("is retried after %s", async (_, respond, status) => {
		set({ deliveryTimeoutMs: 100 });
		receiver.respond = respond;
		await listen();
		await buy();
		await settled();
		expect(receiver.posts).toHaveLength(1);
		expect(deliveries()).toMatchObject([{ status: "pending", attempts: [{ status }] }]);
		set({ deliveryTimeoutMs: 15_000 });
		receiver.respond = say(200);
		await advance(5 * second);
		expect(deliveries()).toMatchObject([{ status: "delivered", attempts: [{ status }, { status: 200, error: null }] }]);
	});

	test("waits as long as Retry-After says, a day at most", async () => {
		receiver.respond = (response, count) => say(count === 1 ? 429 : 200, { "retry-after": "119.5" })(response);
		await listen();
		await buy();
		await advance(hour);
		expect(sentAt()).toEqual([0, 2 * minute]);
		receiver.respond = say(503, { "retry-after": "999999" });
		await buy();
		await settled();
		expect(deliveries()[1]?.next_at).toBe(at(hour + day));
	});

	test("follows its webhook: deleted, disabled, or moved", async () => {
		receiver.respond = say(500);
		const [deleted, disabled, moved] = [await listen(), await listen(), await listen()];
		await buy();
		await settled();
		await remove(`/webhooks/${deleted.id}`);
		await patch(`/webhooks/${disabled.id}`, { enabled: false });
		await patch(`/webhooks/${moved.id}`, { url: `${receiver.url}/new` });
		receiver.respond = say(200);
		await advance(hour);
		expect(receiver.posts.map(({ path }) => path)).toEqual(["/", "/", "/", "/new"]);
		expect(deliveries().map(({ status }) => status)).toEqual(["failed", "failed", "delivered"]);
	});
});

describe("deliveries", () => {
	test("come in the order of their events, after any jump in time", async () => {
		receiver.respond = (response, count) => say(count % 3 === 0 ? 500 : 200)(response);
		emulator.control.kyc("1h");
		await listen();
		for (const country of ["DE", "DE", "US"]) await buy(country);
		await advance(day);
		expect(receiver.posts).toHaveLength(7);
		expect(sentAt()).toEqual([...sentAt()].sort((a, b) => a - b));
	});

	test("go to one receiver one by one, and wait for no other", async () => {
		set({ deliveryTimeoutMs: 500 });
		const hung = createServer(() => {});
		onTestFinished(() => void hung.close().closeAllConnections());
		let busy = 0;
		let most = 0;
		receiver.respond = (response) => {
			busy += 1;
			most = Math.max(most, busy);
			setTimeout(() => {
				busy -= 1;
				say(200)(response);
			}, 5);
		};
		await listen(["*"], { url: await serve(hung) });
		await listen();
		for (let count = 0; count < 20; count++) await buy();
		await settled();
		expect([receiver.posts.length, most]).toEqual([20, 1]);
		const [pending, delivered] = [{ status: "pending" }, { status: "delivered" }];
		expect(deliveries()).toMatchObject(Array(20).fill([pending, delivered]).flat());
	});

	test("can be resent with the same id, as deliveries of their own", async () => {
		receiver.respond = say(410);
		const { id } = await listen();
		await buy();
		await settled();
		const [first] = await list(`/webhooks/${id}/deliveries?event=number.activated`);
		expect(await hookStatus(id)).toEqual(["disabled", "gone"]);
		expect(first).toMatchObject({ webhook_id: id, status: "failed", attempts: [{ status: 410 }], resend_of: null });
		const resend = () => post(`/webhook_deliveries/${first?.id}/resend`);
		expect(await resend()).toMatchObject(refusal(409, "webhook_disabled"));
		await patch(`/webhooks/${id}`, { enabled: true });
		receiver.respond = say(200);
		expect(await resend()).toMatchObject({ status: 202, body: { status: "pending", resend_of: first?.id } });
		await outside("POST", `/_emulator/deliveries/${first?.id}/resend`);
		await settled();
		expect(idsOf(receiver.posts)).toEqual(Array(3).fill(first?.event_id));
		const deliveries = await list(`/webhooks/${id}/deliveries?status=delivered&limit=1`);
		expect(deliveries).toMatchObject([{ resend_of: first?.id }, { resend_of: first?.id }]);
		expect(await read(`/webhook_deliveries/${first?.id}`)).toEqual(first);
	});

	test("include a test event, even without a subscription", async () => {
		const { id, secret, ...fields } = await listen(["invoice.created"]);
		expect((await post(`/webhooks/${id}/test`)).body).toMatchObject({ event: "webhook.test", status: "pending" });
		await settled();
		expect(receiver.posts).toMatchObject([{ event: { type: "webhook.test", data: { id, ...fields } } }]);
		expect(receiver.posts[0]?.body).not.toContain(secret);
		await patch(`/webhooks/${id}`, { enabled: false });
		expect(await post(`/webhooks/${id}/test`)).toMatchObject(refusal(409, "webhook_disabled"));
	});
});

describe("a fault of deliveries", () => {
	const fault = (rule: object) => outside("POST", "/_emulator/faults", rule);
	const receive = async (texts: readonly string[]) => {
		await listen(["message.received"]);
		const { number } = await buy();
		for (const text of texts) emulator.control.receiveMessage({ from: "+14155550123", to: String(number), text });
		await settled();
	};

	test.each<[string, () => unknown, string[]]>([
		["drop", () => fault({ kind: "drop_delivery", event: "message.received", nth: 2 }), ["one"]],
		["other event", () => fault({ kind: "drop_delivery", event: "call.completed", every: true }), ["one", "two"]],
		["delay", () => fault({ kind: "delay_delivery", ms: minute }), ["two", "one"]],
		["duplicate", () => fault({ kind: "duplicate_delivery" }), ["one", "one", "two"]],
		["duplicate all", () => fault({ kind: "duplicate_delivery", every: true }), ["one", "one", "two", "two"]],
	])("changes which events arrive, and when: %s", async (_, arrange, expected) => {
		await arrange();
		await receive(["one", "two"]);
		await advance(day);
		expect(receiver.posts.map(({ event }) => event.data.text)).toEqual(expected);
		expect(new Set(idsOf(receiver.posts)).size).toBe(new Set(expected).size);
		expect(events.state().webhooks).toMatchObject([{ status: "enabled" }]);
	});

	test("signs one delivery with another secret", async () => {
		await fault({ kind: "bad_signature" });
		await receive(["one", "two"]);
		const { secret } = events.state().webhooks[0] ?? {};
		const isGood = receiver.posts.map((post) => post.headers["webhook-signature"] === signature(post, secret));
		expect(isGood).toEqual([false, true]);
	});
});

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

	test("is enabled by its user after any kind of disabling", async () => {
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

	test("can be limited in number and in rotations, by a fault", async () => {
		const { id } = await hook({ url: "http://127.0.0.1:9/hook" });
		const limits = { createWebhook: "limit_exceeded", rotateSecret: "rotation_in_progress" };
		for (const [operation, error] of Object.entries(limits))
			await outside("POST", "/_emulator/faults", { operation, error });
		expect(await hook()).toMatchObject({ error: "limit_exceeded" });
		const rotate = () => post(`/webhooks/${id}/rotate_secret`);
		expect(await rotate()).toMatchObject(refusal(409, "rotation_in_progress"));
		expect((await rotate()).status).toBe(200);
	});
});
