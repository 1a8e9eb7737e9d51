/**
 * Reads that share requests: one cache per run and kind of object, for refreshes, confirmations and waits. A refresh of N
 * objects costs about min(N, pages) requests, and a GET for each object that the list doesn't show or shows too old. A list
 * never proves that an object is deleted. Only a single read does, if single reads show what the list shows.
 */
import type { Clock } from "../api/clock";
import { isAbsent, isNotFound, isTelephonyError, TelephonyError, unlisted } from "../api/errors";
import { isLast } from "../api/pages";
import { isIncomplete } from "../api/paging";
import { phaseOf, showsStatus } from "../api/record";
import { type Unreadable, unreadableIn } from "../api/response";
import { gatheringMs, pauses } from "../api/until";
import { compareTimes } from "../properties/canonical";
import { shared } from "./shared";

export interface RequestOptions {
	/** True for one of many reads that look for a change: other requests go first. */
	readonly isPoll?: boolean;
}

export interface Source<T> {
	pages(options?: RequestOptions): AsyncIterableIterator<readonly T[], void, undefined>;
	/** Lists the pending objects for a wait. Returns undefined if the service can't. */
	pending?(): AsyncIterable<readonly T[]> | undefined;
	/** @throws TelephonyError NotFound; NotOffered if only the list can be read */
	get(id: string, options?: RequestOptions): Promise<T>;
}

interface Readable {
	readonly id: string;
	readonly status?: unknown;
	readonly updated_at?: string | null | undefined;
}

interface ReadDoubts<T> {
	/** True if a response can't be right yet, so that it is read again, for ten seconds in all. Undefined stands for "not found". */
	isDoubtful?(record: T | undefined): boolean;
	/** True if the list shows too little of the object, so that it is read alone if the service has single reads. */
	isPartial?(record: T): boolean;
}

/** A read of an object that a wait is for. */
export type Seen<T> = { readonly record: T } | { readonly error: unknown };

/** A write of this run. Without a record, the object was removed. */
interface RecordedWrite<T> {
	readonly record: T | undefined;
	/** Position among the writes of this run. */
	readonly index: number;
}

/** Up to this many objects are read alone. */
export const few = 2;
/** Listed objects that are read alone to learn what "not found" means. */
const maxWitnesses = 2;
const polling = { isPoll: true } as const;

export class SharedReads<T extends Readable> {
	readonly #source: Source<T>;
	readonly #clock: Clock;
	readonly #ending: AbortSignal | undefined;
	/** Records by id, as a page has shown them or as this run has written them. */
	readonly #records = new Map<string, T>();
	/** A scan that began before a write may show the old values. */
	readonly #written = new Map<string, RecordedWrite<T>>();
	/** Items that can't be read, by id, or by the item itself if its id can't be read either. */
	readonly #unreadable = new Map<unknown, Unreadable>();
	readonly #requested = new Set<string>();
	#writes = 0;
	#scan: AsyncIterator<readonly T[], void, undefined> | undefined;
	#pages = 0;
	/** True once the scan has read the list to its end. */
	#isComplete = false;
	/** Scans that have done so without a pause. */
	#wholeScans = 0;
	/** The list has more, and the service doesn't show how to read it. It isn't read again in this run. */
	#incomplete: TelephonyError | undefined;
	/** False if the service has no single reads, or if they deny what the list shows. */
	#hasSingleReads: boolean | undefined;
	#isFilterRefused = false;
	/** Pauses so far, which all doubtful reads of the run share. */
	#paused = 0;
	readonly #gathered: () => Promise<void>;

	constructor(source: Source<T>, clock: Clock, ending?: AbortSignal) {
		this.#source = source;
		this.#clock = clock;
		this.#ending = ending;
		this.#gathered = shared(() => clock.sleep(gatheringMs.reads));
	}

