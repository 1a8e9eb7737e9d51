import { describe, expect, test } from "vitest";
import { all, refusal, useEvents } from "../fixture";

const events = useEvents();
const { began, emulator, call, outside, buy, set, listen, settled, advance, receiver, deliveries, types } = events;

const to = "+14155550123";
const second = 1000;
const at = (ms: number) => new Date(began() + ms).toISOString();
const statuses = () => receiver.posts.map(({ event }) => event.data.status);

const send = async (more: object = {}) => {
	const { id: number_id, number: from } = await buy();
	const { data } = await events.client.messages.send({ from: String(from), to, text: "Hello", ...more });
	return { ...data, number_id };
};
const read = ({ id }: { id: string }) => events.client.messages.get(id);
const inbound = (message: object) => outside("POST", "/_emulator/messages", message);

describe("an SMS", () => {
	test("goes from queued to delivered on the clock, and tells so", async () => {
		await listen(["message.status"]);
		const sent = await send({ reference: "otp-7" });
		const shown = { direction: "outbound", to, text: "Hello", segments: 1, encoding: "gsm7", reference: "otp-7" };
		expect(sent).toMatchObject({ ...shown, status: "queued", price: null, sent_at: null, created_at: at(0) });
		await advance(second);
		expect(await read(sent)).toMatchObject({ status: "sending", price: null });
		await advance(second);
		expect(await read(sent)).toMatchObject({ status: "sent", sent_at: at(2 * second), delivered_at: null });
		await advance(3 * second);
		const price = { amount: "0.0075", currency: "USD" };
		expect(await read(sent)).toMatchObject({ status: "delivered", delivered_at: at(5 * second), price, error: null });
		await advance(60 * second);
		expect(types()).toEqual(["message.status", "message.status"]);
		expect(statuses()).toEqual(["sent", "delivered"]);
		expect(receiver.posts[1]?.event.data).toEqual(await read(sent));
	});

	test.each([
		["undelivered", ["sent", "undelivered"], { error: { code: "unreachable" }, price: { amount: "0.0075" } }],
		["failed", ["failed"], { error: { code: "rejected_by_carrier" }, price: null, sent_at: null }],
		["unconfirmed", ["sent"], { status: "sent", error: null, delivered_at: null }],
	] as const)("may end up %s", async (messageFate, told, shown) => {
		set({ messageFate });
		await listen(["message.status"]);
		const sent = await send();
		await advance(3600 * second);
		expect(await read(sent)).toMatchObject({ status: told.at(-1), ...shown });
		expect(statuses()).toEqual(told);
	});

	test("reports to an address of its own too", async () => {
		await send({ status_webhook_url: `${receiver.url}/dlr` });
		await advance(5 * second);
		expect(receiver.posts.map(({ path }) => path)).toEqual(["/dlr", "/dlr"]);
		expect(statuses()).toEqual(["sent", "delivered"]);
		// An address that is no webhook has no secret to sign with.
		expect(receiver.posts[0]?.headers).not.toHaveProperty("webhook-signature");
		expect(receiver.posts[0]?.headers).toHaveProperty("webhook-id");
		expect(deliveries()).toMatchObject([{ webhook_id: null }, { webhook_id: null, status: "delivered" }]);
		expect(await call("GET", `/webhook_deliveries/${deliveries()[0]?.id}`)).toMatchObject(refusal(404, "not_found"));
	});

	test.each([
		["a", 160, "gsm7", 1],
		["a", 161, "gsm7", 2],
		["a", 306, "gsm7", 2],
		["a", 307, "gsm7", 3],
		["€", 80, "gsm7", 1],
		["€", 81, "gsm7", 2],
		// 153 places hold 76 of them, not 76.5.
		["€", 152, "gsm7", 2],
		["€", 153, "gsm7", 3],
		["ж", 70, "ucs2", 1],
		["ж", 71, "ucs2", 2],
		["😀", 35, "ucs2", 1],
		["😀", 66, "ucs2", 2],
		["😀", 67, "ucs2", 3],
	])("of %s times %i is sent as %s in %i parts, and costs as many", async (char, times, encoding, segments) => {
		const sent = await send({ text: char.repeat(times) });
		expect(sent).toMatchObject({ encoding, segments });
		await advance(2 * second);
		expect((await read(sent)).price).toEqual({
			amount: (segments * 0.0075).toFixed(4).replace(/0$/, ""),
			currency: "USD",
		});
	});

	test("is sent by an active number of the account that has sms, and by nothing else", async () => {
		const post = (from: unknown, more: object = {}) => call("POST", "/messages", { from, to, text: "Hi", ...more });
		const [pending, voice, gone] = [await buy("DE"), await buy("US", "geographic"), await buy()];
		await call("DELETE", `/numbers/${gone.id}`);
		expect(await post("+14155550199")).toMatchObject(refusal(400, "invalid_sender"));
		expect(await post(gone.number)).toMatchObject(refusal(400, "invalid_sender"));
		expect(await post(pending.number)).toMatchObject(refusal(409, "number_not_active"));
		expect(await post(voice.number)).toMatchObject(refusal(400, "capability_missing"));
		const { number } = await buy();
		expect(await post(number, { text: "" })).toMatchObject(refusal(400, "validation_failed"));
		expect(await post(number, { text: "x".repeat(1601) })).toMatchObject(refusal(400, "validation_failed"));
		expect(await post(number, { to: "12" })).toMatchObject(refusal(400, "validation_failed"));
		set({ blockedDestinations: ["+1415"] });
		expect(await post(number)).toMatchObject(refusal(403, "destination_blocked"));
		set({ blockedDestinations: ["+1416"], outOfBalance: true });
		expect(await post(number)).toMatchObject(refusal(402, "insufficient_balance"));
		expect(emulator.control.state().messages).toEqual([]);
	});

	test("is sent once under one key", async () => {
		const { number: from } = await buy();
		const headers = { "Idempotency-Key": "k1" };
		const post = () => call("POST", "/messages", { from, to, text: "Hi" }, headers);
		expect((await post()).body.id).toBe((await post()).body.id);
		expect(emulator.control.state().messages).toHaveLength(1);
	});

	test("is found by state, direction, number and reference", async () => {
		const one = await send({ reference: "a" });
		await advance(5 * second);
		const two = await send({ reference: "b" });
		const list = async (filters: object) => (await all(events.client.messages.list(filters))).map(({ id }) => id);
		expect(await list({})).toEqual([one.id, two.id]);
		expect(await list({ status: "delivered" })).toEqual([one.id]);
		expect(await list({ number_id: two.number_id })).toEqual([two.id]);
		expect(await list({ reference: "a" })).toEqual([one.id]);
		expect(await list({ direction: "inbound" })).toEqual([]);
	});
});

