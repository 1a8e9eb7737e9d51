/**
 * Reads that share requests. A refresh of N objects costs about min(N, pages) requests, at most 2 × min(N, pages) + 10,
 * plus a GET for each object that the list doesn't show. Reads advance one scan of the list while that may pay;
 * otherwise single GETs answer them. Neither the number of reads nor the length of the list is known ahead. A list
 * never proves that something is gone. Only a single read does, if single reads show what the list shows.
 */
import pLimit from "p-limit";
import type { Unreadable } from "../api/answer";
import type { Clock } from "../api/clock";
import { isAbsent, isGone, isTelephonyError, unlisted } from "../api/errors";
import { Listing, type Source } from "./listing";
import { type Doubts, Patience, type Waiting } from "./patience";
import { isUnanswered, removed, Singles, unread } from "./singles";

/** Reads of one operation arrive within this time of each other, ms. */
const gatheringMs = 10;
/** How many requests so many reads may cost, with pages in vain: two are cheapest alone, a third may pay for pages. */
const allowance = (reads: number) => (reads <= 2 ? reads : reads === 3 ? 5 : 2 * reads + 5);
/** Up to this many are looked at again alone. Of more, only this many, to learn if single reads show more. */
const few = 2;

export class SharedReads<T extends { readonly id: string }> {
	readonly #list: Listing<T>;
	readonly #single: Singles<T>;
	readonly #clock: Clock;
	readonly #patience: Patience;
	readonly #asked = new Set<string>();
	#singles = 0;
	/** How many single reads are sent at once after pages were in vain; doubled each time. */
	#burst = 1;
	/** A single read has shown what the list didn't show, or not yet. */
	#listLags = false;
	#waiting: Waiting<T>[] = [];
	#serving = false;
	#doubted: Waiting<T>[] = [];
	#watching = false;
	/** The list as read when the time for doubts was over. */
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
	 * One object, as it is now or was when this process's scan passed it. A doubted answer is looked at again for ten
	 * seconds, together with all others.
	 * @throws TelephonyError NotFound if a single read says so; Unlisted if only a list could
	 */
	read(id: string, doubts: Doubts<T> = () => false): Promise<T> {
		this.#asked.add(id);
		return new Promise((resolve) => {
			const [each, known] = [{ id, doubts, resolve }, this.#list.get(id)];
			if (known === undefined) this.#enqueue(each);
			else this.#answer(each, known, true);
		});
	}

	/** One object as the service has it now, regardless of earlier reads. @throws TelephonyError NotFound, Unlisted */
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

	/** The same for an object that was read before: if the list has shown it, it exists. */
	async again(id: string): Promise<T> {
		const [known, last] = [this.#list.get(id), this.#list.lastWrite(id)];
		try {
			const record = await this.now(id);
			this.#list.note(record, last);
			return record;
		} catch (error) {
			if (known === undefined || !isAbsent(error)) throw error;
			return known;
		}
	}

	/** Every live object: one scan per process, shared by all callers, with what this process has written since. */
	all(): Promise<readonly T[]> {
		return this.#inTurn(() => this.#list.all());
	}

	/**
	 * The same, for callers that would make a missing object again. What moves while pages are read may be missing from
	 * one scan, but hardly from two. A single page can't change while it is read.
	 */
	twice(): Promise<readonly T[]> {
		return this.#inTurn(() => this.#list.twice());
	}

	/** Every live object as the list shows it now. */
	async fresh(): Promise<readonly T[]> {
		return [...(await this.#list.fetch()).values()];
	}

	/** Items that the list has shown so far and that can't be read. They exist all the same. */
	unreadable(): readonly Unreadable[] {
		return this.#list.unreadable();
	}

	/** Takes note of a write: what the list said before is no longer true. */
	wrote(id: string, record?: T): void {
		this.#list.wrote(id, record);
	}

	#enqueue(each: Waiting<T>): void {
		this.#waiting.push(each);
		if (!this.#serving) void this.#serve();
	}

	async #serve(): Promise<void> {
		this.#serving = true;
		while (this.#waiting.length > 0) {
			await this.#clock.sleep(gatheringMs);
			await this.#inTurn(() => this.#advance());
		}
		this.#serving = false;
	}

	/** One step towards answering the waiting reads. */
	async #advance(): Promise<void> {
		this.#answerSeen();
		const waiting = this.#waiting.length;
		if (waiting === 0) return;
		// No scan shows what this process has removed.
		const removed = this.#take(({ id }) => this.#list.isWritten(id));
		if (removed.length > 0) return this.#readAlone(removed);
		// What may still appear is waited for, so that each object is asked for only once.
		if (this.#list.finished)
			return this.#readAlone(this.#take(() => true).filter((each) => this.#listLags || !this.#isAwaited(each)));
		// If this page is in vain too, enough must be left to read each waiting object alone.
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
			const [listed, isOffered] = [this.#list.get(id), !isTelephonyError(error, "NotOffered")];
			// What the list shows exists, even if single reads fail.
			if (listed !== undefined && (!isOffered || isUnanswered(error))) return this.#answer(each, listed, true);
			if (!isOffered) return this.#unlisted(each);
			if (isGone(error)) await this.#denied(each, error);
			else if (this.#list.finished) resolve(Promise.reject(this.#list.problem(id) ?? unread(id, error)));
			else if (!isUnanswered(error)) resolve(Promise.reject(error));
			else this.#enqueue({ ...each, failed: error });
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
				// One answer alone isn't believed. The list is the second one, if it was read to its end.
				if (!this.#list.finished) return this.#answer(each, await this.#single.get(each.id));
			}
			each.resolve(Promise.reject(error));
		} catch (failure) {
			each.resolve(Promise.reject(failure));
		}
	}

	/** Only a list can show it. If the list doesn't, either this process has removed it or nobody knows. */
	#unlisted(each: Waiting<T>): void {
		if (this.#list.isWritten(each.id)) each.resolve(Promise.reject(removed(each.id)));
		else if (!this.#list.finished) this.#enqueue(each);
		else if (!this.#isAwaited(each)) each.resolve(Promise.reject(this.#list.problem(each.id) ?? unlisted(each.id)));
	}

	// ---- Doubts: what can't be true yet is looked at again, all at the same time ---------------------------------------

	/** `listed`: the record comes from a list, which may have been read a while ago. */
	#answer(each: Waiting<T>, record: T, listed = false): void {
		if (!each.doubts(record)) each.resolve(record);
		else if (listed && this.#listLags && !each.asked) void this.#readOne(each);
		else if (!this.#patience.isOver || (listed && !each.late)) {
			each.late = this.#patience.isOver;
			this.#lookLater(each);
		} else each.resolve(record);
	}

	/** For an object that seems to be missing: true if it will be looked at again. */
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

	/** Takes the chosen reads out of the queue. */
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
