/** Commands that a test ends before they are done. */
import type { ChildProcess, ChildProcessByStdio, SpawnOptions } from "node:child_process";
import type { Readable } from "node:stream";
import spawn from "cross-spawn";
import type { Project } from "./engine";
import { descendants, kill } from "./process-tree.mts";

export interface Running {
	readonly child: ChildProcess;
	/** Both streams so far. */
	output(): string;
	/** Exit code; null after a signal. */
	readonly code: Promise<number | null>;
	/** Waits for output, and returns the expression's first group. */
	printed(expression: RegExp): Promise<string>;
	/** Sends a signal to all its processes, as a Ctrl-C does, and waits for the end. */
	end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `up` as a shell does. */
export const startUp = ({ folder, env }: Project): Running =>
	start(["pulumi", "up", "--yes", "--skip-preview", "--non-interactive"], folder, env);

/** Starts a command in a process group of its own. */
export function start(
	[command = "", ...args]: readonly string[],
	cwd: string,
	env: NodeJS.ProcessEnv,
	as: { readonly uid?: number; readonly gid?: number } = {},
): Running {
	const options: SpawnOptions = { ...as, cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] };
	const child = spawn(command, args, options) as ChildProcessByStdio<null, Readable, Readable>;
	let output = "";
	const code = new Promise<number | null>((done) => child.once("close", (exitCode) => done(exitCode)));
	for (const stream of [child.stdout, child.stderr]) {
		stream.on("data", (text) => {
			output += text;
		});
	}
	return {
		child,
		output: () => output,
		code,
		printed: (expression) =>
			new Promise((done, fail) => {
				const look = () => {
					const match = expression.exec(output);
					if (match !== null) done(match[1] ?? "");
				};
				look();
				for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
				void code.then((exit) => fail(new Error(`\`${command}\` ended with ${exit}:\n${output}`)));
			}),
		end(signal) {
			try {
				process.kill(-(child.pid ?? Number.NaN), signal);
			} catch {
				// It has ended.
			}
			return code;
		},
	};
}

/** Ends the CLI and all its processes at once, as if the machine had crashed. */
export async function crash({ child, code }: Running): Promise<void> {
	const pid = child.pid ?? Number.NaN;
	for (const descendant of [{ pid }, ...descendants(pid)]) kill(descendant.pid);
	await code;
}
