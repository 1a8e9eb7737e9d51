/**
 * Reads that share requests: a refresh of N objects costs about min(N, pages) requests, not N, and no more than
 * 2 × min(N, pages) + 10, and a GET for each that the list doesn't show. Reads advance one scan of the list while that
 * may pay, else single GETs answer them: neither how many reads will come nor how long the list is can be known ahead.
 * A list never proves that something is gone: only a single read does, where single reads show what the list shows.
 */
import pLimit from "p-limit";
import type { Unreadable } from "../api/answer";
import type { Clock } from "../api/clock";
import { isAbsent, isGone, isTelephonyError, unlisted } from "../api/errors";
import { Listing, type Source } from "./listing";
import { type Doubts, Patience, type Waiting } from "./patience";
import { isUnanswered, removed, Singles, unread } from "./singles";

/** Reads of one operation arrive within this of each other, ms. */
const gatheringMs = 10;
/** Requests for so many reads, of which pages may be in vain: two are cheapest alone, the third may pay for pages. */
const allowance = (reads: number) => (reads <= 2 ? reads : reads === 3 ? 5 : 2 * reads + 5);
/** So many are looked at again by themselves. Of more, so many are, to learn whether single reads say more than the list. */
const few = 2;

export class SharedReads<T extends { readonly id: string }> {
	readonly #list: Listing<T>;
	readonly #single: Singles<T>;
	readonly #clock: Clock;
	readonly #patience: Patience;
	readonly #asked = new Set<string>();
	#singles = 0;
	/** How many single reads are sent at once when pages have been in vain: doubled each time. */
	#burst = 1;
	/** A single read has shown what the list didn't, or not yet. */
	#listLags = false;
	#waiting: Waiting<T>[] = [];
	#serving = false;
	#doubted: Waiting<T>[] = [];
	#watching = false;
	/** The list at the end of all patience. */
	#late: ReadonlyMap<string, T> | undefined;
	#lateSamples = few;
	readonly #inTurn = pLimit(1);

