/** What a program in a language needs before the engine can run it on this machine. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Run, run } from "./engine";
import { files, repository } from "./repository";

type Environment = Record<string, string | undefined>;
type Skip = (why: string) => never;

/** The engine's host of each. */
const hosts = { yaml: "yaml", javascript: "nodejs", typescript: "nodejs", python: "python", go: "go" } as const;
export type Language = keyof typeof hosts;

/** The environment of its runs. Where the machine lacks something, the test is skipped. */
export async function prepare(language: Language, skip: Skip): Promise<Environment> {
	const hostFile = join(process.env.PULUMI_BIN ?? "", `pulumi-language-${hosts[language]}`);
	if (!existsSync(hostFile)) skip(`the engine on this machine has no ${hostFile}`);
	return (await prepared[language]?.(skip)) ?? {};
}

/** What else a program needs, as the environment of its runs. */
const prepared: Readonly<Record<string, ((skip: Skip) => Promise<Environment>) | undefined>> = {
	/** The SDK, installed from a copy of this checkout: pip leaves files where it builds. */
	python: async (skip) => {
		const folder = mkdtempSync(join(tmpdir(), "telephony-python-"));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
		const bin = join(folder, "venv/bin");
		const env = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", VIRTUAL_ENV: join(folder, "venv") };
		const made = await run("python3", ["-m", "venv", join(folder, "venv")], folder, env).catch(() => undefined);
		if (made?.code !== 0) return skip("python3 with venv isn't installed");
		const pip = (...args: string[]) => run(join(bin, "python"), ["-m", "pip", "install", "-q", ...args], folder, env);
		const others = await pip("pulumi", "parver", "semver");
		if (others.code !== 0) return skip(`Python's packages can't be had: ${lastLine(others)}`);
		for (const file of files.filter((each) => each.startsWith("sdk/python/")))
			cpSync(join(repository, file), join(folder, file));
		const own = await pip(join(folder, "sdk/python"));
		if (own.code !== 0) throw new Error(own.output);
		return { PATH: [bin, process.env.PATH].join(delimiter), VIRTUAL_ENV: env.VIRTUAL_ENV };
	},
	go: async (skip) => {
		const env = { ...process.env, GOWORK: "off" };
		const modules = await run("go", ["mod", "download"], exampleIn("go"), env).catch(() => undefined);
		if (modules === undefined) return skip("Go isn't installed");
		if (modules.code !== 0) return skip(`Go's modules can't be had: ${lastLine(modules)}`);
		return { GOWORK: "off", GOFLAGS: "-mod=readonly" };
	},
};

export const exampleIn = (language: string) => join(repository, "examples/plugin", language);
const lastLine = ({ output }: Run) => output.trim().split("\n").at(-1) ?? "";
