/** Reads that share requests: their cost, and when an object counts as deleted, which a list never proves. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNotFound } from "../../../provider/api/errors";
import { pages } from "../../../provider/api/pages";
import { incomplete } from "../../../provider/api/paging";
import type { Source } from "../../../provider/reads/reads";
import { SharedReads } from "../../../provider/reads/reads";
import { FakeClock } from "../../helpers/clock";
import { Account, account, type Item, ids, readAll } from "../../helpers/listed";
import { failureOf } from "../../helpers/provider";
import { seeded } from "../../sim/random.mts";

type Reads = Pick<SharedReads<Item>, "read">;
/** Reads all of them, and returns the ids found and the ids not found. */
async function found(reads: Reads, wanted: readonly string[], parallel: number) {
	const missing: string[] = [];
	const read = (id: string) =>
		reads.read(id).catch((error: unknown) => {
			if (!isNotFound(error)) throw error;
			missing.push(id);
			return undefined;
		});
	const items = await readAll({ read: read as Reads["read"] }, wanted, parallel);
	return { found: items.flatMap((item) => item ?? []), missing: missing.sort() };
}
const alone = { isPartial: () => true };
const sorted = (items: readonly Item[]) => items.map(({ id }) => id).sort();
const second = (id: string) => ({ id, version: 2 });

describe("a refresh", () => {
	test.each([
		["one at a time", 200, 200, 1, 4],
		["three of ten thousand, together", 3, 10_000, 3, 6],
		["one of ten thousand", 1, 10_000, 1, 1],
		["all of a thousand", 1000, 1000, 16, 12],
	])("costs few requests: %s", async (_, wanted, size, parallel, most) => {
		const { source, reads } = account(size);
		const items = await readAll(reads, ids(wanted, size - wanted), parallel);
		expect(sorted(items)).toEqual(ids(wanted, size - wanted).sort());
		expect(source.requests).toBeLessThanOrEqual(most);
	});

	test("reads a list that can't be read to its end once", async () => {
		let lists = 0;
		const source: Source<Item> = {
			async *pages() {
				lists += 1;
				yield [{ id: "listed", version: 1 }];
				throw incomplete([], "has_more is true");
			},
			get: async (id) => ({ id, version: 1 }),
		};
		await readAll(new SharedReads(source, new FakeClock()), ids(50), 8);
		expect(lists).toBe(1);
	});

	const cases = fc.record({
		size: fc.integer({ min: 0, max: 600 }),
		pageSize: fc.constantFrom(3, 10, 50, 100),
		parallel: fc.constantFrom(1, 2, 4, 8, 16),
		part: fc.constantFrom(0.01, 0.1, 0.5, 1, 1),
		gone: fc.constantFrom(0, 0, 1, 4, 40),
		order: fc.constantFrom("list", "reverse", "any"),
		seed: fc.nat(),
	});

	test("costs 2 × min(objects, pages) + 10 at most; of all in order, pages + 4", () =>
		fc.assert(
			fc.asyncProperty(cases, async ({ size, pageSize, parallel, part, gone, order, seed }) => {
				const chance = seeded(seed);
				const live = ids(size).filter(() => chance.chance(part));
				const wanted = [...live, ...ids(gone, size)];
				if (order === "reverse") wanted.reverse();
				if (order === "any") wanted.sort(() => chance.next() - 0.5);
				const { source, reads } = account(size, pageSize);
				const result = await found(reads, wanted, parallel);
				expect([sorted(result.found), result.missing]).toEqual([[...live].sort(), ids(gone, size).sort()]);
				const pageCount = Math.max(1, Math.ceil(size / pageSize));
				expect(source.requests).toBeLessThanOrEqual(2 * Math.min(wanted.length, pageCount) + 10 + gone);
				const isWhole = live.length === size && gone === 0 && order === "list";
				if (isWhole) expect(source.requests).toBeLessThanOrEqual(pageCount + 4);
			}),
			{ numRuns: 800 },
		));

	test("costs little more than the pages of a service without single reads", async () => {
		const { source, reads } = account(500);
		source.singles = "none";
		expect((await failureOf(readAll(reads, [...ids(500), "n777"], 8))).kind).toBe("Unlisted");
		expect(source.requests).toBeLessThanOrEqual(5 + 3);
	});
});

