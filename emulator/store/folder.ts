import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ServiceError } from "../request/errors";
import { makeFolder } from "./make-folder";
import type { Table, Write } from "./table";

/** A folder that can't be used; the message explains why, and what to do. */
export class DataError extends Error {
	override readonly name = "DataError";
}

/** A value that a folder holds. */
export type Entry = readonly [table: string, key: string, value: unknown];

type Change = readonly [table: string, ...Write];

/** Version of the rows in a folder; it changes when older emulators can't read them. */
const format = 4;

/** An entry keeps its place when its value changes, so that tables keep their order. */
const schema = `
	CREATE TABLE entries (
		place INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (name, key)
	) STRICT;
	PRAGMA user_version = ${format}`;

/** In bytes; a longer write-ahead log is moved into the database. */
const longestLog = 4 * 2 ** 20;

const fix = "put back a copy of the folder, or move it away to start empty";

const openDatabase = (file: string): DatabaseSync => {
	const { emitWarning } = process;
	// Node 22 warns that its SQLite is experimental.
	process.emitWarning = ((warning: string | Error, ...rest: []) => {
		if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning.call(process, warning, ...rest);
	}) as typeof emitWarning;
	const sqlite = process.getBuiltinModule("node:sqlite") as typeof import("node:sqlite") | undefined;
	process.emitWarning = emitWarning;
	if (sqlite === undefined)
		throw new DataError(`This Node.js (${process.execPath}) has no SQLite: use another one, or --memory.`);
	return new sqlite.DatabaseSync(file, { timeout: 0 });
};

/** Locks the database until it is closed or its process ends. */
const lock = (path: string, database: DatabaseSync): void => {
	const holder = join(path, "pid");
	try {
		database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT");
	} catch (error) {
		if (causeOf(error) !== "busy") throw error;
		const pid = existsSync(holder) ? readFileSync(holder, "utf8") : "(starting)";
		const owner = pid === String(process.pid) ? "another emulator in this process" : `process ${pid}`;
		throw new DataError(
			`${path} is in use by ${owner}: stop that emulator, or use another folder (--data DIR) or none (--memory).`,
		);
	}
	writeFileSync(holder, String(process.pid), { mode: 0o600 });
};

const causeOf = (error: unknown): "busy" | "damaged" | undefined => {
	const { errcode = 0 } = error as { errcode?: number };
	// The lowest byte is the kind of error.
	return ({ 5: "busy", 11: "damaged", 26: "damaged" } as const)[errcode & 0xff];
};

const explain = (path: string, error: unknown): unknown => {
	const { code, message } = error as NodeJS.ErrnoException;
	if (causeOf(error) === "damaged")
		return new DataError(`${path} is damaged (${message}). The emulator didn't start: ${fix}.`);
	return code === undefined
		? error
		: new DataError(`${path} can't be used (${message}): use another folder (--data DIR) or none (--memory).`);
};

/** Creates the tables of a new database, and refuses one of another version. */
const prepare = (file: string, database: DatabaseSync): void => {
	const read = () => (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
	const { entries } = database.prepare("SELECT count(*) AS entries FROM sqlite_schema").get() as { entries: number };
	if (read() === 0 && entries === 0) database.exec(`BEGIN; ${schema}; COMMIT`);
	if (read() !== format)
		throw new DataError(`${file} was written by another version of the emulator: start that version, or ${fix}.`);
};

/**
 * A folder that this process holds until it is closed: an SQLite database with a write-ahead log. The changes of one turn
 * of the event loop are one transaction.
 */
export class Folder {
	readonly file: string;
	readonly #log: string;
	readonly #database: DatabaseSync;
	readonly #statements: Readonly<Record<"set" | "delete" | "clear", StatementSync>>;
	#tables: readonly Table<unknown>[] = [];
	#pending: Change[] = [];
	#committed: Promise<void> = Promise.resolve();

	private constructor(readonly path: string) {
		this.file = join(path, "state.sqlite");
		this.#log = `${this.file}-wal`;
		// It holds secrets: only its owner may read it. SQLite creates the log with the same mode.
		if (!existsSync(this.file)) writeFileSync(this.file, "", { mode: 0o600 });
		this.#database = openDatabase(this.file);
		try {
			lock(path, this.#database);
			prepare(this.file, this.#database);
			this.#database.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)");
			this.#statements = {
				set: this.#database.prepare(
					`INSERT INTO entries (name, key, value) VALUES (?, ?, ?)
					ON CONFLICT (name, key) DO UPDATE SET value = excluded.value`,
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
		try {
			makeFolder(path, 0o700);
			// A repository around it must not commit the secrets.
			if (!existsSync(join(path, ".gitignore"))) writeFileSync(join(path, ".gitignore"), "*\n", { mode: 0o600 });
			return new Folder(path);
		} catch (error) {
			throw explain(path, error);
		}
	}

	/** All values, in order of first setting. @throws DataError if the database is damaged */
	entries(): Entry[] {
		try {
			const rows = this.#database.prepare("SELECT name, key, value FROM entries ORDER BY place").all();
			return rows.map(({ name, key, value }) => [String(name), String(key), JSON.parse(String(value))]);
		} catch (error) {
			throw explain(this.path, error);
		}
	}

	/** Keeps all later writes to the tables. */
	keep(tables: Readonly<Record<string, Table<unknown>>>): void {
		this.#tables = Object.values(tables);
		for (const [name, table] of Object.entries(tables)) {
			table.watcher = { wrote: (...write) => this.#add([name, ...write]) };
		}
	}

	/** Resolves once all changes so far are on disk. Rejects after a failed write; then the folder takes no more changes. */
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
		this.#committed = this.#committed.then(() => nextTurn()).then(() => this.#commit());
		// Callers that wait get the error; otherwise it must not end the process.
		this.#committed.catch(() => {});
	}

	#commit(): void {
		const changes = this.#pending;
		this.#pending = [];
		try {
			this.#database.exec("BEGIN");
			for (const change of changes) this.#write(change);
			this.#database.exec("COMMIT");
			if (statSync(this.#log).size > longestLog) this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch (error) {
			throw new ServiceError(
				"internal_error",
				`The emulator can't write to ${this.file} (${(error as Error).message}). All acknowledged changes are kept. Fix the cause and start the emulator again.`,
			);
		}
	}

	#write(change: Change): void {
		const [name, key, value] = change;
		if (key === undefined) this.#statements.clear.run(name);
		else if (change.length === 2) this.#statements.delete.run(name, key);
		else this.#statements.set.run(name, key, JSON.stringify(value));
	}
}
