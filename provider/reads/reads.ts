/**
 * Reads that share requests: one cache per run and kind of object. A refresh of N objects costs about min(N, pages)
 * requests, and a GET for each object that the list doesn't show or shows too old. A list never proves that an object is
 * deleted. Only a single read does, if single reads show what the list shows.
 */
import type { Clock } from "../api/clock";
import { isAbsent, isGone, isTelephonyError, TelephonyError, unlisted } from "../api/errors";
import { isLast } from "../api/pages";
import { isIncomplete } from "../api/paging";
import { type Unreadable, unreadableIn } from "../api/response";
import { gatheringMs, pauses } from "../api/until";
import { compareTimes } from "../properties/canonical";
import { shared } from "./shared";

export interface Source<T> {
	pages(): AsyncIterableIterator<readonly T[], void, undefined>;
	/** @throws TelephonyError NotFound; NotOffered if only the list can be read */
	get(id: string): Promise<T>;
}

interface Readable {
	readonly id: string;
	readonly updated_at?: string | null | undefined;
}

/** True if a response can't be right yet. Undefined stands for "not found". */
type IsDoubtful<T> = (record: T | undefined) => boolean;

/** A write of this run. Without a record, the object was removed. */
interface OwnWrite<T> {
	readonly record: T | undefined;
	/** Position among the writes of this run. */
	readonly index: number;
}

/** Up to this many objects are read alone. */
const few = 2;
/** Listed objects that are read alone to learn what "not found" means. */
const maxWitnesses = 2;

export class SharedReads<T extends Readable> {
	readonly #source: Source<T>;
	readonly #clock: Clock;
	readonly #ending: AbortSignal | undefined;
	/** Records by id, as a page has shown them or as this run has written them. */
	readonly #records = new Map<string, T>();
	/** A scan that began before a write may show the old values. */
	readonly #written = new Map<string, OwnWrite<T>>();
	/** Items that can't be read, by id, or by the item itself if its id can't be read either. */
	readonly #unreadable = new Map<unknown, Unreadable>();
	readonly #requested = new Set<string>();
	#writes = 0;
	#scan: AsyncIterator<readonly T[], void, undefined> | undefined;
	#pages = 0;
	/** True once a scan has read the list to its end. */
	#isComplete = false;
	/** True once a scan has done so without a pause. */
	#isWhole = false;
	/** The list has more, and the service doesn't show how to read it. It isn't read again in this run. */
	#incomplete: TelephonyError | undefined;
	/** False if the service has no single reads, or if they deny what the list shows. */
	#hasSingleReads: boolean | undefined;
	#isScannedTwice = false;
	/** Pauses so far, which all doubtful reads of the run share. */
	#paused = 0;
	readonly #gathered: () => Promise<void>;

	constructor(source: Source<T>, clock: Clock, ending?: AbortSignal) {
		[this.#source, this.#clock, this.#ending] = [source, clock, ending];
		this.#gathered = shared(() => clock.sleep(gatheringMs.reads));
	}

	/**
	 * Reads an object that may come from this run's scan. A doubtful response is read again, for ten seconds in all.
	 * @throws TelephonyError NotFound if a single read says so; Unlisted if only a list could
	 */
	async read(id: string, isDoubtful: IsDoubtful<T> = () => false): Promise<T> {
		this.#requested.add(id);
		if (!this.#records.has(id)) await this.#gathered();
		// A page may cost no more than the single reads that it saves.
		const isCheap = () => this.#requested.size > few && this.#pages < this.#requested.size;
		const listed = await this.#scanFor(id, () => this.#hasSingleReads === false || isCheap());
		if (listed !== undefined && !isDoubtful(listed)) return listed;
		for (;;) {
			const found = await this.#get(id).catch(ifAbsent);
			const record = isTelephonyError(found) ? this.#records.get(id) : found;
			if (isDoubtful(record) && (await this.#pause())) continue;
			if (!isTelephonyError(found)) return found;
			return this.#findDenied(id, found, () => this.#scanFor(id));
		}
	}

	/** Reads an object as the service has it now, regardless of earlier reads. @throws TelephonyError NotFound, Unlisted */
	async readCurrent(id: string): Promise<T> {
		const found = await this.#get(id).catch(ifAbsent);
		return isTelephonyError(found) ? this.#findDenied(id, found, async () => (await this.latest()).get(id)) : found;
	}

	/** Reads an object that was read before. If the list has shown it, it exists. */
	async reread(id: string): Promise<T> {
		const [earlier, write] = [this.#records.get(id), this.#written.get(id)];
		try {
			const record = await this.readCurrent(id);
			if (this.#written.get(id) === write) this.#records.set(id, record);
			return record;
		} catch (error) {
			if (earlier === undefined || !isAbsent(error)) throw error;
			return earlier;
		}
	}

	/** Returns every live object: one scan per run, with what this run has written since. */
	async all(): Promise<readonly T[]> {
		await this.#readWhole();
		return [...this.#records.values()];
	}

	/**
	 * Returns the objects of two scans, for callers that would make a missing object again. Objects that move while pages are
	 * read may be missing from one scan, but hardly from two. A single page can't change while it is read.
	 */
	readonly scanTwice = shared(async (): Promise<readonly T[]> => {
		await this.all();
		if (this.#pages > 1 && !this.#isScannedTwice) {
			this.#note((await this.#scanAll()).values());
			this.#isScannedTwice = true;
		}
		return this.all();
	});

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
	 * meanwhile are missing from it. A single page can't change while it is read.
	 */
	readonly #readWhole = shared(async (): Promise<void> => {
		const isSinglePage = this.#isComplete && this.#pages <= 1;
		if (!this.#isWhole && !isSinglePage) {
			this.#scan = undefined;
			this.#pages = 0;
			this.#isComplete = false;
		}
		while (!this.#isComplete) await this.#nextPage();
		this.#isWhole = true;
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
		for (const each of unreadableIn(page))
			if (!this.#records.has(each.id ?? "")) this.#unreadable.set(each.id ?? each, each);
	}

	/** Reads the whole list as it is now. Objects that this run writes meanwhile are as written. */
	async #scanAll(): Promise<ReadonlyMap<string, T>> {
		const found = new Map<string, T>();
		const before = this.#writes;
		const scan = this.#source.pages();
		for (let page = await scan.next(); !page.done; page = await scan.next()) {
			this.#noteUnreadable(page.value);
			for (const record of page.value) found.set(record.id, record);
		}
		for (const [id, { record, index }] of this.#written) {
			if (index <= before) continue;
			if (record === undefined) found.delete(id);
			else found.set(id, record);
		}
		return found;
	}

	// ---- Single reads ---------------------------------------------------------------------------------------------------

	/** @throws TelephonyError NotFound, NotOffered */
	async #get(id: string): Promise<T> {
		if (this.#hasSingleReads === false) throw new TelephonyError("NotOffered", "The service has no single reads.");
		try {
			const record = await this.#source.get(id);
			this.#hasSingleReads = true;
			const written = this.#written.get(id)?.record;
			const isOlder = written !== undefined && compareTimes(record.updated_at, written.updated_at) < 0;
			return isOlder ? written : record;
		} catch (error) {
			if (isTelephonyError(error, "NotOffered")) this.#hasSingleReads = false;
			throw error;
		}
	}

	/** Decides about an object that no single read shows. It exists if the list shows it. @throws TelephonyError NotFound, Unlisted */
	async #findDenied(id: string, denial: TelephonyError, findListed: () => Promise<T | undefined>): Promise<T> {
		const isProof = isGone(denial) && (await this.#canDeny(id));
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
