/** The commands of `telephony`, as a user runs them. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DriftReport as Report } from "../../cli/drift/report";
import { type Project, type Run, run } from "./engine";

export const telephony = resolve(__dirname, "../../bin/telephony");

type Env = Record<string, string | undefined>;

export const drift = ({ folder, env }: Project, args: readonly string[] = [], more: Env = {}): Promise<Run> =>
	run("node", [telephony, "drift", ...args], folder, { ...env, ...more });

export interface Reported<Report> extends Run {
	readonly report: Report;
	readonly markdown: string;
}

/** Runs a command that writes reports, and reads them. */
export async function reportOf<Report>(
	[command = "", ...args]: readonly string[],
	folder: string,
	env: Env,
): Promise<Reported<Report>> {
	const [json, markdown] = [join(folder, "report.json"), join(folder, "report.md")];
	const done = await run("node", [telephony, command, "--output", json, "--output", markdown, ...args], folder, env);
	const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
	return { ...done, report: JSON.parse(read(json) || "{}"), markdown: read(markdown) };
}

/** `telephony drift` with its reports. */
export const reported = ({ folder, env }: Project, more: Env = {}): Promise<Reported<Report>> =>
	reportOf(["drift"], folder, { ...env, ...more });

export const kindsIn = ({ resources }: Report) => Object.fromEntries(resources.map(({ name, kind }) => [name, kind]));
export const pathsIn = ({ resources }: Report) =>
	Object.fromEntries(resources.map(({ name, changes }) => [name, changes.map(({ path }) => path)]));

/** Removes what differs from run to run: the account's address, times, ids and numbers. */
export const withoutIds = (text: string): string =>
	text
		.replace(/^account .*Z$/m, "account …")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
		.replace(/\b(acc|num|trk|whk)_\w+/g, "$1_…")
		.replace(/\+\d{8,15}/g, "+…")
		.trim();
