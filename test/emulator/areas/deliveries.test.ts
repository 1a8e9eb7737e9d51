import { beforeEach, describe, expect, test, vi } from "vitest";
import { say } from "../../helpers/receiver";
import { all, refusal, useEvents } from "../fixture";
import { mobile, open } from "../folders";

const events = useEvents();
const { began, clock, emulator, outside, call, buy, set, listen, settled, advance, receiver } = events;
const { deliveries, types, sentAt } = events;

// So that the schedule shows in what arrives.
beforeEach(() => void set({ webhookTimestamp: "clock" }));

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const read = async ({ id }: { id: string }) => (await call("GET", `/webhooks/${id}`)).body;

describe("a delivery that fails", () => {
	const schedule = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
	const due = schedule.map((_, index) => schedule.slice(0, index + 1).reduce((sum, wait) => sum + wait, 0));

	test("is tried again on the schedule, with the same id and body, until the webhook is given up", async () => {
		receiver.answer = say(500);
		const { id } = await listen();
		await buy();
		await settled();
		expect(deliveries()).toMatchObject([{ status: "pending", next_at: new Date(began() + 5000).toISOString() }]);
		clock.advance(10 * 24 * hour);
		await settled();
		expect(sentAt()).toEqual([0, ...due]);
		expect(new Set(receiver.posts.map(({ headers, body }) => headers["webhook-id"] + body)).size).toBe(1);
		const [delivery] = deliveries();
		expect(delivery).toMatchObject({ status: "failed", next_at: null });
		expect(delivery?.attempts).toHaveLength(10);
		expect(delivery?.attempts.at(-1)).toEqual({
			at: new Date(began() + (due.at(-1) ?? 0)).toISOString(),
			status: 500,
			error: "answered 500",
		});
		expect(await read({ id })).toMatchObject({ enabled: true, status: "disabled", disabled_reason: "failures" });
		await buy();
		expect(deliveries()).toHaveLength(1);
	});

	test("for itself alone leaves the webhook enabled", async () => {
		receiver.answer = (response) => say(receiver.posts.at(-1)?.event.type === "number.released" ? 500 : 200)(response);
		const { id } = await listen();
		const number = await buy();
		await call("DELETE", `/numbers/${number.id}`);
		await advance(hour);
		await buy();
		await advance(10 * 24 * hour);
		expect(deliveries().map(({ status }) => status)).toEqual(["delivered", "failed", "delivered"]);
		expect(await read({ id })).toMatchObject({ status: "enabled" });
	});

	test("gets through once the receiver is well again", async () => {
		receiver.answer = (response, count) => say(count < 3 ? 503 : 200)(response);
		await listen();
		await buy();
		await advance(hour);
		expect(sentAt()).toEqual([0, ...due.slice(0, 2)]);
		expect(deliveries()).toMatchObject([
			{ status: "delivered", attempts: [{ status: 503 }, { status: 503 }, { status: 200, error: null }] },
		]);
	});

	test.each([
		[
			"a redirect",
			say(307, { location: "http://127.0.0.1:1/" }),
			{ status: 307, error: expect.stringMatching(/not follow/) },
		],
		[
			"a reset",
			({ socket }: { socket: { resetAndDestroy(): void } | null }) => socket?.resetAndDestroy(),
			{ status: null },
		],
	] as const)("because of %s is tried again", async (_, answer, outcome) => {
		receiver.answer = answer;
		await listen();
		await buy();
		await settled();
		expect(deliveries()).toMatchObject([{ status: "pending", attempts: [outcome] }]);
		expect(receiver.posts).toHaveLength(1);
	});

	test("waits longer where the receiver asks for it", async () => {
		receiver.answer = (response, count) => say(count === 1 ? 429 : 200, { "retry-after": "120" })(response);
		await listen();
		await buy();
		await advance(hour);
		expect(sentAt()).toEqual([0, 2 * minute]);
		receiver.answer = say(503, { "retry-after": "999999" });
		await buy();
		await settled();
		expect(deliveries()[1]?.next_at).toBe(new Date(clock.now() + 24 * hour).toISOString());
	});

	test("because nobody answers in time is tried again", async () => {
		set({ deliveryTimeoutMs: 50 });
		receiver.answer = () => {};
		await listen();
		await buy();
		await settled();
		set({ deliveryTimeoutMs: 15_000 });
		receiver.answer = say(200);
		await advance(minute);
		const attempts = [{ status: null, error: "no answer within 50 ms" }, { status: 200 }];
		expect(deliveries()).toMatchObject([{ status: "delivered", attempts }]);
	});

	test("with 410 ends there, and disables the webhook", async () => {
		receiver.answer = say(410);
		const { id } = await listen();
		await buy();
		await advance(24 * hour);
		expect(receiver.posts).toHaveLength(1);
		expect(await read({ id })).toMatchObject({ status: "disabled", disabled_reason: "gone" });
	});

	test("is not tried again for a webhook that is deleted or disabled meanwhile", async () => {
		receiver.answer = say(500);
		const [one, other] = [await listen(), await listen()];
		await buy();
		await settled();
		await call("DELETE", `/webhooks/${one.id}`);
		await call("PATCH", `/webhooks/${other.id}`, { enabled: false });
		await advance(hour);
		expect(receiver.posts).toHaveLength(2);
		const errors = deliveries().map(({ status, attempts }) => [status, attempts.at(-1)?.error]);
		expect(errors).toEqual([
			["failed", "not sent: the webhook is deleted"],
			["failed", "not sent: the webhook is disabled"],
		]);
	});

	test("goes to the webhook's new address next time", async () => {
		receiver.answer = say(500);
		const { id } = await listen();
		await buy();
		await settled();
		await call("PATCH", `/webhooks/${id}`, { url: `${receiver.url}/new` });
		receiver.answer = say(200);
		await advance(minute);
		expect(receiver.posts.map(({ path }) => path)).toEqual(["/", "/new"]);
		expect(deliveries()).toMatchObject([{ status: "delivered", url: `${receiver.url}/new` }]);
	});
});

