/** Writes docs/benchmarks.md, and tables.md in this folder, from docs/benchmarks.json alone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { init } from "echarts";
import type { Figure } from "./runner.mts";
import { isMissed, judge, works } from "./targets.mts";

/** Time and machine of a measurement. */
export interface Occasion {
	/** RFC 3339. */
	readonly at: string;
	readonly commit: string;
	readonly versions: Readonly<Record<string, string>>;
	readonly machine: string;
}

/** Measurements by benchmark; a name such as `B2 of 1,000` has an unusual size. */
export type Report = Readonly<Record<string, Occasion & { readonly figures: readonly Figure[] }>>;

/** Titles and explanations of the benchmarks. */
const questions: Readonly<Record<string, { title: string; text: string }>> = {
	B1: {
		title: "Refresh in process",
		text: "The provider reads a list for all numbers. `docs-style` reads each number, as Pulumi's docs teach it. `list loop` reads the same pages and does nothing with them, so it is the least possible.",
	},
	B2: {
		title: "Whole runs of the engine",
		text: "`dynamic` is the dynamic provider and `plugin` the plugin. `docs-style` is a dynamic provider as Pulumi's docs teach it. `lean` is the shortest one, as someone in a hurry writes it. `do-nothing` sends no request, so it is the engine's own cost. All programs are JavaScript, so no run pays for a type check. Each stack has an account of its own; until 29 November 2026, all stacks of a table shared one.",
	},
	B6: { title: "State", text: "The engine writes the whole state after each step, so its size costs time." },
	B9: {
		title: "A pool",
		text: "One NumberPool in a provider process, without the engine: it buys 99 % of its numbers, grows to all, is refreshed, and shrinks again. `the rate limit` is the time that the service's limit needs for as many requests.",
	},
	B7: { title: "The provider process", text: "A process that reads the numbers of a state, without the engine." },
};

const sizes = ["10", "300", "1,000"] as const;
/** The benchmark that the page shows as a chart. */
const charted = "B2 of 300";

/** @param docs the folder of the page and its pictures @param tablesFolder the folder of the tables */
export function writePage(report: Report, docs: string, tablesFolder: string): void {
	mkdirSync(join(docs, "images"), { recursive: true });
	writeFileSync(join(docs, "benchmarks.md"), summaryOf(report, docs));
	writeFileSync(join(tablesFolder, "tables.md"), tablesOf(report));
}

function tablesOf(report: Report): string {
	const tables = Object.entries(report)
		.sort()
		.map(([benchmark, measured]) => {
			const { title, text } = questions[benchmark.replace(/ of .*/, "")] ?? { title: "", text: "" };
			return `## ${benchmark}: ${title}\n\n${text}\n\n${tableOf(measured.figures)}\n${occasionOf(measured)}\n`;
		});
	return `# Benchmark tables

\`npm run bench\` writes this page from [benchmarks.json](../../docs/benchmarks.json). [Benchmarks](../../docs/benchmarks.md) is the summary. All subjects of a table run in turns. \`ratio\` compares a row with the last row of its setting, the comparator. Milliseconds in a setting are the latency of each request.

## Targets

${markdownTable(["", "target", "at most", "measured", "met"], judge(report))}
${tables.join("\n")}`;
}

function summaryOf(report: Report, docs: string): string {
	const measured = report[charted];
	const chart = measured === undefined ? "" : `${chartOf(charted, measured.figures, docs)}${occasionOf(measured)}\n`;
	return `# Benchmarks

These figures compare pulumi-telephony with dynamic providers that a user could write instead: \`docs-style\` follows Pulumi's
docs, and \`lean\` is the shortest program that works. All run in turns against the emulator on one machine. Compare the ratios,
because times depend on the machine. [All tables](../test/bench/tables.md) have every measurement with its date, commit and
machine.

## Whole runs

A ratio below 1 means that pulumi-telephony is faster than the comparator. The preview has nothing to change. The engine alone is
a provider that sends no request. A ratio in bold misses its [target](../test/bench/tables.md#targets).

${runsOf(report)}
${chart}
## Measure again

\`npm run bench\` takes up to half an hour on an idle machine, and writes this page. With \`-- --quick\`, it takes three minutes and
only prints its tables.
`;
}

