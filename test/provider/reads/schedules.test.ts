/** Laws of reads, writes and waits of one process, in any order of requests and responses. */
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

/** An account whose requests wait for their turn, and for chance. */
class Account {
	readonly items = new Map<string, Item>();
	readonly #pace: Pace;
	readonly #scheduler: fc.Scheduler;
	readonly #pageSize: number;
	/** Requests under way, by what they ask for. */
	readonly #underWay: string[] = [];

	constructor(pace: Pace, scheduler: fc.Scheduler, size: number, pageSize: number) {
		[this.#pace, this.#scheduler, this.#pageSize] = [pace, scheduler, pageSize];
		for (let index = 0; index < size; index += 1) this.items.set(`n${index}`, { id: `n${index}`, version: 1 });
	}

	/** The service looks at some moment between question and answer. */
	ask<T>(kind: "read" | "write" | "poll", what: string, look: () => T): Promise<T> {
		return this.#pace.run(kind, async () => {
			// The scan that all share, and one that began later for whoever must know what is there now.
			const same = this.#underWay.filter((each) => each === what && what.startsWith("list")).length;
			must(same < 2, () => `${what} is under way three times`);
			this.#underWay.push(what);
			must(this.#underWay.length <= concurrency, () => `${this.#underWay.length} requests at once`);
			try {
				await this.#scheduler.schedule(Promise.resolve(), `${what} arrives`);
				const seen = look();
				await this.#scheduler.schedule(Promise.resolve(), `${what} is answered`);
				return seen;
			} finally {
				this.#underWay.splice(this.#underWay.indexOf(what), 1);
			}
		});
	}

	async *pages(kind: "read" | "poll") {
		for (let start = 0; ; start += this.#pageSize) {
			const page = await this.ask(kind, `list by ${kind} from ${start}`, () =>
				[...this.items.values()].slice(start, start + this.#pageSize),
			);
			yield page;
			if (page.length < this.#pageSize) return;
		}
	}

	get(kind: "read" | "poll", id: string): Promise<Item> {
		return this.ask(kind, `get ${id}`, () => {
			const item = this.items.get(id);
			if (item === undefined) throw new TelephonyError("NotFound", "gone");
			return item;
		});
	}
}

type Step = readonly ["read" | "write" | "remove" | "wait" | "now" | "again", number];
const steps = fc.array(
	fc.tuple(
		fc.constantFrom("read", "read", "read", "write", "remove", "wait", "now", "again") as fc.Arbitrary<Step[0]>,
		fc.nat(11),
	),
	{ minLength: 2, maxLength: 14, size: "max" },
);

async function schedule(scheduler: fc.Scheduler, size: number, pageSize: number, all: readonly Step[]) {
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
	const reads = new SharedReads<Item>(
		{ pages: () => account.pages("read"), get: (id) => account.get("read", id) },
		clock,
	);
	const poller = new Poller<Item>(
		{
			pages: () => account.pages("poll"),
			get: (id) => account.get("poll", id),
			filters: () => false,
			singles: () => true,
			tells: () => true,
		},
		clock,
		() => 0.5,
		new AbortController().signal,
	);
	/** Of this process: what it has written, and what it has removed or is removing. */
	const written = new Map<string, number>();
	const removed = new Set<string>();
	const writing = new Set<string>();
	const seen = (what: string, id: string, before: { version: number; gone: boolean }, item: Item | undefined) => {
		if (item === undefined)
			must(removed.has(id) || !startedWith.has(id), () => `${id} is there, and ${what} says it is gone`);
		else
			must(
				item.version >= before.version,
				() => `${id}: ${what} shows version ${item.version}, written is ${before.version}`,
			);
		if (item !== undefined) must(!before.gone, () => `${id} is removed, and ${what} shows it`);
	};
	const startedWith = new Set(account.items.keys());
	const asked = async (what: string, id: string, ask: () => Promise<Item>) => {
		const before = { version: written.get(id) ?? 0, gone: reallyGone.has(id) };
		try {
			seen(what, id, before, await ask());
		} catch (error) {
			if (!isAbsent(error)) throw error;
			seen(what, id, before, undefined);
		}
	};
	const reallyGone = new Set<string>();
	/** The engine changes one object once at a time. */
	const write = async (id: string) => {
		if (!startedWith.has(id) || removed.has(id) || writing.has(id)) return;
		writing.add(id);
		const item = await account.ask("write", `write ${id}`, () => {
			const next = { id, version: (account.items.get(id)?.version ?? 0) + 1 };
			if (account.items.has(id)) account.items.set(id, next);
			return next;
		});
		if (removed.has(id)) return;
		reads.wrote(id, item);
		written.set(id, Math.max(written.get(id) ?? 0, item.version));
		writing.delete(id);
	};
	const waitFor = async (id: string) => {
		let open = [id];
		const outcome = await poller.wait({
			open: () => open,
			see: (_, found) => {
				open = [];
				const isThere = "record" in found;
				must(isThere || removed.has(id), () => `${id} is there, and the wait is told that it is gone`);
			},
			timeoutMs: 3_600_000,
		});
		must(outcome === "done", () => `the wait for ${id} ended ${outcome}`);
	};
	const perform = async ([what, index]: Step) => {
		const id = `n${index}`;
		await scheduler.schedule(Promise.resolve(), `${what} ${id} begins`);
		switch (what) {
			case "read":
				return asked(what, id, () => reads.read(id));
			case "now":
				return asked(what, id, () => reads.now(id));
			case "again":
				return asked(what, id, () => reads.again(id));
			case "write":
				return write(id);
			case "remove":
				if (!startedWith.has(id) || removed.has(id)) return;
				removed.add(id);
				await account.ask("write", `remove ${id}`, () => account.items.delete(id));
				reads.wrote(id);
				reallyGone.add(id);
				return;
			case "wait":
				if (startedWith.has(id)) await waitFor(id);
		}
	};
	const work = Promise.all(all.map(perform));
	let late: NodeJS.Timeout | undefined;
	const stuck = new Promise<never>((_, reject) => {
		late = setTimeout(() => reject(new Error("a request waits for ever")), 5_000);
	});
	await Promise.race([scheduler.waitFor(work), stuck]).finally(() => clearTimeout(late));
	must(pace.underWay + pace.waiting === 0, () => `${pace.waiting} requests still wait`);
}

const property = fc.asyncProperty(fc.scheduler(), fc.nat(12), fc.constantFrom(1, 3, 100), steps, schedule);

test("shows what is there, as last written, in any order of responses", async () => {
	await fc.assert(property, { numRuns: 2_000 });
});
