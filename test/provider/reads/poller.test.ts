/** Waits for objects to change, with one poller for all waits of a process. */
import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../provider/api/clock";
import { TelephonyError } from "../../../provider/api/errors";
import { type List, Poller, type Seen, type Wait } from "../../../provider/reads/poller";
import { duration, type WaitForOne, waitForOne } from "../../../provider/reads/wait";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, checked, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";

interface Thing {
	readonly id: string;
	readonly status?: string;
}

/** A service in memory: its objects, features, and each request. */
function service(count: number, { hasFilter = true, hasSingles = true, pageSize = 100 } = {}) {
	const [clock, stop] = [new FakeClock(), new AbortController()];
	const things = new Map(
		Array.from({ length: count }, (_, n) => [`t${n}`, { id: `t${n}`, status: "pending" } as Thing]),
	);
	const requests: string[] = [];
	let failing: unknown;
	const request = (what: string) => {
		requests.push(what);
		if (failing !== undefined) throw failing;
	};
	const source = {
		async *pages(list: List) {
			const rows = [...things.values()].filter(({ status }) => list === "all" || status === "pending");
			for (let at = 0; at === 0 || at < rows.length; at += pageSize) {
				request(list);
				yield rows.slice(at, at + pageSize);
			}
		},
		async get(id: string) {
			request(id);
			const thing = things.get(id);
			if (thing === undefined) throw new TelephonyError("NotFound", `no ${id}`);
			return thing;
		},
		filters: () => hasFilter,
		singles: () => hasSingles,
		tells: ({ status }: Thing) => status !== undefined,
	};
	const poller = new Poller<Thing>(source, clock, () => 0.5, stop.signal);
	/** Waits until none of them is pending. */
	const waitFor = (ids: Iterable<string>, more: Partial<Wait<Thing>> = {}) => {
		const open = new Set(ids);
		const see = (id: string, found: Seen<Thing>) => {
			if ("error" in found) throw found.error;
			if (found.record.status !== "pending") open.delete(id);
		};
		return poller.wait({ open: () => [...open], see, timeoutMs: 600_000, ...more });
	};
	const approve = (ids: Iterable<string>) => {
		for (const id of ids) things.set(id, { id, status: "active" });
	};
	const fail = (error: unknown) => {
		failing = error;
	};
	const start = clock.now();
	const seconds = () => (clock.now() - start) / 1000;
	return { clock, things, requests, poller, stop, waitFor, approve, fail, seconds };
}

