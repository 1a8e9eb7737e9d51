/**
 * Reads that share requests: a refresh of N objects costs about min(N, pages) requests, not N, and no more than
 * 2 × min(N, pages) + 10, and a GET for each that the list doesn't show. Reads advance one scan of the list while that
 * may pay, else single GETs answer them: neither how many reads will come nor how long the list is can be known ahead.
 *
 * A list never proves that something is gone: only a single read's own "not found" does, at a service whose single reads
 * show what its list shows.
 */
import type { Clock } from "./api/clock";
import { isAbsent, isGone, isTelephonyError, TelephonyError, unlisted } from "./api/errors";

export interface Source<T> {
	pages(): AsyncIterator<readonly T[], void, undefined>;
	/** @throws TelephonyError NotFound; NotOffered where the list is all that can be read */
	get(id: string): Promise<T>;
}

/** Whether an answer can't be true yet; undefined: that there is no such object. */
export type Doubts<T> = (record: T | undefined) => boolean;

interface Waiting<T> {
	readonly id: string;
	readonly doubts: Doubts<T>;
	readonly resolve: (record: T | Promise<T>) => void;
	/** Asked for by itself already. */
	asked?: true;
	/** Doubted when the time for that was over. */
	late?: boolean;
}

/** Reads of one operation arrive within this of each other, ms. */
const gatheringMs = 10;
/** Requests for so many reads, of which pages may be in vain: two are cheapest alone, the third may pay for pages. */
const allowance = (reads: number) => (reads <= 2 ? reads : reads === 3 ? 5 : 2 * reads + 5);
/** How long answers are doubted, from the first doubt of a run on: what was made before it has had that long, too. */
export const patienceMs = 10_000;
/** Requests for looks within that time; the look at its end is always made. */
const earlyLooks = 5;
/** So many are looked at again by themselves. Of more, so many are, to learn whether single reads say more than the list. */
const few = 2;

export class SharedReads<T extends { readonly id: string }> {
	readonly #source: Source<T>;
	readonly #clock: Clock;
	readonly #ending: AbortSignal | undefined;
	readonly #seen = new Map<string, T>();
	/** Written by this process (undefined: removed): a scan that began before may show what was before. */
	readonly #written = new Map<string, T | undefined>();
	readonly #asked = new Set<string>();
	#scan: AsyncIterator<readonly T[], void, undefined> | undefined;
	#finished = false;
	#pages = 0;
	#singles = 0;
	/** How many single reads are sent at once when pages have been in vain: doubled each time. */
	#burst = 1;
	/** Whether a single read has shown something; false: there are none, or they deny what the list shows. */
	#hasSingles: boolean | undefined;
	#proof: Promise<boolean> | undefined;
	#glancing: Promise<void> | undefined;
	/** A single read has shown what the list didn't, or not yet. */
	#listLags = false;
	/** What a second scan shows, where none may be overlooked. */
	#second: ReadonlyMap<string, T> | undefined;
	#refetch: Promise<ReadonlyMap<string, T>> | undefined;
	#waiting: Waiting<T>[] = [];
	#serving = false;
	#doubted: Waiting<T>[] = [];
	#watching = false;
	#patienceEnd: number | undefined;
	#earlyLooks = 0;
	#late: ReadonlyMap<string, T> | undefined;
	#lateSamples = few;
	#turn: Promise<unknown> = Promise.resolve();

	constructor(source: Source<T>, clock: Clock, ending?: AbortSignal) {
		this.#source = source;
		this.#clock = clock;
		this.#ending = ending;
	}

