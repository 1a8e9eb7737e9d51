/** An account whose requests arrive and get their responses in any order, by chance. */
import type fc from "fast-check";
import { TelephonyError } from "../../provider/api/errors";
import type { Limiter } from "../../provider/api/limiter";

export function must(holds: boolean, message: () => string): asserts holds {
	if (!holds) throw new Error(message());
}

export interface Item {
	readonly id: string;
	readonly version: number;
}

export const concurrency = 3;

/** An account whose requests wait for their turn, and for chance. */
export function accountOf(size: number, pageSize: number, hasSingles: boolean, pace: Limiter, scheduler: fc.Scheduler) {
	const items = new Map(Array.from({ length: size }, (_, n) => [`n${n}`, { id: `n${n}`, version: 1 } as Item]));
	const underWay: string[] = [];
	/** The service carries a request out at some moment between its arrival and the response. */
	const request = <T>(kind: "read" | "write", what: string, work: () => T): Promise<T> =>
		pace.run(kind, async () => {
			// One scan that all share, and one that began after a write.
			const same = underWay.filter((each) => each === what && what.startsWith("list")).length;
			must(same < 2, () => `${what} is under way three times`);
			underWay.push(what);
			must(underWay.length <= concurrency, () => `${underWay.length} requests at once`);
			try {
				await scheduler.schedule(Promise.resolve(), `${what} arrives`);
				const result = work();
				await scheduler.schedule(Promise.resolve(), `${what} gets a response`);
				return result;
			} finally {
				underWay.splice(underWay.indexOf(what), 1);
			}
		});
	const source = {
		async *pages() {
			for (let start = 0; ; start += pageSize) {
				const rows = () => [...items.values()].slice(start, start + pageSize);
				const page = await request("read", `list from ${start}`, rows);
				yield page;
				if (page.length < pageSize) return;
			}
		},
		get: (id: string) =>
			request("read", `get ${id}`, () => {
				if (!hasSingles) throw new TelephonyError("NotOffered", "no such operation");
				const item = items.get(id);
				if (item === undefined) throw new TelephonyError("NotFound", "gone");
				return item;
			}),
	};
	return { items, request, source };
}
