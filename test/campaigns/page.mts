/** `node test/campaigns/page.mts`: docs/reliability.md, made of the reports of the campaigns and of mutation testing. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Finding } from "./campaign.mts";
import { repository } from "./host.mts";

/** One run of a campaign. */
export interface Made {
	readonly name: string;
	readonly commit: string;
	/** RFC 3339. */
	readonly at: string;
	/** Of the soak. */
	readonly numbers?: number;
	/** Absent if it did not come to its end. */
	readonly report:
		| {
				readonly campaign: string;
				readonly service: string;
				readonly seed: number;
				readonly trials: number;
				readonly boundaries: number;
				readonly counts: Readonly<Record<string, number>>;
				readonly violations: readonly Finding[];
				readonly seconds: number;
		  }
		| undefined;
}

export const commitOf = (folder: string): string =>
	execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: folder, encoding: "utf8" }).trim();

export interface Score {
	readonly folder: string;
	/** Per cent. */
	readonly score: number;
	readonly mutants: number;
	/** Which tests were run. */
	readonly tests: string;
	readonly commit: string;
}

/** Stryker's. */
interface MutationReport {
	readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** A change that the tests noticed, or that ran into a time limit, is found; one that can't be run doesn't count. */
const noticed = new Set(["Killed", "Timeout"]);
const counted = new Set(["Killed", "Timeout", "Survived", "NoCoverage"]);

export function scoresOf({ files }: MutationReport, tests: string, commit: string): Score[] {
	const folders = new Map<string, string[]>();
	for (const [file, { mutants }] of Object.entries(files)) {
		const folder = file.split("/").slice(0, 2).join("/");
		const statuses = mutants.map(({ status }) => status).filter((status) => counted.has(status));
		folders.set(folder, [...(folders.get(folder) ?? []), ...statuses]);
	}
	return [...folders]
		.filter(([, statuses]) => statuses.length > 0)
		.map(([folder, statuses]) => ({
			folder,
			score: (100 * statuses.filter((status) => noticed.has(status)).length) / statuses.length,
			mutants: statuses.length,
			tests,
			commit,
		}));
}

/** Those that were measured last. */
export function scoresIn(folder: string): Score[] {
	const file = join(folder, "reports/mutation-scores.json");
	return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Score[]) : [];
}

/** What each tries, and what must never happen. */
const tried: Readonly<Record<string, readonly [string, string]>> = {
	lifecycle: [
		"random lives of a program: changes, renames, replacements, edits outside Pulumi, KYC, another account's key, crashes, failing responses",
		"a declaration with two numbers, a release without a saved `release`, a run on a wrong account that changes anything, a run that doesn't settle",
	],
	"kill-provider": [
		"the provider process killed between any two steps of its requests",
		"more numbers alive than declared or left, a release without a saved `release`, a state that doesn't settle",
	],
	"kill-cli": ["the real CLI, its provider or both killed at a request", "the same"],
	"kill-emulator": ["the emulator killed during 1,000 mixed writes", "an answered write lost, an invented one"],
	drift: [
		"random edits outside Pulumi of a stack of 1,025",
		"a refresh that names anything else, an `up` that writes more",
	],
	"drift-cli": ["the same through `telephony drift` on the real CLI", "the same"],
	faults: [
		"each kind of failing answer, before and after the request is carried out, at each operation",
		"a run that hangs, an error without a code, a request before `Retry-After` is over, more than two runs to recover",
	],
	schedules: [
		"reads, writes and waits of one process in any order, answered in any order",
		"something that is there told gone, a list read three times at once, a write that the next read doesn't show",
	],
	stacks: [
		"two to four stacks of one account at once, fewer numbers left than they ask for",
		"a number in two stacks, one bought for nobody",
	],
	kyc: [
		"checks that take no time, a second, an hour, ten days, for ever, are rejected, come back",
		"a second purchase, a release, an end noticed late, requests that grow with the numbers",
	],
	signals: [
		"Ctrl-C or SIGTERM, once or twice, at any moment of the real CLI",
		"a run that doesn't end, a pending operation, a second purchase",
	],
	canaries: [
		"secrets, old and new, at a service that repeats what it is sent",
		"any form of one in what a run says or logs",
	],
	soak: [
		"a fleet for 24 hours of virtual time, each twentieth request failing",
		"a ledger that isn't exact, costs or memory that grow",
	],
};

