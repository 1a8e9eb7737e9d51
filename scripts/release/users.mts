/** Users who install a release, each in a language, and the program that each writes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Environment, runs } from "./process.mts";

export interface Machine {
	readonly version: string;
	/** Address of the site with the registries. */
	readonly site: string;
	readonly pluginDownloadUrl: string;
	readonly goPath: string;
	/** The engine, and the commands of a machine without Node.js. */
	readonly path: string;
	/** Folder of Node.js and npm. */
	readonly nodePath: string;
	/** Variables that Go needs to find modules, and compiled packages. */
	readonly go: Environment;
}

export interface User {
	readonly name: string;
	/** The engine downloads the plugin. */
	readonly usesPlugin: boolean;
	/** Writes the program, and installs what it needs. Returns variables of its runs. */
	install(folder: string, env: Environment, machine: Machine): Promise<Environment>;
	/** Options of `pulumi up`. */
	readonly upOptions?: readonly string[];
	/** A further command, after `pulumi refresh`. */
	readonly command?: readonly string[];
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
	mkdirSync(folder, { recursive: true });
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const project = (runtime: string) => `name: office\nruntime: ${runtime}\n`;

/** @param module the one that the program imports */
async function installNpm(
	folder: string,
	env: Environment,
	{ nodePath, site }: Machine,
	module: string,
	packages: string[],
) {
	const program = `import { Number } from "${module}";\n\nexport const { id } = new Number("desk", { country: "NL", type: "mobile" });\n`;
	const manifest = { name: "office", version: "1.0.0", private: true };
	write(folder, { "index.ts": program, "Pulumi.yaml": project("nodejs"), "package.json": JSON.stringify(manifest) });
	const settings = { PATH: [nodePath, env.PATH].join(delimiter), npm_config_registry: `${site}/npm/` };
	const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
	await runs("npm", ["install", ...quiet, "@pulumi/pulumi", "typescript", "@types/node@22", ...packages], folder, {
		...env,
		...settings,
	});
	return settings;
}

const dynamic: User = {
	name: "npm, dynamic provider and policy pack",
	usesPlugin: false,
	install: (folder, env, machine) =>
		installNpm(folder, env, machine, "pulumi-telephony", ["pulumi-telephony", "pulumi-telephony-policy"]),
	upOptions: ["--policy-pack", "node_modules/pulumi-telephony-policy/bin/pulumi-telephony-policy"],
	command: ["npx", "telephony", "drift"],
};

const plugin: User = {
	name: "npm, plugin",
	usesPlugin: true,
	install: (folder, env, machine) => installNpm(folder, env, machine, "pulumi-telephony/plugin", ["pulumi-telephony"]),
};

const python: User = {
	name: "pip, both wheels",
	usesPlugin: true,
	async install(folder, env, { site }) {
		const program = `import pulumi\nimport pulumi_telephony as telephony\nimport pulumi_telephony_testing\n\ndesk = telephony.Number("desk", country="NL", type="mobile")\npulumi.export("id", desk.id)\n`;
		write(folder, { "__main__.py": program, "Pulumi.yaml": project("python") });
		await runs("python3", ["-m", "venv", "venv"], folder, env);
		const bin = join(folder, "venv", "bin");
		const pip = { ...env, PIP_INDEX_URL: `${site}/pypi/simple/`, PIP_DISABLE_PIP_VERSION_CHECK: "1" };
		const packages = ["pulumi_telephony", "pulumi_telephony_testing"];
		await runs(join(bin, "python"), ["-m", "pip", "install", "--quiet", ...packages], folder, pip);
		return { PATH: [bin, env.PATH].join(delimiter), VIRTUAL_ENV: join(folder, "venv") };
	},
};

const go: User = {
	name: "Go module",
	usesPlugin: true,
	async install(folder, env, machine) {
		const program = `package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"${machine.goPath}/go/telephony"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		_, err := telephony.NewNumber(ctx, "desk", &telephony.NumberArgs{
			Country: pulumi.String("NL"),
			Type:    telephony.NumberTypeMobile,
		})
		return err
	})
}
`;
		write(folder, { "main.go": program, "Pulumi.yaml": project("go") });
		const settings = { ...env, ...machine.go };
		await runs("go", ["mod", "init", "office"], folder, settings);
		await runs("go", ["get", `${machine.goPath}/go@v${machine.version}`], folder, settings);
		await runs("go", ["mod", "tidy"], folder, settings);
		return machine.go;
	},
};

const yaml: User = {
	name: "YAML",
	usesPlugin: true,
	async install(folder, _, { version, pluginDownloadUrl }) {
		const options = `    options: { version: ${version}, pluginDownloadURL: "${pluginDownloadUrl}" }\n`;
		const resource = `resources:\n  desk:\n    type: telephony:Number\n    properties: { country: NL, type: mobile }\n${options}`;
		write(folder, { "Pulumi.yaml": `${project("yaml")}${resource}` });
		return {};
	},
};

export const users: readonly User[] = [dynamic, plugin, python, go, yaml];
