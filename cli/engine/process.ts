/** Runs `pulumi` as a child process. */
import type { ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import spawn from "cross-spawn";
import pLimit from "p-limit";
import { Interrupted, UsageError } from "../report/usage";

/** A project's folder and one of its stacks; without a stack, the selected one. */
export interface Place {
	readonly cwd: string;
	readonly stack?: string | undefined;
}

export interface Finished {
	/** As in a shell. */
	readonly code: number;
	readonly stderr: string;
}

interface Options {
	/** Receives each line of standard output. */
	readonly onLine: (line: string) => void;
	/** Added to the environment. */
	readonly variables?: Readonly<Record<string, string>>;
}

/** A read that hangs would keep the engine running until its deadline. */
const patienceMs = 3_000;
const signals = { SIGINT: 130, SIGTERM: 143 } as const;
// Its own process group: a Ctrl-C reaches it once, through us.
const isGrouped = process.platform !== "win32";

/** Runs `pulumi` to its end. @throws Interrupted after a signal */
export async function runPulumi(
	args: readonly string[],
	{ cwd, stack }: Place,
	{ onLine, variables = {} }: Options,
): Promise<Finished> {
	const allArgs = [...args, "--non-interactive", ...(stack === undefined ? [] : ["--stack", stack])];
	// On Windows, npm installs a script that only `cmd.exe` can run; this spawn finds it.
	const child = spawn("pulumi", allArgs, {
		cwd,
		detached: isGrouped,
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			...process.env,
			...variables,
			PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
			// Together with --preview-only, the engine refuses a variable that confirms everything.
			PULUMI_SKIP_CONFIRMATIONS: "false",
			PULUMI_SKIP_UPDATE_CHECK: "true",
		},
	}) as ChildProcessByStdio<null, Readable, Readable>;
	let interrupted: number | undefined;
	const send = (signal: NodeJS.Signals) => {
		if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
		if (!isGrouped) {
			// The console of Windows passes a Ctrl-C to all of its processes, and has no other signals.
			if (signal === "SIGKILL") spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore" });
			return;
		}
		try {
			// `pulumi` may be a script that runs the engine: as in a terminal, all of them get the signal.
			process.kill(-child.pid, signal);
		} catch {
			// It has just ended.
		}
	};
	const pass = (signal: keyof typeof signals) => {
		// Nothing is being written that could break, so a second signal ends it at once.
		if (interrupted !== undefined) return send("SIGKILL");
		interrupted = signals[signal];
		send(signal);
		setTimeout(() => send("SIGKILL"), patienceMs).unref();
	};
	const names = Object.keys(signals) as (keyof typeof signals)[];
	for (const name of names) process.on(name, pass);
	let stderr = "";
	// A chunk may end inside a character.
	child.stderr.setEncoding("utf8");
	child.stderr.on("data", (text) => {
		stderr += text;
	});
	createInterface({ input: child.stdout }).on("line", onLine);
	try {
		const code = await new Promise<number>((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (exit, signal) => resolve(exit ?? (signal === "SIGINT" ? 130 : 143)));
		});
		if (interrupted !== undefined) throw new Interrupted(interrupted);
		return { code, stderr };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		throw new UsageError(
			"engine",
			"the engine is missing: there is no `pulumi` on the PATH (https://www.pulumi.com/docs/install/; in a checkout of this package, `npm run engine`).",
		);
	} finally {
		for (const name of names) process.off(name, pass);
	}
}

/** A command may name any number of stacks. */
const atOnce = pLimit(4);

/** Returns the output of `pulumi`. @throws Interrupted after a signal */
export async function outputOf(args: readonly string[], place: Place): Promise<Finished & { readonly text: string }> {
	const lines: string[] = [];
	const finished = await atOnce(() => runPulumi(args, place, { onLine: (line) => lines.push(line) }));
	return { text: lines.join("\n"), ...finished };
}
