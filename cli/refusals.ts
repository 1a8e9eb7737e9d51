/** The errors that end the engine, in the words of this command. */
import { codeOf, type MessageCode } from "../provider/api/message-codes";
import type { EngineEvent, EngineRun } from "./engine";
import { printable } from "./report";
import { exitCodes, UsageError } from "./usage";

const noStack = /no stack named '([^']*)'/;

/** The engine's error, and what to do about it. */
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
		"you are not logged in to Pulumi: set PULUMI_ACCESS_TOKEN, or PULUMI_BACKEND_URL for a backend of your own.",
	],
	[/unknown flag/, "this Pulumi CLI is too old for a preview-only refresh: install 3.259.0 or newer."],
];

/** @throws UsageError if what the engine wrote to stderr says that it could not start */
export function assertStarted(stderr: string): void {
	for (const [pattern, sentence] of refusals) {
		const match = pattern.exec(stderr);
		if (match === null) continue;
		const exitCode = pattern === noStack ? exitCodes.noStack : exitCodes.error;
		throw new UsageError("engine", sentence.replace("$1", match[1] ?? ""), exitCode);
	}
}

/**
 * A failed run gives no report: nobody knows the rest.
 * @param what such as `the drift of stack prod`
 * @throws UsageError
 */
export function assertSucceeded({ events, code, stderr }: EngineRun, what: string, unknown: MessageCode): void {
	const finished = events.some(({ summaryEvent }) => summaryEvent?.result === "succeeded");
	if (code === 0 && finished) return;
	const errors = events.flatMap(({ diagnosticEvent }) =>
		diagnosticEvent?.severity === "error" && diagnosticEvent.urn ? [diagnosticEvent] : [],
	);
	const rejected = errors.find(({ message }) => codeOf(message) === "rejected-key");
	const first = rejected ?? errors.find(({ message }) => codeOf(message) === "limit") ?? errors[0];
	if (first !== undefined) {
		const said = printable(first.message.replace(/^Preview failed: /, ""));
		const more = errors.length > 1 ? ` (and ${errors.length - 1} more resources)` : "";
		if (rejected !== undefined)
			throw new UsageError("rejected-key", `the service rejects the API key: ${said}${more}`, exitCodes.keyRejected);
		const messageCode = codeOf(first.message) ?? unknown;
		if (messageCode === "limit") throw new UsageError("limit", `${said}${more}`, exitCodes.over);
		throw new UsageError(messageCode, `${what} is not known, as ${reasons[unknown]}: ${said}${more}`);
	}
	assertStarted(stderr);
	const said = /^error: (.*)$/m.exec(stderr)?.[1] ?? lastError(events) ?? `the engine ended with exit code ${code}`;
	throw new UsageError(unknown, `${what} is not known: ${printable(said)}`);
}

/** What an error of a resource means. */
const reasons: Partial<Record<MessageCode, string>> = {
	"drift-unknown": "the service could not be read",
	"plan-unknown": "its preview failed",
};

const lastError = (events: readonly EngineEvent[]): string | undefined =>
	events
		.flatMap(({ diagnosticEvent }) => (diagnosticEvent?.severity === "error" ? [diagnosticEvent.message] : []))
		.at(-1);
