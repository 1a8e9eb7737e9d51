/** When something counts as gone: never because a list lacks it. */
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { isGone } from "../../../provider/api/errors";
import type { Source } from "../../../provider/reads/listing";
import { SharedReads } from "../../../provider/reads/reads";
import { FakeClock } from "../../helpers/clock";
import { Account, account, type Item, ids, readAll } from "../../helpers/listed";
import { failureOf } from "../../helpers/provider";

describe("a list never proves that something is gone", () => {
	test.each(["empty", "half"])("an outage of a part: the list is %s, single reads fail", async (list) => {
		const { source, reads } = account(8);
		for (const id of ids(list === "half" ? 4 : 8, 4)) source.unlisted.add(id);
		if (list === "empty") for (const id of ids(4)) source.unlisted.add(id);
		source.singles = "away";
		const results = await Promise.allSettled(ids(8).map((id) => reads.read(id)));
		const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
		expect(failed.map(({ kind }) => kind)).toEqual(Array(list === "half" ? 4 : 8).fill("Unavailable"));
		expect(failed.at(-1).message).toMatch(/^n7 .*\[telephony:unavailable\]$/);
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
		expect(error.message).toMatch(/^n777 .*`pulumi state delete`/);
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

	test.each(["away", "none"] as const)(
		"a read that is doubted ends, though the second look finds single reads %s",
		async (singles) => {
			const { source, reads } = account(3);
			source.fail = (request) => {
				if (request === 2) source.singles = singles;
				return false;
			};
			expect(await reads.read("n0", () => true)).toEqual({ id: "n0", version: 1 });
		},
	);

	test("what is removed between the list and its single read doesn't speak against single reads", async () => {
		const { source, reads } = account(1);
		source.fail = (request) => {
			// It denied n7, and the page showed n0.
			if (request === 3) source.items.delete("n0");
			return false;
		};
		expect(isGone(await failureOf(reads.now("n7")))).toBe(true);
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

describe("a read that is under way while this process writes", () => {
	const written = { id: "n1", version: 2 };

	test("doesn't hide what was written", async () => {
		const { reads } = account(3);
		const late = reads.again("n1");
		reads.wrote("n1", written);
		await late;
		expect(await reads.read("n1")).toEqual(written);
	});

	test("doesn't bring back what was removed", async () => {
		const { source, reads } = account(3);
		const late = reads.again("n1");
		source.items.delete("n1");
		reads.wrote("n1");
		await late.catch(() => undefined);
		expect((await failureOf(reads.read("n1"))).kind).toBe("NotFound");
	});

	test("is not shared with a read that begins after the write", async () => {
		const { source, reads } = account(300);
		source.singles = "none";
		await reads.now("n0");
		const late = reads.now("n299");
		source.items.set("n299", { id: "n299", version: 2 });
		reads.wrote("n299", { id: "n299", version: 2 });
		const before = source.requests;
		const next = reads.now("n299");
		reads.wrote("n5", { id: "n5", version: 2 });
		const others = ["n1", "n2", "n299"].map((id) => reads.now(id));
		await Promise.all([late, ...others]);
		expect(await next).toMatchObject({ version: 2 });
		// The rest of the scan that was under way, and one more for all who ask after the write; others' writes start none.
		expect(source.requests - before).toBeLessThanOrEqual(6);
	});
});

test("a list that is out of date is read to its end before it is read again: never three times at once", async () => {
	const { source } = account(9);
	source.singles = "none";
	let open = () => {};
	const gate = new Promise<void>((resolve) => {
		open = resolve;
	});
	let [underWay, most] = [0, 0];
	const pages = async function* () {
		underWay += 1;
		most = Math.max(most, underWay);
		await gate;
		yield* source.pages();
		underWay -= 1;
	};
	const reads = new SharedReads<Item>({ pages, get: (id) => source.get(id) }, new FakeClock());
	const early = [reads.all(), reads.now("n1")];
	await vi.waitFor(() => expect(underWay).toBe(2));
	source.items.set("n1", { id: "n1", version: 2 });
	reads.wrote("n1", { id: "n1", version: 2 });
	const late = reads.now("n1");
	await new Promise(setImmediate);
	open();
	await Promise.all(early);
	expect(await late).toMatchObject({ version: 2 });
	expect(most).toBe(2);
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
