/** `telephony service`: finds out which names a service uses. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { type Config, readConfig } from "../../provider/session/config";
import { openClient } from "../account/account";
import { accountConfig, addressIn } from "../engine/config";
import { assertNoFileName, isFile, selectedStack } from "../engine/state";
import { writeText } from "../report/files";
import { printable } from "../report/model";
import { assertOptions, withStack } from "../report/options";
import { publish } from "../report/publish";
import { asUsageError, exitCodes, UsageError } from "../report/usage";
import type { Checkup } from "./checkup";

interface CheckOptions {
	readonly cwd: string;
	readonly stack?: string;
	readonly buy?: string;
	readonly write: boolean;
	readonly yes: boolean;
	readonly output?: string;
	readonly json?: boolean | undefined;
}

const check = ({ cwd, stack, buy, write, yes, output, json }: CheckOptions): Promise<void> =>
	publish({ json, output: [] }, async () => {
		assertOptions({ cwd, stack, output: filesIn(output) });
		// Loaded late, so that no other command waits for them.
		const [{ checkService, isSettled }, { countOf, serviceView }, { criteriaIn, offerPurchase }, { writeAndDelete }] =
			await Promise.all([import("./report.js"), import("./view.js"), import("./buying.js"), import("./writing.js")]);
		const { fileOf } = await import("./finding.js");
		const criteria = buy === undefined ? undefined : criteriaIn(buy);
		const trial = (checkup: Checkup) => {
			const print = (text: string) => void process.stderr.write(`telephony: ${printable(checkup.mask(text))}\n`);
			if (criteria !== undefined) return offerPurchase(checkup, criteria, yes, print);
			return write ? writeAndDelete(checkup, print) : Promise.resolve();
		};
		const config = environmentConfig();
		const pin = await findPin(resolve(cwd), stack);
		await openClient({ ...pin, ...process.env }, process.cwd(), async () => {});
		const report = await checkService(config, trial);
		if (output !== undefined) writeText(output, fileOf(report.description, report.rows));
		const hasSettled = isSettled(report);
		const open = { declare: countOf(report, "state"), decide: countOf(report, "decide") };
		return {
			json: report,
			report: serviceView(report),
			outputs: { result: hasSettled ? "settled" : "open", ...open, untested: countOf(report, "untested") },
			exitCode: hasSettled ? exitCodes.clean : exitCodes.found,
		};
	});

const filesIn = (output: string | undefined): readonly string[] => (output === undefined ? [] : [output]);

/** Returns the account that the stack pins, as a variable. The pin of a stack of another service says nothing here. */
async function findPin(cwd: string, given: string | undefined): Promise<NodeJS.ProcessEnv | undefined> {
	const stack = given ?? (await findSelected(cwd));
	if (stack === undefined) return undefined;
	if (!isFile(stack, cwd)) assertNoFileName(stack);
	const { config, settings } = await accountConfig(cwd, stack, process.env);
	const configured = addressIn(config("telephony:baseUrl") || undefined);
	const used = addressIn(process.env.TELEPHONY_BASE_URL);
	const { TELEPHONY_ACCOUNT } = settings;
	return TELEPHONY_ACCOUNT !== undefined && (configured ?? used) === used ? { TELEPHONY_ACCOUNT } : undefined;
}

/** Returns the stack that is selected in a folder; undefined in a folder without one. */
async function findSelected(cwd: string): Promise<string | undefined> {
	if (!existsSync(join(cwd, "Pulumi.yaml"))) return undefined;
	return selectedStack(cwd).catch((error: unknown) => {
		if (error instanceof UsageError) return undefined;
		throw error;
	});
}

function environmentConfig(): Config {
	const missing = ["TELEPHONY_BASE_URL", "TELEPHONY_API_KEY"].filter((name) => !process.env[name]);
	if (missing.length > 0)
		throw new UsageError(
			"config",
			`${missing.join(" and ")} must be set, because this command doesn't use the stack's settings: \`export ${missing[0]}=…\`.`,
		);
	try {
		return readConfig(() => undefined, process.env, process.cwd());
	} catch (error) {
		throw asUsageError(error);
	}
}

interface InitOptions {
	readonly openapi: string;
	readonly output?: string;
}

async function init({ openapi, output }: InitOptions): Promise<void> {
	if (openapi.trim() === "") throw new UsageError("usage", "--openapi is empty: name a file or a URL.");
	assertOptions({ cwd: ".", output: filesIn(output) });
	if (output !== undefined && existsSync(output))
		throw new UsageError("usage", `${output} exists: name another file, or remove it.`);
	const [{ readDocument }, { propose }, { fileOf, remarksOf }] = await Promise.all([
		import("./document.js"),
		import("./init.js"),
		import("./finding.js"),
	]);
	const { description, findings } = await propose(await readDocument(openapi)).catch((error: unknown) => {
		throw asUsageError(error);
	});
	const text = fileOf(description, findings);
	const notes = remarksOf(findings);
	if (output === undefined) process.stdout.write(text);
	else {
		writeText(output, text);
		notes.unshift(`wrote ${output}`);
	}
	process.stderr.write(notes.map((note) => `${printable(note)}\n`).join(""));
}

export const addService = (program: Command): void => {
	const service = program.command("service").description("Find out which names a service uses, and describe it.");
	service
		.command("init")
		.description("Propose a service description from the service's OpenAPI document (3.0 or 3.1, JSON or YAML).")
		.requiredOption("--openapi <file|url>", "the service's OpenAPI document; required")
		.option("--output <file>", "write the service description instead of printing it")
		.addHelpText(
			"after",
			"\nExit codes: 0 proposed, 2 usage, 1 any other error. Comments in the description list open questions.",
		)
		.action(init);
	withStack(service.command("check"))
		.description(
			"Find out which names the service uses, what you must declare, and what isn't tested. Without --write or --buy, the command only reads.",
		)
		.option(
			"--write",
			"also create a trunk and a webhook (to https://example.com), change them, and delete them",
			false,
		)
		.option("--buy <kind>", "also buy a number such as NL/mobile or NL/geographic/20, change it, and release it")
		.option("--yes", "skip the question before the purchase", false)
		.option("--output <file>", "write the service description, merged with the description in --service")
		.option("--json", "print the report as JSON; the text goes to standard error")
		.addHelpText(
			"after",
			[
				"",
				"TELEPHONY_BASE_URL and TELEPHONY_API_KEY name the service; the stack's settings don't.",
				"If the stack uses the same service and pins an account, the key must be for that account.",
				"Exit codes: 0 all of it holds, 7 something must be declared or isn't tested, 2 usage, 3 key rejected, 6 no such stack, 1 any other error.",
			].join("\n"),
		)
		.action(check);
};
