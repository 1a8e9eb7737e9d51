/** `telephony export`: writes the file from which `pulumi import` takes an account into a stack. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { ownerName } from "../../provider/ownership/claim";
import type { Values } from "../../provider/properties/table";
import { nounOf, type Owned, openClient, readAccount, reread } from "../account/account";
import { stackConfig } from "../engine/config";
import { assertStarted } from "../engine/refusals";
import { writeText } from "../report/files";
import { counted } from "../report/model";
import { assertOptions, collected, withStack } from "../report/options";
import { warn } from "../report/publish";
import { UsageError } from "../report/usage";
import { importsOf } from "./imports";

interface Options {
	readonly cwd: string;
	readonly stack?: string;
	readonly filter: readonly string[];
	readonly output: string;
}

/** Inputs that the service doesn't show, so that no program can get them. */
const hiddenInputs: Partial<Record<Owned["type"], string>> = {
	KycProfile: "`idNumber` and `documents`",
	PortOrder: "`pin` of `carrier`, and `documents`",
};

async function run({ cwd: folder, stack, filter, output }: Options): Promise<void> {
	assertOptions({ cwd: folder, stack, output: [output] });
	if (existsSync(output)) throw new UsageError("usage", `${output} exists: name another file with --output.`);
	const matches = filterOf(filter);
	const cwd = resolve(folder);
	const { settings, stderr } = await stackConfig({ cwd, stack }, process.env);
	// Without a stack, the environment alone may name the account.
	if (stack !== undefined) assertStarted(stderr);
	const objects = await openClient({ ...process.env, ...settings }, cwd, async (client) => {
		const account = await readAccount(client);
		for (const { type, id = "without id", error } of account.unreadable)
			warn(`left out the ${nounOf(type)} ${id}, which can't be read: ${error.text}`);
		return (await reread(account, account.objects)).filter(matches);
	});
	const claimed = objects.filter(({ record }) => record.reference);
	for (const { type, record } of claimed)
		warn(`left out the ${nounOf(type)} ${record.id}, which is claimed by ${ownerName(record.reference)}`);
	const free = objects.filter(({ record }) => !record.reference);
	for (const [type, inputs] of Object.entries(hiddenInputs))
		if (free.some((each) => each.type === type)) warn(`${type}: the service doesn't show ${inputs}, and keeps them`);
	writeText(output, `${JSON.stringify({ resources: importsOf(free) }, null, 2)}\n`);
	const omitted = claimed.length === 0 ? "" : `, ${claimed.length} left out`;
	process.stdout.write(
		`export: ${free.length} of ${counted(objects.length, "object")}${omitted}\nwrote ${output}\nNext: \`pulumi import --file ${output} --protect=false\` prints the program. Then run \`pulumi preview\`.\n`,
	);
}

const filterKeys = ["kind", "country", "type", "area", "status", "label", "name"] as const;

/** Returns a test for objects that match all filters. @throws UsageError */
function filterOf(texts: readonly string[]): (owned: Owned) => boolean {
	const filters = texts.map((text) => {
		const [, key = "", value = ""] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
		if (!(filterKeys as readonly string[]).includes(key) && !/^metadata\.[^.]+/.test(key))
			throw new UsageError(
				"usage",
				`--filter ${JSON.stringify(text)} is invalid: it must be KEY=VALUE, and the key one of ${filterKeys.join(", ")} or metadata.NAME.`,
			);
		return [key, value] as const;
	});
	return ({ type, record }) => {
		const live: Values = { ...record, kind: nounOf(type) };
		const metadata = (live.metadata ?? {}) as Values;
		return filters.every(([key, value]) =>
			key.startsWith("metadata.") ? metadata[key.slice("metadata.".length)] === value : live[key] === value,
		);
	};
}

export const addExport = (program: Command): void => {
	withStack(program.command("export"))
		.description("Write the file from which `pulumi import` takes the account into a stack. Changes nothing.")
		.addOption(
			new Option("--filter <key=value>", "only objects with this value; can be repeated")
				.argParser(collected)
				.default([], "all"),
		)
		.option("--output <file>", "file to write; an existing file is kept", "import.json")
		.addHelpText("after", "\nThe environment or the stack's configuration names the account.")
		.action(run);
};
