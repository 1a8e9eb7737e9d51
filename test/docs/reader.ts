/**
 * Types a page's commands into one shell, in a clone that is built.
 *
 * The home folder is empty but for links to node_modules and the engine. Node's compile cache and options, Go's memory
 * setting, npm's cache and its registry come from the test. The emulator starts with `--port 0`, and its address replaces
 * http://127.0.0.1:4010 in commands, in files of the page and in the clone's Pulumi.yaml.
 */
import { execFileSync, spawn } from "node:child_process";
import {
	cpSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { engineVersion } from "../../scripts/engine.mts";
import { type Running, start } from "../helpers/engine-running";
import { files, repository } from "../helpers/repository";
import { missing, type Step } from "./pages";

/** The emulator's address on all pages. */
export const published = "http://127.0.0.1:4010";

export interface Reader {
	readonly home: string;
	/** Returns the emulator's address; without an emulator, the one on the pages. */
	address(): string;
	/** @throws Error for a command with another exit code or output than the page's */
	follow(steps: readonly Step[]): Promise<void>;
	/** Sends Ctrl-C to the emulator, and returns its exit code. */
	stopEmulator(): Promise<number | null | undefined>;
	/** Ends the shell and the emulator, and deletes the home folder. */
	leave(): Promise<void>;
}

/** Makes a bare clone with the uncommitted changes; node_modules are links, and it is built already. */
export function clone(into: string): void {
	const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, encoding: "utf8" });
	git("clone", "--quiet", "--local", repository, into);
	// Uncommitted edits are tested too.
	const edited = git("diff", "--name-only", "-z", "HEAD").split("\0").filter(Boolean);
	const untracked = git("ls-files", "--others", "--exclude-standard", "-z").split("\0").filter(Boolean);
	for (const file of [...edited, ...untracked]) {
		if (files.includes(file)) cpSync(join(repository, file), join(into, file));
		else rmSync(join(into, file), { force: true });
	}
	// The build compares times, so it comes last. The lock is a running build's.
	const copying = { recursive: true, filter: (file: string) => !file.endsWith(".lock") };
	for (const made of ["dist", "policy/dist"])
		if (existsSync(join(repository, made))) cpSync(join(repository, made), join(into, made), copying);
	const [from, to] = [join(repository, "node_modules"), join(into, "node_modules")];
	mkdirSync(to);
	for (const name of readdirSync(from)) {
		const ours = lstatSync(join(from, name)).isSymbolicLink();
		if (ours || name === ".bin" || name === ".package-lock.json")
			cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
		else symlinkSync(join(from, name), join(to, name));
	}
}

/** Reads each command from descriptor 3, up to a NUL, so that no command can read those after it. */
const shell = `exec 2>&1
while IFS= read -r -d '' -u 3 command; do
	eval "$command" </dev/null 3<&-
	printf '\\0%s\\0' "$?"
done`;

/** npx takes half a second to find a local command. */
const npx = '#!/bin/sh\nexport PATH="$PWD/node_modules/.bin:$PATH"\nexec "$@"\n';

/** Gives a reader a faster npx. */
export function hurry(home: string): void {
	mkdirSync(join(home, "bin"), { recursive: true });
	writeFileSync(join(home, "bin/npx"), npx, { mode: 0o755 });
}

