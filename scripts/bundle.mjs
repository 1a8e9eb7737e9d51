#!/usr/bin/env node
/**
 * `node scripts/bundle.mjs`: what starts a process, each door of the package as one file and what it shares with others, in
 * dist/bundle/. A process would read and compile 120 files otherwise, and people wait for that at each preview.
 */
import { copyFileSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const target = join(root, "dist/bundle");
const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** By the file's name in the bundle: as deep in dist/ as what it is made of, which looks for package.json from there. */
const doors = {
	sdk: "sdk/index.ts",
	provider: "provider/index.ts",
	"plugin/main": "provider/plugin/main.ts",
	client: "provider/api/client.ts",
	emulator: "emulator/index.ts",
	testing: "sdk/nodejs-testing/index.ts",
	cli: "cli/index.ts",
};

/** Packages that users install. All others are copied: most of their code isn't needed, and reading the rest takes longer than all of ours. */
const external = /^(@pulumi|@grpc|google-protobuf|pulumi-telephony|node:)/;

/** @param {string} name a door's */
function banner(name) {
	const dist = "../".repeat(name.split("/").length);
	// A Node that is too old gets its sentence before anything that it can't read.
	const first = `require("${dist}provider/node-version.js");`;
	// The dynamic provider's process is ours. A user's own process, which may measure its coverage, is left as it is.
	if (name !== "provider") return first;
	// As bin/pulumi-resource-telephony has it.
	const cached = `require("node:module").enableCompileCache(require("node:path").join(__dirname, "${dist}.cache"));`;
	return `${first}\nif (process.argv[1]?.includes("dynamic-provider")) {\n\t${smallNewSpace}\n\t${cached}\n}`;
}

const smallNewSpace = `require("node:v8").setFlagsFromString("--semi-space-growth-factor=1");`;

/** @param {string} unit of UTF-16 */
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Other characters are escaped: V8 loads a file of ASCII sooner, and keeps it in half the memory. */
const asciiOnly = {
	name: "ascii only",
	generateBundle: (_, files) => {
		for (const file of Object.values(files))
			if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
	},
};

/**
 * @param {Record<string, string>} files by the name in the bundle
 * @param {import("rolldown").RolldownPluginOption} plugins
 */
async function write(files, plugins) {
	const bundle = await rolldown({
		cwd: root,
		input: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(root, file)])),
		platform: "node",
		tsconfig: false,
		transform: { target: engines.node.replace(">=", "node") },
		external,
		plugins: [asciiOnly, plugins],
		onLog: (level, log, handle) => handle(level === "warn" ? "error" : level, log),
	});
	const { output } = await bundle.write({
		dir: target,
		format: "cjs",
		exports: "named",
		comments: false,
		banner: ({ isEntry, name }) => (isEntry && name in doors ? banner(name) : ""),
		chunkFileNames: "[name]-[hash].js",
	});
	await bundle.close();
	return output;
}

// Processes may run from the bundles while another command builds, so current ones stay.
const changedAt = (file) => (existsSync(join(root, file)) ? statSync(join(root, file)).mtimeMs : 0);
const sources = ["dist/.tsbuildinfo", "scripts/bundle.mjs", "scripts/undici.cjs"];
if (Math.max(...sources.map(changedAt)) <= changedAt("dist/bundle/licenses.txt")) process.exit();

rmSync(target, { recursive: true, force: true });
// Files of their own, beside the chunks that load them late or never.
const late = {
	undici: "scripts/undici.cjs",
	"libphonenumber-js/max": "node_modules/libphonenumber-js/max/index.cjs",
	"libphonenumber-js/min": "node_modules/libphonenumber-js/min/index.cjs",
	yaml: "node_modules/yaml/dist/index.js",
};
const nameOf = (id) => id.replace("/", "-");
const ownFiles = {
	name: "own files",
	resolveId: (id) => (id in late ? { id: `./${nameOf(id)}.js`, external: true } : undefined),
};
const lateFiles = Object.fromEntries(Object.entries(late).map(([id, file]) => [nameOf(id), file]));
const output = [...(await write(lateFiles)), ...(await write(doors, ownFiles))];

// The console sends it to browsers as it is.
copyFileSync(join(root, "node_modules/idiomorph/dist/idiomorph.min.js"), join(target, "idiomorph.min.js"));

// The licenses of what is copied ask for this.
const copied = output
	.flatMap(({ moduleIds = [] }) => moduleIds)
	.concat(join(root, "node_modules/idiomorph/package.json"))
	.flatMap((id) => id.replaceAll("\\", "/").match(/.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
const licenses = [...new Set(copied)].sort().map((folder) => {
	const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const [file] = globSync("{LICENSE,license,LICENCE,License}*", { cwd: folder });
	return `${name} ${version}\n\n${file === undefined ? `${license}\n` : readFileSync(join(folder, file), "utf8")}`;
});
writeFileSync(join(target, "licenses.txt"), licenses.join("\n---\n\n"));
