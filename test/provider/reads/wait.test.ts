import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../provider/api/clock";
import { TelephonyError } from "../../../provider/api/errors";
import { Poller } from "../../../provider/reads/poller";
import { duration, type WaitForOne, waitForOne } from "../../../provider/reads/wait";
import { FakeClock } from "../../helpers/clock";

interface Thing {
	readonly id: string;
	readonly value: number;
}
const thing = (value: number): Thing => ({ id: "one", value });

/** Waits for a value that a function of the seconds passed gives. */
function waiting(valueAt: (seconds: number) => number, options: Partial<WaitForOne<Thing>> = {}) {
	const clock = new FakeClock();
	const start = clock.now();
	const seconds = () => (clock.now() - start) / 1000;
	const reads: number[] = [];
	const source = {
		async *pages() {},
		get: async () => {
			reads.push(seconds());
			return thing(valueAt(seconds()));
		},
		filters: () => false,
		singles: () => true,
		tells: () => true,
	};
	const result = waitForOne<Thing, Thing>(
		{ id: "one", start: thing(0), done: ({ value }) => value === 1, timeoutMs: 600_000, ...options },
		new Poller<Thing>(source, clock, () => 0.5, new AbortController().signal),
	);
	return { result, reads, clock, seconds };
}

describe("waiting", () => {
	test("is over at once when there is nothing to wait for", async () => {
		const { result, reads } = waiting(() => 0, { start: thing(1) });
		expect(await result).toEqual({ record: thing(1), ending: "done" });
		expect(reads).toEqual([]);
	});

	test("ends at most a tenth late, with few reads", async () => {
		for (const end of [1, 7, 60, 300, 599]) {
			const { result, reads, seconds } = waiting((now) => (now >= end ? 1 : 0));
			expect(await result).toEqual({ record: thing(1), ending: "done" });
			expect(seconds()).toBeLessThanOrEqual(Math.max(end + 2, end * 1.1));
			expect(reads.length).toBeLessThan(50);
		}
	});

	test("ends at its bound, after a last look there, with the last value", async () => {
		const { result, reads, seconds } = waiting(() => 0.5);
		expect(await result).toEqual({ record: thing(0.5), ending: "late" });
		expect(seconds()).toBe(600);
		expect(reads.at(-1)).toBe(600);
	});

	test("never pauses for longer than a minute between reads, and reports every 20 seconds", async () => {
		const left: number[] = [];
		const { result, reads, clock } = waiting(() => 0, {
			timeoutMs: 7_200_000,
			report: (_, leftMs) => left.push(leftMs),
		});
		await result;
		const gaps = reads.slice(1).map((at, index) => at - (reads[index] ?? 0));
		expect(Math.max(...gaps)).toBeCloseTo(60);
		expect(Math.max(...clock.slept)).toBeLessThanOrEqual(20_000);
		expect(left[0]).toBe(7_200_000);
	});

	test.each(["Unavailable", "RateLimited"] as const)("outlasts a service that is %s for a while", async (kind) => {
		const { result } = waiting((now) => {
			if (now < 100) throw new TelephonyError(kind, "later");
			return 1;
		});
		expect((await result).ending).toBe("done");
	});

	test("ends with any other error, and with what done throws", async () => {
		const gone = new TelephonyError("NotFound", "gone");
		const failing = waiting(() => {
			throw gone;
		});
		await expect(failing.result).rejects.toBe(gone);
		const rejected = waiting(() => 2, {
			done: ({ value }) => {
				if (value === 2) throw gone;
				return false;
			},
		});
		await expect(rejected.result).rejects.toBe(gone);
	});
});

test.each([
	[0, "0 s"],
	[1, "1 s"],
	[119_000, "119 s"],
	[120_000, "2 min"],
	[601_000, "11 min"],
	[7_200_000, "2 h"],
	[7_800_000, "2 h 10 min"],
])("%d ms is %s", (ms, text) => expect(duration(ms)).toBe(text));

test("a machine's date that is put back takes nobody back in time", () => {
	const before = systemClock.now();
	vi.spyOn(Date, "now").mockReturnValue(before - 7_200_000);
	try {
		expect(systemClock.now()).toBeGreaterThanOrEqual(before);
		expect(systemClock.now() - before).toBeLessThan(60_000);
	} finally {
		vi.restoreAllMocks();
	}
});
