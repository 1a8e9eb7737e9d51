#!/usr/bin/env node
/**
 * `node scripts/bootstrap.mjs <command> [args…]`: installs and builds whatever is missing, then runs the command.
 * It runs on any Node that the machine has, with nothing installed; the rest runs on the Node of node_modules.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isAlive, takeLock } from "./lock.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const tools = join(root, "node_modules", ".bin");
const installed = join(root, "node_modules", ".bootstrap");
const lock = join(root, "dist", ".bootstrap.lock");

const tsc = ["tsc", "-b", "tsconfig.json", "tsconfig.sdk.json", "policy"];
const gitlab = ["--file", "examples/ci/gitlab/telephony.gitlab-ci.yml", "--state-dir", "node_modules/.cache/gitlab-ci"];
const checks = {
	biome: ["biome", "check", "."],
	tsc: ["tsc", "--noEmit", "-p", "tsconfig.check.json"],
	knip: ["knip"],
	"scripts/prose.mts": ["node", "scripts/prose.mts"],
	"scripts/generate.mts": ["node", "scripts/generate.mts", "--check"],
	// It compares the file with GitLab's own JSON schema, which it contains.
	"gitlab-ci-local": ["gitlab-ci-local", "--list", ...gitlab],
};
const actionlint = ["go", "-C", "tools/actionlint", "tool", "actionlint"];
const commands = {
	build: [],
	check: [],
	test: ["node", "scripts/test.mts"],
	bench: ["node", "test/bench/index.mts"],
	sim: ["node", "test/sim/page.mts"],
	mutation: ["node", "test/sim/mutation.mts"],
	emulator: ["node", "bin/telephony", "emulator"],
	demo: ["node", "scripts/demo.mts"],
	engine: ["node", "scripts/engine.mts"],
	generate: ["node", "scripts/generate.mts"],
	release: ["node", "scripts/release.mts"],
	"release:plugin": ["node", "scripts/release-plugin.mts"],
	site: ["node", "scripts/site.mts"],
};

const [command, ...args] = process.argv.slice(2);

/** A step that failed and has already said why. */
class Failed extends Error {
	constructor(code) {
		super();
		this.code = code;
	}
}

async function main() {
	if (Number(process.versions.node.split(".")[0]) < 20)
		return fail(`Node.js 20 or newer is needed to begin with; this is ${process.version}: see https://nodejs.org/.`);
	if (!Object.hasOwn(commands, command ?? ""))
		return fail(`usage: node scripts/bootstrap.mjs ${Object.keys(commands).join("|")} [args…]`);

	// If the emulator can start at once, no progress line is needed.
	const quiet = command === "emulator";
	await locked(async () => {
		const fingerprint = fingerprintOfDependencies();
		if (read(installed) !== fingerprint) {
			await step("installing packages (npm ci)", ["npm", "ci", "--include=dev"], { env: outerEnv() });
			writeFileSync(installed, fingerprint);
		}
		// The engine and the site need nothing that tsc makes, so a broken build must not prevent them.
		if (command !== "engine" && command !== "site") await build(quiet);
	});

	if (command === "check") return await check();
	const [program, ...first] = commands[command];
	if (program) process.exitCode = await run([program, ...first, ...args], { stdio: stdioOf(command) });
}

async function build(quiet) {
	await step("building (tsc)", tsc, { quiet });
	const [bundled, ...sources] = [
		"dist/bundle/licenses.txt",
		"dist/.tsbuildinfo",
		"scripts/bundle.mjs",
		"scripts/undici.cjs",
	]
		.map((file) => join(root, file))
		.map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0));
	if (sources.some((changed) => changed > bundled))
		await step("bundling (rolldown)", ["node", "scripts/bundle.mjs"], { quiet });
}

/** The emulator gets a channel to us: it ends when the channel closes, even if we are killed. */
function stdioOf(command) {
	return command === "emulator" ? ["inherit", "inherit", "inherit", "ipc"] : "inherit";
}

async function check() {
	for (const [name, tool] of Object.entries({ ...checks, ...(await workflowCheck()) }))
		await step(`checking (${name})`, tool).catch((error) => {
			if (!(error instanceof Failed) || error.code > 128) throw error;
			process.exitCode = 1;
		});
}

/** actionlint is a Go program: where Go can't run it, its check is left out. */
async function workflowCheck() {
	let output = "";
	const code = await run([...actionlint, "-version"], { onOutput: (text) => (output += text) }).catch((error) => {
		output = error.message;
	});
	if (code !== 0) {
		say(`• skipping actionlint, which takes Go 1.24 or newer: ${output.trim().split("\n").at(-1)}`);
		return {};
	}
	const workflows = [".github/workflows", "examples/ci/github"].flatMap((folder) =>
		readdirSync(join(root, folder)).map((file) => join(root, folder, file)),
	);
	// The other checkers that it would start are not on every machine.
	return { actionlint: [...actionlint, "-shellcheck=", "-pyflakes=", ...workflows] };
}

