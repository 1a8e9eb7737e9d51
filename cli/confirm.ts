/** Asks a person before something costs money or can't be undone. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "./usage";

/**
 * @param purpose such as `To buy it`
 * @param wanted what the person is asked to type
 * @param undone such as `nothing was bought`
 * @throws UsageError unless the answer is accepted; also without a terminal
 */
export async function confirm(
	purpose: string,
	wanted: string,
	undone: string,
	accepts = (answer: string) => answer === wanted,
): Promise<void> {
	if (!process.stdin.isTTY)
		throw new UsageError(
			"usage",
			`${undone}: there is no terminal for the question. Run it in a terminal, or with --yes.`,
		);
	// Standard output may be the report.
	const asking = createInterface({ input: process.stdin, output: process.stderr });
	const ending = new AbortController();
	asking.once("SIGINT", () => ending.abort());
	try {
		const answer = await asking.question(`${purpose}, type ${wanted}: `, { signal: ending.signal }).catch(() => "");
		if (!accepts(answer.trim())) throw new UsageError("usage", `${undone}: the answer was not ${wanted}.`);
	} finally {
		asking.close();
	}
}
