#!/usr/bin/env node
/**
 * `node scripts/ready.mjs`: installs the lockfile's packages if they aren't installed, and builds. npm runs it before the
 * scripts that a bare checkout starts, so it works on any Node.js that npm has.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { takeLock } from "./lock.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const lock = join(root, "dist/.ready.lock");

/** @param {string} args of npm */
function npm(args, path = process.env.PATH) {
	const options = { cwd: root, stdio: ["ignore", 2, 2], shell: true, env: { ...process.env, PATH: path } };
	const { status } = spawnSync(`npm ${args}`, options);
	if (status !== 0) process.exit(status ?? 1);
}

/** @param {string} file below the root. Returns a time in ms, 0 for a missing file */
const changedAt = (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** npm ci deletes node_modules, so npm and its scripts must not run on the Node.js in there. */
function outerPath() {
	const folders = (process.env.PATH ?? "").split(delimiter);
	return folders.filter((folder) => !folder.endsWith(join("node_modules", ".bin"))).join(delimiter);
}

if (Number(process.versions.node.split(".")[0]) < 20) {
	console.error(`Node.js 20 or newer is needed to begin with; this is ${process.version}: see https://nodejs.org/.`);
	process.exit(1);
}
mkdirSync(join(root, "dist"), { recursive: true });
let lastHolder;
await takeLock(lock, (holder) => {
	if (holder !== lastHolder) console.error(`• waiting for process ${holder}, which is installing or building …`);
	lastHolder = holder;
});
process.once("exit", () => rmSync(lock, { force: true }));
// npm writes the second file when it has installed what the first one says.
const [declared, installed] = ["package-lock.json", "node_modules/.package-lock.json"].map(changedAt);
if (installed < declared) {
	console.error("• installing packages (npm ci), which takes about 20 s …");
	npm("ci --include=dev --loglevel=error", outerPath());
}
npm("run --silent build");
