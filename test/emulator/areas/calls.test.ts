import { describe, expect, test } from "vitest";
import { day, hour, refusal, second, usd, useEvents } from "../fixture";

const events = useEvents();
const { emulator, call, outside, post, patch, read, list, buy, trunk, set, listen } = events;
const { advance, at, receiver, settled, state, types } = events;

const [to, caller] = ["+14155550123", "+14155550177"];
const free = usd("0.00");

/** A number whose calls use a trunk of its own. */
const routed = async (more: object = {}) => {
	const [number, office] = [await buy("US", "geographic"), await trunk(more)];
	await patch(`/numbers/${number.id}`, { routing: { type: "trunk", trunk_id: office.id } });
	return { id: number.id, from: String(number.number), trunk_id: office.id };
};
const place = (from: unknown, more: object = {}) => post("/calls", { from, to, ...more });
const receive = (number: unknown, from = caller) => outside("POST", "/_emulator/calls", { from, to: number });
const readCall = (id: string) => read(`/calls/${id}`);
const hangUp = async (id: string) => (await post(`/calls/${id}/hangup`)).body;

describe("a call", () => {
	test("goes from queued to completed, with its events", async () => {
		set({ callSeconds: 61 });
		await listen(["call.initiated", "call.answered", "call.completed"]);
		const { id: number_id, from, trunk_id } = await routed();
		const { id, ...placed } = (await place(from, { reference: "ticket-7" })).body;
		const fields = { direction: "outbound", from, to, number_id, trunk_id, reference: "ticket-7", record: false };
		expect(placed).toMatchObject({ ...fields, status: "queued", started_at: null, price: null, created_at: at(0) });
		await advance(second);
		expect(await readCall(id)).toMatchObject({ status: "ringing", started_at: at(second), answered_at: null });
		await advance(3 * second);
		expect(await readCall(id)).toMatchObject({ status: "in_progress", answered_at: at(4 * second), ended_at: null });
		await advance(61 * second);
		const end = { ended_at: at(65 * second), duration_seconds: 61, hangup_cause: "normal_clearing", sip_code: 200 };
		expect(await readCall(id)).toMatchObject({ ...fields, status: "completed", ...end, price: usd("0.02") });
		expect(types()).toEqual(["call.initiated", "call.answered", "call.completed"]);
		expect(receiver.posts[2]?.event.data).toEqual(await readCall(id));
		expect(await list(`/calls/${id}/recordings`)).toEqual([]);
	});

	test.each([
		["busy", 3, { hangup_cause: "user_busy", sip_code: 486 }],
		["failed", 3, { hangup_cause: "network_out_of_order", sip_code: 503 }],
		["no_answer", 20, { hangup_cause: "no_answer", sip_code: 480 }],
	] as const)("ends %s for free after %i seconds of ringing", async (callFate, rings, end) => {
		set({ callFate });
		await listen(["call.initiated", "call.completed"]);
		const { from } = await routed();
		const { id } = (await place(from, { timeout_seconds: 20, record: true })).body;
		await advance((1 + rings) * second - 1);
		expect(await readCall(id)).toMatchObject({ status: "ringing" });
		await advance(1);
		const none = { answered_at: null, duration_seconds: 0, price: free };
		expect(await readCall(id)).toMatchObject({ status: callFate, ended_at: at((1 + rings) * second), ...none, ...end });
		await advance(hour);
		expect(types()).toEqual(["call.initiated", "call.completed"]);
		expect(await list(`/calls/${id}/recordings`)).toEqual([]);
	});

	test("is hung up once, before or after its answer", async () => {
		await listen(["call.completed"]);
		const { from } = await routed();
		const [queued, answered] = [(await place(from)).body, (await place(from)).body];
		const canceled = { status: "canceled", started_at: null, ended_at: at(0), sip_code: 487, price: free };
		expect(await hangUp(queued.id)).toMatchObject(canceled);
		await advance(14 * second);
		const ended = await hangUp(answered.id);
		expect(ended).toMatchObject({ status: "completed", duration_seconds: 10, price: usd("0.01") });
		await advance(hour);
		expect(await hangUp(answered.id)).toEqual(ended);
		expect(receiver.posts.map(({ event }) => event.data.status)).toEqual(["canceled", "completed"]);
	});
});

