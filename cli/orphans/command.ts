/** `telephony orphans`: lists the objects of an account that no given stack holds. */
import type { Command } from "commander";
import { type StacksOptions, withStacksAndAccount } from "../account/stacks";
import { withReport, withStacks } from "../report/options";
import { publish } from "../report/publish";
import { exitCodes } from "../report/usage";
import { orphansOf } from "./report";
import { orphansView } from "./view";

const run = (options: StacksOptions): Promise<void> =>
	publish(options, async () => {
		const report = await withStacksAndAccount(options, orphansOf);
		const hasOrphans = report.orphaned > 0;
		return {
			json: report,
			report: orphansView(report),
			outputs: { result: hasOrphans ? "orphans" : "clean", orphaned: report.orphaned },
			exitCode: hasOrphans ? exitCodes.found : exitCodes.clean,
		};
	});

export const addOrphans = (program: Command): void => {
	withReport(withStacks(program.command("orphans")))
		.description("List the account's objects that none of these stacks holds. Changes nothing.")
		.addHelpText("after", "\nExit codes: 0 none, 7 some, 2 usage, 3 key rejected, 6 no such stack, 1 any other error.")
		.action(run);
};