describe("an SMS from outside", () => {
	test("goes to the number's own address and to the webhooks, and is kept", async () => {
		const { id, number } = await buy();
		await call("PATCH", `/numbers/${id}`, { sms_webhook_url: `${receiver.url}/sms` });
		await listen(["message.received"], { url: `${receiver.url}/all` });
		const { body } = await inbound({ to: number, from: "+14155550177", text: "Grüße €" });
		const shown = { direction: "inbound", status: "received", number_id: id, from: "+14155550177", segments: 1 };
		expect(body).toMatchObject({ ...shown, price: { amount: "0.0025", currency: "USD" } });
		await settled();
		expect(receiver.posts.map(({ path }) => path).sort()).toEqual(["/all", "/sms"]);
		expect(types()).toEqual(["message.received", "message.received"]);
		expect(receiver.posts[0]?.event.data).toEqual(await read(body));
		expect(await all(events.client.messages.list({ direction: "inbound" }))).toHaveLength(1);
	});

	test("may come from a word, but only to an active number with sms", async () => {
		const [mobile, voice, pending] = [await buy(), await buy("US", "geographic"), await buy("DE")];
		const to = (number: unknown, from = "Bank") => inbound({ to: number, from, text: "Code 1" });
		expect((await to(mobile.number)).body).toMatchObject({ from: "Bank", status: "received" });
		expect(await to(mobile.number, "a very long sender")).toMatchObject(refusal(400, "validation_failed"));
		expect(await to(voice.number)).toMatchObject(refusal(400, "capability_missing"));
		expect(await to(pending.number)).toMatchObject(refusal(409, "number_not_active"));
		expect(await to("+14155550100")).toMatchObject(refusal(404, "not_found"));
	});
});
