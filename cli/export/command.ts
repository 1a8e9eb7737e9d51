/** `telephony export`: writes an account as a program that adopts its objects, or as one with a file to import them. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { makeFolder } from "../../emulator/store/make-folder";
import { pickBy } from "../../provider/api/json";
import type { Values } from "../../provider/properties/table";
import { sameCriterion } from "../../provider/resources/number/properties";
import { nounOf, type Owned, openClient, readAccount, reread } from "../account/account";
import { accountConfig, stackConfig } from "../engine/config";
import { asWritten, writeText } from "../report/files";
import { counted } from "../report/model";
import { assertOptions, collected, withStack } from "../report/options";
import { warn } from "../report/publish";
import { UsageError } from "../report/usage";
import { importFile, typescriptFiles, yamlFiles } from "./languages";
import { findObstacle, type Program, type Provider, programOf, providers } from "./program";
import { goFiles, pythonFiles, type Schema } from "./typed";

interface Options {
	readonly cwd: string;
	readonly stack?: string;
	readonly filter: readonly string[];
	readonly provider?: Provider;
	readonly language: keyof typeof languages;
	readonly output: string;
}

const languages = {
	typescript: typescriptFiles,
	python: pythonFiles,
	yaml: yamlFiles,
	go: goFiles,
} as const satisfies Record<string, (name: string, program: Program, schema: Schema) => Record<string, string>>;

/** Reads the schema beside the bundle in dist/bundle. */
const readSchema = () => JSON.parse(readFileSync(join(__dirname, "../../sdk/schema.json"), "utf8")) as Schema;

async function run(options: Options): Promise<void> {
	const { cwd: folder, stack, filter, language, output } = options;
	const provider = providerOf(options);
	const matches = filterOf(filter);
	const cwd = resolve(folder);
	// Without a stack, the environment alone may name the account.
	const { settings } = await (stack === undefined
		? stackConfig({ cwd }, process.env)
		: accountConfig(cwd, stack, process.env));
	const objects = await openClient({ ...process.env, ...settings }, cwd, async (client) => {
		const account = await readAccount(client);
		for (const { type, id = "without id", error } of account.unreadable)
			warn(`left out the ${nounOf(type)} ${id}, which can't be read: ${error.text}`);
		return (await reread(account, account.objects)).filter(matches);
	});
	const declarable = objects.filter((owned) => isDeclarable(owned, provider));
	const program = programOf(declarable, provider);
	const target = resolve(output);
	writeFiles(target, filesOf(target, program, language));
	const omittedCount = objects.length - declarable.length;
	const omitted = omittedCount === 0 ? "" : `, ${omittedCount} left out`;
	process.stdout.write(
		`export: ${declarable.length} of ${counted(objects.length, "object")}${omitted}\n${nextSteps[provider](output)}\n`,
	);
}

/** Refuses options that no program fits. @throws UsageError */
function providerOf({ cwd, stack, provider, language, output }: Options): Provider {
	assertOptions({ cwd, stack, folder: output });
	if (language !== "typescript" && provider === "dynamic")
		throw new UsageError(
			"usage",
			`The dynamic provider runs no programs in ${language}: omit --provider, or choose --language typescript.`,
		);
	return provider ?? (language === "typescript" ? "dynamic" : "plugin");
}

/** Warns of an object that the program can't declare. */
function isDeclarable(owned: Owned, provider: Provider): boolean {
	const obstacle = findObstacle(owned, provider);
	if (obstacle !== undefined) warn(`left out the ${nounOf(owned.type)} ${owned.record.id}, because ${obstacle}`);
	return obstacle === undefined;
}

/** Returns files by their names. The dynamic provider runs in any project of Node.js, whose Pulumi.yaml stays. */
function filesOf(folder: string, program: Program, language: Options["language"]): Record<string, string> {
	const files = languages[language](projectName(folder), program, readSchema());
	if (program.provider === "plugin") return { ...files, "import.json": importFile(program) };
	return existsSync(join(folder, "Pulumi.yaml")) ? pickBy(files, (_, file) => file !== "Pulumi.yaml") : files;
}

const nextSteps: Readonly<Record<Provider, (output: string) => string>> = {
	dynamic: (output) =>
		`wrote the program in ${output}\nNext, in that folder: \`telephony plan\` shows that nothing is bought, and \`pulumi up\` adopts the objects and changes nothing else.`,
	plugin: (output) =>
		`wrote the program and import.json in ${output}\nNext, in that folder: \`pulumi import --file import.json --generate-code=false --protect=false\`, then \`pulumi preview\`.`,
};

/** @throws UsageError if one of the files exists, or the folder can't be written */
function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
	for (const name of Object.keys(files))
		if (existsSync(join(folder, name)))
			throw new UsageError("usage", `${join(folder, name)} exists: name another folder with --output.`);
	asWritten(folder, () => makeFolder(folder));
	for (const [name, text] of Object.entries(files)) writeText(join(folder, name), text);
}

const projectName = (folder: string): string => basename(folder).replace(/[^\w.-]/g, "-") || "telephony";

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
		return filters.every(([key, value]) => {
			if (key === "area") return sameCriterion(key, { area: value }, live);
			return key.startsWith("metadata.") ? metadata[key.slice("metadata.".length)] === value : live[key] === value;
		});
	};
}

export const addExport = (program: Command): void => {
	withStack(program.command("export"))
		.description(
			"Write the account as a program that adopts its objects. With --provider plugin, write a program and a file for `pulumi import --file`. Changes nothing at the service.",
		)
		.addOption(
			new Option("--filter <key=value>", "export only objects with this value; can be repeated")
				.argParser(collected)
				.default([], "all"),
		)
		.addOption(
			new Option(
				"--provider <provider>",
				"provider of the program (default: dynamic in TypeScript, otherwise plugin)",
			).choices(providers),
		)
		.addOption(
			new Option("--language <language>", "language of the program")
				.choices(Object.keys(languages))
				.default("typescript"),
		)
		.option("--output <dir>", "folder to write to; the command leaves existing files unchanged", "telephony-export")
		.addHelpText("after", "\nThe environment or the stack's configuration names the account.")
		.action(run);
};
