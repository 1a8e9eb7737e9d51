import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isGone } from "../../../provider/api/errors";
import { account, ids, readAll } from "../../helpers/listed";
import { failureOf } from "../../helpers/provider";
import { seeded } from "../../sim/random.mts";

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
	expect(all.length, "all").toBe(150);
	expect(found.length, "found").toBe(150);
	expect(source.requests).toBe(2);
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
