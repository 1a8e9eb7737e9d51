import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { ServiceError } from "../request/errors";
import { makeFolder } from "./make-folder";
import type { Table, Write } from "./table";

/** A folder that can't be used; the message says why, and what to do. */
export class DataError extends Error {
	override readonly name = "DataError";
}

/** A value that a folder holds. */
export type Entry = readonly [table: string, key: string, value: unknown];

type Change = readonly [table: string, ...Write];

/** Version of the rows in a folder; it changes when older emulators can't read them. */
const format = 3;

/** An entry keeps its place when its value changes, so that tables come back in their order. */
const schema = `
	CREATE TABLE entries (
		place INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, checksum INTEGER NOT NULL,
		UNIQUE (name, key)
	) STRICT;
	PRAGMA user_version = ${format}`;

/** In bytes; the log of changes is moved into the database when it is longer. */
const longestLog = 4 * 2 ** 20;

/** In bytes: a log begins with a header, and each frame is a header with a page. */
const [logHeader, frameHeader, page] = [32, 24, 4096];
const frame = frameHeader + page;

const waysOut = "put back a copy of the folder, or move it away to start empty";

const openDatabase = (file: string): DatabaseSync => {
	const { emitWarning } = process;
	// Node 22 calls its SQLite experimental, which is nothing to tell those who start an emulator.
	process.emitWarning = ((warning: string | Error, ...rest: []) => {
		if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning.call(process, warning, ...rest);
	}) as typeof emitWarning;
	const sqlite = process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
	process.emitWarning = emitWarning;
	if (sqlite === undefined) {
		throw new DataError(
			`This Node.js (${process.execPath}) is built without SQLite, which keeps the folder: use another, or none (--memory).`,
		);
	}
	return new sqlite.DatabaseSync(file, { timeout: 0 });
};

/** Makes the file in one step: one that is empty or incomplete was damaged, and is never taken for a new one. */
const createFile = (file: string): void => {
	const fresh = `${file}.${randomBytes(4).toString("hex")}.new`;
	try {
		// For its owner only: it holds secrets. Files that SQLite puts beside it have the same mode.
		writeFileSync(fresh, "", { mode: 0o600 });
		const database = openDatabase(fresh);
		database.exec(`PRAGMA page_size = ${page}; PRAGMA journal_mode = WAL; BEGIN; ${schema}; COMMIT`);
		database.close();
		linkSync(fresh, file);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	} finally {
		rmSync(fresh, { force: true });
	}
};

/** Undefined if there is no such file. */
const readFile = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);

/** Locks the database until it is closed, or its process ends. */
const lockFile = (path: string, database: DatabaseSync): void => {
	const holder = join(path, "pid");
	try {
		database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT");
	} catch (error) {
		if (causeOf(error) !== "busy") throw error;
		const pid = readFile(holder)?.toString();
		const whose = pid === String(process.pid) ? "another emulator in this process" : `process ${pid ?? "(starting)"}`;
		throw new DataError(
			`${path} is in use by ${whose}: stop that emulator, or start this one with another folder (--data DIR) or none (--memory).`,
		);
	}
	writeFileSync(holder, String(process.pid), { mode: 0o600 });
};

/** SQLite leaves out the end of its log where that isn't whole: keeps it aside, and answers a sentence about it, if any. */
const setTailAside = (log: string, database: DatabaseSync): string | undefined => {
	const bytes = readFile(log) ?? Buffer.alloc(0);
	const { log: frames } = database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get() as { log: number };
	const end = frames === 0 ? 0 : logHeader + frames * frame;
	const tail = bytes.subarray(end);
	if (tail.length === 0) return undefined;
	const aside = `${log}.damaged-${randomBytes(4).toString("hex")}`;
	writeFileSync(aside, tail, { mode: 0o600 });
	const kept = `They are left out, and kept in ${aside}`;
	// The last frame of a change has the size of the database in its header. It is written last, so there was no crash.
	for (let at = Math.max(end, logHeader); at + frame <= bytes.length; at += frame) {
		if (bytes.readUInt32BE(at + 4) === 0) continue;
		return `the last ${tail.length} bytes of ${log} are damaged. They may have been acknowledged: compare the account with the state of your program. ${kept}`;
	}
	return `the last ${tail.length} bytes of ${log} were cut short by a crash. ${kept}. Nobody had an answer to them, unless the disk lost what it had confirmed`;
};

const causeOf = (error: unknown): "busy" | "damaged" | undefined => {
	const { errcode = 0 } = error as { errcode?: number };
	// The lowest byte is the kind of error.
	return ({ 5: "busy", 11: "damaged", 26: "damaged" } as const)[errcode & 0xff];
};

const damaged = (file: string, how: string) =>
	new DataError(`${file} is damaged (${how}). A crash would not have done that. Nothing was changed: ${waysOut}.`);

/** A failure of the system as a DataError, which says what to do. */
const explained = (path: string, file: string, error: unknown): unknown => {
	const { code, message } = error as NodeJS.ErrnoException;
	if (causeOf(error) === "damaged") return damaged(file, message);
	return code === undefined
		? error
		: new DataError(`${path} can't be used (${message}): choose another folder (--data DIR) or none (--memory).`);
};

const checksumOf = (name: string, key: string, value: string): number => crc32(JSON.stringify([name, key, value]));

