/**
 * Reads that share requests. A refresh of N objects costs about min(N, pages) requests, at most 2 × min(N, pages) + 10,
 * plus a GET for each object that the list doesn't show. Neither the number of reads nor the length of the list is known
 * ahead: pages of one scan are read while they are few for the objects asked for, and the rest is read alone. A list never
 * proves that something is gone. Only a single read does, if single reads show what the list shows.
 */

import type { Clock } from "../api/clock";
import { isAbsent, isGone, isTelephonyError, unlisted } from "../api/errors";
import { isIncomplete } from "../api/paging";
import type { Unreadable } from "../api/response";
import { gatheringMs, pauses } from "../api/until";
import { Listing, type Source } from "./listing";
import { shared } from "./shared";
import { isUnanswered, removed, Singles, unread } from "./singles";

/** Whether an answer can't be true yet; undefined stands for "no such object". */
type Doubts<T> = (record: T | undefined) => boolean;

/** A read that is not answered yet. */
interface Wanted<T> {
	readonly id: string;
	readonly doubts: Doubts<T>;
	/** A single read was already sent for it. */
	wasRead?: true;
}

/** Another look at everything that is doubted. */
interface LookRound<T> {
	/** What it shows is believed. */
	readonly isLast: boolean;
	/** The list as it is now, unless all are read alone. */
	readonly list?: ReadonlyMap<string, T>;
	/** How many are still to be read alone, to learn whether single reads show more than the list. */
	samples: number;
	readonly sampled: Promise<unknown>[];
}

/** The most pages to read for this many objects: two are cheapest alone, a third may pay for pages. */
const maxPages = (objects: number) => (objects <= 2 ? 0 : objects === 3 ? 2 : objects + 5);
/** Up to this many doubted objects are read alone. Of more, only this many, to learn if single reads show more. */
const maxSingleReads = 2;
/** Requests for looks while answers are doubted. The last look is always made. */
const maxLookRequests = 5;

export class SharedReads<T extends { readonly id: string }> {
	readonly #list: Listing<T>;
	readonly #single: Singles<T>;
	readonly #clock: Clock;
	readonly #ending: AbortSignal | undefined;
	readonly #asked = new Set<string>();
	readonly #gathered: () => Promise<void>;
	/** A single read has shown what the list didn't show, or not yet. */
	#listLags = false;
	/** Reads that wait for the next look. */
	#doubted = 0;
	readonly #nextLook = shared(() => this.#look());
	/** Pauses before looks so far, which all reads of the process share. */
	#paused = 0;
	#lookRequests = 0;
	#lastLook: LookRound<T> | undefined;

	constructor(source: Source<T>, clock: Clock, ending?: AbortSignal) {
		this.#list = new Listing(source);
		this.#single = new Singles((id) => source.get(id), this.#list);
		this.#clock = clock;
		this.#ending = ending;
		this.#gathered = shared(() => clock.sleep(gatheringMs.reads));
	}

