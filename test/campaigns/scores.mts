/** Scores of mutation testing, by folder, as Stryker's report has them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Score {
	readonly folder: string;
	/** Per cent. */
	readonly score: number;
	readonly mutants: number;
	/** Which tests were run. */
	readonly tests: string;
	readonly commit: string;
}

interface Report {
	readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** A change that the tests noticed, or that ran into a time limit, is found; one that can't be run doesn't count. */
const noticed = new Set(["Killed", "Timeout"]);
const counted = new Set(["Killed", "Timeout", "Survived", "NoCoverage"]);

export function scoresOf({ files }: Report, tests: string, commit: string): Score[] {
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
