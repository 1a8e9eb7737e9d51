import { describe, expect, test } from "vitest";
import { all, refusal, useEvents } from "../fixture";

const events = useEvents();
const { began, clock, emulator, call, outside, buy, trunk, set, listen, advance, receiver, types } = events;

const to = "+14155550123";
const [second, hour] = [1000, 3_600_000];
const at = (ms: number) => new Date(began() + ms).toISOString();
const usd = (amount: string) => ({ amount, currency: "USD" });
const read = ({ id }: { id: string }) => events.client.calls.get(id);
const calls = () => emulator.control.state().calls;
const inbound = (sent: object) => outside("POST", "/_emulator/calls", sent);

/** A number whose calls go over a trunk of its own. */
const routed = async (more: object = {}) => {
	const [number, office] = [await buy("US", "geographic"), await trunk(more)];
	await call("PATCH", `/numbers/${number.id}`, { routing: { type: "trunk", trunk_id: office.id } });
	return { id: number.id, from: String(number.number), trunk_id: office.id };
};
const place = (from: unknown, more: object = {}) => call("POST", "/calls", { from, to, ...more });

describe("a call", () => {
	test("goes from queued to completed on the clock, and tells so", async () => {
		await listen(["call.initiated", "call.answered", "call.completed"]);
		const { id: number_id, from, trunk_id } = await routed();
		const { data: placed } = await events.client.calls.place({ from, to, reference: "ticket-7" });
		const shown = { direction: "outbound", from, to, number_id, trunk_id, reference: "ticket-7", record: false };
		expect(placed).toMatchObject({ ...shown, status: "queued", started_at: null, price: null, created_at: at(0) });
		await advance(second);
		expect(await read(placed)).toMatchObject({ status: "ringing", started_at: at(second), answered_at: null });
		await advance(3 * second);
		expect(await read(placed)).toMatchObject({ status: "in_progress", answered_at: at(4 * second), ended_at: null });
		await advance(30 * second);
		const end = { ended_at: at(34 * second), duration_seconds: 30, hangup_cause: "normal_clearing", sip_code: 200 };
		expect(await read(placed)).toMatchObject({ ...shown, status: "completed", ...end, price: usd("0.01") });
		expect(types()).toEqual(["call.initiated", "call.answered", "call.completed"]);
		expect(receiver.posts[2]?.event.data).toEqual(await read(placed));
		await advance(hour);
		expect(receiver.posts).toHaveLength(3);
	});

	test.each([
		["busy", 3, { hangup_cause: "user_busy", sip_code: 486 }],
		["failed", 3, { hangup_cause: "network_out_of_order", sip_code: 503 }],
		["no_answer", 20, { hangup_cause: "no_answer", sip_code: 480 }],
	] as const)("may end %s after ringing for %i seconds, and costs nothing then", async (callFate, rings, end) => {
		set({ callFate });
		await listen(["*"]);
		const { from } = await routed();
		const { body } = await place(from, { timeout_seconds: 20, record: true });
		receiver.posts.length = 0;
		await advance((1 + rings) * second - 1);
		expect(await read(body)).toMatchObject({ status: "ringing" });
		await advance(1);
		const none = { answered_at: null, duration_seconds: 0, price: usd("0.00") };
		expect(await read(body)).toMatchObject({ status: callFate, ended_at: at((1 + rings) * second), ...none, ...end });
		await advance(hour);
		expect(types().filter((type) => type !== "number.activated")).toEqual(["call.initiated", "call.completed"]);
	});

	test("lasts as long as the settings say, and is paid by the minute begun", async () => {
		set({ callSeconds: 61 });
		const { from } = await routed();
		const { body } = await place(from);
		await advance(hour);
		expect(await read(body)).toMatchObject({ duration_seconds: 61, price: usd("0.02") });
	});

	test("can be hung up before and after it is answered, and once more without effect", async () => {
		await listen(["call.completed"]);
		const { from } = await routed();
		const [queued, answered] = [(await place(from)).body, (await place(from)).body];
		expect(await events.client.calls.hangUp(queued.id)).toMatchObject({
			status: "canceled",
			started_at: null,
			ended_at: at(0),
			sip_code: 487,
			price: usd("0.00"),
		});
		await advance(14 * second);
		const hungUp = await events.client.calls.hangUp(answered.id);
		expect(hungUp).toMatchObject({ status: "completed", duration_seconds: 10, price: usd("0.01") });
		await advance(hour);
		expect(await events.client.calls.hangUp(answered.id)).toEqual(hungUp);
		expect(receiver.posts.map(({ event }) => event.data.status)).toEqual(["canceled", "completed"]);
	});

	test("is placed by an active number of the account, to where the account may call", async () => {
		const pending = await buy("DE");
		expect(await place("+14155550199")).toMatchObject(refusal(400, "invalid_sender"));
		expect(await place(pending.number)).toMatchObject(refusal(409, "number_not_active"));
		const { from } = await routed();
		expect(await place(from, { to: "0" })).toMatchObject(refusal(400, "validation_failed"));
		expect(await place(from, { route: { type: "trunk", trunk_id: "trk_no" } })).toMatchObject(
			refusal(400, "invalid_reference"),
		);
		set({ blockedDestinations: ["+14155"] });
		expect(await place(from)).toMatchObject(refusal(403, "destination_blocked"));
		set({ blockedDestinations: [], outOfBalance: true });
		expect(await place(from)).toMatchObject(refusal(402, "insufficient_balance"));
		expect(calls()).toEqual([]);
	});

	test("is found by state, direction, number and reference", async () => {
		const [one, other] = [await routed(), await routed()];
		const first = (await place(one.from, { reference: "a" })).body;
		await advance(hour);
		const last = (await place(other.from)).body;
		const list = async (filters: object) => (await all(events.client.calls.list(filters))).map(({ id }) => id);
		expect(await list({})).toEqual([first.id, last.id]);
		expect(await list({ status: "completed" })).toEqual([first.id]);
		expect(await list({ number_id: other.id })).toEqual([last.id]);
		expect(await list({ reference: "a", direction: "outbound" })).toEqual([first.id]);
		expect(await list({ direction: "inbound" })).toEqual([]);
	});
});

