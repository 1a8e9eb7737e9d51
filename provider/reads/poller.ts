/**
 * Waits for objects to change: one poller for all waits of a process. It looks less and less often, and one look serves
 * every wait: by single GETs while those are cheaper, otherwise by pages of a list.
 */
import type { Clock } from "../api/clock";
import { isGone, isTelephonyError } from "../api/errors";
import { isIncomplete } from "../api/paging";

export type Seen<T> = { readonly record: T } | { readonly error: unknown };

/** A wait, as data. */
export interface Wait<T> {
	/** The ids still waited for. The wait is over when there are none. */
	open(): readonly string[];
	/** Gets the result of a look for an open id. Throws if waiting has become pointless. */
	see(id: string, found: Seen<T>): void;
	readonly timeoutMs: number;
	/** Called before each pause. */
	report?(leftMs: number): void;
}

/** `late`: the time was over first. `stopped`: the process is ending. */
export type WaitEnd = "done" | "late" | "stopped";

export type List = "pending" | "all";

export interface PollSource<T> {
	pages(list: List): AsyncIterable<readonly T[]>;
	get(id: string): Promise<T>;
	/** Whether the list can be filtered for pending objects. */
	filters(): boolean;
	/** Whether there are single reads; without them, a GET scans the list too. */
	singles(): boolean;
	/** Whether an item of a list shows enough; if not, a GET is needed. */
	tells(record: T): boolean;
}

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
/** A pause of a tenth of the time waited finds the end at most a tenth late, with few requests. */
const share = 0.1;
/** Keeps the status fresh for people, and keeps CI from killing a job that prints nothing. */
const reportEveryMs = 20_000;
/** From the third object on, a page is worth its cost. */
const singleReads = 2;

interface Entry<T> {
	readonly wait: Wait<T>;
	readonly started: number;
	readonly end: number;
	next: number;
	reported: number;
	readonly resolve: (ending: WaitEnd) => void;
	readonly reject: (error: unknown) => void;
}

export class Poller<T extends { readonly id: string }> {
	readonly #source: PollSource<T>;
	readonly #clock: Clock;
	readonly #random: () => number;
	readonly #stop: AbortSignal;
	readonly #entries = new Set<Entry<T>>();
	/** How many pages the last scan of each list took. */
	readonly #pages = new Map<List, number>();
	#filterRefused = false;
	#running = false;
	#pause = new AbortController();

