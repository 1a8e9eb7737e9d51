import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGone, TelephonyError } from "../provider/api/errors";
import { SharedReads, type Source } from "../provider/reads";
import { FakeClock } from "./helpers/clock";
import { failureOf } from "./helpers/provider";

interface Item {
	readonly id: string;
	readonly version?: number;
}

/** An account of so many objects, listed by 100; counts its requests. */
class Account implements Source<Item> {
	requests = 0;
	gets = 0;
	readonly items: Map<string, Item>;
	/** Hidden from the list, as by a service whose list lags. */
	readonly unlisted = new Set<string>();
	fail: (request: number) => boolean = () => false;

	constructor(size: number) {
		this.items = new Map(Array.from({ length: size }, (_, index) => [`n${index}`, { id: `n${index}`, version: 1 }]));
	}

	#ask(): void {
		this.requests++;
		if (this.fail(this.requests)) throw new TelephonyError("Unavailable", "no answer");
	}

	async *pages() {
		const listed = [...this.items.values()].filter(({ id }) => !this.unlisted.has(id));
		for (let start = 0; start === 0 || start < listed.length; start += 100) {
			this.#ask();
			yield listed.slice(start, start + 100);
		}
	}

	async get(id: string): Promise<Item> {
		this.#ask();
		this.gets++;
		const item = this.items.get(id);
		if (item === undefined) throw new TelephonyError("NotFound", "gone");
		return item;
	}
}

const ids = (count: number, offset = 0) => Array.from({ length: count }, (_, index) => `n${index + offset}`);

/** Reads all, so many at a time, as the engine does. */
async function readAll(reads: SharedReads<Item>, wanted: readonly string[], parallel: number): Promise<Item[]> {
	const left = [...wanted];
	const found: Item[] = [];
	const work = async () => {
		for (let id = left.shift(); id !== undefined; id = left.shift()) found.push(await reads.read(id));
	};
	await Promise.all(Array.from({ length: parallel }, work));
	return found;
}

function account(size: number) {
	const source = new Account(size);
	return { source, reads: new SharedReads<Item>(source, new FakeClock()) };
}

describe("a refresh costs about as many requests as there are objects or pages, whichever is less", () => {
	test.each([
		["8 at a time", 200, 200, 8, 4],
		["one at a time", 200, 200, 1, 4],
		["32 at a time", 200, 200, 32, 4],
		["three of ten thousand, together", 3, 10_000, 3, 5],
		["three of ten thousand, one at a time", 3, 10_000, 1, 5],
		["one of ten thousand", 1, 10_000, 1, 1],
		["all of a thousand", 1000, 1000, 16, 12],
	])("%s", async (_, wanted, size, parallel, bound) => {
		const { source, reads } = account(size);
		const found = await readAll(reads, ids(wanted, size - wanted), parallel);
		expect(found.map(({ id }) => id).sort()).toEqual(ids(wanted, size - wanted).sort());
		expect(source.requests).toBeLessThanOrEqual(bound);
	});

	test("for any account and any order, never more than twice the objects", () =>
		fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 400 }),
				fc.integer({ min: 1, max: 16 }),
				fc.infiniteStream(fc.nat()),
				async (size, parallel, order) => {
					const { source, reads } = account(size);
					const wanted = ids(size).filter(() => (order.next().value ?? 0) % 3 > 0);
					await readAll(reads, wanted, parallel);
					expect(source.requests).toBeLessThanOrEqual(2 * wanted.length);
				},
			),
			{ numRuns: 50 },
		));
});

test("what the list doesn't show is asked for by itself before it counts as gone", async () => {
	const { source, reads } = account(10);
	source.unlisted.add("n3");
	const found = await readAll(reads, ids(10), 10);
	expect(found).toHaveLength(10);
	expect(source.gets).toBe(1);
	source.items.delete("n9");
	const gone = account(5);
	expect(isGone(await failureOf(readAll(gone.reads, [...ids(5), "n7"], 6)))).toBe(true);
	expect(gone.source.gets).toBe(1);
});

test("a page that fails rejects those who wait, and the next ones start a new scan", async () => {
	const { source, reads } = account(150);
	source.fail = (request) => request === 2;
	const results = await Promise.allSettled(ids(150).map((id) => reads.read(id)));
	expect(results.filter(({ status }) => status === "rejected")).toHaveLength(50);
	expect(await readAll(reads, ids(50, 100), 50)).toHaveLength(50);
	expect(source.gets).toBe(0);
});

test("a scan that broke off never passes for a finished one", async () => {
	const { source, reads } = account(150);
	source.fail = (request) => request === 2;
	expect((await failureOf(reads.all())).kind).toBe("Unavailable");
	expect(await reads.all()).toHaveLength(150);
	expect(source.requests).toBe(4);
	await reads.all();
	expect(source.requests).toBe(4);
});

test("all and read share one scan", async () => {
	const { source, reads } = account(150);
	const [all, found] = await Promise.all([reads.all(), readAll(reads, ids(150), 8)]);
	expect([all.length, found.length, source.requests]).toEqual([150, 150, 2]);
});

test("what this process wrote is as written, whatever an older scan says", async () => {
	const { source, reads } = account(150);
	await readAll(reads, ids(3), 3);
	reads.wrote("n1", { id: "n1", version: 2 });
	reads.wrote("n120", { id: "n120", version: 2 });
	reads.wrote("n140");
	source.items.delete("n140");
	const all = await reads.all();
	expect(
		all
			.filter(({ version }) => version === 2)
			.map(({ id }) => id)
			.sort(),
	).toEqual(["n1", "n120"]);
	expect(await reads.read("n120")).toEqual({ id: "n120", version: 2 });
	expect(isGone(await failureOf(reads.read("n140")))).toBe(true);
});

test("what was removed is asked for anew, though the scan shows it still", async () => {
	const { reads } = account(150);
	await readAll(reads, ids(3), 3);
	reads.wrote("n140");
	expect((await reads.all()).some(({ id }) => id === "n140")).toBe(false);
	expect(await reads.read("n140")).toEqual({ id: "n140", version: 1 });
});

test("fresh looks at the list as it is now, past every scan", async () => {
	const { source, reads } = account(150);
	await reads.all();
	source.items.set("new", { id: "new" });
	expect(await reads.fresh()).toHaveLength(151);
	expect(await reads.all()).toHaveLength(150);
});
