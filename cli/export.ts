import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { makeFolder } from "../emulator/store/make-folder";
import { ownerName } from "../provider/ownership/claim";
import type { Values } from "../provider/properties/table";
import { nounOf, type Owned, openAccount } from "./account";
import { importFile, typescriptFiles, yamlFiles } from "./export-languages";
import { goFiles, pythonFiles, type Schema } from "./export-typed";
import { writeText, writing } from "./files";
import { warn } from "./job";
import { assertOptions, collected, withStack } from "./options";
import { present } from "./origin";
import { type Grouping, groupings, type Program, programOf } from "./program";
import { assertStarted } from "./refusals";
import { UsageError } from "./usage";

interface Options {
	readonly cwd: string;
	readonly stack?: string;
	readonly filter: readonly string[];
	readonly language: keyof typeof languages;
	readonly groupBy?: Grouping;
	readonly output: string;
}

const languages = {
	typescript: typescriptFiles,
	python: pythonFiles,
	yaml: yamlFiles,
	go: goFiles,
} as const satisfies Record<string, (name: string, program: Program, schema: Schema) => Record<string, string>>;

const schemaOfPackage = () => JSON.parse(readFileSync(join(__dirname, "../../schema.json"), "utf8")) as Schema;

const filterKeys = ["kind", "country", "type", "area", "status", "label", "name"] as const;

const run = async ({ cwd: folder, stack, filter, language, groupBy, output }: Options): Promise<void> => {
	assertOptions({ cwd: folder, stack, folder: output });
	if (language === "yaml" && groupBy !== undefined)
		throw new UsageError(
			"usage",
			"a program in YAML can't define components: leave --group-by out, or choose another --language.",
		);
	const fits = filters(filter);
	const cwd = resolve(folder);
	const target = resolve(output);
	const { settings, stderr } = await present({ cwd, stack }, process.env);
	// Without a stack, the environment may be all there is.
	if (stack !== undefined) assertStarted(stderr);
	const chosen = await openAccount({ ...process.env, ...settings }, cwd, async ({ objects, unreadable, again }) => {
		for (const { type, id = "without id", error } of unreadable)
			warn(`left out the ${nounOf(type)} ${id}, which can't be read: ${error.text}`);
		return (await again(objects)).filter(fits);
	});
	const claimed = chosen.filter(({ record }) => record.reference);
	for (const { type, record } of claimed) {
		warn(`left out the ${nounOf(type)} ${record.id}, which is claimed by ${ownerName(record.reference)}`);
	}
	const program = programOf(
		chosen.filter(({ record }) => !record.reference),
		groupBy,
	);
	const files = {
		...languages[language](projectName(target), program, schemaOfPackage()),
		"import.json": importFile(program),
	};
	for (const name of Object.keys(files))
		if (existsSync(join(target, name)))
			throw new UsageError("usage", `${join(target, name)} is there already: name another folder with --output.`);
	writing(target, () => makeFolder(target));
	for (const [name, text] of Object.entries(files)) writeText(join(target, name), text);
	const left = claimed.length === 0 ? "" : `, ${claimed.length} left out`;
	process.stdout.write(`export: ${program.resources.length} of ${chosen.length} objects${left}\n`);
	process.stdout.write(`wrote ${Object.keys(files).join(", ")} in ${output}\n`);
	process.stdout.write(
		"Next, there: `pulumi import --file import.json --generate-code=false --protect=false`, then `pulumi preview`.\n",
	);
};

const projectName = (folder: string): string => basename(folder).replace(/[^\w.-]/g, "-") || "telephony";

/** Whether an object fits all filters. @throws UsageError */
function filters(texts: readonly string[]): (owned: Owned) => boolean {
	const asked = texts.map((text) => {
		const [, key = "", value = ""] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
		if (!(filterKeys as readonly string[]).includes(key) && !/^metadata\.[^.]+/.test(key))
			throw new UsageError(
				"usage",
				`--filter ${JSON.stringify(text)} can't be used: write KEY=VALUE, with one of ${filterKeys.join(", ")} or metadata.NAME as key.`,
			);
		return [key, value] as const;
	});
	return ({ type, record }) => {
		const live: Values = { ...record, kind: nounOf(type) };
		const metadata = (live.metadata ?? {}) as Values;
		return asked.every(([key, value]) =>
			key.startsWith("metadata.") ? metadata[key.slice("metadata.".length)] === value : live[key] === value,
		);
	};
}

export const addExport = (program: Command): void => {
	withStack(program.command("export"))
		.description("Write the account as a program, and the file for `pulumi import --file`; nothing is changed.")
		.addOption(
			new Option("--filter <key=value>", "only objects with this value; may be repeated")
				.argParser(collected)
				.default([], "all"),
		)
		.addOption(
			new Option("--language <language>", "of the program").choices(Object.keys(languages)).default("typescript"),
		)
		.addOption(
			new Option("--group-by <property>", "numbers with the same value become one component; not in YAML").choices(
				groupings,
			),
		)
		.option("--output <dir>", "the folder to write to; no file in it is overwritten", "telephony-export")
		.addHelpText("after", "\nThe environment or the stack's configuration names the account.")
		.action(run);
};