describe("a trunk", () => {
	test("takes no more calls at a time than its capacity", async () => {
		const { from, trunk_id } = await routed({ capacity: 2 });
		const statuses = [await place(from), await place(from), await place(from)];
		expect(statuses.map(({ status }) => status)).toEqual([201, 201, 409]);
		expect(statuses[2]?.body).toMatchObject({ error: "capacity_exceeded", details: { max: 2 } });
		await call("POST", `/calls/${statuses[0]?.body.id}/hangup`);
		expect((await place(from)).status).toBe(201);
		expect((await place(from)).status).toBe(409);
		await call("PATCH", `/trunks/${trunk_id}`, { capacity: 3 });
		expect((await place(from)).status).toBe(201);
		await advance(hour);
		expect((await place(from)).status).toBe(201);
		expect(calls().filter(({ status }) => status === "completed")).toHaveLength(3);
	});

	test("starts no more calls in a second than its cps: the others wait in the queue", async () => {
		const { from } = await routed({ cps: 2 });
		for (let count = 0; count < 5; count++) await place(from);
		await advance(hour);
		const starts = () => calls().map(({ started_at }) => Date.parse(started_at ?? "") - began());
		expect(starts()).toEqual([1, 1, 2, 2, 3].map((seconds) => seconds * second));
		await place(from);
		await advance(hour);
		expect(starts().at(-1)).toBe(hour + second);
	});

	test("that is disabled takes none, unless there is a failover", async () => {
		const { id, from, trunk_id } = await routed();
		const { id: spare } = await trunk({ name: "spare" });
		await call("PATCH", `/trunks/${trunk_id}`, { enabled: false });
		expect(await place(from)).toMatchObject(refusal(409, "trunk_disabled"));
		const routing = { type: "trunk", trunk_id, failover: { type: "trunk", trunk_id: spare } };
		await call("PATCH", `/numbers/${id}`, { routing });
		expect((await place(from)).body).toMatchObject({ trunk_id: spare, route: { trunk_id: spare } });
		await call("PATCH", `/trunks/${spare}`, { enabled: false });
		expect((await place(from)).body.message).toContain(trunk_id);
	});

	test("is not needed where a call goes elsewhere", async () => {
		const { number } = await buy("US", "geographic");
		const forward = { type: "forward", to: "+14155550111" };
		expect((await place(number, { route: forward })).body).toMatchObject({ trunk_id: null, route: forward });
	});
});

