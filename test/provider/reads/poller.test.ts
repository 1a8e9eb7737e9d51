import { describe, expect, test } from "vitest";
import { TelephonyError } from "../../../provider/api/errors";
import { type List, Poller, type Seen, type Wait } from "../../../provider/reads/poller";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, checked, create, initErrorOf, openProvider } from "../../helpers/provider";

interface Thing {
	readonly id: string;
	readonly status?: string;
}

/** A service in memory: what it holds, what it offers, and each request that it got. */
function service(count: number, offered: { filters?: boolean; singles?: boolean; pageSize?: number } = {}) {
	const clock = new FakeClock();
	const things = new Map<string, Thing>();
	for (let n = 0; n < count; n++) things.set(`t${n}`, { id: `t${n}`, status: "pending" });
	const requests: string[] = [];
	const size = offered.pageSize ?? 100;
	let failing: unknown;
	const request = (what: string) => {
		requests.push(what);
		if (failing !== undefined) throw failing;
	};
	const stop = new AbortController();
	const source = {
		async *pages(list: List) {
			const rows = [...things.values()].filter(({ status }) => list === "all" || status === "pending");
			for (let at = 0; at === 0 || at < rows.length; at += size) {
				request(list);
				yield rows.slice(at, at + size);
			}
		},
		async get(id: string) {
			request(id);
			const thing = things.get(id);
			if (thing === undefined) throw new TelephonyError("NotFound", `no ${id}`);
			return thing;
		},
		filters: () => offered.filters ?? true,
		singles: () => offered.singles ?? true,
		tells: ({ status }: Thing) => status !== undefined,
	};
	const poller = new Poller<Thing>(source, clock, () => 0.5, stop.signal);
	/** Waits for ids until each is no longer pending. */
	const waitFor = (ids: readonly string[], more: Partial<Wait<Thing>> = {}) => {
		const open = new Set(ids);
		const seen: [string, Seen<Thing>][] = [];
		const ending = poller.wait({
			open: () => [...open],
			see: (id, found) => {
				seen.push([id, found]);
				if ("error" in found) throw found.error;
				if (found.record.status !== "pending") open.delete(id);
			},
			timeoutMs: 600_000,
			...more,
		});
		return { ending, seen, open };
	};
	const approve = (ids: Iterable<string>) => {
		for (const id of ids) things.set(id, { id, status: "active" });
	};
	const fail = (error: unknown) => {
		failing = error;
	};
	return { clock, things, requests, poller, stop, waitFor, approve, fail };
}

describe("one poller", () => {
	test("looks for 200 objects by pages of what is pending, and by the whole list once they are not", async () => {
		const { things, requests, waitFor, approve, clock } = service(200);
		const start = clock.now();
		clock.after(60, () => approve(things.keys()));
		expect(await waitFor([...things.keys()]).ending).toBe("done");
		expect((clock.now() - start) / 1000).toBeLessThan(60 + 2 + 6);
		// Two pages of pending ones a look; at the end one empty page, and two of all.
		const looks = (requests.length - 3) / 2;
		expect(requests.slice(-3)).toEqual(["pending", "all", "all"]);
		expect(requests.slice(0, -3).every((each) => each === "pending")).toBe(true);
		expect(looks).toBeLessThanOrEqual(25);
	});

	test("serves waits that began at different times with the same looks", async () => {
		const { things, requests, waitFor, approve, clock } = service(50);
		const endings: Promise<string>[] = [];
		const ids = [...things.keys()];
		let begun = 0;
		clock.onSleep = (now) => {
			if (begun < ids.length) endings.push(waitFor([ids[begun++] ?? ""]).ending);
			else if (now > start + 120_000) approve(ids);
		};
		const start = clock.now();
		await waitFor(["t0"]).ending;
		expect(await Promise.all(endings)).toEqual(ids.map(() => "done"));
		expect(requests.length).toBeLessThan(200);
	});

	test("asks for one or two by themselves, each when it is due", async () => {
		const { requests, waitFor, approve, clock } = service(300);
		clock.after(10, () => approve(["t7", "t8"]));
		expect(await Promise.all([waitFor(["t7"]).ending, waitFor(["t8"]).ending])).toEqual(["done", "done"]);
		expect(new Set(requests)).toEqual(new Set(["t7", "t8"]));
	});

	test("reads no more pages than the single reads they save", async () => {
		const { requests, waitFor, approve, clock } = service(1_000, { pageSize: 10 });
		const ids = ["t990", "t991", "t992", "t993"];
		clock.after(1, () => approve(ids));
		await waitFor(ids).ending;
		expect(requests).toEqual(["pending", "pending", "all", "all", ...ids]);
	});

	test("does without a filter, and without single reads", async () => {
		for (const offered of [{ filters: false }, { singles: false }]) {
			const { things, requests, waitFor, approve, clock } = service(300, offered);
			clock.after(30, () => approve(things.keys()));
			expect(await waitFor([...things.keys()].slice(0, 5)).ending).toBe("done");
			if (offered.filters === false) expect(requests).not.toContain("pending");
			else expect(requests.filter((each) => each.startsWith("t"))).toEqual([]);
		}
	});

	test("confirms by a single read what no list has, and asks for it where the list says nothing", async () => {
		const { things, requests, waitFor, clock } = service(5);
		clock.after(1, () => {
			things.delete("t1");
			for (const id of ["t0", "t2", "t3", "t4"]) things.set(id, { id, status: "active" });
			things.set("t5", { id: "t5" });
		});
		await expect(waitFor(["t0", "t1", "t2", "t3", "t5"]).ending).rejects.toThrow("no t1");
		expect(requests).toEqual(["pending", "all", "t1", "t5"]);
	});

	test("goes on through an outage, and ends all waits when the service refuses", async () => {
		const { things, waitFor, approve, fail, clock } = service(10);
		const ids = [...things.keys()];
		fail(new TelephonyError("Unavailable", "away"));
		clock.after(100, () => {
			fail(undefined);
			approve(ids);
		});
		expect(await waitFor(ids).ending).toBe("done");
		const other = service(10);
		other.fail(new TelephonyError("Unauthorized", "who?"));
		const ends = await Promise.allSettled([other.waitFor(ids).ending, other.waitFor(["t1"]).ending]);
		expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	});

	test("ends each wait at its own bound, after a last look", async () => {
		const { waitFor, clock } = service(2);
		const start = clock.now();
		const ends: [string, number][] = [];
		const note = (ending: string) => ends.push([ending, (clock.now() - start) / 1000]);
		await Promise.all([
			waitFor(["t0"], { timeoutMs: 90_000 }).ending.then(note),
			waitFor(["t1"], { timeoutMs: 30_000 }).ending.then(note),
		]);
		expect(ends.map(([ending]) => ending)).toEqual(["late", "late"]);
		const [first = 0, second = 0] = ends.map(([, at]) => at);
		// Told one pause of the fake clock later.
		expect([first >= 30 && first < 33, second >= 90 && second < 93]).toEqual([true, true]);
	});

	test("stops all waits at once, also amid a look, and takes no new ones then", async () => {
		const { waitFor, stop, things } = service(0);
		things.set("t0", { id: "t0", status: "pending" });
		const { ending } = waitFor(["t0"], {
			report: () => stop.abort(),
		});
		expect(await ending).toBe("stopped");
		expect(await waitFor(["t0"]).ending).toBe("stopped");
	});
});