	/**
	 * One object, as it is now or was when this process's scan passed it. A doubted answer is looked at again for ten
	 * seconds, together with all others.
	 * @throws TelephonyError NotFound if a single read says so; Unlisted if only a list could
	 */
	async read(id: string, doubts: Doubts<T> = () => false): Promise<T> {
		this.#asked.add(id);
		const wanted: Wanted<T> = { id, doubts };
		let record = await this.#find(wanted);
		for (;;) {
			if (record !== undefined && !doubts(record)) return record;
			// The list may have been read a while ago.
			if (record !== undefined && this.#isTimeOver && record !== this.#list.get(id)) return record;
			this.#doubted += 1;
			const look = await this.#nextLook().finally(() => {
				this.#doubted -= 1;
			});
			record = await this.#findAgain(wanted, look);
			if (record !== undefined && look.isLast) return record;
		}
	}

	/** One object as the service has it now, regardless of earlier reads. @throws TelephonyError NotFound, Unlisted */
	async now(id: string): Promise<T> {
		let denial: unknown;
		try {
			if (this.#single.offered) return await this.#single.get(id);
		} catch (error) {
			if (isGone(error)) denial = error;
			else if (!isTelephonyError(error, "NotOffered")) throw error;
		}
		const isProven = async () => denial !== undefined && (await this.#single.tellGone(id));
		if ((await isProven()) && !this.#list.has(id)) throw this.#list.problem(id) ?? denial;
		const record = await this.#list.latest(id);
		if (record !== undefined) return record;
		throw this.#list.problem(id) ?? ((await isProven()) ? denial : unlisted(id));
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
		return this.#list.all();
	}

	/**
	 * The same, for callers that would make a missing object again. What moves while pages are read may be missing from
	 * one scan, but hardly from two. A single page can't change while it is read.
	 */
	twice(): Promise<readonly T[]> {
		return this.#list.twice();
	}

	/** Every live object as the list shows it now. */
	async fresh(): Promise<readonly T[]> {
		return [...(await this.#list.fetch()).values()];
	}

	/** Items that the list has shown so far and that can't be read. They exist all the same. */
	unreadable(): readonly Unreadable[] {
		return this.#list.unreadable();
	}

	/** Records a write: what the list said before is no longer true. */
	wrote(id: string, record?: T): void {
		this.#list.wrote(id, record);
	}

	// ---- The first look. In each: undefined if the object seems to be missing, which it is too early to say -------------

	async #find(wanted: Wanted<T>): Promise<T | undefined> {
		const { id, doubts } = wanted;
		if (!this.#list.has(id)) await this.#gathered();
		await this.#scanFor(id, () => this.#isPageWorthwhile);
		const listed = this.#list.get(id);
		if (listed !== undefined) return this.#listLags && doubts(listed) ? this.#readAlone(wanted) : listed;
		// What may still appear is waited for, so that each object is asked for only once.
		const isKnownMissing = this.#list.finished && !this.#list.isWritten(id) && !this.#listLags;
		return isKnownMissing && this.#isTooEarly(wanted) ? undefined : this.#readAlone(wanted);
	}

	/** Even if no page shows the objects, reading each alone at most doubles the requests. */
	get #isPageWorthwhile(): boolean {
		if (!this.#single.offered) return true;
		return !this.#list.isIncomplete && this.#list.pages < maxPages(this.#asked.size);
	}

	/** Reads pages until one shows the object. No page shows what this process has removed. */
	async #scanFor(id: string, isWorthwhile: () => boolean = () => true): Promise<void> {
		const isOpen = () => !this.#list.has(id) && !this.#list.isWritten(id) && !this.#list.finished;
		try {
			while (isOpen() && isWorthwhile()) await this.#list.nextPage();
		} catch (error) {
			if (!isIncomplete(error) || !this.#single.offered) throw error;
		}
	}

	/** What the list shows exists, even if single reads fail. */
	async #readAlone(wanted: Wanted<T>): Promise<T | undefined> {
		const { id } = wanted;
		wanted.wasRead = true;
		if (!this.#single.offered) return this.#findListed(wanted);
		try {
			const record = await this.#single.get(id);
			if (this.#showsMoreThanList(wanted, record)) this.#listLags = true;
			return record;
		} catch (error) {
			if (isGone(error)) return this.#confirmGone(wanted, error);
			if (isTelephonyError(error, "NotOffered")) return this.#findListed(wanted);
			if (isUnanswered(error)) await this.#scanFor(id);
			const listed = this.#list.get(id);
			if (listed !== undefined && isUnanswered(error)) return listed;
			throw this.#list.finished ? (this.#list.problem(id) ?? unread(id, error)) : error;
		}
	}

	#showsMoreThanList({ id, doubts }: Wanted<T>, record: T): boolean {
		const listed = this.#list.get(id);
		const isMore = listed === undefined || (doubts(listed) && !doubts(record));
		return isMore && this.#list.finished && !this.#list.isWritten(id);
	}

	/** A single read says that there is no such object. One answer alone isn't believed. @throws error, if it is gone */
	async #confirmGone(wanted: Wanted<T>, error: unknown): Promise<T | undefined> {
		const { id } = wanted;
		if (this.#list.isWritten(id)) throw error;
		await this.#list.firstPage();
		const listed = this.#list.get(id);
		if (listed !== undefined) return listed;
		const problem = this.#list.problem(id);
		if (problem !== undefined) throw problem;
		if (this.#isTooEarly(wanted)) return undefined;
		if (!(await this.#single.tellGone(id))) return this.#findListed(wanted);
		if (this.#list.finished) throw error;
		return this.#single.get(id);
	}

	/** Only a list can show it. If the list doesn't, either this process has removed it or nobody knows. */
	async #findListed(wanted: Wanted<T>): Promise<T | undefined> {
		const { id } = wanted;
		await this.#scanFor(id);
		const listed = this.#list.get(id);
		if (listed !== undefined) return listed;
		if (this.#list.isWritten(id)) throw removed(id);
		if (this.#isTooEarly(wanted)) return undefined;
		throw this.#list.problem(id) ?? unlisted(id);
	}

	// ---- What can't be true yet is looked at again, all at the same time ----------------------------------------------

	get #isTimeOver(): boolean {
		return this.#ending?.aborted === true || this.#paused >= pauses.known.length;
	}

	#isTooEarly({ doubts }: Wanted<T>): boolean {
		return !this.#isTimeOver && doubts(undefined);
	}

	async #look(): Promise<LookRound<T>> {
		for (;;) {
			const isLate = this.#isTimeOver;
			if (!isLate) await this.#pause();
			const isLast = this.#isTimeOver;
			const isCheap = this.#doubted <= maxSingleReads && !isLate;
			const isAlone = this.#single.offered && (isCheap || this.#list.isIncomplete);
			const cost = isAlone ? this.#doubted : Math.max(1, this.#list.pages) + maxSingleReads;
			if (!isLast && this.#lookRequests + cost > maxLookRequests) continue;
			this.#lookRequests += cost;
			if (isAlone) return { isLast, samples: Number.POSITIVE_INFINITY, sampled: [] };
			return this.#lastLook ?? this.#lookAtList(isLast);
		}
	}

	async #pause(): Promise<void> {
		await this.#clock.sleep(pauses.known[this.#paused] ?? 0, this.#ending);
		this.#paused += 1;
	}

	async #lookAtList(isLast: boolean): Promise<LookRound<T>> {
		const list = await this.#list.fetch();
		this.#list.renew(list);
		const look = { isLast, list, samples: this.#single.offered ? maxSingleReads : 0, sampled: [] };
		if (isLast) this.#lastLook = look;
		return look;
	}

	async #findAgain(wanted: Wanted<T>, look: LookRound<T>): Promise<T | undefined> {
		const { id, doubts } = wanted;
		const listed = look.list?.get(id) ?? this.#list.get(id);
		if (listed !== undefined && !doubts(listed)) return listed;
		if (look.samples > 0) {
			look.samples -= 1;
			const sample = this.#readAlone(wanted);
			look.sampled.push(sample);
			return sample;
		}
		await Promise.allSettled(look.sampled);
		if (listed === undefined && this.#isTooEarly(wanted)) return undefined;
		const isAsked = this.#listLags && (look.isLast || !wanted.wasRead);
		return listed === undefined || isAsked ? this.#readAlone(wanted) : listed;
	}
}
