/**
 * Reads that share requests: a refresh of N objects costs about min(N, pages) requests, not N, and no more than
 * 2 × min(N, pages) + 10 (but where a great many are gone from a list of more than ten pages). Reads advance one scan of
 * the list while that may pay, else single GETs answer them: neither how many reads will come nor how long the list is
 * can be known ahead.
 */
import type { Clock } from "./api/clock";
import { isGone, isTelephonyError, nextStep, TelephonyError } from "./api/errors";

export interface Source<T> {
	pages(): AsyncIterator<readonly T[], void, undefined>;
	/** @throws TelephonyError NotFound; NotOffered where the list is all that can be read */
	get(id: string): Promise<T>;
}

interface Waiting<T> {
	readonly id: string;
	readonly resolve: (record: T | Promise<T>) => void;
}

/** Reads of one operation arrive within this of each other, ms. */
const gatheringMs = 10;
/** Requests for so many reads, of which pages may be in vain: two are cheapest alone, the third may pay for pages. */
const allowance = (reads: number) => (reads <= 2 ? reads : reads === 3 ? 5 : 2 * reads + 5);
/** Absences confirmed by a GET each; beyond, a second scan confirms the rest at once. */
const singleConfirmations = 4;

export class SharedReads<T extends { readonly id: string }> {
	readonly #source: Source<T>;
	readonly #clock: Clock;
	readonly #seen = new Map<string, T>();
	/** Written by this process: their records in a scan that began before may be older than the write. */
	readonly #written = new Set<string>();
	readonly #asked = new Set<string>();
	#scan: AsyncIterator<readonly T[], void, undefined> | undefined;
	#finished = false;
	#pages = 0;
	#singles = 0;
	/** How many single reads are sent at once when pages have been in vain: doubled each time. */
	#burst = 1;
	#confirmations = 0;
	/** Something that a whole scan didn't show was there all the same: absence from this list says little. */
	#listLies = false;
	#hasSingles = true;
	/** What a second scan shows, made when many seem to be gone, or none may be overlooked. */
	#second: ReadonlyMap<string, T> | undefined;
	#refetch: Promise<readonly T[]> | undefined;
	#waiting: Waiting<T>[] = [];
	#serving = false;
	#turn: Promise<unknown> = Promise.resolve();

	constructor(source: Source<T>, clock: Clock) {
		this.#source = source;
		this.#clock = clock;
	}

