/** Reasons why the engine doesn't start, with what to do. */
import { exitCodes, UsageError } from "../report/usage";

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

/** @throws UsageError if standard error has a reason that is known here */
export function assertStarted(stderr: string): void {
	for (const [pattern, sentence] of refusals) {
		const match = pattern.exec(stderr);
		if (match === null) continue;
		const exitCode = pattern === noStack ? exitCodes.noStack : exitCodes.error;
		throw new UsageError("engine", sentence.replace("$1", match[1] ?? ""), exitCode);
	}
}

/** Returns the last words of an engine that failed. */
export const findEngineError = (stderr: string): string | undefined => /^error: (.*)$/m.exec(stderr)?.[1];
