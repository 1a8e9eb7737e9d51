/** `telephony service init`: a first description of a service, from its OpenAPI document. */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { writeText } from "../report/files";
import { printable } from "../report/model";
import { assertOptions } from "../report/options";
import { asUsageError, UsageError } from "../report/usage";

interface Options {
	readonly openapi: string;
	readonly output?: string;
}

async function run({ openapi, output }: Options): Promise<void> {
	if (openapi.trim() === "") throw new UsageError("usage", "--openapi is empty: name a file or a URL.");
	assertOptions({ cwd: ".", ...(output !== undefined && { output: [output] }) });
	if (output !== undefined && existsSync(output))
		throw new UsageError("usage", `${output} is there already: name another file, or remove it.`);
	// Loaded here, so that no other command waits for them.
	const [{ readDocument }, { propose }, { yamlOf }] = await Promise.all([
		import("./init/document.js"),
		import("./init/propose.js"),
		import("./init/text.js"),
	]);
	const proposal = await propose(await readDocument(openapi)).catch((error: unknown) => {
		throw asUsageError(error);
	});
	const text = yamlOf(proposal);
	if (output === undefined) process.stdout.write(text);
	else writeText(output, text);
	const guesses = proposal.stated.filter(({ guess }) => guess !== undefined).length;
	const notes = [
		...(output === undefined
			? []
			: [
					`${output} is written: ${proposal.stated.length} differences, ${guesses} of them guesses with their reasons.`,
				]),
		...(proposal.decisions.length === 0 ? [] : ["To decide:", ...proposal.decisions.map((each) => `- ${each}`)]),
	];
	if (notes.length > 0) process.stderr.write(`${notes.map(printable).join("\n")}\n`);
}

export const addServiceInit = (service: Command): void => {
	service
		.command("init")
		.description("Propose the description of a service from its OpenAPI document (3.0 or 3.1, JSON or YAML).")
		.requiredOption("--openapi <file|url>", "the service's OpenAPI document")
		.option("--output <file>", "write the description instead of printing it")
		.addHelpText(
			"after",
			"\nExit codes: 0 proposed, 2 usage, 1 anything else. Open questions are listed, and are in the file.",
		)
		.action(run);
};
