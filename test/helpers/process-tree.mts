/** Processes and their children, from /proc. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export interface Process {
	readonly pid: number;
	readonly command: string;
}

/** Returns all descendants of a process, from /proc. */
export function descendants(root: number): Process[] {
	const children = new Map<number, number[]>();
	for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
		try {
			const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))?.[1]);
			children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
		} catch {
			// It has ended.
		}
	}
	const processes: Process[] = [];
	const walk = (pid: number) => {
		for (const child of children.get(pid) ?? []) {
			processes.push({ pid: child, command: commandOf(child) });
			walk(child);
		}
	};
	walk(root);
	return processes;
}

function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
	} catch {
		return "";
	}
}

export function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It has ended.
	}
}

/** True for a zombie too. */
const isNotFound = (pid: number): boolean => {
	if (!existsSync(`/proc/${pid}`)) return true;
	try {
		return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return true;
	}
};

/** Returns true if the process ends within that time. */
export async function gone(pid: number, ms: number): Promise<boolean> {
	for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (isNotFound(pid)) return true;
	return isNotFound(pid);
}