describe("a trunk", () => {
	test("carries as many calls at a time as its capacity", async () => {
		const { from, trunk_id } = await routed({ capacity: 1 });
		const { id } = (await place(from)).body;
		expect(await place(from)).toMatchObject(refusal(409, "capacity_exceeded"));
		await hangUp(id);
		expect((await place(from)).status).toBe(201);
		expect((await place(from)).status).toBe(409);
		await patch(`/trunks/${trunk_id}`, { capacity: 2 });
		expect((await place(from)).status).toBe(201);
	});

	test("starts as many calls a second as its cps", async () => {
		const { from } = await routed({ cps: 2 });
		for (let count = 0; count < 5; count++) await place(from);
		await advance(hour);
		expect(state().calls.map(({ started_at }) => started_at)).toEqual([1, 1, 2, 2, 3].map((time) => at(time * second)));
	});

	test("passes calls to its failover while it is disabled", async () => {
		const { id, from, trunk_id } = await routed();
		const { id: spare } = await trunk({ name: "spare", enabled: false });
		await patch(`/trunks/${trunk_id}`, { enabled: false });
		const failover = { type: "trunk", trunk_id: spare };
		await patch(`/numbers/${id}`, { routing: { type: "trunk", trunk_id, failover } });
		expect(await place(from)).toMatchObject(refusal(409, "trunk_disabled"));
		await patch(`/trunks/${spare}`, { enabled: true });
		expect((await place(from)).body).toMatchObject({ trunk_id: spare, route: { trunk_id: spare } });
	});
});

describe("an inbound call", () => {
	test("follows the route of its number, recorded if it or the settings say so", async () => {
		await listen(["call.initiated", "call.answered", "call.completed"]);
		const { id: number_id, from: number, trunk_id } = await routed();
		const { body } = await receive(number);
		expect(body).toMatchObject({ direction: "inbound", status: "ringing", number_id, trunk_id, to: number });
		await advance(hour);
		expect(await readCall(body.id)).toMatchObject({ status: "completed", duration_seconds: 30, price: usd("0.004") });
		expect(types()).toEqual(["call.initiated", "call.answered", "call.completed"]);
		const asked = emulator.control.receiveCall({ from: caller, to: number, record: true });
		set({ recordInbound: true });
		const byDefault = (await receive(number)).body;
		await advance(hour);
		expect(state().recordings.map(({ call_id }) => call_id)).toEqual([asked.id, byDefault.id]);
	});

	test("fails with a cause where nothing takes it", async () => {
		const { number: nowhere } = await buy("US", "geographic");
		const { from: full, trunk_id } = await routed({ capacity: 1 });
		const { from: slow } = await routed({ cps: 1 });
		const fate = async (number: unknown) => {
			const { status, hangup_cause, sip_code } = (await receive(number)).body;
			return [status, hangup_cause, sip_code];
		};
		const ringing = ["ringing", null, null];
		expect(await fate(nowhere)).toEqual(["failed", "no_route_destination", 404]);
		expect([await fate(full), await fate(full)]).toEqual([ringing, ["failed", "capacity_exceeded", 503]]);
		expect([await fate(slow), await fate(slow)]).toEqual([ringing, ["failed", "cps_exceeded", 503]]);
		await advance(hour);
		expect(await fate(slow)).toEqual(ringing);
		await patch(`/trunks/${trunk_id}`, { enabled: false });
		expect(await fate(full)).toEqual(["failed", "trunk_disabled", 503]);
		await outside("DELETE", `/_emulator/trunks/${trunk_id}`);
		expect(await fate(full)).toEqual(["failed", "invalid_reference", 503]);
		expect(await receive("+14155550100")).toMatchObject(refusal(404, "not_found"));
	});
});

