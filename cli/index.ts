import "../provider/node-version";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { coded } from "../provider/api/message-codes";
import { variableWarnings } from "../provider/session/setting-names";
import { addBill } from "./bill/command";
import { addDrift } from "./drift/command";
import { addEmulator } from "./emulator/command";
import { addExport } from "./export/command";
import { addOrphans } from "./orphans/command";
import { addPlan } from "./plan/command";
import { addRelease } from "./release/command";
import { printableFile } from "./report/model";
import { warn } from "./report/publish";
import { exitCodes, Interrupted, UsageError } from "./report/usage";
import { addService } from "./service/command";

const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as { version: string };

const program = new Command("telephony")
	.version(version)
	.description("Phone numbers, SIP trunks and webhooks as code.")
	.exitOverride()
	.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "telephony: ")) });

for (const add of [addBill, addDrift, addEmulator, addExport, addOrphans, addPlan, addRelease, addService])
	add(program);

const subcommands = ({ commands }: Command): Command[] =>
	commands.flatMap((command) => [command, ...subcommands(command)]);
for (const command of subcommands(program))
	command.option(
		"--service <file>",
		"service description for a service with other names, in YAML or JSON (or TELEPHONY_SERVICE)",
	);
// The processes of the engine read the variable, too.
program.hook("preAction", (_, command) => {
	const { service } = command.opts<{ service?: string }>();
	if (service !== undefined) process.env.TELEPHONY_SERVICE = resolve(service);
	for (const warning of variableWarnings(process.env)) warn(coded(warning, "config"));
});

// A reader such as `head` may close its pipe: the report then ends quietly, and the emulator continues.
process.stderr.on("error", () => {});
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
	if (code === "EPIPE") return;
	if (process.exitCode !== exitCodes.error)
		process.stderr.write(`telephony: ${coded(`standard output can't be written (${message}).`, "usage")}\n`);
	process.exitCode = exitCodes.error;
});

program.parseAsync().catch((error: unknown) => {
	// Commander has already printed its errors.
	if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : exitCodes.usage);
	if (error instanceof Interrupted) process.exit(error.exitCode);
	process.stderr.write(
		`telephony: ${printableFile(error instanceof UsageError ? error.message : String((error as Error).stack))}\n`,
	);
	process.exit(error instanceof UsageError ? error.exitCode : 1);
});
