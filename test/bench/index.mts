/**
 * `npm run bench [-- --quick] [--only B1,B7] [--runs N] [--numbers N]` measures times beside those of comparators in the
 * same run, and repeats what hasn't settled. It replaces the same benchmarks in docs/benchmarks.json and writes
 * docs/benchmarks.md again; `--quick` prints its tables and writes nothing. `--numbers` is for stacks of another size, which
 * get their own table: `--only B2 --numbers 10` shows the cost of the start.
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
const fixed = values.runs ?? (values.quick ? "1" : undefined);
const plan: Plan = {
	quick: values.quick,
	runs: fixed === undefined ? { least: 2, most: 5 } : { least: Number(fixed), most: Number(fixed) },
	progress: (line) => process.stderr.write(`${line}\n`),
};
const count = Number(values.numbers ?? (plan.quick ? 20 : 100));
const parts: readonly { readonly names: readonly string[]; measure(): Promise<Figure[]> }[] = [
	{ names: ["B1"], measure: () => measureReads(plan) },
	{ names: ["B7"], measure: () => measureProcesses(plan) },
	{ names: ["B2", "B6"], measure: () => measureStacks(plan, stackSettings()) },
];
/** A service that answers at once shows our own cost. */
const stackSettings = (): (readonly [count: number, latencyMs: number])[] =>
	plan.quick || count > 300
		? [[count, 0]]
		: [
				[count, 0],
				[count, 20],
			];

const wanted = values.only?.toUpperCase().split(",");
const figures: Figure[] = [];
for (const { names, measure } of parts)
	if (wanted === undefined || names.some((name) => wanted.includes(name))) figures.push(...(await measure()));

console.table(
	figures.map(({ benchmark, work, setting, subject, median, low, high, unit, ratio, requests, note }) => ({
		benchmark,
		work,
		setting,
		subject,
		median: `${median} ${unit}`,
		spread: `${low} to ${high}`,
		ratio,
		requests,
		note,
	})),
);
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
const names = [...new Set(figures.map(({ benchmark }) => benchmark))];
const size = values.numbers === undefined ? "" : ` of ${count.toLocaleString("en")}`;
const measured: Report = Object.fromEntries(
	names.map((name) => [name + size, { ...occasion, figures: figures.filter(({ benchmark }) => benchmark === name) }]),
);
if (plan.quick) console.log(JSON.stringify(measured));
else {
	const file = join(root, "docs/benchmarks.json");
	const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report) : {};
	const report: Report = { ...earlier, ...measured };
	writeFileSync(file, `${JSON.stringify(report, null, "\t")}\n`);
	writePage(report, join(root, "docs"));
}
