/** Asks a person before something costs money or can't be undone. */
import { createInterface } from "node:readline/promises";
import { Interrupted, UsageError } from "./usage";

/**
 * @param purpose such as `To buy it`
 * @param expected the text to type
 * @param unchanged such as `nothing was bought`
 * @throws UsageError for any other answer, and without a terminal; Interrupted after Ctrl-C
 */
export async function confirm(
	purpose: string,
	expected: string,
	unchanged: string,
	isAccepted = (answer: string) => answer === expected,
): Promise<void> {
	if (!process.stdin.isTTY)
		throw new UsageError(
			"usage",
			`${unchanged}: there is no terminal for the question. Run the command in a terminal, or with --yes.`,
		);
	// Standard output may be the report.
	const prompt = createInterface({ input: process.stdin, output: process.stderr });
	const abort = new AbortController();
	prompt.once("SIGINT", () => abort.abort());
	try {
		const answer = await prompt.question(`${purpose}, type ${expected}: `, { signal: abort.signal }).catch(() => "");
		if (abort.signal.aborted) throw new Interrupted(130);
		if (!isAccepted(answer.trim())) throw new UsageError("usage", `${unchanged}: the answer was not ${expected}.`);
	} finally {
		prompt.close();
	}
}