describe("an object", () => {
	test("is read alone before it counts as deleted", async () => {
		const { source, reads } = account(10);
		source.unlisted.add("n3");
		expect(await readAll(reads, ids(10), 10)).toHaveLength(10);
		expect(source.gets).toBe(1);
		const second = account(5);
		expect((await found(second.reads, [...ids(5), "n7"], 6)).missing).toEqual(["n7"]);
		// One more shows that single reads find what the list shows.
		expect(second.source.gets).toBe(2);
	});

	test.each([0, 4])("isn't deleted while single reads fail, with %i in the list", async (listed) => {
		const { source, reads } = account(8);
		for (const id of ids(8 - listed, listed)) source.unlisted.add(id);
		source.singles = "away";
		const results = await Promise.allSettled(ids(8).map((id) => reads.read(id)));
		const kinds = results.flatMap((result) => (result.status === "rejected" ? [result.reason.kind] : []));
		expect(kinds).toEqual(Array(8 - listed).fill("Unavailable"));
	});

	test.each([
		[1, 1],
		[1, 250],
		[2, 250],
		[3, 250],
		[40, 250],
	])("is there if the list shows it, though single reads don't (%i of %i)", async (wanted, size) => {
		const { source, reads } = account(size);
		source.singles = "denied";
		expect(await readAll(reads, ids(wanted, size - wanted), 8)).toHaveLength(wanted);
		expect(source.requests).toBeLessThanOrEqual(2 * 3 + 10);
		expect((await failureOf(reads.read("n999"))).kind).toBe("Unlisted");
		const last = { id: `n${size - 1}`, version: 1 };
		expect([await reads.readCurrent(last.id), await reads.read(last.id, alone)]).toEqual([last, last]);
		expect(source.gets).toBeLessThanOrEqual(wanted + 2);
	});

	test("isn't deleted if single reads deny another one at the same time", async () => {
		const { source, reads } = account(1);
		source.singles = "denied";
		const [listed, missing] = await Promise.allSettled([reads.readCurrent("n0"), reads.readCurrent("n9")]);
		expect([listed.status, missing]).toMatchObject(["fulfilled", { reason: { kind: "Unlisted" } }]);
	});

	test("is deleted, though another one goes between list and single read", async () => {
		const { source, reads } = account(1);
		source.fail = (request) => {
			if (request === 3) source.items.delete("n0");
			return false;
		};
		expect(isNotFound(await failureOf(reads.readCurrent("n7")))).toBe(true);
	});
});

test("shares a scan that ends, and completes none that breaks off", async () => {
	const { source, reads } = account(150);
	source.fail = (request) => request === 2;
	expect((await failureOf(reads.all())).kind).toBe("Unavailable");
	const [all, read] = await Promise.all([reads.all(), readAll(reads, ids(150), 8), reads.all()]);
	expect([all.length, read.length, source.requests]).toEqual([150, 150, 4]);
	source.items.set("new", { id: "new" });
	expect([(await reads.fresh()).length, (await reads.all()).length]).toEqual([151, 150]);
});

describe("the list before a create", () => {
	/** Pages by offset: after a removal, later objects move to earlier pages. */
	const movingPages = () => {
		const remaining = ids(6);
		const source: Source<Item> = {
			async *pages() {
				for (let offset = 0; offset < remaining.length; offset += 2)
					yield remaining.slice(offset, offset + 2).map((id) => ({ id }));
			},
			get: async (id) => ({ id }),
		};
		return { remaining, reads: new SharedReads(source, new FakeClock()) };
	};

	test.each([
		["stopped", []],
		["continued to the end", ids(6)],
	])("shows objects that moved after a refresh %s", async (_, readLater) => {
		const { remaining, reads } = movingPages();
		await readAll(reads, ids(3), 1);
		remaining.shift();
		await readAll(reads, readLater, 1);
		expect((await reads.all()).map(({ id }) => id)).toEqual(expect.arrayContaining(remaining));
	});

	test("shows objects that moved while a read was waiting for its page", async () => {
		const { remaining, reads } = movingPages();
		await readAll(reads, ids(3), 1);
		const later = reads.read("n5");
		remaining.shift();
		const all = await reads.all();
		expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(remaining));
		expect(await later).toEqual({ id: "n5" });
	});

	test("costs nothing after a refresh that read the only page", async () => {
		const source = new Account(5);
		const fetchPage = async () => {
			source.requests += 1;
			return { data: [...source.items.values()], next_cursor: null };
		};
		const singlePage: Source<Item> = {
			pages: () => pages(fetchPage, ({ id }) => id),
			get: (id) => source.get(id),
		};
		const reads = new SharedReads(singlePage, new FakeClock());
		await readAll(reads, ids(5), 5);
		await Promise.all([reads.all(), reads.all(), reads.all(2)]);
		expect(source.requests).toBe(1);
	});
});

