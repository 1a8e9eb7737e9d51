import { randomBytes } from "node:crypto";
import {
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { createFile } from "./log";
import { type Change, decode, isReadable } from "./records";

/** A folder that can't be used; the message says why, and what to do. */
export class DataError extends Error {
	override readonly name = "DataError";
}

/** What a folder holds. */
export interface Found {
	readonly changes: readonly Change[];
	/** With the header. */
	readonly lines: number;
	/** What had to be left out, and where it is kept, if anything. */
	readonly note: string | undefined;
}

/** A folder that this process holds until it is unlocked. */
export interface Folder {
	readonly path: string;
	readonly file: string;
	/** A file with a damaged end is truncated to its whole records; the end is kept beside it. */
	readonly read: () => Found;
	readonly unlock: () => void;
}

/** Folders open in this process: our own pid in a lock proves nothing. */
const open = new Set<string>();

/** Undefined if there is no such file. */
const readFile = (path: string): Buffer | undefined => {
	try {
		return readFileSync(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
};

/** When a process started, if the system tells: its pid may belong to another process by now. */
const birthOf = (pid: number): string => {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
	} catch {
		return "";
	}
};

const isAlive = (pid: number): boolean => {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
};

/** The process that holds the lock; undefined if it has ended, such as by a kill or a crash. */
const holderOf = (lock: string): number | undefined => {
	const [number, birth = ""] = (readFile(lock)?.toString() ?? "").split(" ");
	const pid = Number(number);
	return pid > 0 && isAlive(pid) && birthOf(pid) === birth ? pid : undefined;
};

const ours = "another emulator in this process";

/** Creates the lock in one step with its content, so that nobody sees half a lock. */
const lockFolder = (path: string): (() => void) => {
	const lock = join(path, "lock");
	const mine = `${lock}.${process.pid}`;
	const real = realpathSync(path);
	const inUse = (holder: string) =>
		new DataError(
			`${path} is in use by ${holder}: stop that emulator, or start this one with another folder (--data DIR) or none (--memory).`,
		);
	if (open.has(real)) throw inUse(ours);
	const birth = birthOf(process.pid);
	writeFileSync(mine, `${process.pid} ${birth}`, { mode: 0o600 });
	try {
		for (;;) {
			try {
				linkSync(mine, lock);
				break;
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
			}
			const holder = holderOf(lock);
			if (holder !== undefined && holder !== process.pid) throw inUse(`process ${holder}`);
			// Our pid: a copy of this module or a thread, as in test runners. Without a start time: an earlier process.
			if (holder === process.pid && birth !== "") throw inUse(ours);
			rmSync(lock, { force: true });
		}
	} finally {
		rmSync(mine, { force: true });
	}
	open.add(real);
	let locked = true;
	return () => {
		if (!locked) return;
		locked = false;
		open.delete(real);
		rmSync(lock, { force: true });
	};
};

const waysOut = "put back a copy of the file, or move the folder away to start empty";

/** Why the end of a file was left out, once it lies in a file of its own. */
const noteOf = (path: string, tail: Buffer, aside: string): string => {
	const kept = `They are left out, and kept in ${aside}`;
	// A line that is whole by its end was written in full, and then damaged: its changes may have been answered.
	return tail.includes(10)
		? `the last record of ${path} (${tail.length} bytes) is damaged. It may have been acknowledged: compare what it changed with what your program believes. ${kept}`
		: `the last ${tail.length} bytes of ${path} were cut short by a crash. ${kept}. Nobody had an answer to them, unless the disk lost what it had confirmed`;
};

const readFolder = (path: string): Found => {
	const file = readFileSync(path);
	const { records, end, broken, missing } = decode(file);
	const [header, ...rest] = records as [unknown?, ...Change[][]];
	if (missing !== undefined) {
		throw new DataError(
			`${path} has lost line ${missing}: the one that follows is of a later change. Nothing was changed: ${waysOut}.`,
		);
	}
	if (broken !== undefined || header === undefined) {
		throw new DataError(
			`${path} is damaged in line ${broken ?? 1}. A crash would have damaged its end only. Nothing was changed: ${waysOut}.`,
		);
	}
	if (!isReadable(header)) {
		throw new DataError(`${path} was written by another version of the emulator: start that version, or ${waysOut}.`);
	}
	const changes = rest.flat();
	if (end === file.length) return { changes, lines: records.length, note: undefined };
	const tail = file.subarray(end);
	const aside = `${path}.damaged-${randomBytes(4).toString("hex")}`;
	writeFileSync(aside, tail, { mode: 0o600 });
	truncateSync(path, end);
	return { changes, lines: records.length, note: noteOf(path, tail, aside) };
};

/** A failure of the system as a DataError, which says what to do. */
const explained = (path: string, error: unknown): unknown => {
	const { code, message } = error as NodeJS.ErrnoException;
	return code === undefined
		? error
		: new DataError(`${path} can't be used (${message}): choose another folder (--data DIR) or none (--memory).`);
};

const read = (path: string, file: string): Found => {
	try {
		return readFolder(file);
	} catch (error) {
		throw explained(path, error);
	}
};

/** Opens and locks a folder, with what it holds; creates it if missing. */
export const openFolder = async (folder: string): Promise<Folder> => {
	const path = resolve(folder);
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
		const unlock = lockFolder(path);
		try {
			const file = join(path, "state.log");
			rmSync(`${file}.new`, { force: true });
			// It holds secrets, so a repository around it must not commit it.
			writeFileSync(join(path, ".gitignore"), "*\n", { mode: 0o600 });
			if (!existsSync(file)) await createFile(file);
			return { path, file, read: () => read(path, file), unlock };
		} catch (error) {
			unlock();
			throw error;
		}
	} catch (error) {
		throw explained(path, error);
	}
};
