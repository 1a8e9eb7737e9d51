/** Starts the programs of a release. */
import { delimiter, dirname } from "node:path";
import spawn from "cross-spawn";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Prints a step. */
export function tell(step: string): void {
	console.error(`• ${step} …`);
}

/** Returns the standard output of a command. @throws Error with its output if it fails */
export function must(command: string, args: readonly string[], cwd: string, env: Environment = {}): string {
	// npm scripts find this Node.js first.
	const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
	const { status, stdout, stderr, error } = spawn.sync(command, [...args], {
		cwd,
		env: { ...process.env, PATH: path, ...env },
		encoding: "utf8",
		maxBuffer: 1 << 28,
		stdio: ["ignore", "pipe", "pipe"],
	});
	if (status === 0) return stdout;
	throw failure(command, args, error?.message ?? `${stdout}${stderr}`);
}

/** As `must`, while this process serves requests. Only these variables are set. */
export function runs(command: string, args: readonly string[], cwd: string, env: Environment): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream?.setEncoding("utf8").on("data", (text: string) => {
				output += text;
			});
		child.once("error", reject);
		child.once("close", (code) => {
			if (code === 0) resolve(output);
			else reject(failure(command, args, output));
		});
	});
}

const failure = (command: string, args: readonly string[], output: string): Error =>
	new Error(`\`${command} ${args.join(" ")}\` failed, so nothing is released:\n${output.trim()}`);