describe("a write of this process", () => {
	test("outdates an older scan", async () => {
		const { source, reads } = account(150);
		await readAll(reads, ids(3), 3);
		for (const id of ["n1", "n120"]) reads.wrote(id, second(id));
		for (const id of ["n130", "n140"]) reads.wrote(id);
		source.items.delete("n140");
		const all = await reads.all();
		expect(sorted(all.filter(({ version }) => version === 2))).toEqual(["n1", "n120"]);
		expect(all).toHaveLength(148);
		expect(await reads.read("n120")).toEqual(second("n120"));
		expect(isNotFound(await failureOf(reads.read("n140")))).toBe(true);
		// Removed, and made again by another: a single read shows it.
		expect(await reads.read("n130")).toEqual({ id: "n130", version: 1 });
	});

	test("is known where only a list could show it", async () => {
		const { source, reads } = account(3);
		source.singles = "none";
		await reads.all();
		reads.wrote("n9", second("n9"));
		reads.wrote("n1");
		source.items.delete("n1");
		const results = [await reads.read("n9"), await reads.read("n9", alone), await reads.read("n9")];
		expect(results).toEqual(Array(3).fill(second("n9")));
		for (const options of [{}, alone]) expect(isNotFound(await failureOf(reads.read("n1", options)))).toBe(true);
		expect(source.requests).toBeLessThan(8);
	});
});

describe("a doubted response", () => {
	const lags = fc.record({
		size: fc.integer({ min: 0, max: 60 }),
		pageSize: fc.constantFrom(3, 10, 100),
		parallel: fc.constantFrom(1, 3, 16),
		/** Seconds until the list and single reads show each object as it is. */
		listLag: fc.constantFrom(0, 3, 8, 60),
		readLag: fc.constantFrom(0, 3, 8),
		gone: fc.constantFrom(0, 1, 5),
		/** Until then an older record is shown, not none. */
		isOlder: fc.boolean(),
	});

	test("is read again for ten seconds, which all reads share", () =>
		fc.assert(
			fc.asyncProperty(lags, async ({ size, pageSize, parallel, listLag, readLag, gone, isOlder }) => {
				const [clock, source] = [new FakeClock(), new Account(size, pageSize)];
				const [start, current] = [clock.now(), new Map(source.items)];
				const old = new Map(isOlder ? [...current.keys()].map((id) => [id, { id, version: 0 }]) : []);
				const show = (lag: number) =>
					Object.assign(source, { items: clock.now() - start < lag * 1000 ? old : current });
				const lagging: Source<Item> = { pages: () => show(listLag).pages(), get: (id) => show(readLag).get(id) };
				const reads = new SharedReads<Item>(lagging, clock);
				const read = (id: string) => reads.read(id, { isDoubtful: (record) => record?.version !== 1 });
				const wanted = [...ids(size), ...ids(gone, size)];
				const result = await found({ read }, wanted, parallel);
				expect(sorted(result.found.filter(({ version }) => version === 1))).toEqual(ids(size).sort());
				expect(result.missing).toHaveLength(gone);
				expect(clock.now() - start).toBeLessThanOrEqual(10_000 + 20 * wanted.length);
				// Each is read alone, and those of the first ten seconds up to seven times more.
				const pageCount = Math.max(1, Math.ceil(size / pageSize));
				const alone = listLag > 0 || readLag > 0 ? wanted.length : gone;
				expect(source.requests).toBeLessThanOrEqual(2 * pageCount + 10 + alone + 8 * parallel);
			}),
			{ numRuns: 500 },
		));
});

test("a wait takes no ended object for a later one with the same id", async () => {
	interface Thing {
		readonly id: string;
		readonly status: string;
	}
	const things = (status: string): Thing[] => ids(3).map((id) => ({ id, status }));
	const source: Source<Thing> = {
		async *pages() {
			yield things("released");
			yield things("pending");
		},
		get: async (id) => ({ id, status: "pending" }),
	};
	const found = await new SharedReads(source, new FakeClock()).poll(ids(3));
	expect([...found.values()]).toEqual(things("pending").map((record) => ({ record })));
});
