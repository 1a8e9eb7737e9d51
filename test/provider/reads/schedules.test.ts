/** Laws of the reads, writes and waits of one process, in any order of requests and responses. */
import fc from "fast-check";
import { test } from "vitest";
import { isAbsent, TelephonyError } from "../../../provider/api/errors";
import { Pace } from "../../../provider/api/pace";
import { Poller } from "../../../provider/reads/poller";
import { SharedReads } from "../../../provider/reads/reads";

function must(holds: boolean, message: () => string): asserts holds {
	if (!holds) throw new Error(message());
}

interface Item {
	readonly id: string;
	readonly version: number;
}
const concurrency = 3;
const actions = ["read", "read", "read", "write", "remove", "wait", "now", "again"] as const;
type Step = readonly [(typeof actions)[number], number];

/** An account whose requests wait for their turn, and for chance. */
class Account {
	readonly items = new Map<string, Item>();
	readonly #pace: Pace;
	readonly #scheduler: fc.Scheduler;
	readonly #pageSize: number;
	/** Requests under way. */
	readonly #underWay: string[] = [];

	constructor(pace: Pace, scheduler: fc.Scheduler, size: number, pageSize: number) {
		[this.#pace, this.#scheduler, this.#pageSize] = [pace, scheduler, pageSize];
		for (let index = 0; index < size; index += 1) this.items.set(`n${index}`, { id: `n${index}`, version: 1 });
	}

	/** The service carries a request out at some moment between its arrival and the response. */
	request<T>(kind: "read" | "write" | "poll", what: string, work: () => T): Promise<T> {
		return this.#pace.run(kind, async () => {
			// One scan that all share, and one that began after a write.
			const same = this.#underWay.filter((each) => each === what && what.startsWith("list")).length;
			must(same < 2, () => `${what} is under way three times`);
			this.#underWay.push(what);
			must(this.#underWay.length <= concurrency, () => `${this.#underWay.length} requests at once`);
			try {
				await this.#scheduler.schedule(Promise.resolve(), `${what} arrives`);
				const result = work();
				await this.#scheduler.schedule(Promise.resolve(), `${what} gets a response`);
				return result;
			} finally {
				this.#underWay.splice(this.#underWay.indexOf(what), 1);
			}
		});
	}

	async *pages(kind: "read" | "poll") {
		for (let start = 0; ; start += this.#pageSize) {
			const page = await this.request(kind, `list by ${kind} from ${start}`, () =>
				[...this.items.values()].slice(start, start + this.#pageSize),
			);
			yield page;
			if (page.length < this.#pageSize) return;
		}
	}

	get(kind: "read" | "poll", id: string): Promise<Item> {
		return this.request(kind, `get ${id}`, () => {
			const item = this.items.get(id);
			if (item === undefined) throw new TelephonyError("NotFound", "gone");
			return item;
		});
	}
}

async function schedule(scheduler: fc.Scheduler, size: number, pageSize: number, steps: readonly Step[]) {
	let time = 0;
	const clock = {
		now: () => time,
		sleep: async (ms: number) => {
			await scheduler.schedule(Promise.resolve(), `${ms} ms are over`);
			time += Math.max(0, ms);
		},
	};
	const pace = new Pace({ clock, concurrency, longestWaitMs: 60_000 });
	const account = new Account(pace, scheduler, size, pageSize);
	const source = (kind: "read" | "poll") => ({
		pages: () => account.pages(kind),
		get: (id: string) => account.get(kind, id),
	});
	const features = { filters: () => false, singles: () => true, tells: () => true };
	const reads = new SharedReads<Item>(source("read"), clock);
	const polled = { ...source("poll"), ...features };
	const poller = new Poller<Item>(polled, clock, () => 0.5, new AbortController().signal);
	const atStart = new Set(account.items.keys());
	const written = new Map<string, number>();
	/** Objects whose removal has begun, and those whose removal has ended. */
	const [leaving, removed, writing] = [new Set<string>(), new Set<string>(), new Set<string>()];

	const read = async (what: "read" | "now" | "again", id: string) => {
		const [version, wasRemoved] = [written.get(id) ?? 0, removed.has(id)];
		try {
			const item = await reads[what](id);
			must(item.version >= version, () => `${id}: ${what} shows version ${item.version}, written is ${version}`);
			must(!wasRemoved, () => `${id} is removed, and ${what} shows it`);
		} catch (error) {
			if (!isAbsent(error)) throw error;
			must(leaving.has(id) || !atStart.has(id), () => `${id} is there, and ${what} doesn't find it`);
		}
	};
	/** The engine changes one object once at a time. */
	const write = async (id: string) => {
		if (!atStart.has(id) || leaving.has(id) || writing.has(id)) return;
		writing.add(id);
		const item = await account.request("write", `write ${id}`, () => {
			const next = { id, version: (account.items.get(id)?.version ?? 0) + 1 };
			if (account.items.has(id)) account.items.set(id, next);
			return next;
		});
		if (leaving.has(id)) return;
		reads.wrote(id, item);
		written.set(id, Math.max(written.get(id) ?? 0, item.version));
		writing.delete(id);
	};
	const remove = async (id: string) => {
		if (!atStart.has(id) || leaving.has(id)) return;
		leaving.add(id);
		await account.request("write", `remove ${id}`, () => account.items.delete(id));
		reads.wrote(id);
		removed.add(id);
	};
	const wait = async (id: string) => {
		if (!atStart.has(id)) return;
		let open = [id];
		const see = (_: string, found: object) => {
			open = [];
			must("record" in found || leaving.has(id), () => `${id} is there, and the wait doesn't find it`);
		};
		const outcome = await poller.wait({ open: () => open, see, timeoutMs: 3_600_000 });
		must(outcome === "done", () => `the wait for ${id} ended ${outcome}`);
	};
	const perform = async ([what, index]: Step) => {
		const id = `n${index}`;
		await scheduler.schedule(Promise.resolve(), `${what} ${id} begins`);
		if (what === "write") return write(id);
		if (what === "remove") return remove(id);
		return what === "wait" ? wait(id) : read(what, id);
	};
	let late: NodeJS.Timeout | undefined;
	const stuck = new Promise<never>((_, reject) => {
		late = setTimeout(() => reject(new Error("a request waits for ever")), 5_000);
	});
	const work = scheduler.waitFor(Promise.all(steps.map(perform)));
	await Promise.race([work, stuck]).finally(() => clearTimeout(late));
	must(pace.underWay + pace.waiting === 0, () => `${pace.waiting} requests still wait`);
}

test("shows each object as last written, in any order of responses", async () => {
	const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...actions), fc.nat(11));
	const steps = fc.array(step, { minLength: 2, maxLength: 14, size: "max" });
	const property = fc.asyncProperty(fc.scheduler(), fc.nat(12), fc.constantFrom(1, 3, 100), steps, schedule);
	await fc.assert(property, { numRuns: 2_000 });
});