describe("at the service", () => {
	const emulator = useEmulator();

	test.each([true, false])("20 numbers wait with one look for all (filter offered: %s)", async (statusFilter) => {
		emulator.control.settings({ features: { statusFilter }, featuresHeader: false });
		const run = openProvider(emulator);
		// The first purchase of a run goes alone.
		await create(run.number, aNumber());
		const wanted = Array.from({ length: 20 }, (_, n) =>
			aNumber({ country: "DE", activationTimeoutSeconds: 300 }, `n${n}`),
		);
		const inputs = await Promise.all(wanted.map((each) => checked(run.number, each)));
		const errors = await Promise.all(inputs.map((each) => initErrorOf(run.number.create(each))));
		expect(errors.map(({ properties }) => properties.status)).toEqual(errors.map(() => "pending"));
		const reads = emulator.control.requests().filter(({ method }) => method === "GET");
		expect(reads.length).toBeLessThan(60);
		// A service that refuses the filter is asked without it from then on.
		expect(reads.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(1);
	});

	test("the last record of a wait is kept, however it ends", async () => {
		const clock = new FakeClock();
		const run = openProvider(emulator, { clock });
		const start = clock.now();
		clock.onSleep = (now) => {
			const [number] = emulator.control.state().numbers;
			if (number?.kyc?.status !== "action_required" || now < start + 60_000) return;
			const reasons = [{ code: "queue", message: "Many are waiting." }];
			emulator.control.patchNumber(number.id, { kyc: { status: "in_review", reasons } });
		};
		const inputs = await checked(run.number, aNumber({ country: "DE", activationTimeoutSeconds: 300 }));
		const error = await initErrorOf(run.number.create(inputs));
		expect(error.properties).toMatchObject({ kyc: { status: "in_review" } });
		expect(error.message).toContain("KYC in review: Many are waiting. (queue); the service waits until 20");
	});

	test("a run that is interrupted saves the number, and nothing more is sent", async () => {
		const clock = new FakeClock();
		const run = openProvider(emulator, { clock });
		clock.after(20, () => run.session.end("the run was interrupted"));
		const error = await initErrorOf(run.number.create(await checked(run.number, aNumber({ country: "DE" }))));
		expect(error.message).toMatch(
			/is bought and saved, but not active yet: KYC action required; .*; the run was interr/,
		);
		const sent = emulator.control.requests().length;
		await expect(run.number.create(await checked(run.number, aNumber({}, "other")))).rejects.toThrow(
			/was not sent: the run was interrupted. Run `pulumi up` again/,
		);
		expect(emulator.control.requests()).toHaveLength(sent);
	});
});
