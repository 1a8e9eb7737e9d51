import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { refusal, useEvents } from "../fixture";

const events = useEvents();
const { emulator, outside, buy, listen, advance, settled, receiver, deliveries } = events;

const second = 1000;
const fault = (rule: object) => outside("POST", "/_emulator/faults", rule);
const arrive = async (...texts: string[]) => {
	const { number } = await buy();
	for (const text of texts) emulator.control.receiveMessage({ from: "+14155550123", to: String(number), text });
	await settled();
};
const texts = () => receiver.posts.map(({ event }) => event.data.text);

describe("a fault of deliveries", () => {
	test("drops one: it is lost, and nobody tries again", async () => {
		const hook = await listen(["message.received"]);
		await fault({ kind: "drop_delivery", event: "message.received", nth: 2 });
		await arrive("one", "two", "three");
		await advance(86_400 * second);
		expect(texts()).toEqual(["one", "three"]);
		expect(deliveries()[1]).toMatchObject({ status: "failed", attempts: [{ status: null }] });
		expect(emulator.control.state().webhooks).toMatchObject([{ id: hook.id, status: "enabled" }]);
	});

	test("delays one, by the emulator's clock", async () => {
		await listen(["message.received"]);
		await fault({ kind: "delay_delivery", ms: 60 * second });
		await arrive("one", "two");
		expect(texts()).toEqual(["two"]);
		await advance(60 * second);
		expect(texts()).toEqual(["two", "one"]);
	});

	test("lets the next one overtake", async () => {
		await listen(["message.received"]);
		await fault({ kind: "reorder_deliveries" });
		await arrive("one", "two");
		await advance(2 * second);
		expect(texts()).toEqual(["two", "one"]);
	});

	test("delivers one twice, with the same webhook-id", async () => {
		await listen(["message.received"]);
		await fault({ kind: "duplicate_delivery" });
		await arrive("one", "two");
		expect(texts()).toEqual(["one", "one", "two"]);
		const [one, again, two] = receiver.posts.map(({ headers }) => headers["webhook-id"]);
		expect(again).toBe(one);
		expect(two).not.toBe(one);
	});

	test("signs one with a wrong secret, which a receiver refuses", async () => {
		const { secret } = await listen(["message.received"]);
		await fault({ kind: "bad_signature" });
		await arrive("one", "two");
		const verify = (index: number) => () => {
			const { body, headers } = receiver.posts[index] ?? { body: "", headers: {} };
			return new Webhook(String(secret)).verify(body, headers as Record<string, string>);
		};
		expect(verify(0)).toThrow();
		expect(verify(1)).not.toThrow();
	});

	test("is for its event only, and counts", async () => {
		await listen(["*"]);
		await fault({ kind: "drop_delivery", event: "call.completed", every: true });
		await arrive("one");
		expect(texts()).toEqual([undefined, "one"]);
		expect((await outside("GET", "/_emulator/faults")).body.data).toMatchObject([{ matched: 0, fired: 0 }]);
		expect(await fault({ kind: "drop_delivery", operation: "buyNumber" })).toMatchObject(
			refusal(400, "validation_failed"),
		);
	});

	test("has nothing to do with requests", async () => {
		await fault({ kind: "delay_delivery", ms: 600_000, every: true });
		expect((await buy()).status).toBe("active");
	});
});