const checkVersion = (file: string, database: DatabaseSync): void => {
	const { user_version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
	if (user_version !== format) {
		throw new DataError(`${file} was written by another version of the emulator: start that version, or ${waysOut}.`);
	}
};

const checkPages = (file: string, database: DatabaseSync): void => {
	const { integrity_check } = database.prepare("PRAGMA integrity_check(1)").get() as { integrity_check: string };
	if (integrity_check !== "ok") throw damaged(file, integrity_check);
};

/** Makes the file, if the folder never had one. */
const prepare = (path: string, file: string): void => {
	if (existsSync(file)) {
		if (statSync(file).size === 0) throw damaged(file, "it is empty");
		return;
	}
	if (existsSync(`${file}-wal`)) throw new DataError(`${path} has lost ${basename(file)}: ${waysOut}.`);
	if (existsSync(join(path, "state.log"))) {
		throw new DataError(
			`${path} is of an emulator that kept its state in state.log, which this one can't read: start that version, or move the folder away to start empty.`,
		);
	}
	// It holds secrets, so a repository around it must not commit it.
	writeFileSync(join(path, ".gitignore"), "*\n", { mode: 0o600 });
	createFile(file);
};

/** The inodes of files: one that was removed or replaced still takes writes, but nobody could read them again. */
const inodesOf = (files: readonly string[]): string => files.map((file) => statSync(file).ino).join(" ");

/**
 * A folder that this process holds until it is closed: a database in its write-ahead mode. The changes of one turn of the
 * event loop are one transaction, with one wait for the disk.
 */
export class Folder {
	readonly file: string;
	/** Says which changes were left out, if any, and where they are kept. */
	readonly note: string | undefined;
	readonly #log: string;
	readonly #database: DatabaseSync;
	readonly #inodes: string;
	readonly #statements: Readonly<Record<"set" | "delete" | "clear", StatementSync>>;
	#tables: readonly Table<unknown>[] = [];
	#pending: Change[] = [];
	#committed: Promise<void> = Promise.resolve();

	private constructor(readonly path: string) {
		this.file = join(path, "state.sqlite");
		this.#log = `${this.file}-wal`;
		this.#database = openDatabase(this.file);
		try {
			lockFile(path, this.#database);
			checkVersion(this.file, this.#database);
			this.note = setTailAside(this.#log, this.#database);
			checkPages(this.file, this.#database);
			this.#database.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)");
			this.#inodes = inodesOf([this.file, this.#log]);
			this.#statements = {
				set: this.#database.prepare(
					`INSERT INTO entries (name, key, value, checksum) VALUES (?, ?, ?, ?)
					ON CONFLICT (name, key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum`,
				),
				delete: this.#database.prepare("DELETE FROM entries WHERE name = ? AND key = ?"),
				clear: this.#database.prepare("DELETE FROM entries WHERE name = ?"),
			};
		} catch (error) {
			this.#database.close();
			throw error;
		}
	}

	/** Opens and locks a folder; creates it if missing. @throws DataError if it can't be used */
	static open(folder: string): Folder {
		const path = resolve(folder);
		const file = join(path, "state.sqlite");
		try {
			makeFolder(path, 0o700);
			prepare(path, file);
			return new Folder(path);
		} catch (error) {
			throw explained(path, file, error);
		}
	}

	/** All that it holds, in order of first setting. @throws DataError if one is damaged */
	entries(): Entry[] {
		const rows = this.#database.prepare("SELECT name, key, value, checksum FROM entries ORDER BY place").all();
		return (rows as { name: string; key: string; value: string; checksum: number }[]).map((row) => {
			const { name, key, value, checksum } = row;
			if (checksumOf(name, key, value) !== checksum) throw damaged(this.file, `${name} ${key}`);
			return [name, key, JSON.parse(value)];
		});
	}

	/** From now on, writes to the tables are kept. */
	keep(tables: Readonly<Record<string, Table<unknown>>>): void {
		this.#tables = Object.values(tables);
		for (const [name, table] of Object.entries(tables)) {
			table.watcher = { wrote: (...write) => this.#add([name, ...write]) };
		}
	}

	/** Resolves once all changes so far are on disk. Rejects if they can't be written: then no more are accepted. */
	committed(): Promise<void> {
		return this.#committed;
	}

	/** Calling it again changes nothing. */
	async close(): Promise<void> {
		for (const table of this.#tables) table.watcher = undefined;
		await this.#committed.catch(() => {});
		if (!this.#database.isOpen) return;
		rmSync(join(this.path, "pid"), { force: true });
		this.#database.close();
	}

	#add(change: Change): void {
		this.#pending.push(change);
		if (this.#pending.length > 1) return;
		this.#committed = this.#committed.then(() => turn()).then(() => this.#commit());
		// Callers that wait get the error; a change that nobody waits for must not end the process.
		this.#committed.catch(() => {});
	}

	#commit(): void {
		const changes = this.#pending;
		this.#pending = [];
		try {
			if (inodesOf([this.file, this.#log]) !== this.#inodes) throw new Error("another file has taken its place");
			this.#database.exec("BEGIN");
			for (const change of changes) this.#write(change);
			this.#database.exec("COMMIT");
			if (statSync(this.#log).size > longestLog) this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch (error) {
			throw new ServiceError(
				"internal_error",
				`The emulator can't write to ${this.file} (${(error as Error).message}): fix that and start it again. All that it has answered is kept.`,
			);
		}
	}

	#write(change: Change): void {
		const [name, key, value] = change;
		if (key === undefined) {
			this.#statements.clear.run(name);
		} else if (change.length === 2) {
			this.#statements.delete.run(name, key);
		} else {
			const text = JSON.stringify(value);
			this.#statements.set.run(name, key, text, checksumOf(name, key, text));
		}
	}
}
