/** The copy of the sources that a release packs: packing empties and builds dist/, from which others may be running. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must, tell } from "./process.mts";

const git = (folder: string, ...args: string[]) => must("git", args, folder);

/** Returns the copy, which is a Git repository with one commit. @param repository the address that the copy names */
export function makeStage(root: string, work: string, repository: string): string {
	tell("copying the sources");
	const stage = join(work, "stage");
	const files = git(root, "ls-files", "-co", "--exclude-standard", "-z").split("\0").filter(Boolean);
	for (const file of files) cpSync(join(root, file), join(stage, file), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(stage, "node_modules"), "junction");
	cpSync(join(root, "dist"), join(stage, "dist"), { recursive: true });
	git(stage, "init", "--quiet");
	writeFileSync(join(stage, ".git/info/exclude"), "node_modules\n");
	git(stage, "add", "--all");
	setRepository(stage, repository);
	git(stage, "add", "--all");
	const author = ["-c", "user.name=release", "-c", "user.email=release@localhost", "-c", "commit.gpgsign=false"];
	git(stage, ...author, "commit", "--quiet", "--no-verify", "--message", "The release");
	return stage;
}

/** Writes the address into package.json, and makes every other file follow. Returns false if it was there already. */
export function setRepository(root: string, repository: string): boolean {
	const file = join(root, "package.json");
	const manifest = JSON.parse(readFileSync(file, "utf8")) as { readonly repository: { url: string } };
	const url = `git+${repository}.git`;
	if (manifest.repository.url === url) return false;
	tell(`making every file name ${repository}`);
	manifest.repository.url = url;
	writeFileSync(file, `${JSON.stringify(manifest, undefined, "\t")}\n`);
	must(process.execPath, [join(root, "scripts/generate.mts")], root);
	return true;
}
