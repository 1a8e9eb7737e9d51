/**
 * `npm run release -- [--dry-run] [VERSION]`: packs all that a release publishes and tries it as a user would; then, after
 * a question, tags the commit, from which .github/workflows/release.yml publishes. `--dry-run` ends with what it would do.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";

const { tableText } = createRequire(import.meta.url)(
	"../dist/cli/report/terminal.js",
) as typeof import("../cli/report/terminal.ts");

type Environment = Readonly<Record<string, string | undefined>>;

interface Manifest {
	readonly name: string;
	readonly version: string;
}

/** A published artifact, its destination, and how the dry run tried it. */
type Row = readonly [what: string, where: string, tried: string];

const root = resolve(import.meta.dirname, "..");
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const manifestOf = (folder: string): Manifest => JSON.parse(textOf(join(folder, "package.json")));
const packages = [".", "policy"].map((folder) => ({ folder, ...manifestOf(folder) }));
/** Each with a line that uses it. */
const pythons = [
	{ folder: "sdk/python", name: "pulumi_telephony", use: "assert pulumi_telephony.Country.NETHERLANDS == 'NL'" },
	{ folder: "sdk/python-testing", name: "pulumi_telephony_testing", use: "pulumi_telephony_testing.Account" },
];
const goModules = [
	{ folder: "sdk/go", name: "telephony", use: "NewNumber" },
	{ folder: "sdk/go-testing", name: "telephonytest", use: "NewAccount" },
];

const { values: options, positionals } = parseArgs({
	allowPositionals: true,
	options: { "dry-run": { type: "boolean", default: false }, to: { type: "string", default: join(root, "release") } },
});
const target = resolve(options.to);
const work = mkdtempSync(join(tmpdir(), "telephony-release-"));
try {
	await release();
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
} finally {
	rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}

async function release(): Promise<void> {
	const version = agreedVersion(positionals[0]);
	const doubts = doubtsOf(version);
	if (!options["dry-run"] && doubts.length > 0) throw new Error(refusal(version, doubts));
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });

	const stage = staged();
	const goRows = goModules.map((module) => goModule(stage, version, module));
	const rows = [...npmPackages(stage), ...wheels(stage, version), ...goRows, ...plugins(), ...papers()];
	writeSums();
	const columns = ["What", "Where it goes", "Tried here"].map((title) => ({ title }));
	console.log(`\n${tableText({ columns, rows })}\n\nAll files are in ${target}.`);
	if (options["dry-run"]) {
		for (const doubt of doubts) console.log(`A release would be refused now: ${doubt}`);
		return console.log(`Dry run of ${version}: nothing was tagged, pushed or published.`);
	}
	await tag(version);
}

// ---- What must hold -----------------------------------------------------------------------------------------------------

/** @throws if files disagree about the version, or if another one was asked for */
function agreedVersion(asked: string | undefined): string {
	const found: Readonly<Record<string, string | undefined>> = {
		...Object.fromEntries(packages.map(({ folder, version }) => [join(folder, "package.json"), version])),
		"package-lock.json": JSON.parse(textOf("package-lock.json")).version,
		"sdk/schema.json": JSON.parse(textOf("sdk/schema.json")).version,
		...Object.fromEntries(
			pythons
				.map(({ folder }) => `${folder}/pyproject.toml`)
				.map((file) => [file, /^ *version = "(.*)"$/m.exec(textOf(file))?.[1]]),
		),
		"sdk/go/telephony/pulumi-plugin.json": JSON.parse(textOf("sdk/go/telephony/pulumi-plugin.json")).version,
		"CHANGELOG.md": /^## (\d\S*)/m.exec(textOf("CHANGELOG.md"))?.[1],
	};
	const wanted = asked ?? manifestOf(".").version;
	const others = Object.entries(found).filter(([, version]) => version !== wanted);
	if (others.length === 0) return wanted;
	throw new Error(
		`${wanted} can't be released: ${others.map(([file, version]) => `${file} says ${version}`).join(", ")}. Set the version in each package.json and at the top of CHANGELOG.md, run \`npm install\` and \`npm run generate\`, and commit.`,
	);
}

