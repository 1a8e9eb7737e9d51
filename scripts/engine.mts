/** The Pulumi engine (the CLI) in the one version that everything here is tested with: found, downloaded or built. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import spawn from "cross-spawn";
import { takeLock } from "./lock.mjs";

export const engineVersion = "3.259.0";

type Way = "found" | "downloaded" | "built";
export interface Engine {
	/** The directory that holds `pulumi` and its language hosts. */
	bin: string;
	way: Way;
	seconds: number;
}
type Log = (line: string) => void;

const downloadHost = "https://get.pulumi.com";
const goVersion = "1.25.11";
const minute = 60_000;
/** CI systems end a job that stays silent. */
const heartbeat = 15_000;

const checkout = resolve(import.meta.dirname, "..");
const packages = createRequire(import.meta.url);
const versions = join(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "versions");
const root = join(versions, engineVersion);
const bin = join(root, "bin");
const lock = join(versions, `.${engineVersion}.lock`);
/** Of programs and scripts. */
const executableEndings = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
/** The holder of the lock makes the engine here, and begins by deleting what a killed process has left. */
const temp = join(versions, `.${engineVersion}-new`);

/** Returns the environment variables that an unattended run of the engine needs. */
export function engineEnv(extra: Record<string, string> = {}): Record<string, string> {
	return {
		PULUMI_SKIP_UPDATE_CHECK: "true",
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
		PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter),
		...extra,
	};
}

/** Finds the engine, or gets it. `TELEPHONY_ENGINE=build|download` allows only that way to get it. */
export async function ensureEngine(log: Log = () => {}): Promise<Engine> {
	const started = Date.now();
	const way = (await isComplete(root)) ? "found" : await interruptible((signal) => get(log, signal));
	return { bin, way, seconds: (Date.now() - started) / 1000 };
}

async function get(log: Log, signal: AbortSignal): Promise<Way> {
	await mkdir(versions, { recursive: true });
	let lastNotice = 0;
	await takeLock(
		lock,
		(holder) => {
			if (Date.now() - lastNotice < heartbeat) return;
			log(`• ${lastNotice > 0 ? "still " : ""}waiting for process ${holder}, which is getting the engine …`);
			lastNotice = Date.now();
		},
		signal,
	);
	const tidy = () => {
		rmSync(temp, { recursive: true, force: true });
		rmSync(lock, { force: true });
	};
	process.once("exit", tidy);
	try {
		if (await isComplete(root)) return "found";
		const { way, made } = await make(log, signal);
		// An existing folder is incomplete. It is deleted with the temporary folder.
		if (existsSync(root)) await rename(root, join(temp, "replaced"));
		await rename(made, root);
		return way;
	} finally {
		process.off("exit", tidy);
		tidy();
	}
}

async function make(log: Log, signal: AbortSignal): Promise<{ way: Way; made: string }> {
	const ways = { download, build };
	const only = process.env.TELEPHONY_ENGINE;
	if (only && !Object.hasOwn(ways, only)) throw new Error(`TELEPHONY_ENGINE must be build or download, not "${only}".`);

	const failures: string[] = [];
	for (const [name, way] of Object.entries(ways).filter(([key]) => !only || key === only)) {
		try {
			rmSync(temp, { recursive: true, force: true });
			mkdirSync(temp);
			const made = await way(log, signal);
			if (!(await isComplete(made))) throw new Error(`what it made doesn't run as ${engineVersion}`);
			return { way: way === build ? "built" : "downloaded", made };
		} catch (error) {
			signal.throwIfAborted();
			const { message } = error as Error;
			failures.push(`  ${name}: ${message}`);
			if (name === "download" && !only) log(`• no download: ${message}`);
		}
	}
	throw new Error(
		[
			`The Pulumi engine ${engineVersion} isn't on this machine, and getting it failed:`,
			...failures,
			`Do one of these, then try again: allow access to ${downloadHost}; install Go >= ${goVersion} (https://go.dev/dl/); ` +
				`or put the Pulumi CLI ${engineVersion} and its language hosts into ${bin}.`,
		].join("\n"),
	);
}

/** The npm package `pulumi` runs the official installer. As a process it can be ended, unlike PulumiCommand.install. */
async function download(log: Log, signal: AbortSignal): Promise<string> {
	// Node's fetch uses a proxy from the environment only if told to; curl in the installer always does.
	const env = { ...process.env, NODE_USE_ENV_PROXY: "1", PULUMI_HOME: temp, PULUMI_VERSION: engineVersion };
	const probe = `
    fetch("${downloadHost}/install.sh", { method: "HEAD", signal: AbortSignal.timeout(5000) })
      .then((response) => { if (!response.ok) throw new Error("HTTP " + response.status); })
      .catch((error) => { console.error(error.cause?.message ?? error.message); process.exit(1); })`;
	await run(process.execPath, ["-e", probe], { env, signal, limit: 8000 }).catch((error: Error) => {
		throw new Error(`${downloadHost} can't be reached (${error.message})`);
	});
	const wrapper = packages.resolve("pulumi/run.js");
	await timed(log, `downloading the engine ${engineVersion}`, () =>
		run(process.execPath, [wrapper, "version"], { env, signal, limit: 5 * minute }),
	);
	return join(temp, "versions", engineVersion);
}