function fail(message) {
	console.error(message);
	process.exitCode = 1;
}

/** Returns a hash of everything that npm ci depends on, without the scripts in package.json. */
function fingerprintOfDependencies() {
	const lockfile = readFileSync(join(root, "package-lock.json"));
	const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
	const kinds = [
		"dependencies",
		"devDependencies",
		"optionalDependencies",
		"peerDependencies",
		"overrides",
		"workspaces",
	];
	const declared = JSON.stringify(kinds.map((kind) => manifest[kind]));
	return createHash("sha256").update(lockfile).update(declared).digest("hex");
}

function read(file) {
	return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** For npm ci, which deletes node_modules: nothing it starts may come from there. */
function outerEnv() {
	const outer = (process.env.PATH ?? "")
		.split(delimiter)
		.filter((folder) => !folder.endsWith(join("node_modules", ".bin")));
	return { PATH: outer.join(delimiter) };
}

/** One bootstrap at a time installs and builds. */
async function locked(work) {
	mkdirSync(join(root, "dist"), { recursive: true });
	let lastHolder;
	await takeLock(lock, (holder) => {
		if (holder !== lastHolder) say(`• waiting for process ${holder}, which is installing or building …`);
		lastHolder = holder;
	});
	try {
		await work();
	} finally {
		rmSync(lock, { force: true });
	}
}

/** Runs a command with a progress line, and shows its output only if it fails. */
async function step(what, commandLine, { quiet = false, env } = {}) {
	const started = Date.now();
	const terminal = process.stderr.isTTY;
	const show = () => {
		const line = `• ${what} … ${Math.round((Date.now() - started) / 1000)} s`;
		process.stderr.write(terminal ? `\r${line}` : `${line}\n`);
		quiet = false;
	};
	const ticks = setInterval(show, terminal ? 1000 : 15_000);
	let output = "";
	const code = await run(commandLine, { env, onOutput: (text) => (output += text) });
	clearInterval(ticks);
	if (!quiet) show();
	if (terminal && !quiet) say("");
	if (code === 0) return;
	say(output.trimEnd());
	throw new Failed(code);
}

function say(line) {
	process.stderr.write(`${line}\n`);
}

/** Runs a command to its end, even if signals come, and returns its exit code as a shell would. */
function run([program, ...rest], { env, stdio = ["ignore", "pipe", "pipe"], onOutput }) {
	return new Promise((done, reject) => {
		const path = [tools, process.env.PATH].join(delimiter);
		const child = spawn(program, rest, { cwd: root, stdio, env: { ...process.env, PATH: path, ...env } });
		child.stdout?.on("data", onOutput);
		child.stderr?.on("data", onOutput);

		const forward = (signal) => child.kill(signal);
		// A Ctrl-C reaches the child by itself, and a second one would mean something else.
		const onInterrupt = (signal) => process.stdin.isTTY || forward(signal);
		const handlers = { SIGINT: onInterrupt, SIGTERM: forward, SIGHUP: forward };
		for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
		const watch = command === "emulator" ? whenOrphaned(() => child.kill("SIGTERM")) : undefined;
		const over = () => {
			clearInterval(watch);
			for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
		};
		child.on("error", (error) => {
			over();
			reject(error.code === "ENOENT" ? new Error(`${program} isn't installed, or not on the PATH.`) : error);
		});
		child.on("close", (code, signal) => {
			over();
			done(code ?? 128 + constants.signals[signal]);
		});
	});
}

/** npm, or whatever started us, may be killed without notice: then none of our processes may stay behind. */
function whenOrphaned(end) {
	const parents = [process.ppid, ...npmAbove(process.ppid)];
	return setInterval(() => (process.ppid === parents[0] && parents.every(isAlive)) || end(), 1000);
}

/** npm starts a shell, which starts us, and that shell outlives npm. Without `ps`, npm can't be found. */
function npmAbove(shell) {
	if (process.env.npm_lifecycle_event === undefined) return [];
	const { stdout } = spawnSync("ps", ["-o", "ppid=", "-p", String(shell)], { encoding: "utf8" });
	const pid = Number(stdout);
	return pid > 1 ? [pid] : [];
}

try {
	await main();
} catch (error) {
	if (!(error instanceof Failed)) console.error(error.message);
	process.exitCode = error instanceof Failed ? error.code : 1;
}