/** Rows of a size, by the names of their subjects. */
const subjectNames = { dynamic: "dynamic provider", plugin: "plugin", "do-nothing": "the engine alone" };

/** The ratios of whole runs without latency, by the number of numbers. */
function runsOf(report: Report): string {
	const rows = sizes.flatMap((size) =>
		Object.entries(subjectNames).map(([subject, name]) => {
			const table = `B2 of ${size}`;
			const measured = report[table]?.figures ?? [];
			const figures = measured.filter(
				(figure) => figure.subject === subject && figure.setting.endsWith("numbers, 0 ms"),
			);
			const ratios = works.map((work) => {
				const figure = figures.find((candidate) => candidate.work === work);
				const ratio = figure?.ratio?.toFixed(2) ?? "–";
				return figure !== undefined && isMissed(report, table, figure) ? `**${ratio}**` : ratio;
			});
			return [size, name, comparatorOf(measured), ...ratios];
		}),
	);
	return markdownTable(["numbers", "provider", "comparator", ...works], rows);
}

/** Returns the subject that a table measures last. */
const comparatorOf = (figures: readonly Figure[]): string => figures.at(-1)?.subject ?? "–";

function occasionOf({ at, commit, versions, machine }: Occasion): string {
	const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
	return `Measured on ${at.slice(0, 10)} at commit ${commit.slice(0, 7)}, ${named.join(", ")}, ${machine}.`;
}

function tableOf(figures: readonly Figure[]): string {
	const rows = figures.map(({ work, setting, subject, median, low, high, unit, runs, ratio, requests }) => [
		work,
		setting,
		subject,
		`${rounded(median)} ${unit}`,
		`${rounded(low)} to ${rounded(high)}`,
		String(runs),
		ratio?.toFixed(2) ?? "",
		requests === undefined ? "" : rounded(requests),
	]);
	return markdownTable("measurement setting subject median spread runs ratio requests".split(" "), rows);
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
	[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");

const rounded = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 4 });

/** Returns a bar chart of ratios, in a light and a dark version; the comparator is 1. */
function chartOf(benchmark: string, figures: readonly Figure[], docs: string): string {
	const placeOf = ({ work, setting }: Figure) => `${work}: ${setting}`;
	const places = [...new Set(figures.map(placeOf))];
	const subjects = [...new Set(figures.map(({ subject }) => subject))];
	const image = (theme: string) => `images/benchmark-${theme}.svg`;
	for (const theme of ["light", "dark"]) {
		const size = { width: 860, height: 90 + places.length * (14 + subjects.length * 12) };
		const chart = init(null, theme === "dark" ? "dark" : undefined, { renderer: "svg", ssr: true, ...size });
		const bars = subjects.map((subject) => ({
			name: subject,
			type: "bar" as const,
			data: places.map((place) => {
				const figure = figures.find((candidate) => candidate.subject === subject && placeOf(candidate) === place);
				return figure && (figure.ratio ?? 1);
			}),
		}));
		chart.setOption({
			animation: false,
			backgroundColor: "transparent",
			legend: { top: 0, itemGap: 30 },
			grid: { left: 260, right: 60, top: 40, bottom: 40 },
			xAxis: { type: "value", name: "ratio", min: 0 },
			yAxis: { type: "category", data: places, inverse: true },
			series: bars,
		});
		writeFileSync(join(docs, image(theme)), chart.renderToSVGString());
		chart.dispose();
	}
	return `<picture><source media="(prefers-color-scheme: dark)" srcset="${image("dark")}"><img alt="${benchmark}: ratios to the ${comparatorOf(figures)} provider, as bars" src="${image("light")}"></picture>\n\n`;
}
