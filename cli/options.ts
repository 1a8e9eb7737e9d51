/** Checks of the options that commands share. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "./usage";

interface Options {
	readonly cwd: string;
	readonly stack?: string | undefined;
	readonly json?: string | undefined;
	readonly markdown?: string | undefined;
}

/** Refuses wrong options before the engine runs. @throws UsageError */
export function assertOptions({ cwd, stack, json, markdown }: Options): void {
	// An unset variable gives an empty value, and the engine would take another stack.
	for (const [option, value] of Object.entries({ cwd, stack, json, markdown }))
		if (value?.trim() === "") throw new UsageError("usage", `--${option} is empty: give it a value, or leave it out.`);
	if (!isFolder(cwd)) throw new UsageError("usage", `there is no folder ${cwd}: name the project's folder with --cwd.`);
	for (const file of [json, markdown]) {
		if (file !== undefined && !isWritable(file))
			throw new UsageError("usage", `${file} can't be written: name a file in a folder that exists.`);
	}
	if (json !== undefined && markdown !== undefined && resolve(json) === resolve(markdown))
		throw new UsageError("usage", `--json and --markdown both name ${json}: give each a file of its own.`);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function isWritable(file: string): boolean {
	try {
		accessSync(existsSync(file) ? file : dirname(resolve(file)), constants.W_OK);
		return !isFolder(file);
	} catch {
		return false;
	}
}
