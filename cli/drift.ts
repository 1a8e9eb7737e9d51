import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { codeOf } from "../provider/api/message-codes";
import { type EngineEvent, type EngineRun, ignoredChanges, refreshPreview, selectedStack } from "./engine";
import { publish, warn } from "./job";
import { markdownOf } from "./markdown";
import { refuseOptions } from "./options";
import { type Origin, present } from "./origin";
import { refuseNotStarted } from "./refusals";
import {
	countOf,
	type FailLevel,
	failLevels,
	fails,
	headline,
	kinds,
	originOf,
	printable,
	type Report,
	reportOf,
	type Seen,
	seenIn,
	shortType,
	suspicion,
} from "./report";
import { tableOf } from "./table";
import { exitCodes, UsageError } from "./usage";

interface Options {
	readonly cwd: string;
	readonly stack?: string;
	readonly json?: string;
	readonly markdown?: string;
	readonly failOn: FailLevel;
}

const run = (options: Options): Promise<void> =>
	publish(options, async () => {
		const report = await look(options);
		const table = report.resources.length === 0 ? "" : `\n${tableOf(report)}\n\n${waysOut(options, report)}\n`;
		return {
			report,
			markdown: markdownOf(report),
			text: `${headline(report)}\n${printable(originOf(report))}\n${table}`,
			outputs: { result: report.drifted > 0 ? "drift" : "clean", ...counts(report) },
			isFound: fails(report, options.failOn),
		};
	});

async function look(options: Options): Promise<Report> {
	const { stack } = options;
	refuseOptions(options);
	const cwd = resolve(options.cwd);
	const progress = new ProgressLine(`reading what the service has${stack === undefined ? "" : ` of stack ${stack}`}`);
	let engine: EngineRun;
	let origin: Origin;
	try {
		const now = await present({ cwd, stack }, process.env);
		origin = now.origin;
		engine = await refreshPreview({ cwd, stack }, now.settings, (event) => progress.see(event));
	} finally {
		progress.end();
	}
	refuseFailed(engine, stack);
	const read = seenIn(engine.events);
	const isEdited = read.some(({ differs, live }) => differs && live !== undefined);
	// Only the whole state says what the program ignores, and reading it takes a second.
	const seen = isEdited ? seenIn(engine.events, await ignoredChanges({ cwd, stack })) : read;
	const name = seen[0]?.urn.split("::")[0]?.replace("urn:pulumi:", "") ?? stack ?? (await selectedStack(cwd)) ?? "";
	const report = reportOf(seen, name, origin);
	passOn(warningsIn(engine.events, seen, report));
	return report;
}

const mostWarnings = 10;

/** Passes on warnings of the engine and the provider: a run that broke off, a claim by another stack. */
function passOn(warnings: readonly string[]): void {
	for (const warning of warnings.slice(0, mostWarnings)) warn(warning);
	const more = warnings.length - mostWarnings;
	if (more > 0) warn(`and ${more} more warnings`);
}

/** The warnings that the report doesn't show. */
function warningsIn(events: readonly EngineEvent[], seen: readonly Seen[], { resources }: Report): string[] {
	const reported = new Set(resources.map(({ type, id }) => `${type} ${id}`));
	const told = new Set(seen.flatMap(({ urn, token, id }) => (reported.has(`${token} ${id}`) ? [urn] : [])));
	return events.flatMap(({ diagnosticEvent }) =>
		diagnosticEvent?.severity === "warning" && !told.has(diagnosticEvent.urn ?? "")
			? [printable(diagnosticEvent.message)]
			: [],
	);
}

