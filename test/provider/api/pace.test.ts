/** The pace of requests, in a time that is turned: how much of a service's rate is used, and how often it refuses. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Pace, type RequestKind } from "../../../provider/api/pace";
import { TurningClock } from "../../helpers/turning-clock";

interface Limits {
	readonly perSecond: number;
	readonly burst: number;
	/** Whether answers say what is allowed. */
	readonly tells?: boolean;
}

/** A service with a token bucket, 20 ms away, that asks to wait for whole seconds. */
function openService(clock: TurningClock, { perSecond, burst, tells }: Limits) {
	const counts = { taken: 0, refused: 0, early: 0 };
	let [tokens, at, quietUntil] = [burst, 0, 0];
	const ask = async (): Promise<number> => {
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
	const headers = () =>
		tells
			? {
					"ratelimit-policy": `"account";q=${burst};w=${Math.ceil(burst / perSecond)}`,
					ratelimit: `"account";r=${Math.floor(tokens)};t=1`,
				}
			: {};
	return { counts, ask, headers };
}

type Service = ReturnType<typeof openService>;

/** A process that sends so many requests, each again until it is taken. */
function openProcess(clock: TurningClock, { ask, headers }: Service, concurrency = 16) {
	const pace = new Pace({ clock, concurrency, longestWaitMs: 120_000 });
	const send = async (kind: RequestKind): Promise<void> => {
		for (;;) {
			const isTaken = await pace.run(kind, async () => {
				const sentAt = clock.now();
				const wait = await ask();
				if (wait === 0) pace.rate.taken(headers(), pace.underWay);
				else {
					pace.rate.refused(sentAt);
					pace.keepQuiet(wait * 1000);
				}
				return wait === 0;
			});
			if (isTaken) return;
		}
	};
	return {
		pace,
		sendAll: (count: number, kind: RequestKind = "write") =>
			Promise.all(Array.from({ length: count }, () => send(kind))),
		send,
	};
}

const share = ({ refused, taken }: Service["counts"]) => refused / (refused + taken);

describe("a service that takes 20 requests a second", () => {
	test.each([20, 40])(
		"with a burst of %i gets nine of ten of them, and refuses at most one in twenty",
		async (burst) => {
			const clock = new TurningClock();
			const service = openService(clock, { perSecond: 20, burst });
			await clock.turn(openProcess(clock, service).sendAll(1_000));
			expect(1_000 / (burst + 20 * (clock.now() / 1000))).toBeGreaterThan(0.9);
			expect(share(service.counts)).toBeLessThan(0.05);
		},
	);

	test("a service that says what it takes is never asked for more", async () => {
		const clock = new TurningClock();
		const service = openService(clock, { perSecond: 20, burst: 40, tells: true });
		await clock.turn(openProcess(clock, service).sendAll(1_000));
		expect(1_000 / (40 + 20 * (clock.now() / 1000))).toBeGreaterThan(0.9);
		expect(service.counts.refused).toBe(0);
	});

	test("is shared by two processes that know nothing of each other: each gets a third or more", async () => {
		const clock = new TurningClock();
		const service = openService(clock, { perSecond: 20, burst: 20 });
		const done = { first: 0, second: 0 };
		const work = async (name: keyof typeof done, from: number) => {
			await clock.sleep(from);
			const { send } = openProcess(clock, service);
			const worker = async () => {
				while (clock.now() < 180_000) {
					await send("write");
					if (clock.now() > 30_000) done[name] += 1;
				}
			};
			await Promise.all(Array.from({ length: 16 }, worker));
		};
		await clock.turn(Promise.all([work("first", 0), work("second", 3_000)]));
		const all = done.first + done.second;
		expect(all / (20 * 150)).toBeGreaterThan(0.85);
		expect(Math.min(done.first, done.second) / all).toBeGreaterThan(0.35);
	});
});

test("a quota for a day is no pace", async () => {
	const clock = new TurningClock();
	const service = openService(clock, { perSecond: 20, burst: 20 });
	const headers = () => ({
		"ratelimit-policy": '"burst";q=20;w=1, "day";q=8640;w=86400',
		ratelimit: '"burst";r=0;t=1',
	});
	await clock.turn(openProcess(clock, { ...service, headers }).sendAll(200));
	expect(clock.now()).toBeLessThan(20_000);
});

test("a purchase waits for its turn among the kinds, not for a thousand polls", async () => {
	const clock = new TurningClock();
	const service = openService(clock, { perSecond: 10, burst: 10 });
	const { send, sendAll } = openProcess(clock, service);
	let polled = 0;
	const polls = Array.from({ length: 1_000 }, () => send("poll").then(() => polled++));
	await clock.turn(sendAll(30));
	expect(polled).toBeLessThan(80);
	await clock.turn(Promise.all(polls));
});

test("whatever the service's limits are, all requests are taken, and none comes before it may", async () => {
	const limits = fc.record({
		perSecond: fc.integer({ min: 1, max: 200 }),
		burst: fc.integer({ min: 1, max: 300 }),
		tells: fc.boolean(),
	});
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

test("what is cancelled doesn't wait, and others keep their turns", async () => {
	const clock = new TurningClock();
	const pace = new Pace({ clock, concurrency: 1, longestWaitMs: 120_000 });
	pace.keepQuiet(60_000);
	const cancelled = new AbortController();
	const order: string[] = [];
	const run = (name: string, signal?: AbortSignal) => pace.run("read", async () => void order.push(name), signal);
	const runs = [run("first", cancelled.signal), run("second")];
	cancelled.abort();
	await runs[0];
	expect({ now: clock.now(), order }).toEqual({ now: 0, order: ["first"] });
	await clock.turn(Promise.all(runs));
	expect(clock.now(), "now").toBe(60_000);
	expect(order).toEqual(["first", "second"]);
	expect(pace.waiting).toBe(0);
	expect(pace.underWay).toBe(0);
});
