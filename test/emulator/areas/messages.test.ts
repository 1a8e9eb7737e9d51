import { describe, expect, test } from "vitest";
import { refusal, second, usd, useEvents } from "../fixture";

const events = useEvents();
const { emulator, call, outside, post, patch, remove, read, list, buy, set, listen } = events;
const { advance, at, deliveries, receiver, settled, state, types } = events;

const to = "+14155550123";
const text = "Hello";
const statuses = () => receiver.posts.map(({ event }) => event.data.status);
const sendFrom = (from: unknown, more: object = {}) => post("/messages", { from, to, text, ...more });
const send = async (more: object = {}) => (await sendFrom((await buy()).number, more)).body;
const readMessage = (id: string) => read(`/messages/${id}`);
const receive = (message: object) => outside("POST", "/_emulator/messages", message);

describe("an SMS", () => {
	test("goes from queued to delivered, with its events", async () => {
		await listen(["message.status"]);
		const { id, ...sent } = await send({ reference: "otp-7" });
		const fields = { direction: "outbound", to, text, segments: 1, encoding: "gsm7", reference: "otp-7" };
		expect(sent).toMatchObject({ ...fields, status: "queued", price: null, sent_at: null, created_at: at(0) });
		await advance(second);
		expect(await readMessage(id)).toMatchObject({ status: "sending", price: null });
		await advance(second);
		expect(await readMessage(id)).toMatchObject({ status: "sent", sent_at: at(2 * second), delivered_at: null });
		await advance(3 * second);
		const end = { status: "delivered", delivered_at: at(5 * second), price: usd("0.0075"), error: null };
		expect(await readMessage(id)).toMatchObject(end);
		await advance(60 * second);
		expect(statuses()).toEqual(["sent", "delivered"]);
		expect(receiver.posts[1]?.event.data).toEqual(await readMessage(id));
		set({ phonePlus: false });
		expect(await readMessage(id)).toMatchObject({ from: String(sent.from).slice(1), to: to.slice(1) });
	});

	test.each([
		["undelivered", ["sent", "undelivered"], { error: { code: "unreachable" }, price: { amount: "0.0075" } }],
		["failed", ["failed"], { error: { code: "rejected_by_carrier" }, price: null, sent_at: null }],
		["unconfirmed", ["sent"], { status: "sent", error: null, delivered_at: null }],
	] as const)("can be %s", async (messageFate, reported, fields) => {
		set({ messageFate });
		await listen(["message.status"]);
		const { id } = await send();
		await advance(3600 * second);
		expect(await readMessage(id)).toMatchObject({ status: reported.at(-1), ...fields });
		expect(statuses()).toEqual(reported);
	});

	test("reports unsigned to an address of its own", async () => {
		await send({ status_webhook_url: `${receiver.url}/dlr` });
		await advance(5 * second);
		expect(receiver.posts.map(({ path }) => path)).toEqual(["/dlr", "/dlr"]);
		expect(statuses()).toEqual(["sent", "delivered"]);
		expect(receiver.posts[0]?.headers).not.toHaveProperty("webhook-signature");
		expect(deliveries()).toMatchObject([{ webhook_id: null }, { webhook_id: null, status: "delivered" }]);
		expect(await call("GET", `/webhook_deliveries/${deliveries()[0]?.id}`)).toMatchObject(refusal(404, "not_found"));
	});

	test.each([
		["a", 160, "gsm7", 1],
		["a", 161, "gsm7", 2],
		["a", 307, "gsm7", 3],
		// A part of 153 places holds 76 of them, not 76.5.
		["€", 153, "gsm7", 3],
		["ж", 71, "ucs2", 2],
		["😀", 67, "ucs2", 3],
	])("is sent and billed in parts: %s × %i is %s in %i", async (char, times, encoding, segments) => {
		const sent = await send({ text: char.repeat(times) });
		expect(sent).toMatchObject({ encoding, segments });
		await advance(2 * second);
		const { price } = (await readMessage(sent.id)) as unknown as { price: { amount: string } };
		expect(Number(price.amount)).toBeCloseTo(segments * 0.0075);
	});

	test("needs an active number with SMS, and an allowed destination", async () => {
		const [pending, voice, gone] = [await buy("DE"), await buy("US", "geographic"), await buy()];
		await remove(`/numbers/${gone.id}`);
		expect(await sendFrom("+14155550199")).toMatchObject(refusal(400, "invalid_sender"));
		expect(await sendFrom(gone.number)).toMatchObject(refusal(400, "invalid_sender"));
		expect(await sendFrom(pending.number)).toMatchObject(refusal(409, "number_not_active"));
		expect(await sendFrom(voice.number)).toMatchObject(refusal(400, "capability_missing"));
		const { number } = await buy();
		for (const wrong of [{ text: "" }, { text: "x".repeat(1601) }, { to: "12" }])
			expect(await sendFrom(number, wrong)).toMatchObject(refusal(400, "validation_failed"));
		set({ blockedDestinations: ["+1415"] });
		expect(await sendFrom(number)).toMatchObject(refusal(403, "destination_blocked"));
		expect(await post("/calls", { from: number, to })).toMatchObject(refusal(403, "destination_blocked"));
		expect([state().messages, state().calls]).toEqual([[], []]);
	});

	test("is listed by status, direction, number and reference", async () => {
		const early = await send({ reference: "a" });
		await advance(5 * second);
		const late = await send({ reference: "b" });
		const ids = async (query: string) => (await list(`/messages?${query}`)).map(({ id }) => id);
		expect(await ids("limit=1")).toEqual([early.id, late.id]);
		expect(await ids("status=delivered")).toEqual([early.id]);
		expect(await ids(`number_id=${late.number_id}`)).toEqual([late.id]);
		expect(await ids("reference=a")).toEqual([early.id]);
		expect(await ids("direction=inbound")).toEqual([]);
	});
});

test("an inbound SMS goes to the number's address and to webhooks", async () => {
	const { id, number } = await buy();
	await patch(`/numbers/${id}`, { sms_webhook_url: `${receiver.url}/sms` });
	await listen(["message.received"], { url: `${receiver.url}/all` });
	const { body } = await receive({ to: number, from: "+14155550177", text: "Grüße €" });
	const fields = { direction: "inbound", status: "received", number_id: id, from: "+14155550177", segments: 1 };
	expect(body).toMatchObject({ ...fields, price: usd("0.0025") });
	await settled();
	expect(receiver.posts.map(({ path }) => path).sort()).toEqual(["/all", "/sms"]);
	expect(types()).toEqual(["message.received", "message.received"]);
	expect(receiver.posts[0]?.event.data).toEqual(await readMessage(body.id));
	expect(await list("/messages?direction=inbound")).toHaveLength(1);
});

test.each(["STOP", " Unsubscribe "])("%j blocks SMS from one sender until START", async (word) => {
	const { number } = await buy();
	const hear = (body: string) => emulator.control.receiveMessage({ from: to, to: String(number), text: body });
	hear("Please stop by tomorrow");
	expect((await sendFrom(number)).status).toBe(201);
	hear(word);
	expect(await sendFrom(number)).toMatchObject(refusal(403, "recipient_opted_out"));
	expect((await sendFrom(number, { to: "+14155550124" })).status).toBe(201);
	expect((await sendFrom((await buy()).number)).status).toBe(201);
	emulator.control.restore(emulator.control.snapshot());
	expect((await sendFrom(number)).status).toBe(403);
	hear("Start");
	expect((await sendFrom(number)).status).toBe(201);
});
