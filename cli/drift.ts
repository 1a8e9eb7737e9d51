import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { declarations, type EngineEvent, type EngineRun, refreshPreview, selectedStack } from "./engine";
import { publish, warn } from "./job";
import { markdownOf } from "./markdown";
import { assertOptions, type ReportOptions, withReport, withStack } from "./options";
import { type Origin, present } from "./origin";
import { ProgressLine } from "./progress";
import { assertSucceeded } from "./refusals";
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

interface Options extends ReportOptions {
	readonly cwd: string;
	readonly stack?: string;
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
	assertOptions(options);
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
	assertSucceeded(engine, `the drift${stack === undefined ? "" : ` of stack ${stack}`}`, "drift-unknown");
	const read = seenIn(engine.events);
	// Only the whole state says what the program ignores, and where it declares what; reading it takes a second.
	const seen = read.some(({ differs }) => differs) ? seenIn(engine.events, await declarations({ cwd, stack })) : read;
	const name = seen[0]?.urn.split("::")[0]?.replace("urn:pulumi:", "") ?? stack ?? (await selectedStack(cwd)) ?? "";
	const report = reportOf(seen, name, origin);
	printWarnings(warningsIn(engine.events, seen, report));
	return report;
}

const mostWarnings = 10;

/** Passes on warnings of the engine and the provider: a run that broke off, a claim by another stack. */
function printWarnings(warnings: readonly string[]): void {
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

const counts = (report: Report) => ({
	total: report.total,
	drifted: report.drifted,
	...Object.fromEntries(kinds.map((kind) => [kind, countOf(report, kind)])),
});

/** The next step. `up --refresh` helps only if something has changed or is gone. */
function waysOut({ output }: Options, report: Report): string {
	if (report.drifted === 0) return "Nothing to do: `pulumi up` continues to wait.";
	const doubt = suspicion(report);
	if (doubt !== undefined) return doubt;
	const problems = report.resources.filter(({ kind }) => kind === "problem");
	const where = output.find((file) => /\.md$/i.test(file)) ?? output[0];
	const all = `${where ?? "`--output drift.md`"} lists the steps for each resource`;
	const lines =
		problems.length < report.drifted
			? [`Restore it: \`pulumi up --refresh\`. Accept it: edit the program. ${all}.`]
			: [];
	for (const { name, type, ways } of problems.slice(0, mostProblems))
		lines.push(`No \`pulumi up\` repairs ${shortType(type)} ${printable(name)}: ${ways.join("; ")}.`);
	if (problems.length > mostProblems)
		lines.push(`No \`pulumi up\` repairs ${problems.length - mostProblems} more: ${all}.`);
	return lines.join("\n");
}

const mostProblems = 5;

export const addDrift = (program: Command): void => {
	withReport(withStack(program.command("drift")))
		.description("Compare a stack with the service, and write nothing to its state.")
		.addOption(
			new Option(
				"--fail-on <level>",
				"exit 7 for any drift, only for lost objects, or only for objects that must be bought again",
			)
				.choices(failLevels)
				.default("changed"),
		)
		.addHelpText("after", "\nExit codes: 0 clean, 7 drift, 2 usage, 3 key rejected, 6 no such stack, 1 anything else.")
		.action(run);
};