	constructor(source: PollSource<T>, clock: Clock, random: () => number, stop: AbortSignal) {
		this.#source = source;
		this.#clock = clock;
		this.#random = random;
		this.#stop = stop;
		stop.addEventListener("abort", () => this.#stopAll(), { once: true });
	}

	/** Waits until nothing is open, its time is over, or the process is ending. Rejects with what `see` throws. */
	wait(wait: Wait<T>): Promise<WaitEnd> {
		if (wait.open().length === 0) return Promise.resolve("done");
		if (this.#stop.aborted) return Promise.resolve("stopped");
		return new Promise((resolve, reject) => {
			const started = this.#clock.now();
			const end = started + wait.timeoutMs;
			const next = Math.min(end, started + this.#nextPause(0));
			this.#entries.add({ wait, started, end, next, reported: Number.NEGATIVE_INFINITY, resolve, reject });
			// It may be due before the current pause ends.
			this.#pause.abort();
			if (!this.#running) void this.#run();
		});
	}

	async #run(): Promise<void> {
		this.#running = true;
		while (this.#entries.size > 0) {
			const now = this.#clock.now();
			const due = Math.min(...[...this.#entries].map(({ next }) => next));
			if (due <= now) {
				await this.#look(now);
				continue;
			}
			this.#report(now);
			this.#pause = new AbortController();
			await this.#clock.sleep(Math.min(due - now, reportEveryMs), this.#pause.signal);
		}
		this.#running = false;
	}

	#report(now: number): void {
		for (const entry of this.#entries) {
			if (now - entry.reported < reportEveryMs) continue;
			entry.reported = now;
			entry.wait.report?.(entry.end - now);
		}
	}

	/** One look serves all waits. While single reads are cheaper, it serves only the waits that are due. */
	async #look(now: number): Promise<void> {
		const all = [...this.#entries];
		const due = all.filter(({ next }) => next <= now);
		const entries = openIds(due).length > singleReads ? all : due;
		let found: Map<string, Seen<T>>;
		try {
			found = await this.#find(openIds(entries));
		} catch (error) {
			if (isPassing(error)) found = new Map();
			else {
				for (const entry of entries) this.#fail(entry, error);
				return;
			}
		}
		const seenAt = this.#clock.now();
		for (const entry of entries) if (this.#entries.has(entry)) this.#show(entry, found, seenAt);
	}

	#show(entry: Entry<T>, found: ReadonlyMap<string, Seen<T>>, now: number): void {
		const { wait } = entry;
		try {
			for (const id of wait.open()) {
				const one = found.get(id);
				if (one !== undefined) wait.see(id, one);
			}
		} catch (error) {
			this.#fail(entry, error);
			return;
		}
		if (wait.open().length === 0) this.#end(entry, "done");
		else if (now >= entry.end) this.#end(entry, "late");
		entry.next = Math.min(entry.end, now + this.#nextPause(now - entry.started));
		entry.reported = Number.NEGATIVE_INFINITY;
	}

	/** Randomised, so that machines that began together drift apart; never longer than the share. */
	#nextPause(waitedMs: number): number {
		return Math.min(longestPauseMs, Math.max(firstPauseMs, waitedMs * share) * (0.9 + 0.1 * this.#random()));
	}

	/**
	 * The result for each id, where there is one. An id that the lists don't show is read by a GET. "Not found" only counts
	 * if the list was searched too: an object that the list shows exists.
	 */
	async #find(ids: readonly string[]): Promise<Map<string, Seen<T>>> {
		const found = new Map<string, Seen<T>>();
		const missing = () => ids.filter((id) => !found.has(id));
		if (missing().length > singleReads && this.#pendingIsCheaper()) {
			try {
				await this.#scan("pending", ids, found);
			} catch (error) {
				if (isPassing(error)) throw error;
				// The service may not know the filter. Anything else that it refuses, it refuses below too.
				this.#filterRefused = true;
			}
		}
		const isWhole = missing().length > singleReads && (await this.#scan("all", ids, found));
		const denied = new Map<string, Seen<T>>();
		await Promise.all(
			missing().map(async (id) => {
				try {
					found.set(id, { record: await this.#source.get(id) });
				} catch (error) {
					if (isGone(error)) denied.set(id, { error });
					else if (!isPassing(error)) found.set(id, { error });
				}
			}),
		);
		if (denied.size > 0 && !isWhole) await this.#scan("all", [...denied.keys()], found, Number.POSITIVE_INFINITY);
		return new Map([...denied, ...found]);
	}

	/** The whole list also shows what is no longer pending, so it is worth one page more. */
	#pendingIsCheaper(): boolean {
		if (this.#filterRefused || !this.#source.filters()) return false;
		const [pending = 1, all = Number.POSITIVE_INFINITY] = [this.#pages.get("pending"), this.#pages.get("all")];
		return pending + 1 < all;
	}

	/** True if it reached the end of the list. */
	async #scan(list: List, ids: readonly string[], found: Map<string, Seen<T>>, most?: number): Promise<boolean> {
		const missing = new Set(ids.filter((id) => !found.has(id)));
		// Pages are worth fetching only while they are fewer than the single reads they save.
		const worth = most ?? (this.#source.singles() ? Math.ceil(missing.size / 2) : Number.POSITIVE_INFINITY);
		const take = (record: T) => {
			const tells = this.#source.tells(record) || !this.#source.singles() || most !== undefined;
			if (tells && missing.delete(record.id)) found.set(record.id, { record });
		};
		let [count, isWhole] = [0, true];
		try {
			for await (const page of this.#source.pages(list)) {
				count += 1;
				for (const record of page) take(record);
				isWhole = missing.size > 0 && count < worth;
				if (!isWhole) break;
			}
		} catch (error) {
			// The rest is read alone.
			if (!isIncomplete(error)) throw error;
			isWhole = false;
		}
		this.#pages.set(list, count);
		return isWhole;
	}

	#stopAll(): void {
		for (const entry of [...this.#entries]) this.#end(entry, "stopped");
		this.#pause.abort();
	}

	#end(entry: Entry<T>, ending: WaitEnd): void {
		this.#entries.delete(entry);
		entry.resolve(ending);
	}

	#fail(entry: Entry<T>, error: unknown): void {
		this.#entries.delete(entry);
		entry.reject(error);
	}
}

const openIds = <T>(entries: readonly Entry<T>[]): string[] => [...new Set(entries.flatMap(({ wait }) => wait.open()))];

/**
 * Errors that don't end a wait: the service is away for a while (the client has already retried), or there are no single
 * reads and its list doesn't show the object.
 */
const isPassing = (error: unknown): boolean =>
	(["Unavailable", "RateLimited", "Unlisted"] as const).some((kind) => isTelephonyError(error, kind));
