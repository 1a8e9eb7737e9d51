/** Options that commands share. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { UsageError } from "./usage";

const defaultStack = "(default: the selected stack)";

export const withFolder = (command: Command): Command =>
	command.option("-C, --cwd <dir>", "folder of the project", ".");

/** Adds the options of a command about one stack. */
export const withStack = (command: Command): Command =>
	withFolder(command).option("-s, --stack <name>", `name of the stack ${defaultStack}`);

/** Adds the options of a command about all stacks of an account. */
export const withStacks = (command: Command): Command =>
	withFolder(command).option(
		"-s, --stack <names...>",
		`all stacks of the account, or files from \`pulumi stack export\` ${defaultStack}`,
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

/** Collects the values of an option that can be repeated. */
export const collected = (value: string, before: readonly string[]): string[] => [...before, value];

export interface ReportOptions {
	readonly json?: boolean | undefined;
	readonly output: readonly string[];
}

interface Options {
	readonly cwd: string;
	readonly stack?: string | undefined;
	readonly savePlan?: string | undefined;
	/** Folder to write to. */
	readonly folder?: string;
	/** Files to write. */
	readonly output?: readonly string[];
}

/** Refuses wrong options before the engine runs. @throws UsageError */
export function assertOptions({ cwd, stack, savePlan, folder, output = [] }: Options): void {
	const files = [...output.map((file) => ["output", file] as const), ["save-plan", savePlan] as const];
	// An unset variable gives an empty value, and the engine would take another stack.
	for (const [option, value] of [["cwd", cwd], ["stack", stack], ["output", folder], ...files] as const)
		if (value?.trim() === "") throw new UsageError("usage", `--${option} is empty: give it a value, or leave it out.`);
	if (!isFolder(cwd)) throw new UsageError("usage", `there is no folder ${cwd}: name the project's folder with --cwd.`);
	const paths = new Set<string>();
	for (const [, file] of files) {
		if (file === undefined) continue;
		if (!isWritable(file))
			throw new UsageError("usage", `${file} can't be written: name a file in a folder that exists.`);
		if (paths.has(resolve(file)))
			throw new UsageError("usage", `${file} is named twice: give each output a file of its own.`);
		paths.add(resolve(file));
	}
}

/** @throws UsageError if a file's name has no known ending */
export function assertReportFiles(files: readonly string[]): void {
	const invalid = files.find((file) => !/\.(json|md)$/i.test(file));
	if (invalid !== undefined)
		throw new UsageError(
			"usage",
			`--output ${invalid}: end the file's name in .json or .md, which selects the format.`,
		);
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
