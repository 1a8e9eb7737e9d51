/** The errors that keep the engine from starting, in the words of this command. */
import { UsageError } from "./usage";

/** The engine's error, and what to do about it. */
const refusals: readonly (readonly [RegExp, string])[] = [
	[
		/no stack named '([^']*)'/,
		"there is no stack $1: `pulumi stack ls` lists the stacks that exist, `pulumi stack init` creates one.",
	],
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
		"you are not logged in to Pulumi: set PULUMI_ACCESS_TOKEN, or PULUMI_BACKEND_URL for a backend of your own.",
	],
	[/unknown flag/, "this Pulumi CLI is too old for a preview-only refresh: install 3.259.0 or newer."],
];

/** @throws UsageError if what the engine wrote to stderr says that it could not start */
export function assertStarted(stderr: string): void {
	for (const [pattern, sentence] of refusals) {
		const match = pattern.exec(stderr);
		if (match !== null) throw new UsageError("engine", sentence.replace("$1", match[1] ?? ""));
	}
}
