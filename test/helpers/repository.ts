/** The files of this checkout. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
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
