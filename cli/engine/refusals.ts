/** Reasons why the engine doesn't start, with what to do. */
import type { MessageCode } from "../../provider/api/message-codes";
import { printable } from "../report/model";
import { exitCodes, UsageError } from "../report/usage";
import type { Finished } from "./process";

const noStack = /no stack named '([^']*)'/;

const refusals: readonly (readonly [RegExp, string])[] = [
	[noStack, "there is no stack $1: `pulumi stack ls` lists the stacks that exist, `pulumi stack init` creates one."],
	[/no stack selected/, "no stack is selected: name one with --stack, or select one with `pulumi stack select`."],
	[
		/passphrase must be set/,
		"the stack's passphrase is missing: set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.",
	],
	[
		/incorrect passphrase/,
		"the stack's passphrase is wrong: set PULUMI_CONFIG_PASSPHRASE to the one that the stack was created with.",
	],
	[/no Pulumi\.yaml project file/, "there is no Pulumi project here: name its folder with --cwd."],
	[
		/PULUMI_ACCESS_TOKEN must be set/,
		"you are not logged in to Pulumi: set PULUMI_ACCESS_TOKEN, or PULUMI_BACKEND_URL for your own backend.",
	],
	[/unknown flag/, "this Pulumi CLI is too old for a preview-only refresh: install 3.259.0 or newer."],
];

interface Meaning {
	readonly unknownCode?: MessageCode;
	/** The last error that the engine has reported as an event. */
	readonly lastError?: string | undefined;
}

/** Returns what to do if the reason is known here; otherwise `text` with the engine's words. */
export function engineError(failed: Finished, text: string, { unknownCode = "engine", lastError }: Meaning = {}) {
	for (const [pattern, sentence] of refusals) {
		const match = pattern.exec(failed.stderr);
		if (match === null) continue;
		const exitCode = pattern === noStack ? exitCodes.noStack : exitCodes.error;
		return new UsageError("engine", sentence.replace("$1", match[1] ?? ""), exitCode);
	}
	const lastWords = /^error: (.*)$/m.exec(failed.stderr)?.[1];
	const reason = lastWords ?? lastError ?? endOf(failed);
	return new UsageError(unknownCode, `${text}: ${printable(reason)}`);
}

/** An engine that can't start may have words of another form, such as those of a dynamic linker or a script. */
function endOf({ code, stderr }: Finished): string {
	const lastLine = stderr.trimEnd().split("\n").at(-1) ?? "";
	const ended = `the engine ended with exit code ${code}`;
	return lastLine === "" ? ended : `${ended}: ${lastLine}`;
}
