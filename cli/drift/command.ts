/** `telephony drift`: compares a stack with the service. */
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { stackConfig } from "../engine/config";
import { type EngineEvent, stackIn } from "../engine/events";
import { previewEvents } from "../engine/preview";
import { savedState, selectedStack } from "../engine/state";
import { printable } from "../report/model";
import { assertOptions, type ReportOptions, withReport, withStack } from "../report/options";
import { publish, warn } from "../report/publish";
import { exitCodes } from "../report/usage";
import {
	countOf,
	type DriftReport,
	driftReport,
	type FailLevel,
	failLevels,
	hasFailed,
	kinds,
	type ReadResource,
	resourcesIn,
} from "./report";
import { driftView } from "./view";

interface Options extends ReportOptions {
	readonly cwd: string;
	readonly stack?: string;
	readonly failOn: FailLevel;
}

const run = (options: Options): Promise<void> =>
	publish(options, async () => {
		const report = await readDrift(options);
		const { total, drifted } = report;
		const counts = Object.fromEntries(kinds.map((kind) => [kind, countOf(report, kind)]));
		return {
			json: report,
			report: driftView(report, options.output),
			outputs: { result: drifted > 0 ? "drift" : "clean", total, drifted, ...counts },
			exitCode: hasFailed(report, options.failOn) ? exitCodes.found : exitCodes.clean,
		};
	});

/** Other resources of the stack are not read. */
const telephonyTypes = ["**dynamic/telephony:*::**", "**telephony:index:*::**"];

async function readDrift(options: Options): Promise<DriftReport> {
	assertOptions(options);
	const cwd = resolve(options.cwd);
	const place = { cwd, stack: options.stack };
	const { settings, origin } = await stackConfig(place, process.env);
	const events = await previewEvents(place, {
		args: ["refresh", "--preview-only", "--run-program=false", ...telephonyTypes.flatMap((type) => ["--target", type])],
		settings,
		progress: "reading the resources",
		subject: "drift",
		unknownCode: "drift-unknown",
		reason: "the service could not be read",
	});
	const found = resourcesIn(events);
	const stack = found[0] ? stackIn(found[0].urn) : (options.stack ?? (await selectedStack(cwd)));
	// Only the whole state has source positions and ignored properties; reading it takes a second.
	const isDetailed = found.some(({ differs }) => differs);
	const read = isDetailed ? resourcesIn(events, (await savedState(options.stack ?? stack, cwd)).resources) : found;
	const report = driftReport(read, stack, origin);
	printWarnings(unreportedWarnings(events, read, report));
	return report;
}

const maxWarnings = 10;

function printWarnings(warnings: readonly string[]): void {
	for (const warning of warnings.slice(0, maxWarnings)) warn(warning);
	const omitted = warnings.length - maxWarnings;
	if (omitted > 0) warn(`and ${omitted} more warnings`);
}

/** Returns warnings of the engine and the provider that no row of the report includes. */
function unreportedWarnings(
	events: readonly EngineEvent[],
	read: readonly ReadResource[],
	{ resources }: DriftReport,
): string[] {
	const rows = new Set(resources.map(({ type, id }) => `${type} ${id}`));
	const reported = new Set(read.flatMap(({ urn, token, id }) => (rows.has(`${token} ${id}`) ? [urn] : [])));
	return events.flatMap(({ diagnosticEvent }) =>
		diagnosticEvent?.severity === "warning" && !reported.has(diagnosticEvent.urn ?? "")
			? [printable(diagnosticEvent.message)]
			: [],
	);
}

export const addDrift = (program: Command): void => {
	withReport(withStack(program.command("drift")))
		.description("Compare a stack with the service. Changes neither the stack nor the service.")
		.addOption(
			new Option(
				"--fail-on <level>",
				"exit 7 for any drift, only for deleted objects, or only if the repair buys a number",
			)
				.choices(failLevels)
				.default("changed"),
		)
		.addHelpText(
			"after",
			"\nExit codes: 0 clean, 7 drift, 2 usage, 3 key rejected, 6 no such stack, 1 any other error.",
		)
		.action(run);
};