	/**
	 * Reads an object that may come from this run's scan.
	 * @throws TelephonyError NotFound if a single read says so; Unlisted if only a list could
	 */
	async read(id: string, { isDoubtful = () => false, isPartial = () => false }: ReadDoubts<T> = {}): Promise<T> {
		this.#requested.add(id);
		if (!this.#records.has(id)) await this.#gathered();
		const listed = await this.#scanFor(id, () => this.#isWorthwhile(this.#pages, this.#requested.size));
		if (listed !== undefined && !isDoubtful(listed) && !isPartial(listed)) return listed;
		for (;;) {
			const write = this.#written.get(id);
			const found = await this.#get(id).catch(ifAbsent);
			const record = isTelephonyError(found) ? this.#records.get(id) : found;
			if (isDoubtful(record) && (await this.#pause())) continue;
			if (isTelephonyError(found)) return this.#findDenied(id, found, () => this.#scanFor(id));
			if (this.#records.has(id) && this.#written.get(id) === write) this.#records.set(id, found);
			return found;
		}
	}

	/** Reads an object as the service has it now, regardless of earlier reads. @throws TelephonyError NotFound, Unlisted */
	async readCurrent(id: string): Promise<T> {
		const found = await this.#get(id).catch(ifAbsent);
		return isTelephonyError(found) ? this.#findLatest(id, found) : found;
	}

	/**
	 * Reads objects that waits are for, as the service has them now: from pages of pending objects, then from those of the
	 * whole list, and the rest alone.
	 */
	async poll(ids: readonly string[]): Promise<ReadonlyMap<string, Seen<T>>> {
		const found = new Map<string, Seen<T>>();
		const missing = () => ids.filter((id) => !found.has(id));
		try {
			if (ids.length > few) await this.#pollPending(found, ids);
			await this.#pollPages(this.#source.pages(polling), found, missing());
		} catch (error) {
			for (const id of missing()) found.set(id, { error });
		}
		const read = async (id: string) => {
			const result = this.#pollAlone(id).then((record) => ({ record }));
			found.set(id, await result.catch((error: unknown) => ({ error })));
		};
		await Promise.all(missing().map(read));
		return found;
	}

	/**
	 * Returns every live object, with what this run has written since: one scan per run, or two for callers that would make
	 * a missing object again. Objects that move while pages are read may be missing from one scan, but hardly from two.
	 */
	async all(scans: 1 | 2 = 1): Promise<readonly T[]> {
		// A single page can't change while it is read.
		const isSinglePage = () => this.#isComplete && this.#pages <= 1;
		while (this.#wholeScans < scans && !isSinglePage()) await this.#readWhole();
		return [...this.#records.values()];
	}

	/** Returns every live object as the list shows it now. */
	async fresh(): Promise<readonly T[]> {
		return [...(await this.#scanAll()).values()];
	}

	/** Returns every live object by its id. Concurrent calls share a scan, which may have begun before the call. */
	readonly latest = shared(() => this.#scanAll());

	/** Returns the items that the list has shown so far and that can't be read. They exist all the same. */
	unreadable(): readonly Unreadable[] {
		return [...this.#unreadable.values()];
	}

	/** Records a write. Without a record, the object was removed. */
	wrote(id: string, record?: T): void {
		this.#writes += 1;
		this.#written.set(id, { record, index: this.#writes });
		this.#unreadable.delete(id);
		if (record === undefined) this.#records.delete(id);
		else this.#records.set(id, record);
	}

	// ---- The list -------------------------------------------------------------------------------------------------------

	/** True if one more page costs no more than the single reads that it may save. */
	#isWorthwhile(pages: number, objects: number): boolean {
		return this.#hasSingleReads === false || (objects > few && pages < objects);
	}

	/** Reads pages until one shows the object. None shows an object that this run has removed. */
	async #scanFor(id: string, isWorthwhile = () => true): Promise<T | undefined> {
		const isOpen = () => !this.#records.has(id) && !this.#written.has(id) && !this.#isComplete;
		try {
			while (isOpen() && isWorthwhile()) await this.#nextPage();
		} catch (error) {
			if (!isIncomplete(error) || this.#hasSingleReads === false) throw error;
		}
		return this.#records.get(id);
	}

	/**
	 * Reads the list to its end without a pause. Reads pause a scan between pages, and objects that move to earlier pages
	 * meanwhile are missing from it.
	 */
	readonly #readWhole = shared(async (): Promise<void> => {
		this.#scan = undefined;
		this.#pages = 0;
		this.#isComplete = false;
		while (!this.#isComplete) await this.#nextPage();
		this.#wholeScans += 1;
	});

	readonly #nextPage = shared(async (): Promise<void> => {
		if (this.#incomplete !== undefined) throw this.#incomplete;
		this.#scan ??= this.#source.pages();
		const scan = this.#scan;
		try {
			const { done, value: page } = await scan.next();
			if (page !== undefined) {
				this.#note(page);
				this.#noteUnreadable(page);
			}
			// Another scan has begun meanwhile.
			if (scan !== this.#scan) return;
			if (page !== undefined) this.#pages += 1;
			this.#isComplete = done === true || isLast(page);
		} catch (error) {
			// A scan that broke off must never count as complete.
			if (scan === this.#scan) this.#scan = undefined;
			if (isIncomplete(error)) this.#incomplete = error;
			throw error;
		}
	});

	#note(records: Iterable<T>): void {
		for (const record of records) if (!this.#written.has(record.id)) this.#records.set(record.id, record);
	}

	#noteUnreadable(page: readonly T[]): void {
		for (const unreadable of unreadableIn(page))
			if (!this.#records.has(unreadable.id ?? "")) this.#unreadable.set(unreadable.id ?? unreadable, unreadable);
	}

	/** Reads the whole list as it is now. Objects that this run writes meanwhile are as written. */
	async #scanAll(): Promise<ReadonlyMap<string, T>> {
		const found = new Map<string, T>();
		const before = this.#writes;
		for await (const page of this.#source.pages()) {
			this.#noteUnreadable(page);
			for (const record of page) found.set(record.id, record);
		}
		for (const [id, { record, index }] of this.#written) {
			if (index <= before) continue;
			if (record === undefined) found.delete(id);
			else found.set(id, record);
		}
		return found;
	}

	// ---- Waits ----------------------------------------------------------------------------------------------------------

	async #pollPending(found: Map<string, Seen<T>>, ids: readonly string[]): Promise<void> {
		const pages = this.#isFilterRefused ? undefined : this.#source.pending?.();
		if (pages === undefined) return;
		try {
			await this.#pollPages(pages, found, ids);
		} catch (error) {
			if (isPassing(error)) throw error;
			// The service may not know the filter. It refuses anything else in the whole list too.
			this.#isFilterRefused = true;
		}
	}

	/**
	 * Reads pages while they are worthwhile. A single read may show the status that an item of a list lacks. An item that has
	 * ended may be an earlier object with the id of a later one.
	 */
	async #pollPages(
		list: AsyncIterable<readonly T[]>,
		found: Map<string, Seen<T>>,
		ids: readonly string[],
	): Promise<void> {
		if (!this.#isWorthwhile(0, ids.length)) return;
		const missing = new Set(ids);
		let pages = 0;
		try {
			for await (const page of list) {
				const isCurrent = (record: T) => showsStatus(record) && phaseOf(record) !== "ended";
				const shown = page.filter((record) => isCurrent(record) || this.#hasSingleReads === false);
				for (const record of shown) if (missing.delete(record.id)) found.set(record.id, { record });
				pages += 1;
				// The other list may cost as much.
				if (missing.size === 0 || !this.#isWorthwhile(2 * pages, ids.length)) return;
			}
		} catch (error) {
			// The rest is read alone.
			if (!isIncomplete(error)) throw error;
		}
	}

	async #pollAlone(id: string): Promise<T> {
		const found = await this.#get(id, polling).catch(ifAbsent);
		if (!isTelephonyError(found)) return found;
		// The list may lag, and a wait for a deleted object should end.
		if (this.#hasSingleReads === true) throw found;
		return this.#findLatest(id, found);
	}

	// ---- Single reads ---------------------------------------------------------------------------------------------------

	/** @throws TelephonyError NotFound, NotOffered */
	async #get(id: string, options?: RequestOptions): Promise<T> {
		if (this.#hasSingleReads === false) throw new TelephonyError("NotOffered", "The service has no single reads.");
		try {
			const record = await this.#source.get(id, options);
			this.#hasSingleReads = true;
			const written = this.#written.get(id)?.record;
			const isOlder = written !== undefined && compareTimes(record.updated_at, written.updated_at) < 0;
			return isOlder ? written : record;
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) this.#hasSingleReads = false;
			throw error;
		}
	}

	async #findLatest(id: string, denial: TelephonyError): Promise<T> {
		return this.#findDenied(id, denial, async () => (await this.latest()).get(id));
	}

	/** Decides about an object that no single read shows. It exists if the list shows it. @throws TelephonyError NotFound, Unlisted */
	async #findDenied(id: string, denial: TelephonyError, findListed: () => Promise<T | undefined>): Promise<T> {
		const isProof = isNotFound(denial) && (await this.#canDeny(id));
		const record = isProof && !this.#records.has(id) ? undefined : await findListed();
		if (record !== undefined) return record;
		const write = this.#written.get(id);
		if (write !== undefined && write.record === undefined)
			throw new TelephonyError("NotFound", `${id} was removed by this run.`);
		throw this.#unreadable.get(id)?.error ?? (isProof ? denial : unlisted(id));
	}

	/**
	 * Returns true if "not found" is believed: a single read has found an object, or the list has none to try. A service may
	 * answer so to any request that it doesn't know.
	 */
	readonly #canDeny = shared(async (id: string): Promise<boolean> => {
		if (this.#pages === 0 && !this.#isComplete) await this.#nextPage();
		const listed = [...this.#records.keys()].filter((listedId) => listedId !== id && !this.#written.has(listedId));
		const witnesses = listed.slice(0, maxWitnesses);
		for (const witness of witnesses) if (this.#hasSingleReads === undefined) await this.#readWitness(witness);
		if (this.#hasSingleReads === undefined && witnesses.length > 0) {
			// A witness that the list no longer shows was removed meanwhile, perhaps by this very run.
			const latest = await this.latest();
			if (witnesses.some((witness) => latest.has(witness))) this.#hasSingleReads = false;
		}
		return this.#hasSingleReads !== false;
	});

	/** Concurrent denials share the reads of their witnesses. */
	readonly #readWitness = shared(async (id: string): Promise<void> => {
		await this.#get(id).catch(ifAbsent);
	});

	/** Waits before doubtful reads are repeated. Returns false if the ten seconds of this run are over, or the run ends. */
	readonly #pause = shared(async (): Promise<boolean> => {
		const pause = pauses.known[this.#paused];
		if (pause === undefined || this.#ending?.aborted === true) return false;
		this.#paused += 1;
		await this.#clock.sleep(pause, this.#ending);
		if (this.#hasSingleReads === false) this.#note((await this.#scanAll()).values());
		return true;
	});
}

/** Returns the error if it says that there is no object, or no single read. */
function ifAbsent(error: unknown): TelephonyError {
	if (isTelephonyError(error) && (isAbsent(error) || error.kind === "NotOffered")) return error;
	throw error;
}

/**
 * True for errors that don't end a wait. The service is unavailable for a while (the client has already retried), or it
 * has no single reads and its list doesn't show the object.
 */
export const isPassing = (error: unknown): boolean =>
	(["Unavailable", "RateLimited", "Unlisted"] as const).some((kind) => isTelephonyError(error, kind));
