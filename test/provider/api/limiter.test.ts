/** The limiter: the part of a rate that is used, refusals, and pauses that clients share. */
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Limiter, type RequestKind } from "../../../provider/api/limiter";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";
import { TurningClock } from "../../helpers/turning-clock";

interface Limits {
	readonly perSecond: number;
	readonly burst: number;
	/** True if responses state what is allowed. */
	readonly states?: boolean;
}

/** A service with a token bucket, 20 ms away, that asks clients to wait for whole seconds. */
function openService(clock: TurningClock, { perSecond, burst, states }: Limits) {
	const counts = { taken: 0, refused: 0, early: 0 };
	let tokens = burst;
	let at = 0;
	let quietUntil = 0;
	/** Returns the seconds to wait; 0 if the request is taken. */
	const request = async (): Promise<number> => {
		if (clock.now() < quietUntil) counts.early += 1;
		await clock.sleep(10);
		tokens = Math.min(burst, tokens + ((clock.now() - at) / 1000) * perSecond);
		at = clock.now();
		const wait = tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perSecond);
		if (wait === 0) tokens -= 1;
		counts[wait === 0 ? "taken" : "refused"] += 1;
		await clock.sleep(10);
		if (wait > 0) quietUntil = Math.max(quietUntil, clock.now() + wait * 1000);
		return wait;
	};
	const headers = (): Record<string, string> => {
		if (!states) return {};
		// The quota for a day isn't a rate.
		// The strictest of those of a minute or less counts.
		const policy = `"day";q=8640;w=86400, "all";q=60000;w=60, "account";q=${burst};w=${Math.ceil(burst / perSecond)}`;
		return { "ratelimit-policy": policy, ratelimit: `"account";r=${Math.floor(tokens)};t=1` };
	};
	return { counts, request, headers };
}

type Service = ReturnType<typeof openService>;

/** A process that repeats each request until it is taken. */
function openProcess(clock: TurningClock, { request, headers }: Service, concurrency = 16) {
	const limiter = new Limiter({ clock, concurrency, longestWaitMs: 120_000 });
	const send = async (kind: RequestKind): Promise<void> => {
		const isTaken = await limiter.run(kind, async () => {
			const sentAt = clock.now();
			const wait = await request();
			if (wait === 0) limiter.accept(headers());
			else {
				limiter.rate.slowDown(sentAt);
				limiter.pause(wait * 1000);
			}
			return wait === 0;
		});
		return isTaken ? undefined : send(kind);
	};
	const sendAll = (count: number, kind: RequestKind = "write") =>
		Promise.all(Array.from({ length: count }, () => send(kind)));
	return { send, sendAll };
}

test.each([
	[20, false, 0.05],
	[40, false, 0.05],
	[40, true, 0],
])("uses nine tenths of a rate with a burst of %i (stated: %s)", async (burst, states, mostRefused) => {
	const clock = new TurningClock();
	const service = openService(clock, { perSecond: 20, burst, states });
	await clock.turn(openProcess(clock, service).sendAll(1_000));
	expect(1_000 / (burst + 20 * (clock.now() / 1000))).toBeGreaterThan(0.9);
	expect(service.counts.refused / (service.counts.refused + service.counts.taken)).toBeLessThanOrEqual(mostRefused);
});

test("lets three processes use 0.95 of a shared rate", async () => {
	const clock = new TurningClock();
	const service = openService(clock, { perSecond: 20, burst: 40 });
	const runs = Array.from({ length: 3 }, () => openProcess(clock, service).sendAll(500));
	await clock.turn(Promise.race(runs));
	expect(service.counts.taken / (40 + 20 * (clock.now() / 1000))).toBeGreaterThan(0.95);
	await clock.turn(Promise.all(runs));
});

test("sends a purchase in its turn among the kinds, before a thousand polls", async () => {
	const clock = new TurningClock();
	const { send, sendAll } = openProcess(clock, openService(clock, { perSecond: 10, burst: 10 }));
	let polled = 0;
	const polls = Array.from({ length: 1_000 }, () => send("poll").then(() => polled++));
	await clock.turn(sendAll(30));
	expect(polled).toBeLessThan(80);
	await clock.turn(Promise.all(polls));
});

test("gets every request taken within any limits, and sends none early", async () => {
	const [perSecond, burst] = [fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 300 })];
	const limits = fc.record({ perSecond, burst, states: fc.boolean() });
	await fc.assert(
		fc.asyncProperty(limits, fc.integer({ min: 1, max: 32 }), async (limit, concurrency) => {
			const clock = new TurningClock();
			const service = openService(clock, limit);
			await clock.turn(openProcess(clock, service, concurrency).sendAll(60));
			expect(service.counts).toMatchObject({ taken: 60, early: 0 });
		}),
		{ numRuns: 60 },
	);
});

test("starts a cancelled request at once, and leaves the others their turns", async () => {
	const clock = new TurningClock();
	const limiter = new Limiter({ clock, concurrency: 1, longestWaitMs: 120_000 });
	limiter.pause(60_000);
	const cancelled = new AbortController();
	const order: string[] = [];
	const run = (name: string, signal?: AbortSignal) => limiter.run("read", async () => void order.push(name), signal);
	const runs = [run("first", cancelled.signal), run("second")];
	cancelled.abort();
	await runs[0];
	expect([clock.now(), order]).toEqual([0, ["first"]]);
	await clock.turn(Promise.all(runs));
	expect([clock.now(), order]).toEqual([60_000, ["first", "second"]]);
	expect(limiter.waiting).toBe(0);
});

const server = useScriptedServer();

test("limits the requests under way of all clients of a service", async () => {
	let current = 0;
	let most = 0;
	let proceed = () => {};
	const three = new Promise<void>((resolve) => {
		proceed = resolve;
	});
	server.script = async (response) => {
		current += 1;
		most = Math.max(most, current);
		if (current === 3) proceed();
		await three;
		// Time for a fourth request, which the limit holds back.
		await pause(2);
		current -= 1;
		reply(response, 200);
	};
	const [limited, unlimited] = [server.client({ concurrency: 3 }), server.client()];
	await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? limited : unlimited).trunks.get("x")));
	expect(most).toBe(3);
});

test.each([429, 503])("keeps all clients quiet for the longest time that a %i asks for", async (status) => {
	const clock = new FakeClock();
	server.script = (response, { length }) => {
		if (length > 2) return reply(response, 200);
		reply(response, status, refusal("busy"), { "retry-after": length === 1 ? "30" : "5" });
	};
	const [first, second] = [server.client({ clock, retry: { tries: 1 } }), server.client({ clock })];
	await Promise.all([failureOf(first.trunks.get("x")), failureOf(first.trunks.get("y"))]);
	await second.trunks.get("x");
	expect(clock.slept).toEqual([30_000]);
});
