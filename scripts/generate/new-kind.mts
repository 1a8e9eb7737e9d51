/**
 * The skeleton of a kind of object. `new-kind/` has its files, and `lines.txt` its lines in the registries, both of a
 * kind called SampleKind. CONTRIBUTING.md says what is left to do.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { features, kinds, resources } from "./tables.mts";

const require = createRequire(import.meta.url);
const templates = join(import.meta.dirname, "new-kind");
const registries = "lines.txt";

/** Writes the files and the lines. @returns their paths @throws Error if the name can't be used */
export function writeKind(root: string, name: string): readonly string[] {
	const named = namer(name);
	const files = globSync("**/*.txt", { cwd: templates })
		.filter((template) => template !== registries)
		.map((template) => ({ file: named(template.replace(/\.txt$/, "")), text: named(textOf(template)) }));
	assertFree(name, named);
	for (const { file } of files) if (existsSync(join(root, file))) throw new Error(`${file} already exists.`);
	const edited = withLines(root, named(textOf(registries)));
	for (const { file, text } of [...files, ...edited]) {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		writeFileSync(join(root, file), text);
	}
	const written = [...files, ...edited].map(({ file }) => file);
	format(root, written);
	return written;
}

/** Returns a function that puts the name in the place of SampleKind, in all its spellings. @throws Error */
function namer(name: string): (text: string) => string {
	if (!/^(?:[A-Z][a-z]+)+$/.test(name))
		throw new Error(`${name} isn't the name of a kind: write one in PascalCase and the singular, like CallQueue.`);
	const words = (text: string) => text.split(/(?<=.)(?=[A-Z])/).map((word) => word.toLowerCase());
	const camel = (text: string) => text.replace(/^./, (letter) => letter.toLowerCase());
	const spellings = (singular: string): readonly string[] => {
		const plural = `${singular.replace(/([^aeiou])y$/, "$1ie").replace(/(s|x|ch|sh)$/, "$1e")}s`;
		return [plural, singular].flatMap((text) => [
			...[text, camel(text)],
			...["-", "_", " "].map((separator) => words(text).join(separator)),
		]);
	};
	const places = spellings("SampleKind");
	const pairs = spellings(name).map((text, index) => [places[index] ?? "", text] as const);
	const article = /^[AEIOU]/.test(name) ? "n" : "";
	return (text) =>
		pairs.reduce(
			(replaced, [from, to]) => replaced.replaceAll(from, to),
			text.replace(/\b([Aa]) (?=sample kind)/g, `$1${article} `),
		);
}

/** @throws Error if another kind or feature has one of the names */
function assertFree(name: string, named: (text: string) => string): void {
	const taken = new Set([
		...Object.keys(resources),
		...Object.entries(kinds).flatMap(([list, { name, noun }]) => [list, name, noun]),
		...features,
		...Object.getOwnPropertyNames(globalThis),
	]);
	const conflict = ["SampleKind", "sampleKinds", "sample_kind", "sample kind"]
		.map(named)
		.find((text) => taken.has(text));
	if (conflict !== undefined) throw new Error(`${name} conflicts with ${conflict}, which exists: choose another name.`);
}

/**
 * The edited files. Each block of `lines.txt` names a file, and the text before or after which its lines go, or `within`
 * whose line its text goes.
 */
function withLines(root: string, blocks: string): readonly { readonly file: string; readonly text: string }[] {
	const texts = new Map<string, string>();
	for (const block of blocks.split(/^## /m).slice(1)) {
		const [, file = "", side = "", anchor = "", added = ""] =
			/^(\S+) (before|after|within) ([^\n]+)\n(.*)\n$/s.exec(block) ?? [];
		const parts = (texts.get(file) ?? readFileSync(join(root, file), "utf8")).split(anchor);
		if (parts.length !== 2) throw new Error(`${file} must have ${anchor} once, which new-kind/${registries} names.`);
		const joints: Readonly<Record<string, string>> = {
			before: `${added}\n${anchor}`,
			after: `${anchor}\n${added}`,
			within: `${added} ${anchor}`,
		};
		texts.set(file, parts.join(joints[side]));
	}
	return [...texts].map(([file, text]) => ({ file, text }));
}

const textOf = (template: string): string => readFileSync(join(templates, template), "utf8");

/** Sorts imports, and breaks lines. */
function format(root: string, files: readonly string[]): void {
	const biome = require.resolve("@biomejs/biome/bin/biome");
	const code = files.filter((file) => /\.m?[jt]s$/.test(file));
	const { status, stderr } = spawnSync(process.execPath, [biome, "check", "--write", ...code], {
		cwd: root,
		encoding: "utf8",
	});
	if (status !== 0) throw new Error(`biome refuses the new files: ${stderr}`);
}
