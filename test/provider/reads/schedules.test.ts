/** Laws of the reads and writes of one process, in any order of requests and responses. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isAbsent, isNotFound, TelephonyError } from "../../../provider/api/errors";
import { SharedReads } from "../../../provider/reads/reads";
import { type Item, ids } from "../../helpers/listed";

const actions = ["read", "read", "write", "write", "remove", "readCurrent", "readCurrent", "readAlone"] as const;
type Step = readonly [(typeof actions)[number], number];

interface Drawn {
	readonly size: number;
	readonly pageSize: number;
	readonly hasSingles: boolean;
	readonly steps: readonly Step[];
}
async function schedule(scheduler: fc.Scheduler, { size, pageSize, hasSingles, steps }: Drawn) {
	const event = (what: string) => scheduler.schedule(Promise.resolve(), what);
	/** The service carries a request out at some moment between its arrival and the response. */
	const request = async <T>(what: string, work: () => T): Promise<T> => {
		await event(`${what} arrives`);
		const result = work();
		await event(`${what} gets a response`);
		return result;
	};
	const items = new Map(ids(size).map((id): [string, Item] => [id, { id, version: 1 }]));
	const source = {
		async *pages() {
			for (let start = 0, page: Item[]; ; start += pageSize) {
				page = await request(`list from ${start}`, () => [...items.values()].slice(start, start + pageSize));
				yield page;
				if (page.length < pageSize) return;
			}
		},
		get: (id: string) =>
			request(`get ${id}`, () => {
				const item = items.get(id);
				if (!hasSingles || item === undefined) throw new TelephonyError(hasSingles ? "NotFound" : "NotOffered", "none");
				return item;
			}),
	};
	let time = 0;
	const sleep = async (ms: number) => {
		await event(`${ms} ms are over`);
		time += Math.max(0, ms);
	};
	const reads = new SharedReads<Item>(source, { now: () => time, sleep });
	const atStart = new Set(items.keys());
	const written = new Map<string, number>();
	/** Objects whose removal has begun, and those whose removal has ended. */
	const [leaving, removed, writing] = [new Set<string>(), new Set<string>(), new Set<string>()];

	const read = async (what: "read" | "readCurrent" | "readAlone", id: string) => {
		const [version, wasRemoved] = [written.get(id) ?? 0, removed.has(id)];
		try {
			const item = await (what === "readAlone" ? reads.read(id, { isPartial: () => true }) : reads[what](id));
			expect(item.version, `${what} ${id}`).toBeGreaterThanOrEqual(version);
			expect(wasRemoved, `${id} is removed, and ${what} shows it`).toBe(false);
		} catch (error) {
			if (!isAbsent(error)) throw error;
			// A list that moves while it is read may miss an object, which proves nothing.
			const isProof = hasSingles || isNotFound(error);
			expect(!isProof || leaving.has(id) || !atStart.has(id), `${id} is there, unlike ${what}`).toBe(true);
		}
	};
	/** The engine changes one object once at a time. */
	const write = async (id: string) => {
		if (!atStart.has(id) || leaving.has(id) || writing.has(id)) return;
		writing.add(id);
		const item = await request(`write ${id}`, () => {
			const next = { id, version: (items.get(id)?.version ?? 0) + 1 };
			if (items.has(id)) items.set(id, next);
			return next;
		});
		if (leaving.has(id)) return;
		reads.wrote(id, item);
		written.set(id, item.version);
		writing.delete(id);
	};
	const remove = async (id: string) => {
		if (!atStart.has(id) || leaving.has(id)) return;
		leaving.add(id);
		await request(`remove ${id}`, () => items.delete(id));
		reads.wrote(id);
		removed.add(id);
	};
	const perform = async ([what, index]: Step) => {
		const id = `n${index}`;
		await event(`${what} ${id} begins`);
		return what === "write" ? write(id) : what === "remove" ? remove(id) : read(what, id);
	};
	await scheduler.waitFor(Promise.all(steps.map(perform)));
}

test("shows each object as last written, in any order of responses", async () => {
	const step: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom(...actions), fc.constantFrom(0, 0, 1, 1, 2, 5, 11));
	const drawn = fc.record({
		...{ size: fc.nat(12), pageSize: fc.constantFrom(1, 3, 100), hasSingles: fc.boolean() },
		steps: fc.array(step, { minLength: 2, maxLength: 14, size: "max" }),
	});
	await fc.assert(fc.asyncProperty(fc.scheduler(), drawn, schedule), { numRuns: 2_000 });
});
