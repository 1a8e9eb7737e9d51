import type { Command } from "commander";
import { publish } from "./job";
import { withReport, withStacks } from "./options";
import { orphansHeadline, orphansOf } from "./orphans-report";
import { orphansMarkdown, orphansTable } from "./orphans-text";
import { originOf, printable } from "./report";
import { lookAt, type StacksOptions } from "./stacks";

const run = (options: StacksOptions): Promise<void> =>
	publish(options, async () => {
		const report = await lookAt(options, orphansOf);
		const isFound = report.orphaned > 0;
		const table = isFound ? `\n${orphansTable(report)}\n` : "";
		return {
			report,
			markdown: orphansMarkdown(report),
			text: `${printable(orphansHeadline(report))}\n${printable(originOf(report))}\n${table}`,
			outputs: { result: isFound ? "orphans" : "clean", orphaned: report.orphaned },
			isFound,
		};
	});

export const addOrphans = (program: Command): void => {
	withReport(withStacks(program.command("orphans")))
		.description("List the objects of the account that none of these stacks holds; changes nothing.")
		.addHelpText("after", "\nExit codes: 0 none, 7 some, 2 usage, 3 key rejected, 6 no such stack, 1 anything else.")
		.action(run);
};
