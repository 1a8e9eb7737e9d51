/** A release on one machine without a network: a local site serves it, and users with an empty HOME install it. */
import { type ChildProcess, spawn } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { ensureEngine } from "../engine.mts";
import { type Addresses, pluginDownloadUrl } from "../generate/addresses.mts";
import { type Release, sumOf } from "./artifacts.mts";
import { bundledIn } from "./bom.mts";
import { goVariables } from "./go.mts";
import { type Environment, must, runs, tell } from "./process.mts";
import type { Site } from "./server.mts";
import { type Machine, type User, users } from "./users.mts";

/** The user, the plugin that the engine fetched, and the times of installing and running. */
export type Rehearsed = readonly [user: string, plugin: string, install: string, run: string];

/** Packages of Python that the SDKs and their builds need. */
const pythonPackages = ["pulumi", "parver", "semver", "setuptools", "wheel", "pytest", "twine"];

/** Returns the folder of Python's packages, which are downloaded once, and the variables with which pip finds them. */
export function cachePython(): { readonly folder: string; readonly pip: Environment } {
	const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
	const folder = join(cache, "pulumi-telephony", "wheels");
	if (!existsSync(join(folder, "complete"))) {
		tell("downloading Python packages");
		mkdirSync(folder, { recursive: true });
		must("python3", ["-m", "pip", "download", "--quiet", "--dest", folder, ...pythonPackages], folder);
		writeFileSync(join(folder, "complete"), "");
	}
	const pip = { PIP_NO_INDEX: "1", PIP_FIND_LINKS: folder, PIP_DISABLE_PIP_VERSION_CHECK: "1" };
	return { folder, pip };
}

export async function rehearse(root: string, release: Release, addresses: Addresses, site: Site): Promise<Rehearsed[]> {
	verifySums(release);
	const { bin } = await ensureEngine((line) => console.error(line));
	const emulator = await startEmulator(root);
	try {
		const machine: Machine = {
			version: release.version,
			site: site.url,
			pluginDownloadUrl: pluginDownloadUrl(addresses, release.version),
			goPath: addresses.goPath,
			path: [bin, pathWithoutNode(release.work)].join(delimiter),
			nodePath: nodeFolder(release.work),
			go: goVariables(addresses.goPath, `${site.url}/go`),
		};
		const done: Rehearsed[] = [];
		for (const user of users) done.push(await rehearseUser(user, machine, emulator.url, release, site));
		return done;
	} finally {
		emulator.process.kill();
	}
}

