/** Scores of mutation testing, per folder. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const commitOf = (folder: string): string =>
	execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: folder, encoding: "utf8" }).trim();

export interface Score {
	readonly folder: string;
	/** Per cent. */
	readonly score: number;
	readonly mutants: number;
	readonly tests: string;
	readonly commit: string;
}

/** Stryker's. */
interface MutationReport {
	readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** A change counts as found if a test fails or times out; a change that can't run doesn't count. */
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

/** Returns the scores of the last measurement. */
export function scoresIn(folder: string): Score[] {
	const file = join(folder, "reports/mutation-scores.json");
	return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Score[]) : [];
}
