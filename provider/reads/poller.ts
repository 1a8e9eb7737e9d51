/** Waits for objects to change: one poller for all waits of a process. It reads less and less often. */
import type { Clock } from "../api/clock";
import { few, isPassing, type Seen, type SharedReads } from "./reads";

export interface Wait<T> {
	/** The ids still waited for. The wait is over when there are none. */
	open(): readonly string[];
	/** Gets the result of a read of an open id. Throws if waiting has become pointless. The next read waits for it. */
	see(id: string, found: Seen<T>): unknown;
	readonly timeoutMs: number;
	/** Called before each pause. */
	report?(leftMs: number): void;
}

/** `late`: the time was over first. `stopped`: the process is ending. */
export type WaitEnd = "done" | "late" | "stopped";

const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
/** With pauses of a tenth of the time waited, a wait ends at most a tenth late, with few requests. */
const share = 0.1;
/** Keeps the status up to date, and keeps CI from killing a silent job. */
const reportEveryMs = 20_000;

interface PendingWait<T> {
	readonly wait: Wait<T>;
	readonly started: number;
	readonly end: number;
	next: number;
	reported: number;
	readonly resolve: (ending: WaitEnd) => void;
	readonly reject: (error: unknown) => void;
}

export class Poller<T extends { readonly id: string }> {
	readonly #reads: Pick<SharedReads<T>, "poll">;
	readonly #clock: Clock;
	readonly #random: () => number;
	readonly #stop: AbortSignal;
	readonly #pending = new Set<PendingWait<T>>();
	#isRunning = false;
	#pause = new AbortController();

	constructor(reads: Pick<SharedReads<T>, "poll">, clock: Clock, random: () => number, stop: AbortSignal) {
		this.#reads = reads;
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
			this.#pending.add({ wait, started, end, next, reported: Number.NEGATIVE_INFINITY, resolve, reject });
			// This wait may have to read before the current pause ends.
			this.#pause.abort();
			if (!this.#isRunning) void this.#run();
		});
	}

	async #run(): Promise<void> {
		this.#isRunning = true;
		while (this.#pending.size > 0) {
			const currentTime = this.#clock.now();
			const due = Math.min(...[...this.#pending].map(({ next }) => next));
			if (due <= currentTime) {
				await this.#read(currentTime);
				continue;
			}
			this.#report(currentTime);
			this.#pause = new AbortController();
			await this.#clock.sleep(Math.min(due - currentTime, reportEveryMs), this.#pause.signal);
		}
		this.#isRunning = false;
	}

	#report(currentTime: number): void {
		for (const pending of this.#pending) {
			if (currentTime - pending.reported < reportEveryMs) continue;
			pending.reported = currentTime;
			pending.wait.report?.(pending.end - currentTime);
		}
	}

	/** Reads for all waits if a list is read anyway, and otherwise for those whose time has come. */
	async #read(currentTime: number): Promise<void> {
		const all = [...this.#pending];
		const due = all.filter(({ next }) => next <= currentTime);
		const waits = openIds(due).length > few ? all : due;
		const found = await this.#reads.poll(openIds(waits));
		const readAt = this.#clock.now();
		await Promise.all(waits.map((pending) => this.#pending.has(pending) && this.#show(pending, found, readAt)));
	}

	async #show(pending: PendingWait<T>, found: ReadonlyMap<string, Seen<T>>, currentTime: number): Promise<void> {
		const { wait } = pending;
		try {
			for (const id of wait.open()) {
				const seen = found.get(id);
				if (seen === undefined || ("error" in seen && isPassing(seen.error))) continue;
				await wait.see(id, seen);
			}
		} catch (error) {
			this.#pending.delete(pending);
			pending.reject(error);
			return;
		}
		if (wait.open().length === 0) this.#end(pending, "done");
		else if (currentTime >= pending.end) this.#end(pending, "late");
		pending.next = Math.min(pending.end, currentTime + this.#nextPause(currentTime - pending.started));
		pending.reported = Number.NEGATIVE_INFINITY;
	}

	/** Randomised, so that machines that began together drift apart; never longer than the share. */
	#nextPause(waitedMs: number): number {
		return Math.min(longestPauseMs, Math.max(firstPauseMs, waitedMs * share) * (0.9 + 0.1 * this.#random()));
	}

	#stopAll(): void {
		for (const pending of [...this.#pending]) this.#end(pending, "stopped");
		this.#pause.abort();
	}

	#end(pending: PendingWait<T>, ending: WaitEnd): void {
		this.#pending.delete(pending);
		pending.resolve(ending);
	}
}

const openIds = <T>(waits: readonly PendingWait<T>[]): string[] => [
	...new Set(waits.flatMap(({ wait }) => wait.open())),
];
