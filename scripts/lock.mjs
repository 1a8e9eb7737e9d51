/** One process at a time does some work. Plain JavaScript: it runs on any Node.js, with nothing installed. */
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** No work here takes longer. A pid of another container means nothing here, so age counts too. */
const oldestMs = 3_600_000;

/**
 * Waits until the lock is this process's. The lock is a hard link to a file with its pid: it appears in one step, with its
 * content, and Windows asks for no rights.
 * @param {string} lock its path
 * @param {(holder: number) => void} waits called twice a second while another process holds it
 * @param {AbortSignal} [signal] ends the wait
 */
export async function takeLock(lock, waits, signal) {
	const claim = `${lock}.${process.pid}`;
	for (; ; await sleep(500, undefined, { signal })) {
		try {
			writeFileSync(claim, String(process.pid));
			linkSync(claim, lock);
			return;
		} catch (error) {
			if (codeOf(error) !== "EEXIST") throw error;
		} finally {
			rmSync(claim, { force: true });
		}
		const holder = holderOf(lock);
		if (holder === undefined) rmSync(lock, { force: true });
		else waits(holder);
	}
}

/** @param {number} pid */
function isAlive(pid) {
	if (pid === process.pid) return false; // an earlier process had our pid
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return codeOf(error) === "EPERM";
	}
}

/** @param {string} lock */
function holderOf(lock) {
	try {
		const pid = Number(readFileSync(lock, "utf8"));
		return Date.now() - statSync(lock).mtimeMs <= oldestMs && isAlive(pid) ? pid : undefined;
	} catch {
		return undefined;
	}
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;
