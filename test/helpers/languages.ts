/** Programs in every language of the plugin: environments of their runs, and copies of the examples. */
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { type Run, run } from "./engine";
import { createFolder } from "./folders";
import { pythonWith } from "./python";
import { files, read, repository } from "./repository";

type Environment = Record<string, string | undefined>;
type Skip = (why: string) => never;

/** The engine's host of each. */
const hosts = { yaml: "yaml", javascript: "nodejs", typescript: "nodejs", python: "python", go: "go" } as const;
export type Language = keyof typeof hosts;

/** Returns the environment of runs in a language. Skips the test if the machine lacks something. */
export async function prepare(language: Language, skip: Skip): Promise<Environment> {
	const hostFile = join(process.env.PULUMI_BIN ?? "", `pulumi-language-${hosts[language]}`);
	if (!existsSync(hostFile)) skip(`the engine on this machine has no ${hostFile}`);
	return (await prepared[language]?.(skip)) ?? {};
}

/** Variables of the languages that need a preparation. */
const prepared: Readonly<Record<string, ((skip: Skip) => Promise<Environment>) | undefined>> = {
	/** Installs the SDK from a copy of this checkout, as pip leaves files in its sources. */
	python: async (skip) => {
		const python = await pythonWith(
			["pulumi==3.272.0", "parver==1.0.1.post0", "semver==3.1.1", "setuptools==80.9.0", "pytest==9.2.0"],
			skip,
		);
		const folder = createFolder();
		for (const file of files.filter((path) => /^sdk\/python(-testing)?\//.test(path)))
			cpSync(join(repository, file), join(folder, file));
		const pip = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"];
		const target = join(folder, "installed");
		const sources = ["python", "python-testing"].map((name) => join(folder, "sdk", name));
		const installed = await run(python, [...pip, "--target", target, ...sources], folder, process.env);
		if (installed.code !== 0) throw new Error(installed.output);
		const bin = dirname(python);
		return { PATH: [bin, process.env.PATH].join(delimiter), VIRTUAL_ENV: dirname(bin), PYTHONPATH: target };
	},
	go: async (skip) => {
		const env = { ...process.env, GOWORK: "off" };
		const modules = await run("go", ["mod", "download"], accountsIn("go"), env).catch(() => undefined);
		if (modules === undefined) return skip("Go isn't installed");
		if (modules.code !== 0) return skip(`Go's modules can't be had: ${lastLine(modules)}`);
		// The engine is built with these flags, so Go compiles shared packages once.
		const flags = "-mod=readonly -trimpath -tags=osusergo,grpcnotrace -ldflags=-w";
		return { GOWORK: "off", CGO_ENABLED: "0", GOFLAGS: flags };
	},
};

export const exampleIn = (language: string) => join(repository, "examples/plugin", language);
/** In Go, it needs more modules than the other. */
const accountsIn = (language: string) => join(repository, "examples/accounts", language);
const lastLine = ({ output }: Run) => output.trim().split("\n").at(-1) ?? "";

/** The file that holds a program. */
export const programFile: Readonly<Record<Language, string>> = {
	yaml: "Pulumi.yaml",
	javascript: "index.js",
	typescript: "index.ts",
	python: "__main__.py",
	go: "main.go",
};

/** Makes the program in `folder` run another program too. */
export const addProgram: Readonly<Record<Language, (folder: string, part: string, program: string) => void>> = {
	yaml: (folder, _, program) =>
		edit(folder, "Pulumi.yaml", (text) => {
			const [all, more] = [parse(text), parse(program)];
			for (const section of ["config", "variables", "resources"]) all[section] = { ...all[section], ...more[section] };
			return stringify(all);
		}),
	javascript(folder, part, program) {
		// Pulumi prints TypeScript as a module.
		const file = /^import /m.test(program) ? `${part}.mjs` : `${part}.js`;
		writeFileSync(join(folder, file), program);
		appendFileSync(join(folder, "index.js"), `require("./${file}");\n`);
	},
	typescript(folder, part, program) {
		writeFileSync(join(folder, `${part}.ts`), program);
		appendFileSync(join(folder, "index.ts"), `import "./${part}";\n`);
	},
	python(folder, part, program) {
		writeFileSync(join(folder, `${part}.py`), program);
		appendFileSync(join(folder, "__main__.py"), `import ${part}\n`);
	},
	go(folder, part, program) {
		for (const file of ["go.mod", "go.sum"]) cpSync(join(accountsIn("go"), file), join(folder, file));
		const body = program
			.replace(/^func main\(\) \{\n\tpulumi\.Run\(func\(/m, `func ${part}(`)
			.replace(/\n\t\}\)\n\}\s*$/, "\n}\n");
		writeFileSync(join(folder, `${part}.go`), body);
		const call = `\t\tif err := ${part}(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n`;
		edit(folder, "main.go", (text) => text.replace(/\t\treturn nil\n\t\}\)\n/, (end) => call + end));
	},
};

const edit = (folder: string, file: string, change: (text: string) => string) =>
	writeFileSync(join(folder, file), change(readFileSync(join(folder, file), "utf8")));

/** Copies an example. Its relative paths lead to the checkout. */
export function copyOfExample(example: string): string {
	const root = createFolder();
	for (const name of ["bin", "sdk", "node_modules"]) symlinkSync(join(repository, name), join(root, name));
	const folder = join(root, "examples", example);
	mkdirSync(folder, { recursive: true });
	const inside = `examples/${example}/`;
	for (const file of files.filter((path) => path.startsWith(inside)))
		writeFileSync(join(folder, file.slice(inside.length)), read(file));
	return folder;
}
