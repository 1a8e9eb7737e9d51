import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { ServiceError } from "../request/errors";
import { type Change, encode, format } from "./records";
import type { Table } from "./table";

type Tables = Readonly<Record<string, Table<unknown>>>;

/** Changes in one record of a copy. Other requests are answered between records. */
const copiedAtOnce = 250;

/** A file with fewer changes than this isn't worth rewriting. */
const leastChanges = 20_000;

/** A copy of everything, which replaces the file. */
interface Copy {
	readonly file: FileHandle;
	/** What was written to the file since the copy began, a list for each line. */
	readonly since: (readonly Change[])[];
	/** Changes in it. */
	length: number;
	/** Lines in it. */
	lines: number;
	whole: boolean;
}

/** Makes sure that a new name in a folder survives a crash. */
export const syncFolder = async (path: string): Promise<void> => {
	const folder = await open(path);
	await folder.datasync().finally(() => folder.close());
};

export const createFile = async (path: string): Promise<void> => {
	const file = await open(`${path}.new`, "w", 0o600);
	await file.writeFile(encode(0, { format }));
	await file.datasync();
	await file.close();
	await rename(`${path}.new`, path);
	await syncFolder(dirname(path));
};

/** How much is in a file already. */
interface Written {
	readonly changes: number;
	readonly lines: number;
}

/** A file that was removed or replaced takes writes still, but nobody could read them again. */
const checkPlace = async (path: string, file: FileHandle): Promise<void> => {
	const [mine, there] = await Promise.all([file.stat(), stat(path)]);
	if (mine.ino !== there.ino || mine.dev !== there.dev) throw new Error("another file has taken its place");
};

/** Appends changes to a file: those of one turn of the event loop as one record, with one wait for the disk. */
export class Log {
	readonly #path: string;
	readonly #tables: Tables;
	#file: FileHandle;
	/** Changes in the file. */
	#length: number;
	/** Lines in the file. */
	#lines: number;
	#pending: Change[] = [];
	#writing: Promise<void> = Promise.resolve();
	/** The write that includes the pending changes. */
	#next: Promise<void> | undefined;
	#copy: Copy | undefined;
	#copying: Promise<void> = Promise.resolve();
	#closed = false;

	private constructor(path: string, file: FileHandle, tables: Tables, written: Written) {
		[this.#path, this.#file, this.#tables] = [path, file, tables];
		[this.#length, this.#lines] = [written.changes, written.lines];
		for (const [name, table] of Object.entries(tables)) {
			table.watcher = { wrote: (...write) => this.#add([name, ...write]) };
		}
	}

	/** From now on, writes to the tables are appended to the file, which already holds something. */
	static async open(path: string, tables: Tables, written: Written): Promise<Log> {
		return new Log(path, await open(path, "a", 0o600), tables, written);
	}

	/** Resolves once all changes so far are on disk. Rejects if they can't be written: then no more are accepted. */
	committed(): Promise<void> {
		return this.#next ?? this.#writing;
	}

	async close(): Promise<void> {
		this.#closed = true;
		for (const table of Object.values(this.#tables)) table.watcher = undefined;
		await this.#copying;
		await this.committed().catch(() => {});
		await this.#dropCopy();
		await this.#file.close();
	}

	#add(change: Change): void {
		this.#pending.push(change);
		this.#wake();
	}

	#wake(): void {
		if (this.#next !== undefined) return;
		this.#next = this.#turn(this.#writing);
		// Callers that wait get the error; a change that nobody waits for must not end the process.
		this.#next.catch(() => {});
	}

	async #turn(before: Promise<void>): Promise<void> {
		await before;
		await turn();
		const changes = this.#pending;
		this.#pending = [];
		this.#writing = this.#next as Promise<void>;
		this.#next = undefined;
		try {
			await this.#write(changes);
		} catch (error) {
			throw new ServiceError(
				"internal_error",
				`The emulator can't write to ${this.#path} (${(error as Error).message}): fix that and start it again. All that it has answered is kept.`,
			);
		}
		if (this.#length > 2 * this.#live() + leastChanges && this.#copy === undefined && !this.#closed) {
			this.#copying = this.#makeCopy();
		}
	}

	#live(): number {
		return Object.values(this.#tables).reduce((sum, { size }) => sum + size, 0);
	}

	async #write(changes: readonly Change[]): Promise<void> {
		const copy = this.#copy;
		// Read before any wait: everything in a complete copy is in these changes, or in earlier ones.
		const whole = copy?.whole === true;
		if (changes.length > 0) {
			copy?.since.push(changes);
			this.#length += changes.length;
			const line = encode(this.#lines, changes);
			this.#lines += 1;
			await checkPlace(this.#path, this.#file);
			await this.#file.appendFile(line);
			await this.#file.datasync();
		}
		if (whole) await this.#replace(copy);
	}

	/** Writes all tables to a new file while changes go on. They are appended: each holds a value, not a difference. */
	async #makeCopy(): Promise<void> {
		try {
			const file = await open(`${this.#path}.new`, "w", 0o600);
			const copy: Copy = { file, since: [], length: 0, lines: 1, whole: false };
			this.#copy = copy;
			await copy.file.appendFile(encode(0, { format }));
			for (const changes of this.#everything()) {
				if (this.#closed) return;
				copy.length += changes.length;
				await copy.file.appendFile(encode(copy.lines++, changes));
			}
			copy.whole = true;
			if (!this.#closed) this.#wake();
		} catch {
			// The file itself still holds everything: a later write tries again.
			await this.#dropCopy();
		}
	}

	*#everything(): Iterable<Change[]> {
		let changes: Change[] = [];
		for (const [name, table] of Object.entries(this.#tables)) {
			for (const [key, value] of table.entries()) {
				changes.push([name, key, value]);
				if (changes.length < copiedAtOnce) continue;
				yield changes;
				changes = [];
			}
		}
		yield changes;
	}

	async #replace(copy: Copy): Promise<void> {
		const { file, length, since } = copy;
		try {
			await file.appendFile(since.map((changes) => encode(copy.lines++, changes)).join(""));
			await file.datasync();
			await rename(`${this.#path}.new`, this.#path);
		} catch {
			return this.#dropCopy();
		}
		const old = this.#file;
		[this.#file, this.#length, this.#lines, this.#copy] = [file, length, copy.lines, undefined];
		await old.close();
		await syncFolder(dirname(this.#path));
	}

	async #dropCopy(): Promise<void> {
		const copy = this.#copy;
		this.#copy = undefined;
		await copy?.file.close();
		await rm(`${this.#path}.new`, { force: true });
	}
}
