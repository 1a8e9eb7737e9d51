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

/** Adds the options of a command that ends with a report. */
export const withReport = (command: Command): Command =>
	command
		.option("--json", "print the report as JSON; the text goes to standard error")
		.option(
			"--output <file>",
			"write the report to a file, as JSON (.json) or Markdown (.md); can be repeated",
			collected,
			[],
		);

/** For an option that can be repeated. */
export const collected = (value: string, before: readonly string[]): string[] => [...before, value];

export interface ReportOptions {
	readonly json?: boolean;
	readonly output: readonly string[];
}

interface Options {
	readonly cwd: string;
	readonly stack?: string | undefined;
	readonly savePlan?: string | undefined;
	/** The files to write. */
	readonly output?: readonly string[];
	/** A folder that may be missing. */
	readonly folder?: string | undefined;
}

/** Refuses wrong options before the engine runs. @throws UsageError */
export function assertOptions({ cwd, stack, savePlan, output = [], folder }: Options): void {
	const files = [...output.map((file) => ["output", file] as const), ["save-plan", savePlan] as const];
	// An unset variable gives an empty value, and the engine would take another stack.
	for (const [option, value] of [["cwd", cwd], ["stack", stack], ["output", folder], ...files] as const)
		if (value?.trim() === "") throw new UsageError("usage", `--${option} is empty: give it a value, or leave it out.`);
	if (!isFolder(cwd)) throw new UsageError("usage", `there is no folder ${cwd}: name the project's folder with --cwd.`);
	const named = new Set<string>();
	for (const [, file] of files) {
		if (file === undefined) continue;
		if (!isWritable(file))
			throw new UsageError("usage", `${file} can't be written: name a file in a folder that exists.`);
		if (named.has(resolve(file)))
			throw new UsageError("usage", `${file} is named twice: give each output a file of its own.`);
		named.add(resolve(file));
	}
}

/** @throws UsageError if the name of a file doesn't say its format */
export function assertReportFiles(files: readonly string[]): void {
	const other = files.find((file) => !/\.(json|md)$/i.test(file));
	if (other !== undefined)
		throw new UsageError("usage", `--output ${other}: end the file's name in .json or .md, which says the format.`);
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