/** @param furnished an existing home. Default: a new one */
export function createReader(prepare: (home: string) => string, furnished?: string): Reader {
	const home = furnished ?? mkdtempSync(join(tmpdir(), "telephony-reader-"));
	const engine = process.env.PULUMI_BIN ?? join(homedir(), ".pulumi/versions", engineVersion, "bin");
	if (furnished === undefined) {
		const versions = join(home, ".pulumi/versions");
		mkdirSync(versions, { recursive: true });
		symlinkSync(dirname(engine), join(versions, engineVersion));
	}
	const folder = prepare(home);
	const env = environment(home, engine);
	const bash = spawn("bash", ["-c", shell], {
		cwd: folder,
		env,
		detached: true,
		stdio: ["ignore", "pipe", "pipe", "pipe"],
	});
	let emulator: (Running & { readonly url: string }) | undefined;
	const here = (text: string) => (emulator ? text.replaceAll(published, emulator.url) : text);
	const back = (text: string) => (emulator ? text.replaceAll(emulator.url, published) : text);

	const type = (command: string): Promise<{ output: string; code: number }> =>
		new Promise((done, fail) => {
			let output = "";
			const stop = (act: () => void) => {
				bash.stdout?.off("data", listen);
				bash.off("close", ended);
				act();
			};
			const listen = (text: Buffer) => {
				output += text;
				// No command prints a NUL.
				const [all, code] = /\0(\d+)\0$/.exec(output) ?? [];
				if (all !== undefined) stop(() => done({ output: back(output.slice(0, -all.length)), code: Number(code) }));
			};
			const ended = () => stop(() => fail(new Error(`the shell ended in ${command}:\n${output}`)));
			bash.stdout?.on("data", listen);
			bash.on("close", ended);
			(bash.stdio[3] as NodeJS.WritableStream).write(`${confirmed(here(command))}\0`);
		});
	const must = async (command: string, exit = 0): Promise<string> => {
		const { output, code } = await type(command);
		if (code !== exit) throw new Error(`exit ${code}, not ${exit}:\n$ ${command}\n${output}`);
		return output;
	};

	const perform = async (step: Step): Promise<void> => {
		if (step.kind === "not typed") return;
		let output = "";
		if (step.kind === "file") await must(`cat >${quoted(step.name)} <<'end of the file'\n${step.text}end of the file`);
		else if (step.kind === "emulator") {
			await emulator?.end("SIGINT");
			const cwd = (await must("pwd")).trim();
			const terminal = start(["bash", "-c", `${step.command} --port 0`], cwd, env);
			emulator = { ...terminal, url: await terminal.printed(/^listening on (\S+)\/v1/m) };
			output = back(terminal.output());
			const project = join(cwd, "Pulumi.yaml");
			if (existsSync(project)) writeFileSync(project, here(readFileSync(project, "utf8")));
		} else for (const { text, exit } of step.commands) output += `$ ${text}\n${await must(text, exit)}\n`;
		const absent = "prints" in step ? missing(step.prints, output) : [];
		if (absent.length > 0)
			throw new Error(`the page shows lines that weren't printed:\n${absent.join("\n")}\n\nPrinted:\n${output}`);
	};

	return {
		home,
		address: () => emulator?.url ?? published,
		follow: async (steps) => {
			for (const step of steps) {
				await perform(step).catch((error: Error) => {
					throw new Error(`${step.page}:${step.line}: ${error.message}`);
				});
			}
		},
		stopEmulator: async () => {
			const code = await emulator?.end("SIGINT");
			emulator = undefined;
			return code;
		},
		leave: async () => {
			await emulator?.end("SIGKILL");
			if (bash.exitCode === null) process.kill(-(bash.pid ?? Number.NaN), "SIGKILL");
			rmSync(home, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

/** Answers the question of `pulumi up` and others, which wait for a terminal. With `--preview-only` there is none. */
const confirmed = (text: string) =>
	text.replace(/^npx pulumi (up|destroy|refresh|cancel)\b(?!.*--preview-only)/gm, "PULUMI_SKIP_CONFIRMATIONS=true $&");

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const cached: { npm?: NodeJS.ProcessEnv } = {};

/** Returns npm's cache and configuration, which npm takes long to print. */
function npmSettings(): NodeJS.ProcessEnv {
	const ask = (key: string) => execFileSync("npm", ["config", "get", key], { cwd: tmpdir(), encoding: "utf8" }).trim();
	cached.npm ??= { npm_config_cache: ask("cache"), npm_config_userconfig: ask("userconfig") };
	return cached.npm;
}

/** Returns an environment without the developer's settings, and without another Pulumi CLI. */
function environment(home: string, engine: string): NodeJS.ProcessEnv {
	const kept =
		/^(LANG|LC_\w+|TZ|TMPDIR|\w+_proxy|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|NODE_OPTIONS|GOGC|SSL_CERT_\w+|npm_config_registry)$/i;
	const path = (process.env.PATH ?? "").split(delimiter).filter((part) => part !== engine && !part.endsWith(".bin"));
	return {
		...Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name))),
		HOME: home,
		// Without it, the engine uses the home of the password file.
		PULUMI_HOME: join(home, ".pulumi"),
		PATH: [join(home, "bin"), dirname(process.execPath), ...path].join(delimiter),
		...npmSettings(),
		npm_config_prefer_offline: "true",
		PULUMI_SKIP_UPDATE_CHECK: "true",
	};
}
