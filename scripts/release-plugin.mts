/**
 * `npm run release:plugin [-- --to=FOLDER]`: the native plugin as archives with the names that Pulumi downloads, and their
 * checksums. It is JavaScript, so one archive serves all systems; each needs Node.js on the machine.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	chmodSync,
	copyFileSync,
	cpSync,
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

interface Manifest {
	readonly version: string;
	readonly dependencies?: Record<string, string>;
	readonly peerDependencies?: Record<string, string>;
	readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>;
}

const root = resolve(import.meta.dirname, "..");
const systems = ["linux", "darwin", "windows"].flatMap((os) => ["amd64", "arm64"].map((arch) => `${os}-${arch}`));
const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

const target = resolve(
	process.argv.find((word) => word.startsWith("--to="))?.slice("--to=".length) ?? join(root, "release"),
);
const stage = mkdtempSync(join(tmpdir(), "telephony-release-"));
try {
	fill();
	mkdirSync(target, { recursive: true });
	const { version } = manifestIn(root);
	const names = systems.map((system) => `pulumi-resource-telephony-v${version}-${system}.tar.gz`);
	const [first = ""] = names;
	execFileSync("tar", ["-czf", join(target, first), "-C", stage, "."]);
	for (const name of names.slice(1)) copyFileSync(join(target, first), join(target, name));
	const sum = createHash("sha256")
		.update(readFileSync(join(target, first)))
		.digest("hex");
	const sums = names.map((name) => `${sum}  ${name}\n`).join("");
	writeFileSync(join(target, `pulumi-telephony_${version}_checksums.txt`), sums);
	console.log(`${names.join("\n")}\nin ${target}`);
} finally {
	rmSync(stage, { recursive: true, force: true });
}

/** Fills the stage with the plugin's part of the package, and the packages that it loads, in the lockfile's versions. */
function fill(): void {
	const code = [...loadedBy(join(root, "dist/bundle/plugin/main.js")), join(root, "dist/provider/node-version.js")].map(
		(file) => relative(root, file),
	);
	for (const file of [
		...code,
		...globSync("bin/pulumi-*", { cwd: root }),
		"package.json",
		"sdk/schema.json",
		"LICENSE",
	])
		cpSync(join(root, file), join(stage, file));
	// The engine starts the file at the root.
	for (const name of ["pulumi-resource-telephony", "pulumi-resource-telephony.cmd"]) {
		const text = readFileSync(join(root, "bin", name), "utf8").replaceAll("../dist/", "./dist/");
		writeFileSync(join(stage, name), text);
		chmodSync(join(stage, name), 0o755);
	}
	rmSync(join(stage, "bin"), { recursive: true });

	const texts = code.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
	const { dependencies, peerDependencies } = manifestIn(root);
	const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => texts.includes(`"${name}`));
	for (const folder of packagesOf(needed, root)) {
		cpSync(folder, join(stage, relative(root, folder)), {
			recursive: true,
			// A package in another's folder is copied by itself, if it is needed.
			filter: (path) => !/(\.d\.[cm]?ts|\.map|\.md|[\\/]node_modules)$/.test(path.slice(folder.length)),
		});
	}
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
