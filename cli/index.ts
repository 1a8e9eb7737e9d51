import "../node-version";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { addBill } from "./bill";
import { addDrift } from "./drift";
import { addEmulator } from "./emulator";
import { Interrupted } from "./engine";
import { addExport } from "./export";
import { addOrphans } from "./orphans";
import { addPlan } from "./plan";
import { addRelease } from "./release";
import { addService } from "./service";
import { exitCodes, UsageError } from "./usage";

const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as { version: string };

const program = new Command("telephony")
	.version(version)
	.description("Phone numbers, SIP trunks and webhooks as code.")
	.exitOverride()
	.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "telephony: ")) });

addBill(program);
addDrift(program);
addEmulator(program);
addExport(program);
addOrphans(program);
addPlan(program);
addRelease(program);
addService(program);

const all = ({ commands }: Command): Command[] => commands.flatMap((command) => [command, ...all(command)]);
for (const command of all(program))
	command.option(
		"--service <file>",
		"the description of a service that uses other names, in YAML or JSON (or TELEPHONY_SERVICE)",
	);
// The engine's own processes read it from there, too.
program.hook("preAction", (_, command) => {
	const { service } = command.opts<{ service?: string }>();
	if (service !== undefined) process.env.TELEPHONY_SERVICE = resolve(service);
});

program.parseAsync().catch((error: unknown) => {
	// Commander has already printed it.
	if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : exitCodes.usage);
	if (error instanceof Interrupted) process.exit(error.exitCode);
	process.stderr.write(`telephony: ${error instanceof UsageError ? error.message : (error as Error).stack}\n`);
	process.exit(error instanceof UsageError ? error.exitCode : 1);
});
