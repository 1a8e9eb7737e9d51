import { describe, expect, test } from "vitest";
import { useEvents } from "../fixture";

const events = useEvents();
const { emulator, call, buy, set, settled, advance, receiver } = events;

const from = "+14155550123";
const second = 1000;
const current = () => emulator.control.state().calls[0];

/** A number whose calls this test's receiver decides on, and a call to it. */
const ringUp = async (answer?: unknown, failover?: object) => {
	receiver.answer = (response) =>
		answer === undefined ? response.writeHead(204).end() : response.end(JSON.stringify(answer));
	const { id, number } = await buy();
	const routing = { type: "webhook", url: `${receiver.url}/calls`, ...(failover ? { failover } : {}) };
	expect((await call("PATCH", `/numbers/${id}`, { routing })).status).toBe(200);
	const row = emulator.control.receiveCall({ from, to: String(number) });
	await settled();
	return row;
};

describe("a call to a number that is routed to a webhook", () => {
	test("is shown to the webhook as the API shows it", async () => {
		const { id } = await ringUp({ action: "answer" });
		const [post] = receiver.posts;
		expect(post?.path).toBe("/calls");
		expect(post?.headers).toMatchObject({ "content-type": "application/json", "webhook-id": expect.any(String) });
		expect(post?.event).toMatchObject({
			type: "call.incoming",
			data: { id, direction: "inbound", from, status: "ringing", route: { type: "webhook" } },
		});
		expect(emulator.control.state().deliveries).toMatchObject([
			{ event: "call.incoming", webhook_id: null, status: "delivered", attempts: [{ status: 200, error: null }] },
		]);
	});

	test("is answered for as long as the webhook says, with a recording if it wants one", async () => {
		await ringUp({ action: "answer", record: true, talk_seconds: 90 });
		expect(current()).toMatchObject({ status: "in_progress", answered_by: "human" });
		await advance(89 * second);
		expect(current()?.status).toBe("in_progress");
		await advance(second);
		expect(current()).toMatchObject({ status: "completed", record: true });
		expect(emulator.control.state().recordings).toHaveLength(1);
	});

	test.each([
		[{ action: "reject" }, { status: "failed", hangup_cause: "call_rejected", sip_code: 603 }],
		[
			{ action: "reject", reason: "busy" },
			{ status: "busy", sip_code: 486 },
		],
		[{ action: "hang_up" }, { status: "completed", answered_at: null, price: { amount: "0.00", currency: "USD" } }],
	])("ends if the webhook says so: %j", async (answer, shown) => {
		await ringUp(answer);
		expect(current()).toMatchObject(shown);
	});

	test("hears what the webhook plays, and is hung up after it", async () => {
		await ringUp({ action: "play", text: "We are closed.", seconds: 4 });
		expect(current()?.status).toBe("in_progress");
		await advance(4 * second);
		expect(current()).toMatchObject({ status: "completed" });
	});

	test("is forwarded: who is called then decides, magic numbers too", async () => {
		await ringUp({ action: "forward", to: "+15005550001" });
		expect(current()).toMatchObject({ status: "ringing", route: { type: "forward", to: "+15005550001" } });
		await advance(3 * second);
		expect(current()).toMatchObject({ status: "busy" });
	});

	test("is left to the settings by an empty answer", async () => {
		set({ callFate: "busy" });
		await ringUp();
		expect(current()?.status).toBe("ringing");
		await advance(3 * second);
		expect(current()?.status).toBe("busy");
	});

	test.each([
		["names an unknown action", { action: "dance" }],
		["answers with a list", [1]],
	])("fails if the webhook %s", async (_, answer) => {
		await ringUp(answer);
		expect(current()).toMatchObject({ status: "failed", hangup_cause: "webhook_failed" });
		expect(emulator.control.state().deliveries[0]?.attempts[0]?.error).toContain("unknown action");
	});

	test("goes to the failover if the webhook says nothing that is known", async () => {
		await ringUp({ action: "dance" }, { type: "agent", agent_id: "agt_1" });
		expect(current()).toMatchObject({ status: "ringing", route: { type: "agent" } });
		await advance(3 * second);
		expect(current()?.status).toBe("in_progress");
	});

	test("is given up if the webhook takes longer than the call may ring", async () => {
		receiver.answer = () => {};
		set({ deliveryTimeoutMs: 200 });
		const { id, number } = await buy();
		const routing = { type: "webhook", url: receiver.url, ring_timeout_seconds: 5 };
		await call("PATCH", `/numbers/${id}`, { routing });
		emulator.control.receiveCall({ from, to: String(number) });
		emulator.control.clock({ advance: "5s" });
		expect(current()?.status).toBe("no_answer");
		await settled();
		expect(current()?.status).toBe("no_answer");
	});

	test("is left to the settings if the webhook's address may not be reached", async () => {
		const { id, number } = await buy();
		await call("PATCH", `/numbers/${id}`, { routing: { type: "webhook", url: "https://hooks.example.com/" } });
		emulator.control.receiveCall({ from, to: String(number) });
		await settled();
		await advance(3 * second);
		expect(current()?.status).toBe("in_progress");
		expect(emulator.control.state().deliveries).toMatchObject([{ status: "refused" }]);
	});
});
