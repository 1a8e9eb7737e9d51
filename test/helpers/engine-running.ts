/** Runs of the engine that are ended before they are done. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Project } from "./engine";
import { descendants, kill } from "./process-tree.mts";

export interface Running {
	readonly child: ChildProcess;
	output(): string;
	readonly code: Promise<number | null>;
}

/** `up` as a shell starts it. */
export const startUp = ({ folder, env }: Project): Running =>
	start(["pulumi", "up", "--yes", "--skip-preview", "--non-interactive"], folder, env);

/** A command in a process group of its own. */
export function start([command = "", ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Running {
	const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (text) => {
			output += text;
		});
	}
	const code = new Promise<number | null>((done) => child.once("close", (exitCode) => done(exitCode)));
	return { child, output: () => output, code };
}

/** The machine is gone: the CLI and all that it has started end at once. */
export async function crash({ child, code }: Running): Promise<void> {
	const pid = child.pid ?? Number.NaN;
	for (const each of [{ pid }, ...descendants(pid)]) kill(each.pid);
	await code;
}
