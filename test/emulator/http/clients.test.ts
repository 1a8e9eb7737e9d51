/** Clients that strangers' generators make of the description: type-checked, and driven against the emulator. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished, test } from "vitest";
import { useEmulator } from "../../helpers/emulator";
import { repository } from "../../helpers/repository";
import { heyProgram, pythonProgram, swaggerProgram } from "./programs";

const emulator = useEmulator({ kyc: "immediate" });
const tools = join(repository, "node_modules/.bin");
const done = ["+12025550100", "queued", "queued", 1, "not_found", "released"];

/** A tool of ours, or a program; its output, or an error with all that it said. */
const run = async (command: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) => {
	const env = { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}`, CI: "true", ...more };
	const { stdout } = await promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 2 ** 26 }).catch((error) => {
		throw new Error(`${command} ${args.join(" ")}\n${error.stdout}\n${error.stderr}`);
	});
	return stdout;
};

/** A folder with the description as a stranger gets it. */
const project = async () => {
	const folder = mkdtempSync(join(tmpdir(), "telephony-client-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	writeFileSync(join(folder, "openapi.json"), await (await fetch(`${emulator.url}/openapi.json`)).text());
	return folder;
};

const address = () => ({ BASE_URL: emulator.url, API_KEY: emulator.apiKey });

const drives = async (folder: string, program: string) => {
	writeFileSync(join(folder, "program.ts"), program);
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const compilerOptions = {
		strict: true,
		target: "es2023",
		lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
		module: "preserve",
		moduleResolution: "bundler",
		types: ["node"],
		outDir: "out",
		rootDir: ".",
		skipLibCheck: true,
	};
	writeFileSync(
		join(folder, "tsconfig.json"),
		JSON.stringify({ compilerOptions: { ...compilerOptions, module: "commonjs" }, files: ["program.ts"] }),
	);
	await run("tsc", ["-p", "."], folder);
	return JSON.parse(await run("node", ["out/program.js"], folder, address()));
};

test("@hey-api/openapi-ts makes a client that buys, routes, calls, sends and releases", async ({ expect }) => {
	const folder = await project();
	await run("openapi-ts", ["-i", "openapi.json", "-o", "hey", "-c", "@hey-api/client-fetch"], folder);
	expect(await drives(folder, heyProgram)).toEqual(done);
});

test("swagger-typescript-api makes one that does the same", async ({ expect }) => {
	const folder = await project();
	const args = ["generate", "-p", "openapi.json", "-o", "swagger", "-n", "api.ts"];
	await run("swagger-typescript-api", args, folder);
	expect(await drives(folder, swaggerProgram)).toEqual(done);
});

/** Pinned, and installed once: in node_modules, which is only a cache. */
const packages = ["openapi-python-client==0.29.1", "mypy==2.4.1"];

/** The folder with Python's tools; undefined if there is no Python to make it with. */
const python = async (): Promise<string | undefined> => {
	const venv = join(repository, "node_modules/.cache", `python-${packages.join("-").replaceAll("==", "-")}`);
	const [whole, bin] = [join(venv, "whole"), join(venv, "bin")];
	if (existsSync(whole)) return bin;
	mkdirSync(join(venv, ".."), { recursive: true });
	const made = await run("python3", ["-m", "venv", "--clear", venv], repository).catch(() => undefined);
	if (made === undefined) return undefined;
	await run(join(bin, "python"), ["-m", "pip", "install", "-q", ...packages], repository, {
		PIP_DISABLE_PIP_VERSION_CHECK: "1",
	});
	writeFileSync(whole, "");
	return bin;
};

// The first time, its packages are installed.
const long = 600_000;

test("openapi-python-client makes one of Python that does the same, without a warning", { timeout: long }, async ({
	expect,
	skip,
}) => {
	const bin = await python();
	if (bin === undefined) return skip("python3 with venv isn't installed");
	const folder = await project();
	const config = {
		content_type_overrides: { "audio/wav": "application/octet-stream" },
		package_name_override: "generated",
		post_hooks: [],
	};
	writeFileSync(join(folder, "config.json"), JSON.stringify(config));
	const args = ["--path", "openapi.json", "--config", "config.json", "--meta", "none", "--fail-on-warning"];
	await run(join(bin, "openapi-python-client"), ["generate", ...args, "--output-path", "generated"], folder);
	writeFileSync(join(folder, "program.py"), pythonProgram);
	await run(join(bin, "mypy"), ["--strict", "program.py"], folder);
	expect(JSON.parse(await run(join(bin, "python"), ["program.py"], folder, address()))).toEqual(done);
});
