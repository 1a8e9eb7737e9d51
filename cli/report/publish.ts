/** Delivers the report of a command: to files, to standard output, and to the CI job that runs it. */
import { appendFileSync } from "node:fs";
import { coded } from "../../provider/api/message-codes";
import { writeText } from "./files";
import { markdownText } from "./markdown";
import { printableFile, type Report } from "./model";
import { assertReportFiles, type ReportOptions } from "./options";
import { terminalText } from "./terminal";

type Outputs = Readonly<Record<string, string | number>>;

interface Result {
	/** For `--json`, and for files that end in `.json`. */
	readonly json: object;
	/** Printed for people, and written to files that end in `.md`. */
	readonly report: Report;
	/** Outputs of the job's step. */
	readonly outputs: Outputs;
	readonly exitCode: number;
}

/** Runs a command that ends with a report. */
export async function publish(options: ReportOptions, work: () => Promise<Result>): Promise<void> {
	try {
		assertReportFiles(options.output);
		const { json, report, outputs, exitCode } = await work();
		const jsonText = `${JSON.stringify(json, null, 2)}\n`;
		const markdown = markdownText(report);
		for (const file of options.output) writeText(file, /\.json$/i.test(file) ? jsonText : markdown);
		if (options.json) process.stdout.write(jsonText);
		process[options.json ? "stderr" : "stdout"].write(terminalText(report));
		passToJob(markdown, outputs);
		process.exitCode = exitCode;
	} catch (error) {
		passToJob(undefined, { result: "error" });
		throw error;
	}
}

/** Informs later steps of a GitHub Actions job. If that fails, the run continues with a warning. */
function passToJob(markdown: string | undefined, outputs: Outputs): void {
	const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output } = process.env;
	const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
	try {
		if (summary && markdown !== undefined) appendFileSync(summary, `${markdown}\n`);
		if (output) appendFileSync(output, lines.join(""));
	} catch (error) {
		warn(coded(`the report can't be passed to the job: ${(error as Error).message}`, "usage"));
	}
}

export const warn = (text: string): void => void process.stderr.write(`telephony: warning: ${printableFile(text)}\n`);
