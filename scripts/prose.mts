/**
 * Checks that pages, comments, messages, names and test titles are plain English. Vale applies the style in tools/vale;
 * names and titles are checked here. It fails on any sentence, and on more vague names in a folder than `budgets` allows.
 * Pages also have the rules of prose/pages.mts. Paths as arguments list every finding in these files and folders.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type Text, textsOfCode } from "./prose/code.mts";
import { type Finding, findingsOfPage } from "./prose/pages.mts";
import { type Prose, runVale } from "./prose/vale.mts";

const maxTitle = 70;
const vagueNames = new Set(
	"its one other said told heard shown left going again now own known twice somebody nobody whatever".split(" "),
);
/** How many vague names each folder may still have: lower a number, never raise it. */
const budgets: Readonly<Record<string, number>> = { cli: 1, emulator: 4, provider: 3, test: 3 };

/** Files of others, files that a generator writes, and states of earlier versions. */
const excluded = /^(sdk\/(nodejs|python|go)|test\/fixtures|node_modules)\//;
/** Pages for readers. */
const isPage = (file: string): boolean =>
	/^(docs\/.*|README|CONTRIBUTING|CHANGELOG|\.github\/SECURITY)\.md$/.test(file);
/** Folders whose strings people read: elsewhere, only comments, names and titles count. */
const spoken = /^(provider|cli|emulator|sdk|policy)\//;
const messages = /^(provider|cli)\//;

function checkNames(file: string, texts: readonly Text[]): Finding[] {
	const rules = [
		{ rule: "vague name", broken: ({ kind, text }: Text) => kind === "name" && vagueNames.has(text) },
		{ rule: "long title", broken: ({ kind, text }: Text) => kind === "title" && text.length > maxTitle },
	];
	return rules.flatMap(({ rule, broken }) =>
		texts.filter(broken).map(({ line, text }) => ({ file, line, rule, text })),
	);
}

function proseOf(file: string, texts: readonly Text[]): Prose[] {
	const sentences = texts.filter(
		({ kind }) => kind === "comment" || ((kind === "string" || kind === "message") && spoken.test(file)),
	);
	const isMessage = ({ kind }: Text) => kind !== "comment" && messages.test(file);
	return [
		{ file, isMessage: true, texts: sentences.filter(isMessage) },
		{ file, isMessage: false, texts: sentences.filter((text) => !isMessage(text)) },
	];
}

function findingsIn(files: readonly string[]): Finding[] {
	const sources = files
		.filter((file) => !file.endsWith(".md"))
		.map((file) => ({ file, texts: textsOfCode(file, readFileSync(file, "utf8")) }));
	const pages = files.filter((file) => file.endsWith(".md"));
	return [
		...runVale(
			pages,
			sources.flatMap(({ file, texts }) => proseOf(file, texts)),
		),
		...sources.flatMap(({ file, texts }) => checkNames(file, texts)),
		...pages.filter(isPage).flatMap((page) => findingsOfPage(page, readFileSync(page, "utf8"))),
	];
}

const filesOf = (paths: readonly string[]): string[] =>
	execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...paths], { encoding: "utf8" })
		.split("\n")
		.filter((file) => /\.(md|ts|mts|mjs|js)$/.test(file) && !excluded.test(file) && existsSync(file));

const folderOf = (file: string): string => (file.includes("/") ? file.replace(/\/.*/, "") : ".");

const print = (findings: readonly Finding[]) => {
	for (const { file, line, rule, text } of findings)
		console.log(`${file}:${line}: ${rule}: ${text.replaceAll("\n", " ")}`);
};

function check(findings: readonly Finding[]): void {
	for (const folder of new Set(findings.map(({ file }) => folderOf(file)))) {
		const some = findings.filter(({ file }) => folderOf(file) === folder);
		const names = some.filter(({ rule }) => rule === "vague name");
		const excused = names.length > (budgets[folder] ?? 0) ? [] : names;
		const failing = some.filter((finding) => !excused.includes(finding));
		print(failing);
		if (names.length > 0 && excused.length === 0)
			console.log(`${folder} has ${names.length} vague names. At most ${budgets[folder] ?? 0} may stay: rename yours.`);
		if (failing.length > 0) process.exitCode = 1;
	}
}

const paths = process.argv.slice(2);
const findings = findingsIn(filesOf(paths));
if (paths.length > 0) print(findings);
else check(findings);
