/** Starts programs on Windows, where npm installs a script that only `cmd.exe` can run. */
import { statSync } from "node:fs";
import { win32 } from "node:path";

export interface WindowsCommand {
	readonly file: string;
	/** For `windowsVerbatimArguments`. */
	readonly args: readonly string[];
}

const isFileOnDisk = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Returns the command of a program's script; undefined if the PATH has the program itself, or neither. */
export function windowsCommand(
	program: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	isFile: (path: string) => boolean = isFileOnDisk,
): WindowsCommand | undefined {
	const folders = (env.PATH ?? env.Path ?? "").split(";").filter((folder) => folder !== "");
	const paths = folders.flatMap((folder) => ["exe", "cmd"].map((ending) => win32.join(folder, `${program}.${ending}`)));
	const found = paths.find(isFile);
	if (found === undefined || found.endsWith(".exe")) return undefined;
	const line = [escaped(found), ...args.map((argument) => escapedTwice(quoted(argument)))].join(" ");
	return { file: env.comspec ?? env.ComSpec ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`] };
}

/** Quotes an argument as programs read it: backslashes before a quote are doubled. */
const quoted = (argument: string): string => `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`;

const escaped = (text: string): string => text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");

/** The script passes its arguments to another command line. */
const escapedTwice = (text: string): string => escaped(escaped(text));
