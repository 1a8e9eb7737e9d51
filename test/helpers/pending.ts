/** A service in memory whose objects are pending, and waits for them. */
import { TelephonyError } from "../../provider/api/errors";
import { Poller, type Wait } from "../../provider/reads/poller";
import { type Seen, SharedReads } from "../../provider/reads/reads";
import { FakeClock } from "./clock";

export interface Thing {
	readonly id: string;
	readonly status?: string;
}

/** Its objects, features, and each request with its time. */
export function service(
	count: number,
	{ hasFilter = true, refusesFilter = false, hasSingles = true, deniesSingles = false, pageSize = 100 } = {},
) {
	const [clock, stop, requests, times] = [new FakeClock(), new AbortController(), [] as string[], [] as number[]];
	const things = new Map<string, Thing>();
	for (let n = 0; n < count; n++) things.set(`t${n}`, { id: `t${n}`, status: "pending" });
	const start = clock.now();
	const seconds = () => (clock.now() - start) / 1000;
	let failing: unknown;
	const request = (what: string, error = failing) => {
		requests.push(what);
		times.push(seconds());
		if (error !== undefined) throw error;
	};
	const list = async function* (what: "all" | "pending") {
		if (what === "pending" && refusesFilter) request(what, new TelephonyError("Invalid", "no such filter"));
		const rows = [...things.values()].filter(({ status }) => what === "all" || status === "pending");
		for (let at = 0; at === 0 || at < rows.length; at += pageSize) {
			request(what);
			yield rows.slice(at, at + pageSize);
		}
	};
	const source = {
		pages: () => list("all"),
		pending: () => (hasFilter ? list("pending") : undefined),
		async get(id: string) {
			if (!hasSingles) throw new TelephonyError("NotOffered", "no such operation");
			request(id);
			const thing = deniesSingles ? undefined : things.get(id);
			if (thing === undefined) throw new TelephonyError("NotFound", `no ${id}`);
			return thing;
		},
	};
	const poller = new Poller<Thing>(new SharedReads<Thing>(source, clock), clock, () => 0.5, stop.signal);
	/** Waits until none of them is pending. */
	const waitFor = (ids: Iterable<string>, more: Partial<Wait<Thing>> = {}) => {
		const open = new Set(ids);
		const see = (id: string, found: Seen<Thing>) => {
			if ("error" in found) throw found.error;
			if (found.record.status !== "pending") open.delete(id);
		};
		return poller.wait({ open: () => [...open], see, timeoutMs: 600_000, ...more });
	};
	const approve = (ids: Iterable<string>) => {
		for (const id of ids) things.set(id, { id, status: "active" });
	};
	const fail = (error: unknown) => {
		failing = error;
	};
	return { clock, things, requests, times, stop, waitFor, approve, fail, seconds };
}