describe("a call from outside", () => {
	const caller = "+14155550177";

	test("goes where its number is routed", async () => {
		await listen(["call.initiated", "call.answered", "call.completed"]);
		const { id: number_id, from: number, trunk_id } = await routed();
		const { body } = await inbound({ from: caller, to: number });
		expect(body).toMatchObject({ direction: "inbound", status: "ringing", number_id, trunk_id, to: number });
		await advance(hour);
		expect(await read(body)).toMatchObject({ status: "completed", duration_seconds: 30, price: usd("0.004") });
		expect(types()).toEqual(["call.initiated", "call.answered", "call.completed"]);
	});

	test("rings as long as its route says, also by one that was set from outside", async () => {
		set({ callFate: "no_answer" });
		const { id, from: number, trunk_id } = await routed();
		const timeout = async (routing: object) => {
			await outside("PATCH", `/_emulator/numbers/${id}`, { routing });
			return (await inbound({ from: caller, to: number })).body.timeout_seconds;
		};
		expect(await timeout({ type: "trunk", trunk_id, ring_timeout_seconds: 12 })).toBe(12);
		expect(await timeout({ type: "trunk", trunk_id })).toBe(30);
		expect(await timeout({ type: "ai_agent", ring_timeout_seconds: 1e300 })).toBe(600);
		expect(await timeout({ type: "ai_agent", ring_timeout_seconds: null })).toBe(30);
		// What no answer may hold is refused, and the route stays.
		expect(await timeout({ type: "ai_agent", ring_timeout_seconds: "soon" })).toBe(30);
		const refused = { type: "ai_agent", ring_timeout_seconds: "soon" };
		expect((await outside("PATCH", `/_emulator/numbers/${id}`, { routing: refused })).status).toBe(400);
		await advance(hour);
		expect(new Set(calls().map(({ status }) => status))).toEqual(new Set(["no_answer"]));
	});

	test("fails where nothing takes it, and says why", async () => {
		const { number: nowhere } = await buy("US", "geographic");
		const { from: full, trunk_id } = await routed({ capacity: 1 });
		const { from: slow } = await routed({ cps: 1 });
		const fate = async (number: unknown) => {
			const { status, hangup_cause, sip_code } = (await inbound({ from: caller, to: number })).body;
			return [status, hangup_cause, sip_code];
		};
		expect(await fate(nowhere)).toEqual(["failed", "no_route_destination", 404]);
		expect(await fate(full)).toEqual(["ringing", null, null]);
		expect(await fate(full)).toEqual(["failed", "capacity_exceeded", 503]);
		expect(await fate(slow)).toEqual(["ringing", null, null]);
		expect(await fate(slow)).toEqual(["failed", "cps_exceeded", 503]);
		clock.advance(second);
		expect(await fate(slow)).toEqual(["ringing", null, null]);
		await advance(hour);
		await call("PATCH", `/trunks/${trunk_id}`, { enabled: false });
		expect(await fate(full)).toEqual(["failed", "trunk_disabled", 503]);
		await outside("DELETE", `/_emulator/trunks/${trunk_id}`);
		expect(await fate(full)).toEqual(["failed", "invalid_reference", 503]);
		expect(await inbound({ from: caller, to: "+14155550100" })).toMatchObject(refusal(404, "not_found"));
	});
});
