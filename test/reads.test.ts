import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGone, TelephonyError } from "../provider/api/errors";
import type { Source } from "../provider/listing";
import { SharedReads } from "../provider/reads";
import { seeded } from "./campaigns/random.mts";
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

	/** "none": its list is all there is. "denied": it answers so to what it doesn't offer. "away": an outage of a part. */
	singles: "all" | "none" | "denied" | "away" = "all";
	readonly pageSize: number;

	constructor(size: number, pageSize = 100) {
		this.pageSize = pageSize;
		this.items = new Map(Array.from({ length: size }, (_, index) => [`n${index}`, { id: `n${index}`, version: 1 }]));
	}

	#ask(): void {
		this.requests++;
		if (this.fail(this.requests)) throw new TelephonyError("Unavailable", "no answer");
	}

	async *pages() {
		const listed = [...this.items.values()].filter(({ id }) => !this.unlisted.has(id));
		for (let start = 0; start === 0 || start < listed.length; start += this.pageSize) {
			this.#ask();
			yield listed.slice(start, start + this.pageSize);
		}
	}

	async get(id: string): Promise<Item> {
		this.#ask();
		if (this.singles === "none") throw new TelephonyError("NotOffered", "no such operation");
		this.gets++;
		if (this.singles === "away") throw new TelephonyError("Unavailable", "no answer");
		const item = this.singles === "denied" ? undefined : this.items.get(id);
		if (item === undefined) throw new TelephonyError("NotFound", "gone");
		return item;
	}
}

const ids = (count: number, offset = 0) => Array.from({ length: count }, (_, index) => `n${index + offset}`);

/** Reads all, so many at a time, as the engine does. */
async function readAll(
	reads: Pick<SharedReads<Item>, "read">,
	wanted: readonly string[],
	parallel: number,
): Promise<Item[]> {
	const left = [...wanted];
	const found: Item[] = [];
	const work = async () => {
		for (let id = left.shift(); id !== undefined; id = left.shift()) found.push(await reads.read(id));
	};
	await Promise.all(Array.from({ length: parallel }, work));
	return found;
}

function account(size: number, pageSize = 100) {
	const source = new Account(size, pageSize);
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

	/** An account, and what is read of it: in any order, by so many at a time. */
	const refresh = fc
		.record({
			size: fc.integer({ min: 0, max: 600 }),
			pageSize: fc.constantFrom(3, 10, 50, 100),
			parallel: fc.constantFrom(1, 2, 4, 8, 16),
			part: fc.constantFrom(0.01, 0.1, 0.5, 1),
			gone: fc.constantFrom(0, 0, 1, 4, 40),
			order: fc.constantFrom("list", "reverse", "any"),
			seed: fc.nat(),
		})
		.map(({ size, part, gone, order, seed, ...rest }) => {
			const chance = seeded(seed);
			const live = ids(size).filter(() => chance.chance(part));
			const wanted = [...live, ...ids(gone, size)];
			if (order === "reverse") wanted.reverse();
			if (order === "any") wanted.sort(() => chance.next() - 0.5);
			return { ...rest, size, live, gone, wanted, order };
		});

	const readable = ({ source, reads }: ReturnType<typeof account>, wanted: readonly string[], parallel: number) =>
		readAll(
			{
				read: (id: string) =>
					reads.read(id).catch((error: unknown) => {
						if (!isGone(error)) throw error;
						return { id: `${id} gone` };
					}),
			},
			wanted,
			parallel,
		).then((found) => ({ found: found.map(({ id }) => id).sort(), requests: source.requests }));

	test("whatever the account holds, at most 2 × min(objects, pages) + 10, a GET for each that is gone, and the right answers", () =>
		fc.assert(
			fc.asyncProperty(refresh, async ({ size, pageSize, parallel, live, gone, wanted }) => {
				const { found, requests } = await readable(account(size, pageSize), wanted, parallel);
				expect(found).toEqual([...live, ...ids(gone, size).map((id) => `${id} gone`)].sort());
				const pages = Math.max(1, Math.ceil(size / pageSize));
				expect(requests).toBeLessThanOrEqual(2 * Math.min(wanted.length, pages) + 10 + gone);
			}),
			{ numRuns: 500 },
		));

	test("of a stack that owns the account, at most pages + 4", () =>
		fc.assert(
			fc.asyncProperty(refresh, async ({ size, pageSize, parallel, order }) => {
				const pages = Math.max(1, Math.ceil(size / pageSize));
				const wanted = ids(size);
				// Against a list's own order, what a refresh reads first may stand on the last of very many pages.
				if (order !== "list" && pages <= 10) wanted.reverse();
				const { requests } = await readable(account(size, pageSize), wanted, parallel);
				expect(requests).toBeLessThanOrEqual(pages + 4);
			}),
			{ numRuns: 500 },
		));

	test("also at a service whose list is all that can be read", async () => {
		const { source, reads } = account(500);
		source.singles = "none";
		const found = await readAll(reads, ids(500), 8);
		expect(found).toHaveLength(500);
		expect(source.requests).toBeLessThanOrEqual(5 + 3);
	});

	test("when all are gone, a single read says so of each, once", async () => {
		const { source, reads } = account(150);
		const gone = await Promise.allSettled(ids(1000, 150).map((id) => reads.read(id)));
		expect(gone.every((result) => result.status === "rejected" && isGone(result.reason))).toBe(true);
		expect(source.requests).toBeLessThanOrEqual(2 * 2 + 10 + 1000);
	});
});