describe("a call routed to a webhook", () => {
	const current = () => state().calls[0];
	/** A call to a number whose webhook responds so. */
	const ringUp = async (response?: unknown, more: object = {}, url = `${receiver.url}/calls`) => {
		receiver.respond = (sent) => sent.end(response === undefined ? "" : JSON.stringify(response));
		const { id, number } = await buy();
		expect((await patch(`/numbers/${id}`, { routing: { type: "webhook", url, ...more } })).status).toBe(200);
		const { body } = await receive(number);
		await settled();
		return body;
	};

	test("is reported to the webhook as the API shows it", async () => {
		const { id } = await ringUp({ action: "answer" });
		expect(receiver.posts).toMatchObject([
			{
				path: "/calls",
				headers: { "content-type": "application/json", "webhook-id": expect.any(String) },
				event: { type: "call.incoming", data: { id, from: caller, status: "ringing", route: { type: "webhook" } } },
			},
		]);
		expect(events.deliveries()).toMatchObject([{ event: "call.incoming", webhook_id: null, status: "delivered" }]);
	});

	const rejected = { status: "failed", hangup_cause: "call_rejected", sip_code: 603 };
	const unknown = { status: "failed", hangup_cause: "webhook_failed" };
	test.each<[unknown, object, number, object]>([
		[{ action: "reject" }, rejected, 0, rejected],
		[{ action: "reject", reason: "busy" }, { status: "busy", sip_code: 486 }, 0, { status: "busy" }],
		[{ action: "hang_up" }, { status: "completed", answered_at: null, price: free }, 0, { status: "completed" }],
		[
			{ action: "answer", record: true, talk_seconds: 90 },
			{ status: "in_progress", answered_by: "human" },
			90,
			{ status: "completed", record: true },
		],
		[{ action: "play", text: "Closed.", seconds: 4 }, { status: "in_progress" }, 4, { status: "completed" }],
		[
			{ action: "forward", to: "+15005550001" },
			{ status: "ringing", route: { type: "forward" } },
			3,
			{ status: "busy" },
		],
		[undefined, { status: "ringing" }, 3, { status: "no_answer" }],
		[[1], unknown, 0, unknown],
	])("does as the webhook responds: %j", async (response, first, seconds, last) => {
		set({ callFate: "no_answer" });
		await ringUp(response, { ring_timeout_seconds: 5 });
		expect(current()).toMatchObject(first);
		await advance(seconds === 0 ? 0 : seconds * second - 1);
		expect(current()).toMatchObject(first);
		await advance(response === undefined ? 2 * second + 1 : 1);
		expect(current()).toMatchObject(last);
	});
});

describe("a recording", () => {
	const record = async (more: object = {}) => {
		const { number } = await buy("US", "geographic");
		return (await place(number, { record: true, ...more })).body.id;
	};
	const media = (id: string, key = emulator.apiKey) =>
		fetch(`${emulator.url}/recordings/${id}/media`, { headers: { authorization: `Bearer ${key}` } });

	test("is a WAV as long as the call, for a day", async () => {
		set({ callSeconds: 12 });
		await listen(["recording.completed"]);
		const made = await record();
		const recordings = () => list(`/calls/${made}/recordings`);
		await advance(15 * second);
		expect(await recordings()).toEqual([]);
		await advance(second);
		const [row] = await recordings();
		expect(row).toMatchObject({ call_id: made, status: "processing", duration_seconds: 12, url: null });
		const { id = "" } = row ?? {};
		expect(await call("GET", `/recordings/${id}/media`)).toMatchObject(refusal(409, "recording_not_ready"));
		await advance(2 * second);
		const [completed] = await recordings();
		const fields = { status: "completed", format: "wav", channels: 1, price: usd("0.0025") };
		const url = { url: `/recordings/${id}/media`, url_expires_at: at(18 * second + day) };
		expect(completed).toMatchObject({ ...fields, ...url });
		expect(receiver.posts).toMatchObject([{ event: { type: "recording.completed", data: completed } }]);
		expect((await media(id, "wrong")).status).toBe(401);
		const answer = await media(id);
		expect(answer.headers.get("content-type")).toBe("audio/wav");
		const wav = Buffer.from(await answer.arrayBuffer());
		// A RIFF header of 44 bytes, then 8,000 samples a second.
		expect([wav.toString("latin1", 0, 4), wav.toString("latin1", 8, 16)]).toEqual(["RIFF", "WAVEfmt "]);
		expect([wav.readUInt32LE(24), wav.readUInt32LE(40), wav.length]).toEqual([8000, 12 * 8000, 44 + 12 * 8000]);
		expect(new Set(wav.subarray(44)).size).toBeGreaterThan(50);
		await advance(day);
		expect(await call("GET", `/recordings/${id}/media`)).toMatchObject(refusal(410, "gone"));
	});
});
