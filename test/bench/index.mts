/**
 * `npm run bench [-- --quick] [--only B1,B7] [--runs N] [--numbers N]` measures times beside those of comparators in the
 * same run, and repeats what hasn't settled. It replaces the same benchmarks in docs/benchmarks.json and writes
 * docs/benchmarks.md and test/bench/tables.md again; `--quick` prints its tables and writes nothing. B2 has a table for each size of a stack: 10
 * numbers show the cost of the start, and 300 that of each number. `--numbers` measures another size only.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, type Plan, root } from "./measure.mts";
import { type Occasion, type Report, writePage } from "./page.mts";
import { measureProcesses } from "./processes.mts";
import { measureReads } from "./reads.mts";
import { measureStacks } from "./stacks.mts";

const { values } = parseArgs({
	options: {
		quick: { type: "boolean", default: false },
		only: { type: "string" },
		runs: { type: "string" },
		numbers: { type: "string" },
	},
});
const runsOf = (least: number, most: number): Plan["runs"] => {
	const fixed = values.runs === undefined ? undefined : Number(values.runs);
	return { least: fixed ?? (values.quick ? 1 : least), most: fixed ?? (values.quick ? 1 : most) };
};
const plan: Plan = {
	quick: values.quick,
	runs: runsOf(2, 5),
	progress: (line) => process.stderr.write(`${line}\n`),
};

/** Whole runs of the engine. A service that responds at once shows our own cost. */
async function measureSizes(): Promise<Figure[]> {
	if (values.numbers !== undefined) return measureStacks(plan, [[Number(values.numbers), 0]]);
	if (plan.quick) return measureStacks(plan, [[20, 0]]);
	const small = await measureStacks({ ...plan, runs: runsOf(5, 5) }, [[10, 0]]);
	const large = await measureStacks({ ...plan, runs: runsOf(1, 1) }, [
		[300, 0],
		[300, 20],
	]);
	return [...small.filter(({ benchmark }) => benchmark === "B2"), ...large];
}

const parts: readonly { readonly names: readonly string[]; measure(): Promise<Figure[]> }[] = [
	{ names: ["B1"], measure: () => measureReads(plan) },
	{ names: ["B7"], measure: () => measureProcesses(plan) },
	{ names: ["B2", "B6"], measure: measureSizes },
];

const wanted = values.only?.toUpperCase().split(",");
const figures: Figure[] = [];
for (const { names, measure } of parts)
	if (wanted === undefined || names.some((name) => wanted.includes(name))) figures.push(...(await measure()));

const columns = "benchmark work setting subject median low high unit ratio requests note".split(" ");
console.table(figures, columns);
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
	packages: Record<string, { version: string }>;
};
const [cpu] = cpus();
const occasion: Occasion = {
	at: new Date().toISOString(),
	commit: execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim(),
	versions: {
		"Node.js": process.version,
		Pulumi: lock.packages["node_modules/pulumi"]?.version ?? "",
		"@pulumi/pulumi": lock.packages["node_modules/@pulumi/pulumi"]?.version ?? "",
	},
	machine: `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
};
/** Stacks of each size have their own table. */
const tableOf = ({ benchmark, setting }: Figure): string =>
	["B2", "B6"].includes(benchmark) ? `${benchmark} of ${setting.split(" ")[0]}` : benchmark;
const measured: Report = Object.fromEntries(
	[...new Set(figures.map(tableOf))].map((name) => [
		name,
		{ ...occasion, figures: figures.filter((figure) => tableOf(figure) === name) },
	]),
);
if (plan.quick) console.log(JSON.stringify(measured));
else {
	const file = join(root, "docs/benchmarks.json");
	const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report) : {};
	const report: Report = { ...earlier, ...measured };
	writeFileSync(file, `${JSON.stringify(report, null, "\t")}\n`);
	writePage(report, join(root, "docs"), join(root, "test/bench"));
}