describe("a list never proves that something is gone", () => {
	test.each(["empty", "half"])("an outage of a part: the list is %s, single reads fail", async (list) => {
		const { source, reads } = account(8);
		for (const id of ids(list === "half" ? 4 : 8, 4)) source.unlisted.add(id);
		if (list === "empty") for (const id of ids(4)) source.unlisted.add(id);
		source.singles = "away";
		const results = await Promise.allSettled(ids(8).map((id) => reads.read(id)));
		const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
		expect(failed.map(({ kind }) => kind)).toEqual(Array(list === "half" ? 4 : 8).fill("Unavailable"));
		expect(failed.at(-1).message).toBe(
			"n7 is not in the account's list, and the single read that would tell whether it is gone failed. A list alone proves nothing, so the state keeps it. no answer",
		);
	});

	test.each([1, 2, 3, 40])("%i that the list shows are there, though single reads fail", async (wanted) => {
		const { source, reads } = account(250);
		source.singles = "away";
		expect(await readAll(reads, ids(wanted, 250 - wanted), 8)).toHaveLength(wanted);
		expect(source.requests).toBeLessThanOrEqual(2 * 3 + 10);
	});

	test("where there is nothing but the list, the error says what to do", async () => {
		const { source, reads } = account(500);
		source.singles = "none";
		const error = await failureOf(readAll(reads, [...ids(500), "n777"], 8));
		expect(error.kind).toBe("Unlisted");
		expect(error.message).toMatch(/^n777 is not in .* this service has no single read .*`pulumi state delete URN`/);
		expect(source.requests).toBeLessThanOrEqual(5 + 3);
	});

	test.each([
		[1, 1],
		[1, 250],
		[2, 250],
		[3, 250],
		[8, 8],
		[40, 250],
	])("%i of %i that the list shows are there, though single reads deny all", async (wanted, size) => {
		for (const parallel of [1, 8]) {
			const { source, reads } = account(size);
			source.singles = "denied";
			expect(await readAll(reads, ids(wanted, size - wanted), parallel)).toHaveLength(wanted);
			expect((await failureOf(reads.read("n999"))).kind).toBe("Unlisted");
			const last = `n${size - 1}`;
			expect([await reads.now(last), await reads.again(last)]).toEqual(Array(2).fill({ id: last, version: 1 }));
			expect(source.gets).toBeLessThanOrEqual(wanted + 2);
		}
	});

	test("what this process wrote is as written, where only a list could tell and doesn't", async () => {
		const { source, reads } = account(3);
		source.singles = "none";
		await reads.all();
		reads.wrote("n9", { id: "n9", version: 2 });
		reads.wrote("n1");
		source.items.delete("n1");
		const written = { id: "n9", version: 2 };
		expect([await reads.read("n9"), await reads.again("n9"), await reads.read("n9")]).toEqual(Array(3).fill(written));
		expect(isGone(await failureOf(reads.read("n1")))).toBe(true);
		expect((await failureOf(reads.again("n1"))).kind).toBe("Unlisted");
		expect(source.requests).toBeLessThan(8);
	});
});

