/** Processes that run programs for the engine; each runs many, one after the other. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { Program } from "./program-process.mts";

interface Host {
	readonly child: ChildProcess;
	readonly port: number;
	/** The output of programs. */
	printed: string;
}

const idle: Host[] = [];

/** Waits for the next message. @throws Error if the process ends before it */
async function messageOf(child: ChildProcess): Promise<unknown> {
	const done = new AbortController();
	const message = once(child, "message", done).then(([value]) => value as unknown);
	const end = once(child, "exit", done).then(([code]) => {
		throw new Error(`the process that runs programs ended with ${code}`);
	});
	try {
		return await Promise.race([message, end]);
	} finally {
		for (const waiting of [message, end]) waiting.catch(() => {});
		done.abort();
	}
}

async function startHost(): Promise<Host> {
	const child = fork(join(__dirname, "program-process.mts"), { stdio: ["ignore", "pipe", "pipe", "ipc"] });
	const port = (await messageOf(child)) as number;
	const host: Host = { child, port, printed: "" };
	// The process ends with this one, and doesn't keep it.
	child.unref();
	child.channel?.unref();
	for (const stream of [child.stdout, child.stderr] as (Socket | null)[]) {
		stream?.unref();
		stream?.on("data", (text) => {
			host.printed += text;
		});
	}
	return host;
}

/**
 * Runs a command of the engine for which another process runs the program.
 * @param command receives the arguments that say so
 */
export async function withProgram<R extends { readonly code: number; readonly output: string }>(
	program: Program,
	command: (args: readonly string[]) => Promise<R>,
): Promise<R> {
	const free = idle.pop();
	const host = free?.child.connected ? free : await startHost();
	host.printed = "";
	const ready = messageOf(host.child);
	host.child.send(program);
	await ready;
	const run = await command(["--exec-kind=auto.inline", `--client=127.0.0.1:${host.port}`]);
	// A program that failed may still run.
	if (run.code === 0) idle.push(host);
	else host.child.kill();
	return { ...run, output: run.output + host.printed };
}
