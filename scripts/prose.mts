/**
 * Checks that pages, comments, messages, names and test titles are plain English, by the rules of prose/rules.mts.
 * It fails if a rule is broken more often in a folder than `budgets` allows: lower a number there, never raise it.
 * `--counts` prints the counts of every folder; paths as arguments list every finding in these files and folders.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { textsOfCode } from "./prose/code.mts";
import { textsOfPage } from "./prose/pages.mts";
import { type Finding, findingsOf, type Rule } from "./prose/rules.mts";

/** How many findings each folder may still have; none if it isn't listed. */
const budgets: Readonly<Record<Rule, Readonly<Record<string, number>>>> = {
	"long sentence": { docs: 2 },
	"headless sentence": { cli: 3 },
	phrase: {},
	"long message": {},
	"vague name": { cli: 1, emulator: 4, provider: 3, test: 3 },
	"long title": {},
};
const rules = Object.keys(budgets) as Rule[];

/** Files of others, files that a generator writes, and states of earlier versions. */
const excluded = /^(sdk\/(nodejs|python|go)|test\/fixtures|node_modules)\//;
/** Folders whose strings people read: elsewhere, only comments, names and titles count. */
const spoken = /^(provider|cli|emulator|sdk|testing|policy)\/|^node-version\.ts$/;
const messages = /^(provider|cli)\//;

type Located = Finding & { readonly file: string };

function findingsIn(file: string): Located[] {
	const content = readFileSync(file, "utf8");
	const texts = file.endsWith(".md") ? textsOfPage(content) : textsOfCode(file, content);
	return texts
		.filter(({ kind }) => kind !== "string" || spoken.test(file))
		.flatMap((text) => findingsOf(text, messages.test(file) && text.kind !== "comment"))
		.map((finding) => ({ ...finding, file }));
}

const filesOf = (paths: readonly string[]): string[] =>
	execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...paths], { encoding: "utf8" })
		.split("\n")
		.filter((file) => /\.(md|ts|mts|mjs|js)$/.test(file) && !excluded.test(file) && existsSync(file));

const folderOf = (file: string): string => (file.includes("/") ? file.replace(/\/.*/, "") : ".");

const print = (findings: readonly Located[]) => {
	for (const { file, line, rule, kind, text } of findings)
		console.log(`${file}:${line}: ${rule} (${kind}): ${text.replaceAll("\n", " ")}`);
};

function printCounts(findings: readonly Located[]): void {
	const folders = [...new Set(findings.map(({ file }) => folderOf(file)))].sort();
	const rowOf = (rule: Rule) => {
		const counts = folders.map(
			(folder) => findings.filter((f) => f.rule === rule && folderOf(f.file) === folder).length,
		);
		return [...counts, counts.reduce((sum, count) => sum + count, 0)];
	};
	console.log(["rule".padEnd(18), ...folders, "all"].join("\t"));
	for (const rule of rules) console.log([rule.padEnd(18), ...rowOf(rule)].join("\t"));
}

function check(findings: readonly Located[]): void {
	for (const folder of new Set(findings.map(({ file }) => folderOf(file))))
		for (const rule of rules) {
			const some = findings.filter((finding) => finding.rule === rule && folderOf(finding.file) === folder);
			const budget = budgets[rule][folder] ?? 0;
			if (some.length <= budget) continue;
			print(some);
			console.log(`${folder}: ${some.length} × ${rule}, and ${budget} are allowed.\n`);
			process.exitCode = 1;
		}
}

const args = process.argv.slice(2);
const paths = args.filter((argument) => !argument.startsWith("--"));
const findings = filesOf(paths).flatMap(findingsIn);
if (args.includes("--counts")) printCounts(findings);
else if (paths.length > 0) print(findings);
else check(findings);
