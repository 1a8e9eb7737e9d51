/**
 * Reads that share requests: a refresh of N objects costs about min(N, pages) requests, not N. Reads that arrive
 * together advance one scan of the list, as far as single GETs wouldn't be cheaper, and are answered from it.
 */
import type { Clock } from "./api/clock";

export interface Source<T> {
	pages(): AsyncIterator<readonly T[], void, undefined>;
	get(id: string): Promise<T>;
}

interface Waiting<T> {
	readonly id: string;
	readonly resolve: (record: T | Promise<T>) => void;
}

/** Reads that come one at a time are cheapest alone; from the third on, a page pays. */
const singleReads = 2;
/** Reads of one operation arrive within this of each other, ms. */
const gatheringMs = 10;

export class SharedReads<T extends { readonly id: string }> {
	readonly #source: Source<T>;
	readonly #clock: Clock;
	readonly #seen = new Map<string, T>();
	/** Written by this process: their records in a scan that began before may be older than the write. */
	readonly #written = new Set<string>();
	#scan: AsyncIterator<readonly T[], void, undefined> | undefined;
	#finished = false;
	#singles = 0;
	#waiting: Waiting<T>[] = [];
	#turn: Promise<unknown> = Promise.resolve();

	constructor(source: Source<T>, clock: Clock) {
		this.#source = source;
		this.#clock = clock;
	}

	/** One object, as it is now or was when this process's scan passed it. Absent from the list is confirmed by a GET. */
	read(id: string): Promise<T> {
		const known = this.#seen.get(id);
		if (known !== undefined) return Promise.resolve(known);
		return new Promise((resolve) => {
			this.#waiting.push({ id, resolve });
			if (this.#waiting.length > 1) return;
			void this.#clock.sleep(gatheringMs).then(() => this.#inTurn(() => this.#answer(this.#waiting.splice(0))));
		});
	}

	/** Every live object: one scan per process, shared by all that ask; what this process wrote since is as written. */
	all(): Promise<readonly T[]> {
		return this.#inTurn(async () => {
			while (!this.#finished) await this.#nextPage();
			return [...this.#seen.values()];
		});
	}

	/** Every live object as the list has it now. */
	async fresh(): Promise<readonly T[]> {
		const found: T[] = [];
		const scan = this.#source.pages();
		for (let page = await scan.next(); !page.done; page = await scan.next()) found.push(...page.value);
		return found;
	}

	/** Takes note of a write: what the list said before is no longer true. */
	wrote(id: string, record?: T): void {
		this.#written.add(id);
		if (record === undefined) this.#seen.delete(id);
		else this.#seen.set(id, record);
	}

	async #answer(waiting: Waiting<T>[]): Promise<void> {
		let missing = waiting.filter((each) => !this.#resolveSeen(each));
		if (this.#singles + missing.length > singleReads) {
			// Pages are worth fetching only while they are fewer than the single reads they save.
			for (let worth = Math.ceil(missing.length / 2); worth > 0 && missing.length > 0 && !this.#finished; worth--) {
				try {
					await this.#nextPage();
				} catch (error) {
					for (const { resolve } of missing) resolve(Promise.reject(error));
					return;
				}
				missing = missing.filter((each) => !this.#resolveSeen(each));
			}
		}
		this.#singles += missing.length;
		for (const { id, resolve } of missing) resolve(this.#source.get(id));
	}

	#resolveSeen({ id, resolve }: Waiting<T>): boolean {
		const record = this.#seen.get(id);
		if (record !== undefined) resolve(record);
		return record !== undefined;
	}

	async #nextPage(): Promise<void> {
		this.#scan ??= this.#source.pages();
		let page: IteratorResult<readonly T[], void>;
		try {
			page = await this.#scan.next();
		} catch (error) {
			// A scan that broke off ends here: it must never pass for a finished one, in which absence means something.
			this.#scan = undefined;
			throw error;
		}
		if (page.done) this.#finished = true;
		else for (const record of page.value) if (!this.#written.has(record.id)) this.#seen.set(record.id, record);
	}

	#inTurn<R>(work: () => Promise<R>): Promise<R> {
		const result = this.#turn.then(work);
		this.#turn = result.catch(() => undefined);
		return result;
	}
}
