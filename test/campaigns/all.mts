/**
 * `npm run campaigns -- [--minutes N] [--seed S] [--only NAME]… [--reports DIR] [--no-page]`: all campaigns, each for its
 * share of the time, one after the other. Their reports go to `reports/campaigns/`, and what docs/reliability.md says is made of
 * them. Ends with 1 after a violation. A campaign that is over early leaves its time to the others.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureEngine } from "../../scripts/engine.mts";
import { repository } from "./host.mts";
import { commitOf, type Made, writePage } from "./page.mts";

/** What part of the time each gets; through the real CLI a trial takes a hundred times as long. */
const campaigns = [
	{ name: "lifecycle", file: "lifecycle", args: [], share: 4 },
	{ name: "lifecycle, at a service without keys", file: "lifecycle", args: ["--service", "no-key"], share: 1 },
	{ name: "kill-provider", file: "kill-provider", args: [], share: 3 },
	{ name: "kill-provider, the plugin", file: "kill-provider", args: ["--front", "plugin"], share: 3 },
	{ name: "kill-provider, at a service without keys", file: "kill-provider", args: ["--service", "no-key"], share: 1 },
	{
		name: "kill-provider, at a service without references",
		file: "kill-provider",
		args: ["--service", "no-reference"],
		share: 1,
	},
	{
		name: "kill-provider, at a service without either",
		file: "kill-provider",
		args: ["--service", "neither"],
		share: 1,
	},
	{ name: "kill-cli", file: "kill-cli", args: ["--short"], share: 3 },
	{ name: "kill-emulator", file: "kill-emulator", args: [], share: 1 },
	{ name: "drift", file: "drift", args: ["--short"], share: 1 },
	{ name: "drift-cli", file: "drift-cli", args: ["--short"], share: 1 },
	{ name: "faults", file: "faults", args: [], share: 2 },
	{ name: "faults, of profiles, papers and orders", file: "faults", args: ["--filings"], share: 1 },
	{ name: "schedules", file: "schedules", args: [], share: 1 },
	{ name: "stacks", file: "stacks", args: [], share: 1 },
	{ name: "kyc", file: "kyc", args: [], share: 1 },
	{ name: "signals", file: "signals", args: [], share: 3 },
	{ name: "canaries", file: "canaries", args: [], share: 1 },
	{ name: "soak", file: "soak", args: [], share: 3 },
] as const;

const { values } = parseArgs({
	options: {
		minutes: { type: "string", default: "60" },
		seed: { type: "string", default: "1" },
		only: { type: "string", multiple: true },
		reports: { type: "string", default: join(repository, "reports/campaigns") },
		"no-page": { type: "boolean", default: false },
	},
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError(`--minutes must be a number above 0, and is ${values.minutes}.`);
const chosen = campaigns.filter(
	({ name, file }) => values.only?.some((each) => each === name || each === file) ?? true,
);
if (chosen.length === 0)
	throw new RangeError(`--only must be one of: ${campaigns.map(({ name }) => name).join("; ")}.`);

/** Until its time is over: it then ends its trial, and reports what it has found. */
function run(file: string, args: readonly string[], ms: number): Promise<Made["report"] | undefined> {
	const child = spawn(
		process.execPath,
		[`test/campaigns/${file}.mts`, "--trials", "999999", "--seed", values.seed, ...args],
		{ cwd: repository, stdio: ["ignore", "pipe", "inherit"] },
	);
	const end = setTimeout(() => child.kill("SIGTERM"), ms);
	// Its last trial may take as long as all before; what hangs is a finding.
	const kill = setTimeout(() => child.kill("SIGKILL"), ms * 2 + 300_000);
	let told = "";
	child.stdout.on("data", (text) => {
		told += String(text);
	});
	return new Promise((done) =>
		child.once("close", () => {
			clearTimeout(end);
			clearTimeout(kill);
			const last = told.trim().split("\n").at(-1) ?? "";
			done(last.startsWith("{") ? (JSON.parse(last) as Made["report"]) : undefined);
		}),
	);
}

const { bin } = await ensureEngine((line) => console.error(line));
process.env.PATH = `${bin}:${process.env.PATH}`;
const reports = resolve(values.reports);
mkdirSync(reports, { recursive: true });
const commit = commitOf(repository);
/** A process needs some time before it can be told to stop. */
const shortest = 20_000;
let left = minutes * 60_000;
let shares = chosen.reduce((sum, { share }) => sum + share, 0);
const made: Made[] = [];
for (const { name, file, args, share } of chosen) {
	const started = performance.now();
	// The soak is one trial: smaller where there is less time.
	const numbers = Math.min(10_000, Math.round(((left * share) / shares / 1_000) * 8));
	const report = await run(
		file,
		file === "soak" ? ["--numbers", String(numbers)] : args,
		Math.max(shortest, (left * share) / shares),
	);
	left = Math.max(5_000, left - (performance.now() - started));
	shares -= share;
	const each = { name, commit, at: new Date().toISOString(), report, ...(file === "soak" ? { numbers } : {}) };
	made.push(each);
	writeFileSync(join(reports, `${name.replaceAll(/[^\w-]+/g, "-")}.json`), `${JSON.stringify(each, null, "\t")}\n`);
	const found =
		report === undefined
			? "did not come to its end"
			: `${report.trials} trials, ${report.violations.length} violations`;
	console.log(`${name}: ${found}`);
}
if (!values["no-page"]) writePage(repository, reports);
const isGreen = made.every(({ report }) => report !== undefined && report.violations.length === 0);
process.exit(isGreen ? 0 : 1);