const found = (violations: readonly Finding[]): string => (violations.length === 0 ? "0" : `**${violations.length}**`);

/** Three in n trials without a failure: 95 %. */
const bound = (trials: number): string =>
	trials < 30 ? "" : ` (below ${Math.ceil(30_000 / trials) / 100} % of them, 95 %)`;

const countOf = (counts: Readonly<Record<string, number>>): string =>
	Object.entries(counts)
		.sort(([, one], [, other]) => other - one)
		.slice(0, 6)
		.map(([what, count]) => `${what} ${count}`)
		.join(", ");

export function writePage(folder: string, reports: string): void {
	const made = readdirSync(reports)
		.filter((name) => name.endsWith(".json"))
		.map((name) => JSON.parse(readFileSync(join(reports, name), "utf8")) as Made);
	const order = Object.keys(tried);
	const sorted = made.sort(
		(one, other) => order.indexOf(one.report?.campaign ?? "") - order.indexOf(other.report?.campaign ?? ""),
	);
	const commits = [...new Set(sorted.map(({ commit }) => commit))];
	const rows = sorted.map(({ name, numbers, report }) => {
		if (report === undefined) return `| ${name} | | | **did not come to its end** | |\n`;
		const { trials, boundaries, violations, seconds, counts } = report;
		const how = [
			`${trials.toLocaleString("en")}`,
			...(boundaries > 0 ? [`${boundaries.toLocaleString("en")} kills`] : []),
			...(numbers === undefined ? [] : [`${numbers.toLocaleString("en")} numbers`]),
		].join(", ");
		return `| ${name} | ${how} | ${seconds} | ${found(violations)}${violations.length === 0 ? bound(trials) : ""} | ${countOf(counts)} |\n`;
	});
	const what = Object.entries(tried).map(([name, [tries, never]]) => `| ${name} | ${tries} | ${never} |\n`);
	const bad = sorted.flatMap(({ name, report }) =>
		(report?.violations ?? []).map(
			({ seed, message }) => `- ${name}, \`--replay ${seed}\`: ${message.split("\n")[0]}\n`,
		),
	);
	const scores = scoresIn(folder);
	writeFileSync(
		join(folder, "docs/reliability.md"),
		[
			"# Reliability: what was tried, how often, with what result\n\n",
			"This page is made by `npm run campaigns -- --minutes N`, of the reports of its last run. Each campaign is a command of its own, and a seed\n",
			"replays a trial: [CONTRIBUTING](../CONTRIBUTING.md#commands) has them. A nightly job runs all of them.\n\n",
			`Run on commit ${commits.join(", ")}, ${sorted
				.map(({ at }) => at)
				.sort()
				.at(-1)
				?.slice(
					0,
					10,
				)}, in ${Math.round(sorted.reduce((sum, { report }) => sum + (report?.seconds ?? 0), 0) / 60)} minutes.\n\n`,
			"| Campaign | Trials | Seconds | Violations | What happened, most often |\n|---|---|---|---|---|\n",
			...rows,
			...(bad.length > 0 ? ["\n## Violations\n\n", ...bad] : []),
			"\n## What each campaign tries\n\n| Campaign | What it tries | A violation is |\n|---|---|---|\n",
			...what,
			"\nA campaign that has never found a fault proves nothing. `node test/campaigns/mutants.mts` plants faults in a copy of what is built\n",
			"and fails unless the campaigns find each one.\n",
			"\n## Mutation testing\n\n",
			"[Stryker](https://stryker-mutator.io/) changes the provider's code in one place at a time and runs the tests of that folder that start no process. The score is\n",
			"the share of changes that a test noticed. `npm run mutation` measures it. Below 80 % in `ownership/`, `properties/` or `lifecycle/` the\n",
			"nightly job fails.\n\n",
			scores.length === 0
				? "Not measured yet.\n"
				: "| Folder | Score | Changes | Tests | Measured |\n|---|---|---|---|---|\n",
			...scores.map(
				({ folder: name, score, mutants, tests, commit }) =>
					`| ${name} | ${score.toFixed(1)} % | ${mutants} | \`${tests}\` | on ${commit} |\n`,
			),
			scores.length === 0 ? "" : "\nA folder that is missing here was not measured in that run.\n",
		].join(""),
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const reports = join(repository, "reports/campaigns");
	if (!existsSync(reports)) throw new Error("There are no reports: run `npm run campaigns` first.");
	writePage(repository, reports);
}
