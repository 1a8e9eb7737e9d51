/** `telephony drift`, as a user runs it. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DriftReport as Report } from "../../cli/drift/report";
import { type Project, type Run, run } from "./engine";

export const telephony = resolve(__dirname, "../../bin/telephony");

type Env = Record<string, string | undefined>;

export const drift = ({ folder, env }: Project, args: readonly string[] = [], more: Env = {}): Promise<Run> =>
	run("node", [telephony, "drift", ...args], folder, { ...env, ...more });

/** With the files that it writes. */
export async function reported(stack: Project, more: Env = {}): Promise<Run & { report: Report; markdown: string }> {
	const [json, markdown] = [join(stack.folder, "drift.json"), join(stack.folder, "drift.md")];
	const done = await drift(stack, ["--output", json, "--output", markdown], more);
	const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
	return { ...done, report: JSON.parse(read(json) || "{}"), markdown: read(markdown) };
}

export const kindsIn = ({ resources }: Report) => Object.fromEntries(resources.map(({ name, kind }) => [name, kind]));
export const pathsIn = ({ resources }: Report) =>
	Object.fromEntries(resources.map(({ name, changes }) => [name, changes.map(({ path }) => path)]));

/** Removes what differs from run to run: the account's address, the time, ids and numbers. */
export const withoutIds = (text: string): string =>
	text
		.replace(/^account .*Z$/m, "account …")
		.replace(/\b(num|trk|whk)_\w+/g, "$1_…")
		.replace(/\+\d{8,15}/g, "+…")
		.trim();