describe("deliveries", () => {
	test("come in the order of what happened, however far the clock is turned at once", async () => {
		receiver.answer = (response, count) => say(count % 3 === 0 ? 500 : 200)(response);
		emulator.control.kyc("1h");
		await listen();
		await buy("DE");
		await buy("DE");
		await buy("US");
		clock.advance(24 * hour);
		await settled();
		expect(receiver.posts).toHaveLength(7);
		expect(sentAt()).toEqual([...sentAt()].sort((one, other) => one - other));
	});

	test("come twice where that is asked for, with the same id", async () => {
		set({ duplicateDeliveries: true });
		await listen();
		await buy();
		await settled();
		expect(types()).toEqual(["number.activated", "number.activated"]);
		expect(new Set(receiver.posts.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
	});

	test("overtake each other where that is asked for", async () => {
		set({ reorderDeliveries: true });
		await listen();
		const { id } = await buy();
		await call("DELETE", `/numbers/${id}`);
		await settled();
		expect(types()).toEqual(["number.released"]);
		await advance(2 * second);
		expect(types()).toEqual(["number.released", "number.activated"]);
	});

	test("can be made once more, with the same id, as one of its own", async () => {
		receiver.answer = say(410);
		const { id } = await listen();
		await buy();
		await settled();
		const [first] = await all(events.client.webhooks.deliveries(id));
		const { id: firstId = "", event_id } = first ?? {};
		expect(first).toMatchObject({ webhook_id: id, status: "failed", attempts: [{ status: 410 }], resend_of: null });
		const resend = () => call("POST", `/webhook_deliveries/${firstId}/resend`);
		expect(await resend()).toMatchObject(refusal(409, "webhook_disabled"));
		await call("PATCH", `/webhooks/${id}`, { enabled: true });
		receiver.answer = say(200);
		expect(await resend()).toMatchObject({ status: 202, body: { status: "pending", resend_of: firstId } });
		await outside("POST", `/_emulator/deliveries/${firstId}/resend`);
		await settled();
		expect(new Set(receiver.posts.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([event_id]));
		expect(receiver.posts).toHaveLength(3);
		const found = await all(events.client.webhooks.deliveries(id, { status: "delivered" }));
		expect(found).toMatchObject([{ resend_of: firstId }, { resend_of: firstId }]);
		expect(await events.client.webhooks.delivery(firstId)).toEqual(first);
		expect(await outside("POST", "/_emulator/deliveries/dlv_no/resend")).toMatchObject(refusal(404, "not_found"));
	});

	test("can be tried, whatever events the webhook is for", async () => {
		const { id, secret, ...shown } = await listen(["invoice.created"]);
		expect(await events.client.webhooks.test(id)).toMatchObject({ event: "webhook.test", status: "pending" });
		await settled();
		expect(receiver.posts[0]?.event).toMatchObject({ type: "webhook.test", data: { id, ...shown } });
		expect(receiver.posts[0]?.body).not.toContain(secret);
		await call("PATCH", `/webhooks/${id}`, { enabled: false });
		expect(await call("POST", `/webhooks/${id}/test`)).toMatchObject(refusal(409, "webhook_disabled"));
	});

	test("are listed for each webhook, in pages and by event", async () => {
		const [one, other] = [await listen(), await listen(["number.released"])];
		for (let count = 0; count < 3; count++) await call("DELETE", `/numbers/${(await buy()).id}`);
		await settled();
		const list = async (id: string, query: string) => (await call("GET", `/webhooks/${id}/deliveries?${query}`)).body;
		const first = await list(one.id, "limit=4");
		const second = await list(one.id, `limit=4&cursor=${first.next_cursor}`);
		expect(first.data.length).toBe(4);
		expect(second.data.length).toBe(2);
		expect(second.next_cursor).toBe(null);
		expect((await list(one.id, "event=number.activated")).data).toHaveLength(3);
		expect((await list(other.id, "")).data.map(({ event }) => event)).toEqual(Array(3).fill("number.released"));
		expect(await list(one.id, "event=nonsense")).toMatchObject({ error: "validation_failed" });
	});

	test("are kept for 30 days, and longer while they are pending", async () => {
		await listen(["number.activated"]);
		await buy();
		await settled();
		await advance(30 * 24 * hour - 1);
		await buy();
		await settled();
		expect(deliveries()).toHaveLength(2);
		await advance(1);
		receiver.answer = say(500);
		await buy();
		await settled();
		expect(deliveries().map(({ status }) => status)).toEqual(["delivered", "pending"]);
		// All at once: what is due is sent only when the clock stands still again.
		emulator.control.kyc("60d");
		await buy("DE");
		clock.advance(60 * 24 * hour);
		await settled();
		const ends = deliveries().map(({ status, attempts }) => [status, attempts.length]);
		expect(ends).toEqual([
			["failed", 10],
			["failed", 1],
		]);
		expect(deliveries()[1]?.attempts).toMatchObject([{ error: "not sent: the webhook is disabled" }]);
	});

	test("end with the account that they were for", async () => {
		receiver.answer = () => {};
		await listen();
		await buy();
		await vi.waitFor(() => expect(receiver.posts).toHaveLength(1));
		emulator.control.reset();
		await settled();
		expect(deliveries()).toEqual([]);
	});

	test("go by the real time too, and end with their emulator", async () => {
		const other = await open({});
		receiver.answer = (response, count) => (count === 1 ? say(200)(response) : undefined);
		await other.call("POST", "/webhooks", { url: receiver.url, events: ["*"] });
		await other.call("POST", "/numbers", mobile("US"));
		await other.control.settled();
		await other.call("POST", "/numbers", mobile("US"));
		await vi.waitFor(() => expect(receiver.posts).toHaveLength(2));
		await other.close();
		expect(other.control.state().deliveries.map(({ status }) => status)).toEqual(["delivered", "pending"]);
		const sent = Number(receiver.posts[0]?.headers["webhook-timestamp"]) * 1000;
		expect(Math.abs(sent - Date.now())).toBeLessThan(60_000);
	});
});