	constructor(source: Source<T>, clock: Clock, ending?: AbortSignal) {
		this.#list = new Listing(source);
		this.#single = new Singles((id) => source.get(id), this.#list);
		this.#clock = clock;
		this.#patience = new Patience(clock, ending);
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
			const known = this.#list.get(id);
			if (known !== undefined) return this.#answer(each, known, true);
			this.#waiting.push(each);
			if (!this.#serving) void this.#serve();
		});
	}

	/** One object as the service has it now, whatever was seen before. @throws TelephonyError NotFound, Unlisted */
	async now(id: string): Promise<T> {
		const isProven = () => this.#inTurn(() => this.#single.tellGone(id));
		let denial: unknown;
		try {
			if (this.#single.offered) return await this.#single.get(id);
		} catch (error) {
			if (isGone(error)) denial = error;
			else if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		if (denial !== undefined && (await isProven()) && !this.#list.has(id)) throw this.#list.problem(id) ?? denial;
		const record = await this.#list.latest(id);
		if (record !== undefined) return record;
		throw this.#list.problem(id) ?? (denial !== undefined && (await isProven()) ? denial : unlisted(id));
	}

	/** The same of what was read before: where the list has shown it, it is there. */
	async again(id: string): Promise<T> {
		const known = this.#list.get(id);
		try {
			const record = await this.now(id);
			this.#list.note(record);
			return record;
		} catch (error) {
			if (known === undefined || !isAbsent(error)) throw error;
			return known;
		}
	}

	/** Every live object: one scan per process, shared by all that ask; what this process wrote since is as written. */
	all(): Promise<readonly T[]> {
		return this.#inTurn(() => this.#list.all());
	}

	/**
	 * The same, where what is missing would be made once more: what moves while pages are read is missing from a scan, but
	 * hardly from two. One page can't change while it is read.
	 */
	twice(): Promise<readonly T[]> {
		return this.#inTurn(() => this.#list.twice());
	}

	/** Every live object as the list has it now. */
	async fresh(): Promise<readonly T[]> {
		return [...(await this.#list.fetch()).values()];
	}

	/** What the list has shown so far and can't be read: it is there all the same. */
	unreadable(): readonly Unreadable[] {
		return this.#list.unreadable();
	}

	/** Takes note of a write: what the list said before is no longer true. */
	wrote(id: string, record?: T): void {
		this.#list.wrote(id, record);
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
		const removed = this.#take(({ id }) => this.#list.isWritten(id));
		if (removed.length > 0) return this.#readAlone(removed);
		// What may yet come is waited for, so that each is asked for once.
		if (this.#list.finished)
			return this.#readAlone(this.#take(() => true).filter((each) => this.#listLags || !this.#isAwaited(each)));
		// Should this page be in vain too, there must be enough left to read all who wait alone.
		const worthwhile = this.#list.pages + this.#singles + 1 + waiting <= allowance(this.#asked.size);
		if (worthwhile || !this.#single.offered || this.#waiting.some(({ failed }) => failed !== undefined)) {
			try {
				await this.#list.nextPage();
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

	/** By a GET each, at the same time. */
	async #readAlone(reads: readonly Waiting<T>[]): Promise<void> {
		await Promise.all(reads.map((each) => this.#readOne(each)));
	}

	async #readOne(each: Waiting<T>): Promise<void> {
		const { id, doubts, resolve } = each;
		each.asked = true;
		try {
			if (each.failed !== undefined) throw each.failed;
			if (!this.#single.offered) return this.#unlisted(each);
			const record = await this.#single.get(id);
			const listed = this.#list.get(id);
			const isNews = listed === undefined || (doubts(listed) && !doubts(record));
			if (this.#list.finished && isNews && !this.#list.isWritten(id)) this.#listLags = true;
			this.#answer(each, record);
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) return this.#unlisted(each);
			if (isGone(error)) await this.#denied(each, error);
			else if (this.#list.finished) resolve(Promise.reject(this.#list.problem(id) ?? unread(id, error)));
			else if (!isUnanswered(error)) resolve(Promise.reject(error));
			// What the list shows is there, whatever becomes of single reads.
			else this.#waiting.push({ ...each, failed: error });
		}
	}

	/** A single read says that there is no such object. */
	async #denied(each: Waiting<T>, error: unknown): Promise<void> {
		try {
			if (!this.#list.isWritten(each.id)) {
				await this.#list.firstPage();
				const listed = this.#list.get(each.id);
				if (listed !== undefined) return this.#answer(each, listed, true);
				const odd = this.#list.problem(each.id);
				if (odd !== undefined) throw odd;
				if (this.#isAwaited(each)) return;
				if (!(await this.#single.tellGone(each.id))) return this.#unlisted(each);
				// One answer alone is not believed: the list is the other one, where it was read.
				if (!this.#list.finished) return this.#answer(each, await this.#single.get(each.id));
			}
			each.resolve(Promise.reject(error));
		} catch (failure) {
			each.resolve(Promise.reject(failure));
		}
	}

	/** Only a list can tell of it: what that doesn't show is as this process wrote it, or nobody knows. */
	#unlisted(each: Waiting<T>): void {
		if (this.#list.isWritten(each.id)) each.resolve(Promise.reject(removed(each.id)));
		else if (!this.#list.finished) this.#waiting.push(each);
		else if (!this.#isAwaited(each)) each.resolve(Promise.reject(this.#list.problem(each.id) ?? unlisted(each.id)));
	}

	// ---- Doubts: what can't be true yet is looked at again, all at the same time ---------------------------------------

	/** `listed`: as a list has shown it, which may be a while ago. */
	#answer(each: Waiting<T>, record: T, listed = false): void {
		if (!each.doubts(record)) each.resolve(record);
		else if (listed && this.#listLags && !each.asked) void this.#readOne(each);
		else if (!this.#patience.isOver || (listed && !each.late)) {
			each.late = this.#patience.isOver;
			this.#lookLater(each);
		} else each.resolve(record);
	}

	/** Not there, it seems: true where it is looked at again. */
	#isAwaited(each: Waiting<T>): boolean {
		if (this.#patience.isOver || !each.doubts(undefined)) return false;
		this.#lookLater(each);
		return true;
	}

	#lookLater(each: Waiting<T>): void {
		this.#doubted.push(each);
		if (!this.#watching) void this.#watch();
	}

	async #watch(): Promise<void> {
		this.#watching = true;
		for (let pause = 250; this.#doubted.length > 0; pause = Math.min(pause * 2, 2_000)) {
			await this.#patience.pause(pause);
			await this.#inTurn(() => this.#lookAgain());
		}
		this.#watching = false;
	}

	async #lookAgain(): Promise<void> {
		const isLast = this.#patience.isOver;
		const doubted = this.#doubted;
		const alone = this.#single.offered && doubted.length <= few && !doubted.some(({ late }) => late);
		const cost = alone ? doubted.length : Math.max(1, this.#list.pages) + few;
		if (!this.#patience.affords(cost)) return;
		this.#doubted = [];
		if (alone) return this.#readAlone(doubted);
		let listed: ReadonlyMap<string, T>;
		try {
			if (isLast) this.#late ??= await this.#list.fetch();
			listed = this.#late ?? (await this.#list.fetch());
		} catch (error) {
			for (const { resolve } of doubted) resolve(Promise.reject(error));
			return;
		}
		this.#list.renew(listed);
		const latest = ({ id }: Waiting<T>) => listed.get(id) ?? this.#list.get(id);
		const open = doubted.filter((each) => {
			const record = latest(each);
			if (record === undefined || each.doubts(record)) return true;
			each.resolve(record);
			return false;
		});
		const samples = !this.#single.offered ? 0 : isLast ? this.#lateSamples : few;
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

	/** Takes those out of the queue who are answered now. */
	#take(chosen: (each: Waiting<T>) => boolean): Waiting<T>[] {
		const [taken, left]: [Waiting<T>[], Waiting<T>[]] = [[], []];
		for (const each of this.#waiting) (chosen(each) ? taken : left).push(each);
		this.#waiting = left;
		return taken;
	}

	#answerSeen(): void {
		for (const each of this.#take(({ id }) => this.#list.has(id)))
			this.#answer(each, this.#list.get(each.id) as T, true);
	}
}