describe("what can't be true yet is looked at again, all at the same time", () => {
	/** Where each object shows in the list and in single reads only after so many seconds; some never do. */
	const lagging = fc.record({
		size: fc.integer({ min: 0, max: 60 }),
		pageSize: fc.constantFrom(3, 10, 100),
		parallel: fc.constantFrom(1, 3, 16),
		listLag: fc.constantFrom(0, 3, 8, 60),
		readLag: fc.constantFrom(0, 3, 8),
		gone: fc.constantFrom(0, 1, 5),
		/** The answer is there at once, but is an older one. */
		older: fc.boolean(),
	});

	test("for ten seconds in all, at a cost that is bounded", () =>
		fc.assert(
			fc.asyncProperty(lagging, async ({ size, pageSize, parallel, listLag, readLag, gone, older }) => {
				const clock = new FakeClock();
				const source = new Account(size, pageSize);
				const start = clock.now();
				const current = new Map(source.items);
				const show = (lag: number) => (clock.now() - start < lag * 1000 ? early : current);
				const early = older ? new Map([...current.keys()].map((id) => [id, { id, version: 0 }])) : new Map();
				const asLagging: Source<Item> = {
					pages: () => {
						Object.assign(source, { items: show(listLag) });
						return source.pages();
					},
					get: (id) => {
						Object.assign(source, { items: show(readLag) });
						return source.get(id);
					},
				};
				const reads = new SharedReads<Item>(asLagging, clock);
				const doubts = (record: Item | undefined) => record?.version !== 1;
				const wanted = [...ids(size), ...ids(gone, size)];
				const answers = await readAll(
					{
						read: (id) =>
							reads.read(id, doubts).catch((error: unknown) => {
								if (!isGone(error)) throw error;
								return { id: `${id} gone` };
							}),
					},
					wanted,
					parallel,
				);
				expect(
					answers
						.filter(({ version }) => version === 1)
						.map(({ id }) => id)
						.sort(),
				).toEqual(ids(size).sort());
				expect(answers).toHaveLength(wanted.length);
				expect(clock.now() - start).toBeLessThanOrEqual(10_000 + 20 * wanted.length);
				const pages = Math.max(1, Math.ceil(size / pageSize));
				const unlisted = gone + (listLag > 0 ? 2 * size : 0);
				expect(source.requests).toBeLessThanOrEqual(3 * Math.min(wanted.length, pages) + 15 + unlisted);
			}),
			{ numRuns: 500 },
		));

	test.each([
		["200 that seem older than they are", 200, 200, 2 * 2 + 10],
		["2,000 that seem too young to be gone", 0, 2_000, 2 * 1 + 10 + 2_000],
	])("%s", async (_, size, wanted, bound) => {
		for (const parallel of [16, 2_000]) {
			const { source, reads } = account(size);
			const read = (id: string) => reads.read(id, () => true).catch(() => ({ id }));
			expect(await readAll({ read }, ids(wanted), parallel)).toHaveLength(wanted);
			expect(source.requests).toBeLessThanOrEqual(bound);
		}
	});
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
	// One that shows that single reads know what the list shows.
	expect(gone.source.gets).toBe(2);
});

test("one answer alone that an object is gone is not believed", async () => {
	const { source, reads } = account(10);
	const hidden = source.items.get("n3");
	source.items.delete("n3");
	source.fail = (request) => {
		if (request === 2 && hidden) source.items.set("n3", hidden);
		return false;
	};
	expect(await reads.read("n3")).toEqual({ id: "n3", version: 1 });
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
