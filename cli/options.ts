/** Checks of the options that commands share. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { UsageError } from "./usage";

const defaultStack = "(default: the one that is selected)";

const withFolder = (command: Command): Command => command.option("-C, --cwd <dir>", "the project's folder", ".");

/** Adds the options of a command about one stack. */
export const withStack = (command: Command): Command =>
	withFolder(command).option("-s, --stack <name>", `the stack ${defaultStack}`);

/** Adds the options of a command about all stacks of an account. */
export const withStacks = (command: Command): Command =>
	withFolder(command).option(
		"-s, --stack <names...>",
		`stacks, or files that \`pulumi stack export\` wrote; name all of the account's ${defaultStack}`,
	);

interface Options {
	readonly cwd: string;
	readonly stack?: string | undefined;
	readonly json?: string | undefined;
	readonly markdown?: string | undefined;
	readonly write?: string | undefined;
	readonly savePlan?: string | undefined;
	/** A folder that may be missing. */
	readonly output?: string | undefined;
}

/** Refuses wrong options before the engine runs. @throws UsageError */
export function assertOptions({ cwd, stack, json, markdown, write, savePlan, output }: Options): void {
	const files = { json, markdown, write, "save-plan": savePlan };
	// An unset variable gives an empty value, and the engine would take another stack.
	for (const [option, value] of Object.entries({ cwd, stack, output, ...files }))
		if (value?.trim() === "") throw new UsageError("usage", `--${option} is empty: give it a value, or leave it out.`);
	if (!isFolder(cwd)) throw new UsageError("usage", `there is no folder ${cwd}: name the project's folder with --cwd.`);
	const named = new Map<string, readonly [option: string, file: string]>();
	for (const [option, file] of Object.entries(files)) {
		if (file === undefined) continue;
		if (!isWritable(file))
			throw new UsageError("usage", `${file} can't be written: name a file in a folder that exists.`);
		const other = named.get(resolve(file));
		if (other !== undefined)
			throw new UsageError(
				"usage",
				`--${other[0]} and --${option} both name ${other[1]}: give each a file of its own.`,
			);
		named.set(resolve(file), [option, file]);
	}
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
