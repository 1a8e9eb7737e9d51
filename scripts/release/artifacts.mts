/** Everything that a release publishes, packed and tried. */
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bomOf } from "./bom.mts";
import { type Environment, must, tell } from "./process.mts";

/** A published artifact, its destination, and how the dry run tried it. */
export type Row = readonly [what: string, where: string, tried: string];

export interface Release {
	readonly version: string;
	/** Copy of the sources. */
	readonly stage: string;
	/** Receives the files of the release's page. */
	readonly target: string;
	/** Receives temporary files. */
	readonly work: string;
	/** Path of the Go modules' folder. */
	readonly goPath: string;
}

export const npmFolders = [".", "policy"] as const;
/** Each with a line that uses it. */
export const pythons = [
	{ folder: "sdk/python", name: "pulumi_telephony", use: "assert pulumi_telephony.Country.NETHERLANDS == 'NL'" },
	{ folder: "sdk/python-testing", name: "pulumi_telephony_testing", use: "pulumi_telephony_testing.Account" },
] as const;

const scripts = ["node_modules/publint/src/cli.js", "node_modules/@arethetypeswrong/cli/dist/index.js"] as const;

export function packNpm({ stage, target, work }: Release): Row[] {
	return npmFolders.map((folder) => {
		const { name, version } = JSON.parse(readFileSync(join(stage, folder, "package.json"), "utf8"));
		tell(`packing ${name}`);
		must("npm", ["pack", "--pack-destination", target], join(stage, folder));
		const file = join(target, `${name}-${version}.tgz`);
		// A dry run asks the registry for this version, and does without an answer.
		const options = ["--provenance", "--ignore-scripts", "--access=public", "--fetch-retries=0"];
		must("npm", ["publish", "--dry-run", ...options, file], work);
		const [publint, attw] = scripts.map((script) => join(stage, script));
		must(process.execPath, [publint ?? "", file, "--strict"], work);
		must(process.execPath, [attw ?? "", file], work);
		writeFileSync(join(target, `${name}-${version}.cdx.json`), bomOf(stage, folder, work));
		return [basename(file), "npm, with provenance", "npm publish --dry-run --provenance, publint, attw"];
	});
}

/** @param pip variables of pip */
export function packWheels({ version, stage, target, work }: Release, pip: Environment): Row[] {
	tell("building the Python wheels");
	const python = makeVenv(join(work, "venv"), pip);
	must(python, ["-m", "pip", "install", "--quiet", "twine", "setuptools"], work, pip);
	return pythons.map(({ folder, name, use }) => {
		const wheel = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", target, join(stage, folder)];
		must(python, wheel, work, pip);
		const file = `${name}-${version}-py3-none-any.whl`;
		must(python, ["-m", "twine", "check", "--strict", join(target, file)], work);
		must(python, ["-m", "pip", "install", "--quiet", join(target, file)], work, pip);
		must(python, ["-c", `import ${name}; ${use}`], work);
		return [file, "PyPI, by trusted publishing", "twine check, installed and imported"];
	});
}

/** Returns the interpreter of a new environment. */
function makeVenv(folder: string, pip: Environment): string {
	must("python3", ["-m", "venv", folder], ".", pip);
	return join(folder, process.platform === "win32" ? "Scripts" : "bin", "python");
}

export function packPlugins({ stage, target }: Release): Row[] {
	tell("packing the plugin for each system");
	must(process.execPath, [join(stage, "scripts/release-plugin.mts"), `--to=${target}`], stage);
	const archives = globSync("pulumi-resource-*.tar.gz", { cwd: target });
	return [
		[
			`${archives.length} plugin archives`,
			"the release's page, with checksums",
			"packed for each Node.js of tools/runtimes",
		],
	];
}

export function listBoms({ target }: Release): Row[] {
	const files = globSync("*.cdx.json", { cwd: target });
	return files.map((file) => [file, "the release's page", "compared with what is installed and bundled"]);
}

export const sumOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Writes the checksums of all files. */
export function writeSums({ target }: Release): void {
	const files = globSync("*", { cwd: target }).sort();
	const lines = files.map((file) => `${sumOf(join(target, file))}  ${file}\n`);
	writeFileSync(join(target, "SHA256SUMS"), lines.join(""));
}
