/** The packed package. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { takeLock } from "../../scripts/lock.mjs";
import { type Run, run } from "./engine";
import { repository } from "./repository";

export interface Packed {
	readonly file: string;
	readonly unpackedSize: number;
	readonly paths: readonly string[];
	/** TypeScript's records of the build, which are wrong once files are missing. */
	readonly buildRecords: readonly string[];
}

/** Runs a command. @throws Error with its output if it fails */
export async function must(
	command: string,
	args: readonly string[],
	cwd: string,
	env: Record<string, string | undefined> = process.env,
): Promise<Run> {
	const done = await run(command, args, cwd, env);
	if (done.code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${done.code}:\n${done.output}`);
	return done;
}

/** Returns this checkout's tarball, which is packed once in a run of tests. */
export async function pack(): Promise<Packed> {
	const folder = inject("runFolder");
	const [lock, made] = [join(folder, "lock"), join(folder, "packed.json")];
	await takeLock(lock, () => {});
	try {
		if (!existsSync(made)) writeFileSync(made, JSON.stringify(await packInto(folder)));
		return JSON.parse(readFileSync(made, "utf8")) as Packed;
	} finally {
		rmSync(lock);
	}
}

/** Packs a copy, as `npm pack` empties dist/, which other tests use. */
async function packInto(folder: string): Promise<Packed> {
	const stage = join(folder, "stage");
	mkdirSync(stage);
	const { stdout: tracked } = await must("git", ["ls-files", "-co", "--exclude-standard"], repository);
	// The files of the container's build, which packs too.
	const sent = readFileSync(join(repository, "emulator/Dockerfile.dockerignore"), "utf8").match(/(?<=^!).+$/gm) ?? [];
	for (const file of tracked
		.trim()
		.split("\n")
		.filter((name) => sent.some((path) => name === path || name.startsWith(`${path}/`)))) {
		cpSync(join(repository, file), join(stage, file), { recursive: true });
	}
	symlinkSync(join(repository, "node_modules"), join(stage, "node_modules"));
	const { stdout } = await must("npm", ["pack", "--json", "--pack-destination", folder], stage);
	// npm 12 prints an object by package, older versions a list.
	const response = Object.values(JSON.parse(stdout) as object)[0] as {
		filename: string;
		unpackedSize: number;
		files: { path: string }[];
	};
	return {
		file: join(folder, response.filename),
		unpackedSize: response.unpackedSize,
		paths: response.files.map(({ path }) => path),
		buildRecords: globSync("dist/.*tsbuildinfo", { cwd: stage }),
	};
}

interface Skipper {
	skip(why: string): never;
}

/** Installs into a folder. Skips the test if the registry can't be reached. */
export async function install(
	context: Skipper,
	folder: string,
	command: string,
	args: readonly string[],
): Promise<void> {
	const done = await run(command, ["install", "--prefer-offline", ...args], folder, process.env);
	if (done.code === 0) return;
	// npm reports an unreachable registry as a conflict of versions.
	const asked = await run("npm", ["view", "@pulumi/pulumi", "version", "--fetch-retries=0"], folder, process.env);
	if (asked.code !== 0) context.skip("the package registry can't be reached");
	throw new Error(`${command} install ended with ${done.code}:\n${done.output}`);
}
