/**
 * `npm run generate` writes the SDK's classes and docs/reference from the tables of properties, each between its marks.
 * It also writes the examples in docs/, the pages of Pulumi's registry, and sdk/schema.json.
 * If `repository` in package.json has changed, it first makes all files name the new address.
 * From the schema, it generates the SDKs of all languages. That takes Go; `--no-sdks` skips them.
 * With `--new-kind Name`, it only writes the skeleton of a kind of object. With `--check` it writes nothing, needs no Go, and fails if something is stale.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { moveRepository, strayAddresses } from "./generate/addresses.mts";
import { fieldsOf, namesIn, typesOf } from "./generate/classes.mts";
import { cliReference } from "./generate/cli.mts";
import { countryConstants } from "./generate/countries.mts";
import { ignoredTable } from "./generate/drift.mts";
import { hasExample, tabsOf } from "./generate/examples.mts";
import { functionsOf } from "./generate/functions.mts";
import { writeKind } from "./generate/new-kind.mts";
import { functionsReference, referenceOf } from "./generate/reference.mts";
import { registryPages } from "./generate/registry.mts";
import { schemaOf } from "./generate/schema.mts";
import { staleSdks, writeSdks } from "./generate/sdks.mts";
import { descriptionForms, descriptionKeys, descriptionNames } from "./generate/service-description.mts";
import { statesTable, statusTables } from "./generate/states.mts";
import { features, functions, resources } from "./generate/tables.mts";
import { kebab } from "./generate/words.mts";

const require = createRequire(import.meta.url);
const root = resolve(fileURLToPath(import.meta.url), "../..");

const { values: options } = parseArgs({
	options: { check: { type: "boolean" }, "no-sdks": { type: "boolean" }, "new-kind": { type: "string" } },
});
const isCheck = options.check === true;
const newKind = options["new-kind"];
if (newKind !== undefined) {
	try {
		console.log(`${writeKind(root, newKind).join("\n")}\n\nNow run \`npm run generate -- --no-sdks\`.`);
		process.exit();
	} catch (error) {
		console.error((error as Error).message);
		process.exit(1);
	}
}

if (!isCheck) moveRepository(root);

/** The SDK's file of a resource, and its handler in provider/index.ts, are called as it is. */
const fileOf = (type: string): string => `sdk/${kebab(type)}.ts`;
const handlerOf = (type: string): string => type.replace(/^./, (letter) => letter.toLowerCase());

const made: Record<string, Record<string, string>> = {
	"docs/reference/cli.md": { commands: `\n${cliReference()}\n` },
	"docs/drift.md": { ignored: `\n${ignoredTable(resources)}\n`, states: `\n${statesTable()}\n` },
	"sdk/country.ts": { countries: countryConstants() },
	"docs/index.md": { example: tabsOf("Number") },
	"docs/reference/functions.md": {
		example: tabsOf("functions"),
		functions: `\n${functionsReference(functions, resources)}\n`,
	},
	"docs/reference/service-description.md": {
		keys: `\n${descriptionKeys()}\n`,
		forms: `\n${descriptionForms()}\n`,
		names: `\n${descriptionNames()}\n`,
	},
	"sdk/functions.ts": { functions: functionsOf(functions, resources) },
};
const statuses = statusTables();
for (const [type, { drift }] of Object.entries(resources)) {
	const [file, handler] = [fileOf(type), handlerOf(type)];
	// A pool's file takes the types of a number's properties from there.
	const knownTypes = type === "NumberPool" ? namesIn(resources.Number.drift) : new Set<string>();
	made[file] = { types: typesOf(type, handler, drift, knownTypes), fields: fieldsOf(drift) };
	made[`docs/reference/${kebab(type)}.md`] = {
		...(hasExample(type) ? { example: tabsOf(type) } : {}),
		[type]: `\n${referenceOf(drift)}\n`,
		...(statuses[type] === undefined ? {} : { statuses: `\n${statuses[type]}\n` }),
	};
}

const textOf = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "");
const texts = Object.entries(made).map(
	([file, regions]) => [file, formatted(file, Object.entries(regions).reduce(replaced, textOf(file)))] as const,
);
const manifest = JSON.parse(textOf("package.json"));
const pages = Object.entries(registryPages(manifest, textOf));
const stale = [...texts, ...pages, ["sdk/schema.json", schemaOf(manifest, resources, functions)] as const].filter(
	([file, text]) => text !== textOf(file),
);
for (const [file, text] of isCheck ? [] : stale) writeFileSync(join(root, file), text);
const sdks = options["no-sdks"] ? undefined : staleSdks(root);
if (isCheck) {
	const lacking = Object.keys(resources).filter((type) => !hasExample(type));
	if (lacking.length > 0) fail(`No example: ${lacking.join(", ")}. Add one to each program of examples/reference.`);
	for (const list of ["docs/index.md", "site/astro.config.mjs"]) {
		const unlisted = Object.keys(resources).filter((type) => !textOf(list).includes(`reference/${kebab(type)}`));
		if (unlisted.length > 0) fail(`${list} doesn't list ${unlisted.join(", ")}.`);
	}
	const guide = "docs/guides/your-service.md";
	const undescribed = features.filter((feature) => !textOf(guide).includes(`\`${feature}\``));
	if (undescribed.length > 0) fail(`${guide} doesn't describe the features ${undescribed.join(", ")}.`);
	const all = [...strayAddresses(root), ...stale.map(([file]) => file), ...(sdks === undefined ? [] : [sdks])];
	if (all.length > 0) fail(`Stale, run \`npm run generate\`: ${all.join(", ")}`);
} else if (sdks !== undefined) {
	try {
		writeSdks(root);
	} catch (error) {
		fail((error as Error).message);
	}
}

function fail(why: string): void {
	console.error(why);
	process.exitCode = 1;
}

/** The text with another content between the marks of a region. */
function replaced(text: string, [name, content]: readonly [string, string]): string {
	const marks = new RegExp(
		`^(.*made by npm run generate: ${name}\\b.*\\n)[^]*?^(.*(?:<!-- end -->|#endregion).*)$`,
		"m",
	);
	if (!marks.test(text)) throw new Error(`There is no place for "${name}": its marks are missing.`);
	return text.replace(marks, (_, begin: string, end: string) => `${begin}${content}\n${end}`);
}

function formatted(file: string, text: string): string {
	if (!file.endsWith(".ts")) return text;
	const biome = require.resolve("@biomejs/biome/bin/biome");
	const { stdout, stderr, status } = spawnSync(process.execPath, [biome, "format", `--stdin-file-path=${file}`], {
		cwd: root,
		input: text,
		encoding: "utf8",
	});
	if (status !== 0) throw new Error(`biome can't format ${file}: ${stderr}`);
	return stdout;
}