/** A failed run gives no report: what was not read is not drift. @throws UsageError */
function refuseFailed({ events, code, stderr }: EngineRun, stack: string | undefined): void {
	const finished = events.some(({ summaryEvent }) => summaryEvent?.result === "succeeded");
	if (code === 0 && finished) return;
	const errors = events.flatMap(({ diagnosticEvent }) =>
		diagnosticEvent?.severity === "error" && diagnosticEvent.urn ? [diagnosticEvent] : [],
	);
	const of = stack === undefined ? "" : ` of stack ${stack}`;
	const rejected = errors.find(({ message }) => codeOf(message) === "rejected-key");
	const first = rejected ?? errors[0];
	if (first !== undefined) {
		const said = printable(first.message.replace(/^Preview failed: /, ""));
		const more = errors.length > 1 ? ` (and ${errors.length - 1} more resources)` : "";
		if (rejected !== undefined)
			throw new UsageError("rejected-key", `the service rejects the API key: ${said}${more}`, exitCodes.keyRejected);
		const messageCode = codeOf(first.message) ?? "drift-unknown";
		throw new UsageError(messageCode, `the drift${of} is not known, as the service could not be read: ${said}${more}`);
	}
	refuseNotStarted(stderr);
	const said = /^error: (.*)$/m.exec(stderr)?.[1] ?? lastError(events) ?? `the engine ended with exit code ${code}`;
	throw new UsageError("drift-unknown", `the drift${of} is not known: ${printable(said)}`);
}

const lastError = (events: readonly EngineEvent[]): string | undefined =>
	events
		.flatMap(({ diagnosticEvent }) => (diagnosticEvent?.severity === "error" ? [diagnosticEvent.message] : []))
		.at(-1);

const counts = (report: Report) => ({
	total: report.total,
	drifted: report.drifted,
	...Object.fromEntries(kinds.map((kind) => [kind, countOf(report, kind)])),
});

/** What to do. `up --refresh` helps only if something has changed or is gone. */
function waysOut({ json, markdown }: Options, report: Report): string {
	if (report.drifted === 0) return "Nothing to do: `pulumi up` goes on.";
	const doubt = suspicion(report);
	if (doubt !== undefined) return doubt;
	const problems = report.resources.filter(({ kind }) => kind === "problem");
	const where = markdown ?? json;
	const all =
		where === undefined ? "--markdown FILE says how, for each resource" : `${where} says how, for each resource`;
	const lines =
		problems.length < report.drifted
			? [`Put it back: \`pulumi up --refresh\`. Take it over: edit the program. ${all}.`]
			: [];
	for (const { name, type, ways } of problems.slice(0, mostProblems))
		lines.push(`No \`pulumi up\` repairs ${shortType(type)} ${printable(name)}: ${ways.join("; ")}.`);
	if (problems.length > mostProblems)
		lines.push(`No \`pulumi up\` repairs ${problems.length - mostProblems} more: ${all}.`);
	return lines.join("\n");
}

const mostProblems = 5;

/** Progress on stderr: in a terminal a line that changes, elsewhere one line every ten seconds. */
class ProgressLine {
	readonly #what: string;
	readonly #started = Date.now();
	readonly #timer: NodeJS.Timeout;
	#read = 0;

	constructor(what: string) {
		this.#what = what;
		if (!process.stderr.isTTY) process.stderr.write(`${what} …\n`);
		this.#timer = setInterval(() => this.#print(), process.stderr.isTTY ? 200 : 10_000);
	}

	see({ resOutputsEvent }: EngineEvent): void {
		if (resOutputsEvent?.metadata.type.includes("telephony:")) this.#read += 1;
	}

	end(): void {
		clearInterval(this.#timer);
		if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
	}

	#print(): void {
		const seconds = Math.round((Date.now() - this.#started) / 1000);
		const text = `${this.#what}: ${this.#read} resources, ${seconds} s`;
		process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
	}
}

export const addDrift = (program: Command): void => {
	program
		.command("drift")
		.description("Compare a stack with the service, and write nothing to its state.")
		.option("--cwd <dir>", "the project's folder", ".")
		.option("--stack <name>", "the stack; default: the one that is selected")
		.option("--json <file>", "write the report as JSON")
		.option("--markdown <file>", "write the report as Markdown")
		.addOption(
			new Option(
				"--fail-on <level>",
				"exit 7 for any drift, only for what is gone, or only for what must be bought again",
			)
				.choices(failLevels)
				.default("changed"),
		)
		.addHelpText("after", "\nExit codes: 0 clean, 7 drift, 3 key rejected, 1 anything else.")
		.action(run);
};