	/**
	 * One object, as it is now or was when this process's scan passed it. What is doubted is looked at again for ten
	 * seconds, together with all else that is.
	 * @throws TelephonyError NotFound, when a single read says so; Unlisted where only a list could
	 */
	read(id: string, doubts: Doubts<T> = () => false): Promise<T> {
		this.#asked.add(id);
		return new Promise((resolve) => {
			const each = { id, doubts, resolve };
			const known = this.#seen.get(id);
			if (known !== undefined) return this.#answer(each, known, true);
			this.#waiting.push(each);
			if (!this.#serving) void this.#serve();
		});
	}

	/** One object as the service has it now, whatever was seen before. @throws TelephonyError NotFound, Unlisted */
	async now(id: string): Promise<T> {
		const isProven = () => this.#inTurn(() => this.#proven(id));
		let denial: unknown;
		try {
			if (this.#hasSingles !== false) return await this.#get(id);
		} catch (error) {
			if (isGone(error)) denial = error;
			else if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		if (denial !== undefined && (await isProven()) && !this.#seen.has(id)) throw denial;
		this.#refetch ??= this.#fetch().finally(() => {
			this.#refetch = undefined;
		});
		const record = (await this.#refetch).get(id) ?? this.#written.get(id);
		if (record !== undefined) return record;
		throw denial !== undefined && (await isProven()) ? denial : unlisted(id);
	}

	/** The same of what was read before: where the list has shown it, it is there. */
	async again(id: string): Promise<T> {
		const known = this.#seen.get(id);
		try {
			const record = await this.now(id);
			this.#seen.set(id, record);
			return record;
		} catch (error) {
			if (known === undefined || !isAbsent(error)) throw error;
			return known;
		}
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
				this.#second ??= await this.#fetch();
				for (const [id, record] of this.#second) {
					if (!this.#seen.has(id) && !this.#written.has(id)) this.#seen.set(id, record);
				}
			}
			return [...this.#seen.values()];
		});
	}

	/** Every live object as the list has it now. */
	async fresh(): Promise<readonly T[]> {
		return [...(await this.#fetch()).values()];
	}

	/** Takes note of a write: what the list said before is no longer true. */
	wrote(id: string, record?: T): void {
		this.#written.set(id, record);
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
		// No scan tells of what this process has removed.
		const removed = this.#take(({ id }) => this.#written.has(id));
		if (removed.length > 0) return this.#readAlone(removed);
		if (this.#finished) return this.#confirm(this.#take(() => true));
		// Should this page be in vain too, there must be enough left to read all who wait alone.
		const worthwhile = this.#pages + this.#singles + 1 + waiting <= allowance(this.#asked.size);
		if (worthwhile || this.#hasSingles === false) {
			try {
				await this.#nextPage();
			} catch (error) {
				for (const { resolve } of this.#take(() => true)) resolve(Promise.reject(error));
			}
			return this.#answerSeen();
		}
		const isFew = this.#asked.size <= 3;
		let left = isFew ? waiting : this.#burst;
		if (!isFew) this.#burst *= 2;
		const alone = this.#take(() => left-- > 0);
		this.#singles += alone.length;
		await this.#readAlone(alone);
	}

	/** The list has ended without these: what may yet come is waited for, so that each is asked for once. */
	async #confirm(absentees: readonly Waiting<T>[]): Promise<void> {
		const alone = absentees.filter((each) => this.#listLags || !this.#isAwaited(each));
		await this.#readAlone(alone);
	}

	/** By a GET each, at the same time. */
	async #readAlone(reads: readonly Waiting<T>[]): Promise<void> {
		await Promise.all(reads.map((each) => this.#readOne(each)));
	}

	async #readOne(each: Waiting<T>): Promise<void> {
		const { id, doubts, resolve } = each;
		each.asked = true;
		try {
			if (this.#hasSingles === false) return this.#unlisted(each);
			const record = await this.#get(id);
			const listed = this.#seen.get(id);
			const isNews = listed === undefined || (doubts(listed) && !doubts(record));
			if (this.#finished && isNews && !this.#written.has(id)) this.#listLags = true;
			this.#answer(each, record);
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) return this.#unlisted(each);
			if (isGone(error)) await this.#denied(each, error);
			else resolve(Promise.reject(this.#finished ? unread(id, error) : error));
		}
	}

	/** A single read says that there is no such object. */
	async #denied(each: Waiting<T>, error: unknown): Promise<void> {
		const { id, resolve } = each;
		try {
			if (!this.#written.has(id)) {
				await this.#glance();
				const listed = this.#seen.get(id);
				if (listed !== undefined) return this.#answer(each, listed, true);
				if (this.#isAwaited(each)) return;
				if (!(await this.#proven(id))) return this.#unlisted(each);
				// One answer alone is not believed: the list is the other one, where it was read.
				if (!this.#finished) return this.#answer(each, await this.#get(id));
			}
			resolve(Promise.reject(error));
		} catch (failure) {
			resolve(Promise.reject(failure));
		}
	}

	/** Only a list can tell of it: what that doesn't show is as this process wrote it, or nobody knows. */
	#unlisted(each: Waiting<T>): void {
		const { id, resolve } = each;
		if (this.#written.has(id)) resolve(Promise.reject(removed(id)));
		else if (!this.#finished) this.#waiting.push(each);
		else if (!this.#isAwaited(each)) resolve(Promise.reject(unlisted(id)));
	}

	/** Whether a single read's "not found" means something: a service may answer so to any request that it doesn't know. */
	#proven(id: string): Promise<boolean> {
		if (this.#hasSingles !== undefined) return Promise.resolve(this.#hasSingles);
		const prove = async () => {
			await this.#glance();
			const shown = [...this.#seen.keys()].filter((other) => other !== id && !this.#written.has(other));
			for (const other of shown.slice(0, few)) {
				try {
					await this.#get(other);
					return true;
				} catch (error) {
					if (!isGone(error)) throw error;
				}
			}
			if (shown.length > 0) this.#hasSingles = false;
			return shown.length === 0;
		};
		this.#proof ??= prove().finally(() => {
			this.#proof = undefined;
		});
		return this.#proof;
	}

	async #get(id: string): Promise<T> {
		try {
			const record = await this.#source.get(id);
			this.#hasSingles = true;
			return record;
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) this.#hasSingles = false;
			throw error;
		}
	}

	// ---- Doubts: what can't be true yet is looked at again, all at the same time ---------------------------------------

	/** `listed`: as a list has shown it, which may be a while ago. */
	#answer(each: Waiting<T>, record: T, listed = false): void {
		if (!each.doubts(record)) each.resolve(record);
		else if (listed && this.#listLags && !each.asked) void this.#readOne(each);
		else if (this.#isPatient() || (listed && !each.late)) {
			each.late = !this.#isPatient();
			this.#lookLater(each);
		} else each.resolve(record);
	}

	/** Not there, it seems: true where it is looked at again. */
	#isAwaited(each: Waiting<T>): boolean {
		if (!this.#isPatient() || !each.doubts(undefined)) return false;
		this.#lookLater(each);
		return true;
	}

	#lookLater(each: Waiting<T>): void {
		this.#patienceEnd ??= this.#clock.now() + patienceMs;
		this.#doubted.push(each);
		if (!this.#watching) void this.#watch();
	}

	#isPatient(): boolean {
		return !this.#ending?.aborted && this.#clock.now() < (this.#patienceEnd ?? Number.POSITIVE_INFINITY);
	}

	async #watch(): Promise<void> {
		this.#watching = true;
		for (let pause = 250; this.#doubted.length > 0; pause = Math.min(pause * 2, 2_000)) {
			const left = (this.#patienceEnd ?? 0) - this.#clock.now();
			await this.#clock.sleep(Math.max(0, Math.min(pause, left)), this.#ending);
			await this.#inTurn(() => this.#lookAgain());
		}
		this.#watching = false;
	}

	async #lookAgain(): Promise<void> {
		const isLast = !this.#isPatient();
		const doubted = this.#doubted;
		const alone = this.#hasSingles !== false && doubted.length <= few && !doubted.some(({ late }) => late);
		const cost = alone ? doubted.length : Math.max(1, this.#pages) + few;
		if (!isLast && this.#earlyLooks + cost > earlyLooks) return;
		if (!isLast) this.#earlyLooks += cost;
		this.#doubted = [];
		if (alone) return this.#readAlone(doubted);
		let listed: ReadonlyMap<string, T>;
		try {
			listed = isLast ? await this.#lateList() : await this.#fetch();
		} catch (error) {
			for (const { resolve } of doubted) resolve(Promise.reject(error));
			return;
		}
		this.#finished = true;
		for (const [id, record] of listed) if (!this.#written.has(id)) this.#seen.set(id, record);
		const latest = ({ id }: Waiting<T>) => listed.get(id) ?? this.#seen.get(id);
		const open = doubted.filter((each) => {
			const record = latest(each);
			const isSettled = record !== undefined && !each.doubts(record);
			if (isSettled) each.resolve(record);
			return !isSettled;
		});
		const samples = this.#hasSingles === false ? 0 : isLast ? this.#lateSamples : few;
		if (isLast) this.#lateSamples -= Math.min(samples, open.length);
		await this.#readAlone(open.splice(0, samples));
		await this.#readAlone(
			open.filter((each) => {
				const record = latest(each);
				if (record === undefined) return !this.#isAwaited(each);
				const isAsked = this.#listLags && (isLast || !each.asked);
				if (!isAsked) this.#answer(each, record, true);
				return isAsked;
			}),
		);
	}

	/** The list at the end of all patience. */
	async #lateList(): Promise<ReadonlyMap<string, T>> {
		this.#late ??= await this.#fetch();
		return this.#late;
	}

	// ---- The list -------------------------------------------------------------------------------------------------------

	/** Takes those out of the queue who are answered now. */
	#take(chosen: (each: Waiting<T>) => boolean): Waiting<T>[] {
		const [taken, left]: [Waiting<T>[], Waiting<T>[]] = [[], []];
		for (const each of this.#waiting) (chosen(each) ? taken : left).push(each);
		this.#waiting = left;
		return taken;
	}

	#answerSeen(): void {
		for (const each of this.#take(({ id }) => this.#seen.has(id)))
			this.#answer(each, this.#seen.get(each.id) as T, true);
	}

	async #fetch(): Promise<ReadonlyMap<string, T>> {
		const found = new Map<string, T>();
		const scan = this.#source.pages();
		for (let page = await scan.next(); !page.done; page = await scan.next())
			for (const record of page.value) found.set(record.id, record);
		return found;
	}

	/** At the first page, unless the list was looked at already. */
	#glance(): Promise<void> {
		if (this.#pages > 0 || this.#finished) return Promise.resolve();
		this.#glancing ??= this.#nextPage().finally(() => {
			this.#glancing = undefined;
		});
		return this.#glancing;
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

const removed = (id: string): TelephonyError => new TelephonyError("NotFound", `${id} was removed by this very run.`);

/** A single read that fails leaves it open whether the object is there. */
function unread(id: string, error: unknown): unknown {
	if (!isTelephonyError(error)) return error;
	const { kind, operation, status, errorCode, requestId } = error;
	return new TelephonyError(
		kind,
		`${id} is not in the account's list, and the single read that would tell whether it is gone failed. A list alone proves nothing, so the state keeps it. ${error.message}`,
		{ ...JSON.parse(JSON.stringify({ operation, status, errorCode, requestId })), cause: error },
	);
}