	/**
	 * One object, as it is now or was when this process's scan passed it.
	 * @throws TelephonyError NotFound, when two answers say so
	 */
	read(id: string): Promise<T> {
		this.#asked.add(id);
		const known = this.#seen.get(id);
		if (known !== undefined) return Promise.resolve(known);
		return new Promise((resolve) => {
			this.#waiting.push({ id, resolve });
			if (!this.#serving) void this.#serve();
		});
	}

	/** One object as the service has it now, whatever was seen before. @throws TelephonyError NotFound */
	async again(id: string): Promise<T> {
		try {
			const record = await this.#get(id);
			this.#seen.set(id, record);
			return record;
		} catch (error) {
			this.#seen.delete(id);
			if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		this.#refetch ??= this.fresh().finally(() => {
			this.#refetch = undefined;
		});
		const record = (await this.#refetch).find((each) => each.id === id);
		if (record === undefined) throw absent(id);
		this.#seen.set(id, record);
		return record;
	}

	/** Every live object: one scan per process, shared by all that ask; what this process wrote since is as written. */
	all(): Promise<readonly T[]> {
		return this.#inTurn(async () => {
			while (!this.#finished) await this.#nextPage();
			return [...this.#seen.values()];
		});
	}

	/**
	 * The same, where what is missing would be made once more: what moves while pages are read is missing from a scan, but
	 * hardly from two. One page can't change while it is read.
	 */
	twice(): Promise<readonly T[]> {
		return this.#inTurn(async () => {
			while (!this.#finished) await this.#nextPage();
			if (this.#pages > 1) {
				for (const [id, record] of await this.#secondScan()) {
					if (!this.#seen.has(id) && !this.#written.has(id)) this.#seen.set(id, record);
				}
			}
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

	async #serve(): Promise<void> {
		this.#serving = true;
		while (this.#waiting.length > 0) {
			await this.#clock.sleep(gatheringMs);
			await this.#inTurn(() => this.#advance());
		}
		this.#serving = false;
	}

	/** One step on the way to answering those who wait. */
	async #advance(): Promise<void> {
		this.#answerSeen();
		const waiting = this.#waiting.length;
		if (waiting === 0) return;
		if (this.#finished) return this.#confirm();
		// No scan tells of what this process has removed.
		const removed = this.#take(({ id }) => this.#written.has(id));
		if (removed.length > 0) return this.#readAlone(removed);
		// Should this page be in vain too, there must be enough left to read all who wait alone.
		const worthwhile = this.#pages + this.#singles + 1 + waiting <= allowance(this.#asked.size);
		if (worthwhile || !this.#hasSingles) {
			try {
				await this.#nextPage();
			} catch (error) {
				for (const { resolve } of this.#take(() => true)) resolve(Promise.reject(error));
			}
			return this.#answerSeen();
		}
		const few = this.#asked.size <= 3;
		let left = few ? waiting : this.#burst;
		if (!few) this.#burst *= 2;
		await this.#readAlone(this.#take(() => left-- > 0));
	}

	/** The list has ended without these: two answers must say so before one of them is gone. */
	async #confirm(): Promise<void> {
		const bySingles = this.#hasSingles && (this.#listLies || this.#confirmations < singleConfirmations);
		if (bySingles) {
			let left = this.#listLies ? Number.POSITIVE_INFINITY : singleConfirmations - this.#confirmations;
			const checked = this.#take(() => left-- > 0);
			this.#confirmations += checked.length;
			await this.#readAlone(checked);
			return;
		}
		const absentees = this.#take(() => true);
		let second: ReadonlyMap<string, T>;
		try {
			second = await this.#secondScan();
		} catch (error) {
			for (const { resolve } of absentees) resolve(Promise.reject(error));
			return;
		}
		for (const { id, resolve } of absentees) {
			const record = this.#written.has(id) ? undefined : second.get(id);
			resolve(record ?? Promise.reject(absent(id)));
		}
	}

	async #secondScan(): Promise<ReadonlyMap<string, T>> {
		this.#second ??= new Map((await this.fresh()).map((record) => [record.id, record]));
		return this.#second;
	}

	/** By a GET each, at the same time; a service without them gets the reads back for its list. */
	async #readAlone(reads: readonly Waiting<T>[]): Promise<void> {
		await Promise.all(
			reads.map(async (each) => {
				const { id, resolve } = each;
				try {
					const record = await this.#single(id);
					if (this.#finished && !this.#written.has(id)) this.#listLies = true;
					resolve(record);
				} catch (error) {
					if (isTelephonyError(error, "NotOffered")) this.#waiting.push(each);
					else resolve(Promise.reject(error));
				}
			}),
		);
	}

	async #single(id: string): Promise<T> {
		if (!this.#finished) this.#singles += 1;
		try {
			return await this.#get(id);
		} catch (error) {
			const known = this.#finished || this.#written.has(id) || this.#confirmations >= singleConfirmations;
			if (!isGone(error) || known) throw error;
			this.#confirmations += 1;
			return await this.#get(id);
		}
	}

	async #get(id: string): Promise<T> {
		try {
			return await this.#source.get(id);
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) this.#hasSingles = false;
			throw error;
		}
	}

	/** Takes those out of the queue who are answered now. */
	#take(chosen: (each: Waiting<T>) => boolean): Waiting<T>[] {
		const [taken, left]: [Waiting<T>[], Waiting<T>[]] = [[], []];
		for (const each of this.#waiting) (chosen(each) ? taken : left).push(each);
		this.#waiting = left;
		return taken;
	}

	#answerSeen(): void {
		for (const { id, resolve } of this.#take((each) => this.#seen.has(each.id))) resolve(this.#seen.get(id) as T);
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
		else {
			this.#pages += 1;
			for (const record of page.value) if (!this.#written.has(record.id)) this.#seen.set(record.id, record);
		}
	}

	#inTurn<R>(work: () => Promise<R>): Promise<R> {
		const result = this.#turn.then(work);
		this.#turn = result.catch(() => undefined);
		return result;
	}
}

const absent = (id: string): TelephonyError =>
	new TelephonyError("NotFound", `${id} is not in the account's list. ${nextStep("NotFound")}`);