async function build(log: Log, signal: AbortSignal): Promise<string> {
	const made = join(temp, "made");
	const target = join(made, "bin");
	await mkdir(target, { recursive: true });

	// Go's own temporary files are deleted with ours, no matter how this ends.
	const env = { ...process.env, GOWORK: "off", CGO_ENABLED: "0", GOTMPDIR: temp };
	const local = { ...env, GOTOOLCHAIN: "local" };
	const found = await run("go", ["env", "GOVERSION"], { env: local, cwd: temp, signal }).catch(() => {
		throw new Error("Go isn't installed");
	});
	const go = (module: string, ...args: string[]) =>
		run("go", args, { env, cwd: join(checkout, "tools", module), signal, limit: 30 * minute }).catch((error: Error) => {
			throw new Error(`${found} says: ${error.message}`);
		});
	// From 1.21 on, Go downloads the toolchain named in go.mod by itself, or says why it can't.
	const minor = /^go1\.(\d+)/.exec(found)?.[1];
	if (minor && Number(minor) < 21) throw new Error(`${found} is too old`);

	log(`• building the engine ${engineVersion} from source with ${found}: some minutes, once`);
	const sdk = "github.com/pulumi/pulumi/sdk/v3";
	const mains = [
		["engine", "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"],
		["engine", "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"],
		["hosts", `${sdk}/nodejs/cmd/pulumi-language-nodejs`],
		["hosts", `${sdk}/python/cmd/pulumi-language-python`],
		["hosts", `${sdk}/go/pulumi-language-go`],
	] as const;
	const ldflags = `-w -s -X ${sdk}/go/common/version.Version=v${engineVersion}`;
	const flags = ["-mod=readonly", "-trimpath", "-tags=osusergo,grpcnotrace", `-ldflags=${ldflags}`];
	for (const [module, main] of mains)
		await timed(log, `building ${main.slice(main.lastIndexOf("/") + 1)}`, () =>
			go(module, "build", ...flags, "-o", `${target}/`, main),
		);

	const sdkSource = await go("hosts", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", sdk);
	for (const script of [
		join(dirname(packages.resolve("@pulumi/pulumi/package.json")), "pulumi-resource-pulumi-nodejs"),
		join(sdkSource, "python", "cmd", "pulumi-language-python-exec"),
	]) {
		const copy = join(target, script.slice(script.lastIndexOf("/") + 1));
		await copyFile(script, copy);
		await chmod(copy, 0o755);
	}
	await writeFile(join(made, "built-from-source"), "by scripts/engine.mts of pulumi-telephony\n");
	return made;
}

/** An engine that we built has the hosts of all languages; any other needs only what Node.js needs. */
async function isComplete(engine: string): Promise<boolean> {
	const needed = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
	if (existsSync(join(engine, "built-from-source")))
		needed.push(...["yaml", "python", "python-exec", "go"].map((name) => `pulumi-language-${name}`));
	try {
		for (const name of needed) {
			const files = executableEndings.map((ending) => join(engine, "bin", `${name}${ending}`));
			accessSync(files.find((file) => existsSync(file)) ?? name, constants.X_OK);
		}
		const env = { ...process.env, ...engineEnv() };
		const { stdout } = await promisify(execFile)(join(engine, "bin", "pulumi"), ["version"], { env, timeout: minute });
		return stdout.trim() === `v${engineVersion}`;
	} catch {
		return false;
	}
}

/** Lets a signal end the work cleanly (children, temporary folder, lock), and then ends this process. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
	const controller = new AbortController();
	let received: NodeJS.Signals | undefined;
	const onSignal = (signal: NodeJS.Signals) => {
		received = signal;
		controller.abort();
	};
	for (const signal of signals) process.on(signal, onSignal);
	try {
		return await work(controller.signal);
	} finally {
		for (const signal of signals) process.off(signal, onSignal);
		if (received) process.kill(process.pid, received);
	}
}

async function timed<T>(log: Log, what: string, work: () => Promise<T>): Promise<T> {
	const started = Date.now();
	const say = () => log(`• ${what} … ${Math.round((Date.now() - started) / 1000)} s`);
	log(`• ${what} …`);
	const ticks = setInterval(say, heartbeat);
	try {
		const result = await work();
		say();
		return result;
	} finally {
		clearInterval(ticks);
	}
}

interface RunOptions {
	env: NodeJS.ProcessEnv;
	cwd?: string;
	signal: AbortSignal;
	limit?: number;
}

/** Runs a command in its own process group, so that a stop reaches its children; fails with the end of its output. */
function run(command: string, args: string[], { limit = minute, signal, ...options }: RunOptions): Promise<string> {
	return new Promise((done, fail) => {
		signal.throwIfAborted();
		const isGrouped = process.platform !== "win32";
		const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: isGrouped });
		const timeout = AbortSignal.timeout(limit);
		const stop = AbortSignal.any([signal, timeout]);
		const kill = () => {
			try {
				if (child.pid) process.kill(isGrouped ? -child.pid : child.pid, "SIGINT");
			} catch {
				// It has already ended.
			}
		};
		stop.addEventListener("abort", kill);

		let stdout = "";
		let stderr = "";
		child.stdout?.on("data", (chunk) => (stdout += chunk));
		child.stderr?.on("data", (chunk) => (stderr += chunk));
		child.on("error", fail);
		child.on("close", (code) => {
			stop.removeEventListener("abort", kill);
			if (code === 0) return done(stdout.trim());
			if (timeout.aborted) return fail(new Error(`no end after ${limit / 1000} s`));
			fail(new Error((stderr || stdout).trim().slice(-2000) || `${command} ended with ${code}`));
		});
	});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	try {
		const { way, seconds } = await ensureEngine((line) => console.error(line));
		console.log(`engine ${engineVersion} ${way} in ${seconds.toFixed(1)} s: ${bin}`);
	} catch (error) {
		console.error((error as Error).message);
		process.exitCode = 1;
	}
}
