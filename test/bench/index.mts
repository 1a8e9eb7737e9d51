/**
 * `npm run bench [-- --quick] [--only B1,B7] [--runs N] [--numbers N] [--against FOLDER]` measures times beside those of
 * comparators in the same run, and repeats what hasn't settled. It replaces the same tables in docs/benchmarks.json and writes
 * docs/benchmarks.md and test/bench/tables.md again; `--quick` prints its figures and writes nothing. `--numbers` measures
 * stacks and pools of another size. `--against` measures a built checkout of another commit in the same rounds of B2 and
 * B7, and prints its figures only. B9 takes ten minutes by itself, so it is measured only if `--only` names it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureFleet } from "./fleet.mts";
import { type Occasion, type Report, writePage } from "./page.mts";
import { measureProcesses } from "./processes.mts";
import { measureReads } from "./reads.mts";
import { type Figure, isBefore, type Plan } from "./runner.mts";
import { root } from "./service.mts";
import { measureStacks, settingsOf } from "./stacks.mts";

const { values } = parseArgs({
	options: {
		quick: { type: "boolean", default: false },
		only: { type: "string" },
		runs: { type: "string" },
		numbers: { type: "string" },
		against: { type: "string" },
	},
});
const fixed = Number(values.runs ?? (values.quick ? 1 : 0));
const plan: Plan = {
	quick: values.quick,
	against: values.against,
	rounds: (least, most) => (fixed > 0 ? { least: fixed, most: fixed } : { least, most }),
	progress: (line) => process.stderr.write(`${line}\n`),
};
const count = values.numbers === undefined ? undefined : Number(values.numbers);

const measurements: readonly (readonly [names: readonly string[], run: () => Promise<Figure[]>])[] = [
	[["B1"], () => measureReads(plan)],
	[["B7"], () => measureProcesses(plan)],
	[["B2", "B6"], () => measureStacks(plan, settingsOf(plan, count))],
	[["B9"], () => measureFleet(plan, count)],
];
const wanted = values.only?.toUpperCase().split(",") ?? ["B1", "B7", "B2"];
const figures: Figure[] = [];
for (const [names, run] of measurements)
	if (names.some((name) => wanted.includes(name))) figures.push(...(await run()));
console.table(figures, "benchmark work setting subject median low high unit ratio requests".split(" "));

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const { packages } = readJson("package-lock.json") as { packages: Record<string, { version: string }> };
const versionOf = (name: string): string => packages[`node_modules/${name}`]?.version ?? "";
const occasion: Occasion = {
	at: new Date().toISOString(),
	commit: execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim(),
	versions: { "Node.js": process.version, Pulumi: versionOf("pulumi"), "@pulumi/pulumi": versionOf("@pulumi/pulumi") },
	machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
};
/** Stacks and pools of each size have their own table. */
const tableOf = ({ benchmark, setting }: Figure): string =>
	["B2", "B6", "B9"].includes(benchmark) ? `${benchmark} of ${setting.split(" ")[0]}` : benchmark;
const written = figures.filter((figure) => !isBefore(figure));
const tables = [...Map.groupBy(written, tableOf)].map(([name, group]) => [name, { ...occasion, figures: group }]);
const report: Report = { ...(readJson("docs/benchmarks.json") as Report), ...Object.fromEntries(tables) };
if (!plan.quick) {
	writeFileSync(join(root, "docs/benchmarks.json"), `${JSON.stringify(report, null, "\t")}\n`);
	writePage(report, join(root, "docs"), join(root, "test/bench"));
}
