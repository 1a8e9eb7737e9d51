/** The report of a command: to files, to standard output, and to the CI job that runs it. */
import { appendFileSync } from "node:fs";
import { coded } from "../provider/api/message-codes";
import { writeText } from "./files";
import { assertReportFiles, type ReportOptions } from "./options";
import { exitCodes } from "./usage";

type Outputs = Readonly<Record<string, string | number>>;

interface Published {
	/** For `--json`, and for files that end in `.json`. */
	readonly report: object;
	/** For files that end in `.md`, and for the job. */
	readonly markdown: string;
	/** For people: on standard output, or on standard error with `--json`. */
	readonly text: string;
	readonly outputs: Outputs;
	/** True if the exit code says that something was found. */
	readonly isFound: boolean;
	/** True if it says that a limit would be exceeded. */
	readonly isOver?: boolean;
}

/** Runs a command that ends with a report. */
export async function publish({ json, output }: ReportOptions, work: () => Promise<Published>): Promise<void> {
	try {
		assertReportFiles(output);
		const { report, markdown, text, outputs, isFound, isOver = false } = await work();
		const asJson = `${JSON.stringify(report, null, 2)}\n`;
		for (const file of output) writeText(file, /\.json$/i.test(file) ? asJson : markdown);
		if (json) process.stdout.write(asJson);
		process[json ? "stderr" : "stdout"].write(text);
		tellJob(markdown, outputs);
		process.exitCode = isOver ? exitCodes.over : isFound ? exitCodes.found : exitCodes.clean;
	} catch (error) {
		tellJob(undefined, { result: "error" });
		throw error;
	}
}

/** For later steps of a GitHub Actions job. If it can't be written, the run continues with a warning. */
function tellJob(markdown: string | undefined, outputs: Outputs): void {
	const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output } = process.env;
	const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
	try {
		if (summary && markdown !== undefined) appendFileSync(summary, `${markdown}\n`);
		if (output) appendFileSync(output, lines.join(""));
	} catch (error) {
		warn(coded(`the report can't be passed to the job: ${(error as Error).message}`, "usage"));
	}
}

export const warn = (text: string): void => void process.stderr.write(`telephony: warning: ${text}\n`);
