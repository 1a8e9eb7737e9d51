import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { say } from "../../helpers/receiver";
import { useEvents } from "../fixture";

const { emulator, buy, set, listen, settled, receiver, deliveries } = useEvents();

describe("deliveries", () => {
	test("to one receiver that hangs delay nobody else, and together take no longer than one of them", async () => {
		set({ deliveryTimeoutMs: 1000 });
		const open = { now: 0, most: 0, ever: 0 };
		const hung = createServer(() => {}).listen(0, "127.0.0.1");
		hung.on("connection", (socket) => {
			open.ever += 1;
			open.most = Math.max(open.most, ++open.now);
			socket.once("close", () => open.now--);
		});
		onTestFinished(() => void hung.close().closeAllConnections());
		await once(hung, "listening");
		await listen(["*"], { url: `http://127.0.0.1:${(hung.address() as AddressInfo).port}/` });
		await listen();
		for (let count = 0; count < 20; count++) await buy();
		const ended = vi.fn();
		const waiting = emulator.control.settled().then(ended);
		await vi.waitFor(() => expect(receiver.posts).toHaveLength(20), { interval: 5 });
		expect(ended).not.toHaveBeenCalled();
		expect(open).toEqual({ now: 1, most: 1, ever: 1 });
		await waiting;
		// The first one alone, then at once all that had waited for it.
		expect(open.ever).toBe(20);
		expect(open.most).toBeGreaterThan(10);
		expect(deliveries().filter(({ attempts }) => attempts[0]?.error === "no answer within 1000 ms")).toHaveLength(20);
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
		expect([receiver.posts.length, busy.most]).toEqual([10, 1]);
	});
});
