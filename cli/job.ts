/** What a command tells the CI job that runs it. */
import { appendFileSync } from "node:fs";
import { coded } from "../provider/api/message-codes";

/** For later steps of a GitHub Actions job. If it can't be written, the run warns and goes on. */
export function tellJob(markdown: string | undefined, outputs: Readonly<Record<string, string | number>>): void {
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