/** Returns the problems that stop a release. A dry run only prints them. */
function doubtsOf(version: string): string[] {
	const git = (...args: string[]) => outputOf("git", args).trim();
	return [
		...(git("status", "--porcelain") === "" ? [] : ["the tree has changes that aren't committed."]),
		...(git("branch", "--show-current") === "main" ? [] : ["the branch isn't main."]),
		...(git("tag", "--list", `v${version}`) === "" ? [] : [`the tag v${version} is there already.`]),
		...(textOf("CHANGELOG.md").includes(`## ${version} (unreleased)`)
			? [`CHANGELOG.md calls ${version} unreleased: write the date.`]
			: []),
		...(process.stdin.isTTY ? [] : ["there is no terminal on which to confirm it."]),
	];
}

function refusal(version: string, doubts: readonly string[]): string {
	return [`${version} can't be released:`, ...doubts, "`--dry-run` tries the rest."].join("\n  ");
}

// ---- What is packed and tried ------------------------------------------------------------------------------------------

/** A copy of the sources, as packing empties and builds dist/, from which others may be running. */
function staged(): string {
	const stage = join(work, "stage");
	const files = outputOf("git", ["ls-files", "-co", "--exclude-standard", "-z"]).split("\0").filter(Boolean);
	for (const file of files.filter((name) => !/^(test|docs|tools)\//.test(name)))
		cpSync(join(root, file), join(stage, file), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(stage, "node_modules"));
	return stage;
}

function npmPackages(stage: string): Row[] {
	return packages.map(({ folder, name, version }) => {
		tell(`packing ${name}`);
		must("npm", ["pack", "--pack-destination", target], join(stage, folder));
		const file = join(target, `${name}-${version}.tgz`);
		must("npm", ["publish", "--dry-run", "--ignore-scripts", "--access=public", file], work);
		writeFileSync(join(target, `${name}-${version}.cdx.json`), bomOf(folder));
		return [basename(file), "npm, with provenance", "npm publish --dry-run"];
	});
}

/** npm's bill of materials of what users install. It can't read a checkout whose workspaces link to each other. */
function bomOf(folder: string): string {
	const {
		workspaces: _,
		devDependencies: _dev,
		scripts: _scripts,
		...manifest
	} = JSON.parse(textOf(join(folder, "package.json")));
	const lock = JSON.parse(textOf("package-lock.json")) as {
		packages: Record<string, { readonly link?: boolean; readonly dev?: boolean }>;
	};
	// npm's own `--omit=dev` also leaves out what a development dependency needs too.
	const installed = Object.entries(lock.packages).filter(
		([path, { link, dev }]) => /^node_modules\//.test(path) && !link && !dev,
	);
	const clean = mkdtempSync(join(work, "bom-"));
	const packagesOfLock = { "": manifest, ...Object.fromEntries(installed) };
	writeFileSync(join(clean, "package.json"), JSON.stringify(manifest));
	writeFileSync(
		join(clean, "package-lock.json"),
		JSON.stringify({ ...lock, name: manifest.name, packages: packagesOfLock }),
	);
	const bom = outputOf("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], clean);
	const listed = new Set((JSON.parse(bom).components as { name: string }[]).map(({ name }) => name));
	if (listed.has("vitest"))
		throw new Error(`The bill of materials of ${manifest.name} has what only its developers need.`);
	const missing = Object.keys(manifest.dependencies ?? {}).filter((name) => !listed.has(name));
	if (missing.length > 0) throw new Error(`The bill of materials of ${manifest.name} lacks ${missing.join(", ")}.`);
	return bom;
}

function wheels(stage: string, version: string): Row[] {
	tell("building the Python wheels");
	const venv = join(work, "venv");
	must("python3", ["-m", "venv", venv]);
	const python = join(venv, process.platform === "win32" ? "Scripts" : "bin", "python");
	const pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
	return pythons.map(({ folder, name, use }) => {
		must(python, [...pip, "wheel", "--no-deps", "--wheel-dir", target, join(stage, folder)]);
		const file = `${name}-${version}-py3-none-any.whl`;
		must(python, [...pip, "install", join(target, file)]);
		must(python, ["-c", `import ${name}; ${use}`], work);
		return [file, "PyPI, by trusted publishing", "installed in a clean environment and imported"];
	});
}

function goModule(stage: string, version: string, { folder, name, use }: (typeof goModules)[number]): Row {
	tell(`using the Go module of ${folder}`);
	const consumer = mkdtempSync(join(work, "consumer-"));
	const from = join(stage, folder);
	const manifest = readFileSync(join(from, "go.mod"), "utf8");
	const directive = (word: string) => new RegExp(`^${word} (\\S+)`, "m").exec(manifest)?.[1] ?? "";
	const path = directive("module");
	cpSync(join(from, "go.sum"), join(consumer, "go.sum"));
	const mod = `module consumer\n\ngo ${directive("go")}\n\nrequire ${path} v0.0.0\n\nreplace ${path} => ${from}\n`;
	writeFileSync(join(consumer, "go.mod"), mod);
	writeFileSync(
		join(consumer, "consumer.go"),
		`package consumer\n\nimport "${path}/${name}"\n\nvar Use = ${name}.${use}\n`,
	);
	const flags = "-mod=mod -trimpath -tags=osusergo,grpcnotrace";
	must("go", ["build", "./..."], consumer, { GOFLAGS: flags, GOWORK: "off", CGO_ENABLED: "0" });
	return [`${path} v${version}`, `the tag ${folder}/v${version}`, "compiled into another module"];
}

function plugins(): Row[] {
	tell("packing the plugin");
	must(process.execPath, [join(import.meta.dirname, "release-plugin.mts"), `--to=${target}`]);
	const archives = globSync("pulumi-resource-*.tar.gz", { cwd: target });
	return [[`${archives.length} plugin archives`, "the release's page, with checksums", "packed"]];
}

function papers(): Row[] {
	return globSync("*.cdx.json", { cwd: target }).map((file) => [file, "the release's page", "made of the lockfile"]);
}

function writeSums(): void {
	const lines = globSync("*", { cwd: target })
		.sort()
		.map(
			(file) =>
				`${createHash("sha256")
					.update(readFileSync(join(target, file)))
					.digest("hex")}  ${file}\n`,
		);
	writeFileSync(join(target, "SHA256SUMS"), lines.join(""));
}

// ---- The release itself ------------------------------------------------------------------------------------------------

async function tag(version: string): Promise<void> {
	const tags = [`v${version}`, ...goModules.map(({ folder }) => `${folder}/v${version}`)];
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	const answer = await terminal.question(`Tag this commit ${tags.join(" and ")}, and push? Type ${version}: `);
	terminal.close();
	if (answer.trim() !== version) return console.log("Nothing was tagged or pushed.");
	for (const name of tags) must("git", ["tag", "--annotate", "--message", `pulumi-telephony ${version}`, name], root);
	must("git", ["push", "--atomic", "origin", ...tags], root);
	console.log(`Pushed ${tags.join(" and ")}: the workflow "release" publishes.`);
}

// ---- Helpers ------------------------------------------------------------------------------------------------------------

function tell(what: string): void {
	console.error(`• ${what} …`);
}

function outputOf(command: string, args: readonly string[], cwd = root): string {
	return execFileSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "pipe"] });
}

/** @throws what the command said, if it fails */
function must(command: string, args: readonly string[], cwd = root, env: Environment = {}): void {
	const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
	const { status, stdout, stderr, error } = spawnSync(command, args, {
		cwd,
		env: { ...process.env, PATH: path, ...env },
		encoding: "utf8",
	});
	if (status === 0) return;
	const why = error === undefined ? `${stdout}${stderr}`.trim() : error.message;
	throw new Error(`\`${command} ${args.join(" ")}\` failed, so nothing is released:\n${why}`);
}