describe("a poller", () => {
	test("reads pages of pending objects, and the whole list once they change", async () => {
		const { things, requests, waitFor, approve, clock, seconds } = service(200);
		clock.after(60, () => approve(things.keys()));
		expect(await waitFor(things.keys())).toBe("done");
		expect(seconds()).toBeLessThan(60 + 2 + 6);
		expect(requests.slice(-3)).toEqual(["pending", "all", "all"]);
		expect(requests.slice(0, -3).every((each) => each === "pending")).toBe(true);
		expect(requests.length).toBeLessThanOrEqual(2 * 25 + 3);
	});

	test("serves waits that began at different times with the same requests", async () => {
		const { things, requests, waitFor, approve, clock, seconds } = service(50);
		const endings: Promise<string>[] = [];
		const ids = [...things.keys()];
		clock.onSleep = () => {
			const next = ids[endings.length];
			if (next !== undefined) endings.push(waitFor([next]));
			else if (seconds() > 120) approve(ids);
		};
		await waitFor(["t0"]);
		expect(await Promise.all(endings)).toEqual(ids.map(() => "done"));
		expect(requests.length).toBeLessThan(200);
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

	test.each([{ hasFilter: false }, { hasSingles: false }])("does without a feature: %j", async (features) => {
		const { things, requests, waitFor, approve, clock } = service(300, features);
		clock.after(30, () => approve(things.keys()));
		expect(await waitFor([...things.keys()].slice(0, 5))).toBe("done");
		const unwanted = "hasFilter" in features ? "pending" : "t";
		expect(requests.filter((each) => each.startsWith(unwanted))).toEqual([]);
	});

	test("confirms a loss by a single read, and completes a list that shows no status", async () => {
		const { things, requests, waitFor, approve, clock } = service(5);
		clock.after(1, () => {
			things.delete("t1");
			approve(["t0", "t2", "t3", "t4"]);
			things.set("t5", { id: "t5" });
		});
		await expect(waitFor(["t0", "t1", "t2", "t3", "t5"])).rejects.toThrow("no t1");
		expect(requests).toEqual(["pending", "all", "t1", "t5"]);
	});

	test("outlasts an outage, and ends all waits if the service refuses", async () => {
		const { things, waitFor, approve, fail, clock } = service(10);
		fail(new TelephonyError("Unavailable", "away"));
		clock.after(100, () => {
			fail(undefined);
			approve(things.keys());
		});
		expect(await waitFor(things.keys())).toBe("done");
		const other = service(10);
		other.fail(new TelephonyError("Unauthorized", "No."));
		const ends = await Promise.allSettled([other.waitFor(things.keys()), other.waitFor(["t1"])]);
		expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	});

	test("ends each wait at its own timeout", async () => {
		const { waitFor, seconds } = service(2);
		const ends: [string, number][] = [];
		const wait = async (id: string, timeoutMs: number) => ends.push([await waitFor([id], { timeoutMs }), seconds()]);
		await Promise.all([wait("t0", 90_000), wait("t1", 30_000)]);
		expect(ends.map(([ending]) => ending)).toEqual(["late", "late"]);
		// The fake clock is one pause late.
		const at = ends.map(([, each]) => Math.floor(each / 3));
		expect(at).toEqual([10, 30]);
	});

	test("stops all waits at the end of the run, and takes no new ones", async () => {
		const { waitFor, stop } = service(1);
		expect(await waitFor(["t0"], { report: () => stop.abort() })).toBe("stopped");
		expect(await waitFor(["t0"])).toBe("stopped");
	});
});

describe("a wait for one object", () => {
	/** Its status is a function of the seconds passed. */
	function waiting(statusAt: (seconds: number) => string, options: Partial<WaitForOne<Thing>> = {}) {
		const { clock, seconds, stop } = service(0);
		const reads: number[] = [];
		const get = async (id: string) => {
			reads.push(seconds());
			return { id, status: statusAt(seconds()) };
		};
		const source = { async *pages() {}, get, filters: () => false, singles: () => true, tells: () => true };
		const poller = new Poller<Thing>(source, clock, () => 0.5, stop.signal);
		const start = { id: "t", status: "pending" };
		const wait = { id: "t", start, done: ({ status }: Thing) => status === "active", timeoutMs: 600_000, ...options };
		return { result: waitForOne<Thing, Thing>(wait, poller), reads, clock, seconds };
	}

	test("costs nothing if it is over at once", async () => {
		const start = { id: "t", status: "active" };
		const { result, reads } = waiting(() => "pending", { start });
		expect([await result, reads]).toEqual([{ record: start, ending: "done" }, []]);
	});

	test.each([1, 7, 60, 300, 599])("ends at most a tenth late, with few reads (%i s)", async (end) => {
		const { result, reads, seconds } = waiting((now) => (now >= end ? "active" : "pending"));
		expect((await result).ending).toBe("done");
		expect(seconds()).toBeLessThanOrEqual(Math.max(end + 2, end * 1.1));
		expect(reads.length).toBeLessThan(50);
	});

	test("ends at its timeout, with a last read then", async () => {
		const { result, reads, seconds } = waiting(() => "in review");
		expect(await result).toEqual({ record: { id: "t", status: "in review" }, ending: "late" });
		expect([seconds(), reads.at(-1)]).toEqual([600, 600]);
	});

	test("reads at least every minute, and reports every 20 seconds", async () => {
		const left: number[] = [];
		const report = (_: Thing, leftMs: number) => left.push(leftMs);
		const { result, reads, clock } = waiting(() => "pending", { timeoutMs: 7_200_000, report });
		await result;
		expect(Math.max(...reads.slice(1).map((at, index) => at - (reads[index] ?? 0)))).toBeCloseTo(60);
		expect(Math.max(...clock.slept)).toBeLessThanOrEqual(20_000);
		expect(left[0]).toBe(7_200_000);
	});

	test.each([
		["Unavailable", true],
		["RateLimited", true],
		["NotFound", false],
	] as const)("goes on after a passing error only: %s %s", async (kind, passes) => {
		const { result } = waiting((now) => {
			if (now < 100) throw new TelephonyError(kind, "later");
			return "active";
		});
		if (passes) expect((await result).ending).toBe("done");
		else expect((await failureOf(result)).kind).toBe(kind);
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
])("writes %d ms as %s", (ms, text) => expect(duration(ms)).toBe(text));

test("never goes back in time with the machine's date", () => {
	const before = systemClock.now();
	const date = vi.spyOn(Date, "now").mockReturnValue(before - 7_200_000);
	const passed = systemClock.now() - before;
	date.mockRestore();
	expect(passed).toBeGreaterThanOrEqual(0);
	expect(passed).toBeLessThan(60_000);
});

describe("numbers that wait for KYC", () => {
	const emulator = useEmulator();
	const german = { country: "DE", activationTimeoutSeconds: 300 };
	const gets = () => emulator.control.requests().filter(({ method }) => method === "GET");

	test.each([true, false])("share the requests of their waits (filter: %s)", async (statusFilter) => {
		emulator.control.settings({ features: { statusFilter }, featuresHeader: false });
		const run = openProvider(emulator);
		// The first purchase of a run goes alone.
		await create(run.number, aNumber());
		const wait = async (_: unknown, n: number) =>
			initErrorOf(run.number.create(await checked(run.number, aNumber(german, `n${n}`))));
		const errors = await Promise.all(Array.from({ length: 20 }, wait));
		expect(errors.map(({ properties }) => properties.status)).toEqual(errors.map(() => "pending"));
		expect(gets().length).toBeLessThan(60);
		// The poller remembers that the service refuses the filter.
		expect(gets().filter(({ status }) => status === 400).length).toBeLessThanOrEqual(1);
	});

	test("are saved as last read", async () => {
		const clock = new FakeClock();
		const run = openProvider(emulator, { clock });
		const reasons = [{ code: "queue", message: "Many are waiting." }];
		clock.after(60, () => {
			const [number] = emulator.live();
			emulator.control.patchNumber(number?.id ?? "", { kyc: { status: "in_review", reasons } });
		});
		const error = await initErrorOf(run.number.create(await checked(run.number, aNumber(german))));
		expect(error.properties).toMatchObject({ kyc: { status: "in_review" } });
	});

	test("are saved by an interrupted run, which sends nothing more", async () => {
		const clock = new FakeClock();
		const run = openProvider(emulator, { clock });
		clock.after(20, () => run.session.end("the run was interrupted"));
		const error = await initErrorOf(run.number.create(await checked(run.number, aNumber({ country: "DE" }))));
		expect(error.message).toContain("the run was interrupted");
		const sent = emulator.requests().length;
		const next = await failureOf(run.number.create(await checked(run.number, aNumber({}, "other"))));
		expect([next.kind, emulator.requests().length]).toEqual(["Interrupted", sent]);
	});
});