async function rehearseUser(
	user: User,
	machine: Machine,
	service: string,
	release: Release,
	site: Site,
): Promise<Rehearsed> {
	tell(`installing as a user of ${user.name}`);
	const home = mkdtempSync(join(release.work, "home-"));
	const folder = join(home, "office");
	mkdirSync(folder);
	const env: Environment = {
		HOME: home,
		// The engine asks the system for the folder of the user otherwise.
		PULUMI_HOME: join(home, ".pulumi"),
		PATH: machine.path,
		LANG: "C.UTF-8",
		PULUMI_BACKEND_URL: `file://${home}`,
		PULUMI_CONFIG_PASSPHRASE: "rehearsal",
		PULUMI_SKIP_UPDATE_CHECK: "true",
		TELEPHONY_API_KEY: "emulator-key",
		TELEPHONY_BASE_URL: `${service}/v1`,
	};
	const started = Date.now();
	const variables = { ...env, ...(await user.install(folder, env, machine)) };
	const installed = Date.now();
	tell(`running its program`);
	const [downloads, ledger] = [site.downloads.length, (await ledgerOf(service)).length];
	const pulumi = (...args: string[]) => runs("pulumi", [...args, "--non-interactive"], folder, variables);
	await pulumi("stack", "init", "dev");
	await pulumi("config", "set", "telephony:onDelete", "release");
	await pulumi("up", "--yes", ...(user.upOptions ?? []));
	await pulumi("refresh", "--yes", "--expect-no-changes");
	await pulumi("preview", "--expect-no-changes");
	if (user.command !== undefined) await runs(user.command[0] ?? "", user.command.slice(1), folder, variables);
	await pulumi("destroy", "--yes");
	const kinds = (await ledgerOf(service)).slice(ledger).map(({ kind }) => kind);
	if (kinds.join() !== "purchase,release") throw new Error(`${user.name}: the ledger has ${kinds.join()}.`);
	const archive = site.downloads.slice(downloads).find((path) => path.endsWith(".tar.gz"));
	if ((archive !== undefined) !== user.usesPlugin) throw new Error(`${user.name}: the engine fetched ${archive}.`);
	if (!user.usesPlugin) verifyBom(release, folder);
	const plugin = archive === undefined ? "none" : `${basename(archive)}, ${megabytes(release, archive)}`;
	return [user.name, plugin, seconds(installed - started), seconds(Date.now() - installed)];
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const megabytes = ({ target }: Release, path: string): string =>
	`${(statSync(join(target, basename(path))).size / 1e6).toFixed(1)} MB`;

async function ledgerOf(service: string): Promise<readonly { readonly kind: string }[]> {
	const response = await fetch(`${service}/_emulator/ledger`);
	return ((await response.json()) as { readonly data: readonly { readonly kind: string }[] }).data;
}

/** Links to the commands of this machine, except those of Node.js. */
function pathWithoutNode(work: string): string {
	const folder = join(work, "commands");
	mkdirSync(folder);
	for (const from of (process.env.PATH ?? "").split(delimiter).filter((path) => existsSync(path))) {
		for (const name of readdirSync(from)) {
			const isNode = /^(node|nodejs|npm|npx|corepack|pulumi.*|telephony.*)$/.test(name);
			const link = join(folder, name);
			if (!isNode && !from.includes("node_modules") && !existsSync(link)) symlinkSync(join(from, name), link);
		}
	}
	return folder;
}

/** A folder with the Node.js of this process, and npm. */
function nodeFolder(work: string): string {
	const folder = join(work, "node");
	mkdirSync(folder);
	symlinkSync(process.execPath, join(folder, "node"));
	const onPath = (process.env.PATH ?? "").split(delimiter).map((path) => join(path, "npm"));
	const npm = process.env.npm_execpath ?? realpathSync(onPath.find((file) => existsSync(file)) ?? "");
	for (const name of ["npm", "npx"]) symlinkSync(join(dirname(npm), `${name}-cli.js`), join(folder, name));
	return folder;
}

async function startEmulator(root: string): Promise<{ readonly url: string; readonly process: ChildProcess }> {
	const args = [join(root, "bin/telephony"), "emulator", "--memory", "--port", "0", "--kyc", "immediate"];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
	for await (const line of createInterface({ input: child.stdout })) {
		const [url] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
		if (url !== undefined) return { url, process: child };
	}
	throw new Error("The emulator ended before it said where it listens.");
}

// ---- Checksums and bills of materials ---------------------------------------------------------------------------------

function verifySums({ target }: Release): void {
	const lines = readFileSync(join(target, "SHA256SUMS"), "utf8").trim().split("\n");
	const wrong = lines.filter((line) => {
		const [sum, file = ""] = line.split("  ");
		return sumOf(join(target, file)) !== sum;
	});
	const files = readdirSync(target).filter((file) => file !== "SHA256SUMS");
	if (wrong.length > 0 || lines.length !== files.length) throw new Error(`SHA256SUMS is wrong: ${wrong.join(", ")}.`);
}

/** Compares the bills of materials with the packages that npm has installed, and with those in the bundles. */
function verifyBom({ target, version, stage }: Release, folder: string): void {
	const listed = (name: string) => {
		const bom = JSON.parse(readFileSync(join(target, `${name}-${version}.cdx.json`), "utf8"));
		const components = bom.components as { readonly name: string; readonly version: string }[];
		return new Set(components.map((component) => `${component.name}@${component.version}`));
	};
	const ours = listed("pulumi-telephony");
	const missing = Object.entries(bundledIn(stage)).filter(([name, of]) => !ours.has(`${name}@${of}`));
	if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(", ")}.`);
	const policy = listed("pulumi-telephony-policy");
	const manifestOf = (name: string) =>
		JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
	const strangers = Object.keys(manifestOf("pulumi-telephony-policy").dependencies)
		.map((name) => `${name}@${manifestOf(name).version.replace(/^v/, "")}`)
		.filter((installed) => !policy.has(installed));
	if (strangers.length > 0) throw new Error(`The bill of materials of the policies lacks ${strangers.join(", ")}.`);
	if (Object.keys(manifestOf("pulumi-telephony").dependencies ?? {}).length > 0)
		throw new Error("pulumi-telephony installs packages that its bundles contain.");
}
