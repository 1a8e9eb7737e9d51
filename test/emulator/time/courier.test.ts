import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../../emulator";
import { Courier, type End } from "../../../emulator/time/courier";
import { say } from "../../helpers/receiver";
import { useEvents } from "../fixture";

const { emulator, buy, set, listen, settled, receiver, deliveries } = useEvents();

describe("deliveries", () => {
	test("to one receiver that hangs delay nobody else, and are all made", async () => {
		set({ deliveryTimeoutMs: 500 });
		const hung = createServer(() => {}).listen(0, "127.0.0.1");
		onTestFinished(() => void hung.close().closeAllConnections());
		await once(hung, "listening");
		const { id } = await listen(["*"], { url: `http://127.0.0.1:${(hung.address() as AddressInfo).port}/` });
		await listen();
		for (let count = 0; count < 20; count++) await buy();
		await settled();
		expect(receiver.posts).toHaveLength(20);
		const missed = deliveries().filter(({ webhook_id }) => webhook_id === id);
		expect(missed.map(({ attempts }) => attempts[0]?.error)).toEqual(Array(20).fill("no answer within 500 ms"));
	});

	test("to one receiver are never made side by side", async () => {
		const busy = { now: 0, most: 0 };
		receiver.answer = (response) => {
			busy.now += 1;
			busy.most = Math.max(busy.most, busy.now);
			setTimeout(() => {
				busy.now -= 1;
				say(200)(response);
			}, 5);
		};
		await listen(["number.activated"]);
		for (const mode of ["virtual", "real"] as const) {
			emulator.control.clock({ mode });
			for (let count = 0; count < 5; count++) await buy();
			await settled();
		}
		expect({ postsCount: receiver.posts.length, most: busy.most }).toEqual({ postsCount: 10, most: 1 });
	});
});

test("errands wait for those of the same receiver only, and not for one that hung", async () => {
	const courier = new Courier(new VirtualClock(0));
	const running = new Map<string, (end: End) => void>();
	const end = async (name: string, how: End) => {
		running.get(name)?.(how);
		running.delete(name);
		await new Promise((resolve) => setImmediate(resolve));
	};
	for (const name of ["a1", "a2", "a3", "a4", "b1", "b2"])
		courier.add(name.slice(0, 1), 0, () => new Promise((resolve) => running.set(name, resolve)));
	const now = () => [...running.keys()].sort();
	expect(now()).toEqual(["a1", "b1"]);
	await end("b1", "done");
	expect(now()).toEqual(["a1", "b2"]);
	await end("a1", "done");
	expect(now()).toEqual(["a2", "b2"]);
	await end("a2", "hung");
	// They have waited for its whole time-out: one after the other, each would wait for another.
	expect(now()).toEqual(["a3", "a4", "b2"]);
	const settled = courier.settled();
	for (const name of now()) await end(name, "hung");
	await settled;
});
