/** A copy of sources and build in which faults are planted; the simulation and tests run in it as in the repository. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import type { Fault } from "./faults.mts";

export const repository = resolve(fileURLToPath(import.meta.url), "../../../..");

const scripts = ["bundle.mjs", "undici.cjs"].map((name) => `scripts/${name}`);
const bundled = ["cli", "emulator", "provider", ...scripts, "sdk"];
const copied = [...bundled, ".gitignore", "bin", "dist", "package.json", "test", "vitest.config.mts"];

/** The files of a part of the product, by their paths below the repository. */
const sources = new Map<string, ReadonlyMap<string, string>>();

function sourcesOf(part: string): ReadonlyMap<string, string> {
	const files =
		sources.get(part) ??
		new Map(
			readdirSync(join(repository, part), { recursive: true, encoding: "utf8" })
				.filter((path) => path.endsWith(".ts"))
				.map((path) => [join(part, path), readFileSync(join(repository, part, path), "utf8")]),
		);
	sources.set(part, files);
	return files;
}

/** Returns the file with the fault in it. @throws RangeError unless the sources have the fault's text exactly once */
export function planted({ name, part, search, replace }: Fault): { file: string; text: string } {
	const found = [...sourcesOf(part)].flatMap(([file, text]) =>
		text
			.split(search)
			.slice(1)
			.map(() => ({ file, text: text.replace(search, () => replace) })),
	);
	const [only, ...more] = found;
	if (only === undefined || more.length > 0)
		throw new RangeError(`"${name}": ${part}/ must have this once, and has it ${found.length} times: ${search}`);
	return only;
}

export interface Tree {
	readonly folder: string;
	/** Returns a function that removes the fault. */
	plant(fault: Fault): () => void;
	remove(): void;
}

export function copyTree(): Tree {
	const folder = mkdtempSync(join(tmpdir(), "telephony-planted-"));
	for (const path of copied) cpSync(join(repository, path), join(folder, path), { recursive: true });
	// Some tests list the repository's files.
	execFileSync("git", ["init", "--quiet"], { cwd: folder });
	const modules = join(folder, "node_modules");
	mkdirSync(modules);
	// The package itself, as programs require it, is the copy.
	for (const name of readdirSync(join(repository, "node_modules")))
		symlinkSync(name === "pulumi-telephony" ? ".." : join(repository, "node_modules", name), join(modules, name));
	return {
		folder,
		plant(fault) {
			const { file, text } = planted(fault);
			// Stories in process load single files of the build, processes the bundle, and tests the sources.
			const changed = { [file]: text, [join("dist", file.replace(/\.ts$/, ".js"))]: transpiled(text, file) };
			const before = Object.keys(changed).map(
				(path) => [join(folder, path), readFileSync(join(folder, path))] as const,
			);
			for (const [path, content] of Object.entries(changed)) writeFileSync(join(folder, path), content);
			execFileSync(process.execPath, [join(folder, "scripts/bundle.mjs")]);
			return () => {
				for (const [path, content] of before) writeFileSync(path, content);
				cpSync(join(repository, "dist/bundle"), join(folder, "dist/bundle"), { recursive: true });
			};
		},
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

/** Returns the compiled file, whose types aren't checked. */
function transpiled(text: string, fileName: string): string {
	const { config } = ts.readConfigFile(join(repository, "tsconfig.json"), ts.sys.readFile) as {
		config: { compilerOptions: object };
	};
	const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, repository);
	const compilerOptions = { ...options, module: ts.ModuleKind.CommonJS, esModuleInterop: true };
	return ts.transpileModule(text, { fileName, compilerOptions }).outputText;
}
