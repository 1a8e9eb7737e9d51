/** The files of this checkout. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const repository = resolve(__dirname, "../..");

/** Tracked, or new and not ignored; relative to the repository. */
export const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
	cwd: repository,
	encoding: "utf8",
})
	.split("\n")
	.filter((file) => file !== "" && existsSync(join(repository, file)));

export const read = (file: string) => readFileSync(join(repository, file), "utf8");

/** Copies what the build made. The build compares times, so the sources are copied before it. */
export function copyBuild(into: string): void {
	// The lock is a running build's.
	const copying = { recursive: true, filter: (file: string) => !/\.(lock|cache)$/.test(file) };
	for (const made of ["dist", "policy/dist"])
		if (existsSync(join(repository, made))) cpSync(join(repository, made), join(into, made), copying);
}
