/** What all clients of one service share in a process: how many requests at once, and for how long it wants quiet. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const clientOf = server.client;

describe("two clients of one service", () => {
	test("have at most so many requests under way", async () => {
		let [now, most] = [0, 0];
		server.script = async (response) => {
			most = Math.max(most, ++now);
			await pause(2);
			now--;
			answer(response, 200);
		};
		const clients = [clientOf({ concurrency: 3 }), clientOf()];
		await Promise.all(Array.from({ length: 20 }, (_, index) => clients[index % 2]?.trunks.get("x")));
		expect(most).toBe(3);
	});

	test("two clients keep quiet for as long as the service asked either to, the longest time winning", async () => {
		const clock = new FakeClock();
		const start = clock.now();
		const at: number[] = [];
		server.script = (response, { length }) => {
			at.push(clock.now() - start);
			if (length <= 2) answer(response, 429, refusal("rate_limited"), { "retry-after": length === 1 ? "5" : "30" });
			else answer(response, 200);
		};
		const [one, other] = [clientOf({ clock }), clientOf({ clock })];
		await Promise.all([one.trunks.get("x"), other.trunks.get("y"), one.trunks.get("z")]);
		await other.trunks.get("later");
		const late = at.filter((ms) => ms > 0);
		expect(Math.min(...late)).toBeGreaterThanOrEqual(5_000);
		expect(at.slice(-2).every((ms) => ms >= 30_000)).toBe(true);
	});

	test("what waited for its turn keeps quiet as well", async () => {
		let now = 0;
		const wake: (() => void)[] = [];
		const clock = { now: () => now, sleep: () => new Promise<void>((done) => wake.push(done)) };
		server.script = (response, { length }) => {
			if (length === 1) answer(response, 429, refusal("rate_limited"), { "retry-after": "5" });
			else answer(response, 200);
		};
		const client = clientOf({ clock, concurrency: 1 });
		const reads = Promise.all([client.trunks.get("x"), client.trunks.get("y")]);
		// The one that was refused, and the turn of the other.
		await vi.waitFor(() => expect(wake).toHaveLength(2));
		expect(server.received).toHaveLength(1);
		now = 6_000;
		await vi.waitFor(async () => {
			for (const done of wake.splice(0)) done();
			expect(await Promise.race([reads, undefined])).toHaveLength(2);
		});
	});

	test.each([429, 503])("the other keeps quiet for as long as a %i asked the one that has given up", async (status) => {
		const clock = new FakeClock();
		server.script = (response, { length }) =>
			length === 1 ? answer(response, status, refusal("busy"), { "retry-after": "30" }) : answer(response, 200);
		await failureOf(clientOf({ clock, retry: { tries: 1 } }).trunks.get("x"));
		await clientOf({ clock }).trunks.get("y");
		expect(clock.slept).toEqual([30_000]);
	});
});
