/** The list of one kind of object, as far as this process has read it: one scan, and the writes since. */

import type { TelephonyError } from "../api/errors";
import { isIncomplete } from "../api/paging";
import { type Unreadable, unreadableIn } from "../api/response";
import { shared } from "./shared";

export interface Source<T> {
	pages(): AsyncIterableIterator<readonly T[], void, undefined>;
	/** @throws TelephonyError NotFound; NotOffered if only the list can be read */
	get(id: string): Promise<T>;
}

/** Without a record: removed. */
interface OwnWrite<T> {
	readonly record: T | undefined;
}

export class Listing<T extends { readonly id: string }> {
	readonly #source: Pick<Source<T>, "pages">;
	readonly #seen = new Map<string, T>();
	/** Items that can't be read, by id, or by the item itself if its id can't be read either. */
	readonly #odd = new Map<unknown, Unreadable>();
	/** By this process. A scan that began earlier may show the old values. */
	readonly #written = new Map<string, OwnWrite<T>>();
	#scan: AsyncIterator<readonly T[], void, undefined> | undefined;
	#finished = false;
	/** The list goes on, and the service doesn't say how. */
	#incomplete: TelephonyError | undefined;
	#pages = 0;
	/** A second scan, for when nothing may be missed. */
	#second: ReadonlyMap<string, T> | undefined;
	#latest: Promise<ReadonlyMap<string, T>> | undefined;
	/** Written since that scan began, which may have passed them. */
	readonly #writtenSince = new Set<string>();

	constructor(source: Pick<Source<T>, "pages">) {
		this.#source = source;
	}

	/** Pages read so far. */
	get pages(): number {
		return this.#pages;
	}

	/** Whether the list was read to its end. */
	get finished(): boolean {
		return this.#finished;
	}

	/** True if the list can't be read to its end, so that only single reads can show the rest. */
	get isIncomplete(): boolean {
		return this.#incomplete !== undefined;
	}

	/** The record as a page has shown it, or as this process has written it since. */
	get(id: string): T | undefined {
		return this.#seen.get(id);
	}

	has(id: string): boolean {
		return this.#seen.has(id);
	}

	/** Why an item that a page has shown can't be read. */
	problem(id: string): TelephonyError | undefined {
		return this.#odd.get(id)?.error;
	}

	/** Items that exist but can't be read, as far as the list was read. */
	unreadable(): readonly Unreadable[] {
		return [...this.#odd.values()];
	}

	isWritten(id: string): boolean {
		return this.#written.has(id);
	}

	/** Ids that a page has shown, but not what this process has written. */
	shown(): string[] {
		return [...this.#seen.keys()].filter((id) => !this.#written.has(id));
	}

	/** The last write, to be compared with another one. */
	lastWrite(id: string): OwnWrite<T> | undefined {
		return this.#written.get(id);
	}

	/** Stores the result of a single read, unless this process has written since the write `last`. */
	note(record: T, last: OwnWrite<T> | undefined): void {
		if (this.#written.get(record.id) !== last) return;
		this.#seen.set(record.id, record);
		this.#odd.delete(record.id);
	}

	#noteOdd(page: readonly T[]): void {
		for (const each of unreadableIn(page)) if (!this.#seen.has(each.id ?? "")) this.#odd.set(each.id ?? each, each);
	}

	wrote(id: string, record?: T): void {
		this.#written.set(id, { record });
		this.#odd.delete(id);
		this.#writtenSince.add(id);
		if (record === undefined) this.#seen.delete(id);
		else this.#seen.set(id, record);
	}

	async all(): Promise<readonly T[]> {
		while (!this.#finished) await this.nextPage();
		return [...this.#seen.values()];
	}

	/** All objects that either of two scans shows. A single page is read once: it can't change while it is read. */
	readonly twice = shared(async (): Promise<readonly T[]> => {
		await this.all();
		if (this.#pages > 1) {
			this.#second ??= await this.fetch();
			for (const [id, record] of this.#second)
				if (!this.#seen.has(id) && !this.#written.has(id)) this.#seen.set(id, record);
		}
		return this.all();
	});

	/** The whole list as it is now. */
	async fetch(): Promise<ReadonlyMap<string, T>> {
		const found = new Map<string, T>();
		const scan = this.#source.pages();
		for (let page = await scan.next(); !page.done; page = await scan.next()) {
			this.#noteOdd(page.value);
			for (const record of page.value) found.set(record.id, record);
		}
		return found;
	}

	/** One object as the list shows it now, or as it was written. Concurrent calls share a scan. */
	async latest(id: string): Promise<T | undefined> {
		// A scan that began before a write doesn't show it. The next begins when that one has ended: one is enough at a time.
		while (this.#latest !== undefined && this.#writtenSince.has(id)) await this.#latest.catch(() => undefined);
		this.#latest ??= this.#scanAnew();
		return (await this.#latest).get(id) ?? this.#written.get(id)?.record;
	}

	#scanAnew(): Promise<ReadonlyMap<string, T>> {
		this.#writtenSince.clear();
		return this.fetch().finally(() => {
			this.#latest = undefined;
		});
	}

	/** Takes over a newer scan. A page that is under way is ignored. */
	renew(scan: ReadonlyMap<string, T>): void {
		this.#finished = true;
		for (const [id, record] of scan) if (!this.#written.has(id)) this.#seen.set(id, record);
	}

	/** Reads the first page, unless a page was read already. */
	async firstPage(): Promise<void> {
		if (this.#pages === 0 && !this.#finished) await this.nextPage();
	}

	readonly nextPage = shared(async (): Promise<void> => {
		if (this.#incomplete !== undefined) throw this.#incomplete;
		this.#scan ??= this.#source.pages();
		let page: IteratorResult<readonly T[], void>;
		try {
			page = await this.#scan.next();
		} catch (error) {
			// Drops a scan that broke off: it must never count as finished, as absence would then mean something.
			this.#scan = undefined;
			if (isIncomplete(error)) this.#incomplete = error;
			throw error;
		}
		if (this.#finished) return;
		if (page.done) {
			this.#finished = true;
			return;
		}
		this.#pages += 1;
		this.#noteOdd(page.value);
		for (const record of page.value) if (!this.#written.has(record.id)) this.#seen.set(record.id, record);
	});
}
