/**
 * `npm run sim -- [--minutes N] [--seed S]` tells stories of every profile, each for its share of the time, and writes
 * docs/reliability.md. The exit code is 1 after a violation.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureEngine } from "../../scripts/engine.mts";
import { repository } from "../helpers/host-process.mts";
import { type Report, simulate } from "./index.mts";
import { type ProfileName, profileNames } from "./profiles.mts";
import { commitOf, scoresIn } from "./scores.mts";
import { closeProcesses, type DriverName } from "./world.mts";

interface Plan {
	readonly profile: ProfileName;
	readonly driver: DriverName;
	/** Part of the time. */
	readonly share: number;
}

const page = join(repository, "docs/reliability.md");

/** Stories through processes or the CLI take a hundred times as long. */
const plans: readonly Plan[] = [
	...profileNames.map((profile): Plan => ({ profile, driver: "in-process", share: 1 })),
	...(["dynamic", "plugin", "cli"] as const).map((driver): Plan => ({ profile: "kill", driver, share: 2 })),
];

const names: Readonly<Record<DriverName, string>> = {
	"in-process": "in process",
	dynamic: "in the dynamic provider's process",
	plugin: "in the plugin's process",
	cli: "with the Pulumi CLI",
};

interface Row extends Report {
	readonly driver: DriverName;
}

/** Returns the most violations that so many stories without one allow, with 95 % confidence. */
const boundOf = (trials: number): string => (trials < 30 ? "" : ` (below ${Math.ceil(30_000 / trials) / 100} %)`);

function rowOf({ profile, driver, trials, counts, violations }: Row): string {
	const killed = Object.entries(counts).filter(([what]) => what.startsWith("kill at"));
	const sum = (entries: readonly [string, number][]) => entries.reduce((total, [, count]) => total + count, 0);
	const found = violations.length === 0 ? `0${boundOf(trials)}` : `**${violations.length}**`;
	const name = driver === "in-process" ? profile : `${profile}, ${names[driver]}`;
	const cells = [name, trials, sum(killed), found];
	return `| ${cells.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)).join(" | ")} |`;
}

/** Returns the table of scores: the last measurement on this machine, or the page's own. */
function scoreTable(): string {
	const rows = scoresIn(repository).map(
		({ folder, score, mutants, commit }) => `| ${folder} | ${score.toFixed(1)} % | ${mutants} | ${commit} |`,
	);
	if (rows.length > 0) return ["| Folder | Score | Changes | Commit |", "|---|--:|--:|---|", ...rows].join("\n");
	const [, section = ""] = readFileSync(page, "utf8").split("## Mutation testing");
	return section
		.split("\n")
		.filter((line) => line.startsWith("|"))
		.join("\n");
}

function pageOf(reports: readonly Row[], commit: string): string {
	const bad = reports.flatMap(({ profile, driver, violations }) =>
		violations.map(
			({ seed, message }) =>
				`- \`--profile ${profile} --driver ${driver} --replay ${seed}\`: ${message.split("\n")[0]}`,
		),
	);
	const minutes = Math.round(reports.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
	return `# Reliability

A simulation tests the [guarantees](guarantees.md) against the emulator, not against the real service. It runs random stories, in
which someone edits the program or the account, the service fails, or the provider is killed. After each run, it checks that:

- each declaration has one number at most
- the provider released a number only with a saved \`onDelete: release\`
- a run on another account changed nothing
- the next run continues with each pending object
- a refresh reports exactly the changes that someone made
- no output holds a secret

\`npm run sim -- --minutes N\` writes this page, and a nightly job runs other seeds. A run of ${minutes} minutes on commit ${commit}
(${new Date().toISOString().slice(0, 10)}) gave these results. [profiles.mts](../test/sim/profiles.mts) describes the story of each profile.

| Profile | Stories | Kills | Violations |
|---|--:|--:|---|
${reports.map(rowOf).join("\n")}

The percentage is the largest share of stories that could break a promise, with 95 % confidence.
${bad.length > 0 ? `\n## Violations\n\n${bad.join("\n")}\n` : ""}
To test the simulation, a nightly job plants [each known fault](../test/sim/faults.mts) in the provider, one at a time, and runs
stories until they find the fault.

## Mutation testing

[Stryker](https://stryker-mutator.io/) changes one place of the provider at a time and runs the tests of that folder. The score is
the share of changes that a test finds. The nightly job fails below 85 %.

${scoreTable()}
`;
}

const { values } = parseArgs({
	options: { minutes: { type: "string", default: "15" }, seed: { type: "string", default: "1" } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError(`--minutes must be a number above 0, got ${values.minutes}.`);
const { bin } = await ensureEngine((line) => console.error(line));
process.env.PATH = `${bin}:${process.env.PATH}`;
const shares = plans.reduce((sum, { share }) => sum + share, 0);
const reports: Row[] = [];
for (const { profile, driver, share } of plans) {
	const mostMs = (minutes * 60_000 * share) / shares;
	const progress = (line: string) => console.error(line);
	const report = await simulate(profile, { driver, trials: 1_000_000, seed: Number(values.seed), mostMs, progress });
	reports.push({ ...report, driver });
	console.log(`${profile}, ${names[driver]}: ${report.trials} stories, ${report.violations.length} violations`);
}
await closeProcesses();
mkdirSync(join(repository, "reports"), { recursive: true });
writeFileSync(join(repository, "reports/sim.json"), `${JSON.stringify(reports, null, "\t")}\n`);
writeFileSync(page, pageOf(reports, commitOf(repository)));
process.exit(reports.some(({ violations }) => violations.length > 0) ? 1 : 0);
