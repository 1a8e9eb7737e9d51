/** Waits for objects to change, with one poller for all waits of a process. */
import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../provider/api/clock";
import { TelephonyError } from "../../../provider/api/errors";
import { duration } from "../../../provider/session/wait";
import { useEmulator } from "../../helpers/emulator";
import { service } from "../../helpers/pending";
import { aNumber, create, initErrorOf, openProvider } from "../../helpers/provider";

describe("a poller", () => {
	test("reads pages of pending objects, and the whole list once they change", async () => {
		const { things, requests, waitFor, approve, clock, seconds } = service(200);
		clock.after(60, () => approve(things.keys()));
		expect(await waitFor(things.keys())).toBe("done");
		expect(seconds()).toBeLessThan(60 + 2 + 6);
		expect(requests.slice(-3)).toEqual(["pending", "all", "all"]);
		expect(requests.slice(0, -3).every((request) => request === "pending")).toBe(true);
		expect(requests.length).toBeLessThanOrEqual(2 * 25 + 3);
	});

	test("reads one or two objects alone, and pages only if they save requests", async () => {
		const few = service(300);
		few.clock.after(10, () => few.approve(["t7", "t8"]));
		expect(await Promise.all([few.waitFor(["t7"]), few.waitFor(["t8"])])).toEqual(["done", "done"]);
		expect(new Set(few.requests)).toEqual(new Set(["t7", "t8"]));
		const many = service(1_000, { pageSize: 10 });
		const ids = ["t990", "t991", "t992", "t993"];
		many.clock.after(1, () => many.approve(ids));
		await many.waitFor(ids);
		expect(many.requests).toEqual(["pending", "pending", "all", "all", ...ids]);
	});

	test.each([
		[{ hasFilter: false }, "pending", 0],
		[{ refusesFilter: true }, "pending", 1],
		[{ hasSingles: false }, "t", 0],
	])("does without a feature that the service lacks: %j", async (features, unwanted, count) => {
		const { things, requests, waitFor, approve, clock } = service(300, features);
		clock.after(30, () => approve(things.keys()));
		expect(await waitFor(things.keys())).toBe("done");
		expect(requests.filter((request) => request.startsWith(unwanted))).toHaveLength(count);
	});

	test("reads the list if single reads deny what it shows", async () => {
		const { requests, waitFor, approve, clock } = service(5, { deniesSingles: true });
		clock.after(30, () => approve(["t1"]));
		expect(await waitFor(["t1"])).toBe("done");
		expect(requests.filter((request) => request.startsWith("t")).length).toBeLessThanOrEqual(3);
	});

	test("reads an object alone if it is lost, or has no status in the list", async () => {
		const { things, requests, waitFor, approve, clock } = service(5);
		clock.after(1, () => {
			things.delete("t1");
			approve(["t0", "t2", "t3", "t4"]);
			things.set("t5", { id: "t5" });
		});
		await expect(waitFor(["t0", "t1", "t2", "t3", "t5"])).rejects.toThrow("no t1");
		expect(requests).toEqual(["pending", "all", "t1", "t5"]);
	});

	test.each([
		["Unavailable", "fulfilled"],
		["RateLimited", "fulfilled"],
		["Unauthorized", "rejected"],
	] as const)("outlasts an error that passes, and ends all waits with another: %s", async (kind, end) => {
		const { things, waitFor, approve, fail, clock } = service(10);
		fail(new TelephonyError(kind, "No."));
		clock.after(100, () => {
			fail(undefined);
			approve(things.keys());
		});
		const ends = await Promise.allSettled([waitFor(things.keys()), waitFor(["t1"]), waitFor(["t0"])]);
		expect(ends.map(({ status }) => status)).toEqual([end, end, end]);
	});

	test("stops all waits at the end of the run, and takes no new ones", async () => {
		const { waitFor, stop } = service(1);
		expect(await waitFor(["t0"], { report: () => stop.abort() })).toBe("stopped");
		expect(await waitFor(["t0"])).toBe("stopped");
	});
});

describe("a wait for one object", () => {
	test.each([1, 7, 60, 300, 599])("ends at most a tenth late, with few reads (%i s)", async (end) => {
		const { waitFor, requests, seconds, approve, clock } = service(1);
		clock.after(end, () => approve(["t0"]));
		expect(await waitFor(["t0"])).toBe("done");
		expect(seconds()).toBeLessThanOrEqual(Math.max(end + 2, end * 1.1));
		expect(requests.length).toBeLessThan(50);
	});

	test("reads every minute and at its timeout, and reports every 20 s", async () => {
		const { waitFor, times, clock } = service(1);
		const remaining: number[] = [];
		const report = (leftMs: number) => remaining.push(leftMs);
		expect(await waitFor(["t0"], { timeoutMs: 7_200_000, report })).toBe("late");
		expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeCloseTo(60);
		expect(Math.max(...clock.slept)).toBeLessThanOrEqual(20_000);
		expect([remaining[0], times.at(-1)]).toEqual([7_200_000, 7_200]);
	});
});

test("writes durations for people", () => {
	const ms = [0, 1, 119_000, 120_000, 601_000, 7_200_000, 7_800_000];
	expect(ms.map(duration)).toEqual(["0 s", "1 s", "119 s", "2 min", "11 min", "2 h", "2 h 10 min"]);
});

test("never goes back in time with the machine's date", () => {
	const before = systemClock.now();
	const date = vi.spyOn(Date, "now").mockReturnValue(before - 7_200_000);
	const passed = systemClock.now() - before;
	date.mockRestore();
	expect(passed).toBeGreaterThanOrEqual(0);
	expect(passed).toBeLessThan(60_000);
});

const emulator = useEmulator();
test.each([true, false])("numbers share the requests of their waits for KYC (filter: %s)", async (statusFilter) => {
	emulator.control.settings({ features: { statusFilter }, featuresHeader: false });
	const run = openProvider(emulator);
	// The first purchase of a run goes alone.
	await create(run.number, aNumber());
	const news = (name: string) => aNumber({ country: "DE", activationTimeoutSeconds: 300 }, name);
	const wait = async (_: unknown, n: number) => initErrorOf(create(run.number, news(`n${n}`)));
	const errors = await Promise.all(Array.from({ length: 20 }, wait));
	expect(errors.map(({ properties }) => properties.status)).toEqual(errors.map(() => "pending"));
	const reads = emulator.control.requests().filter(({ method }) => method === "GET");
	expect(reads.length).toBeLessThan(100);
	// The poller remembers that the service refuses the filter, with and without a limit.
	expect(reads.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(2);
});
