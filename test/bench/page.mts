/** docs/benchmarks.md with its charts, made from docs/benchmarks.json alone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { init } from "echarts";
import type { Figure } from "./measure.mts";
import { targetsOf } from "./targets.mts";

/** Where and when a benchmark was measured. */
export interface Occasion {
	/** RFC 3339. */
	readonly at: string;
	readonly commit: string;
	readonly versions: Readonly<Record<string, string>>;
	readonly machine: string;
}

/** By the benchmarks' names, with the size where it isn't the usual one: `B2 of 1,000`. */
export type Report = Readonly<Record<string, Occasion & { readonly figures: readonly Figure[] }>>;

/** What each benchmark asks, and what would be good. */
const questions: Readonly<Record<string, { title: string; text: string }>> = {
	B1: {
		title: "Refresh",
		text: "One list serves all reads. A provider as Pulumi's docs teach it asks for each number. `list loop` reads the same pages and does nothing else: less isn't possible.",
	},
	B2: {
		title: "Whole runs of the engine",
		text: "`dynamic` (the classes) and `plugin` are our two fronts, the ways by which the engine reaches our code; `docs-style` is a dynamic provider as Pulumi's docs teach it, and `do-nothing` is one that asks nobody: the engine's own cost. The same numbers, in TypeScript, with the state in a folder. All stacks are on one account, so the lists that ours read hold the others' numbers too.",
	},
	B3: {
		title: "Waiting for identity checks",
		text: "All are bought before. What counts is how long after the last check's end the wait is over. One poll serves all that wait; the docs-style provider asks for each number every 2 s.",
	},
	B4: {
		title: "Buying where each number is checked",
		text: "Numbers that don't wait and one Activation that does, beside a create that waits by itself: the engine has a limited number of creates in hand, so these wait in turns. `buy all, then sleep` knows how long the checks take: less isn't possible.",
	},
	B5: {
		title: "A service with a rate limit that it doesn't say",
		text: "Two requests for each number. Each process finds the rate by itself.",
	},
	B6: { title: "State", text: "The engine writes the whole state after each step, so its size is time." },
	B7: { title: "A provider process", text: "The calls are the handler's own, without the engine." },
	Settings: {
		title: "the engine's own",
		text: "The plugin's numbers, as the user sets the engine. Without checkpoints it writes the state once, at the end.",
	},
	B9: {
		title: "NumberPool",
		text: "A block of like numbers as one resource. `do-nothing` is one resource that asks nobody: what the engine and TypeScript take. `client loop` sends what has to be sent, 16 requests at a time, and does nothing else.",
	},
	B10: {
		title: "Whose time it is",
		text: "Processor time of a run without changes, by what runs: the program's process, the provider's (the SDK's host, or the plugin), and the engine. Sampling makes each some percent longer.",
	},
	B8: {
		title: "Drift",
		text: "Somebody changes the labels of some numbers. A refresh must find these, and report no other.",
	},
};

export function writePage(report: Report, docs: string): void {
	mkdirSync(join(docs, "images"), { recursive: true });
	const names = Object.keys(report).sort();
	const sections = names.flatMap((benchmark) => {
		const [{ title, text } = { title: "", text: "" }, measured] = [
			questions[benchmark.replace(/ of .*/, "")],
			report[benchmark],
		];
		if (measured === undefined) return [];
		const { figures } = measured;
		const isCompared = figures.every((figure) =>
			figures.some((other) => other.setting === figure.setting && other.ratio !== undefined),
		);
		const chart = isCompared ? chartOf(benchmark, figures, docs) : "";
		return [`## ${benchmark}: ${title}\n\n${text}\n\n${chart}${tableOf(figures)}\n${occasionOf(measured)}\n`];
	});
	writeFileSync(
		join(docs, "benchmarks.md"),
		`# Benchmarks

\`npm run bench\` measures these, and makes this page of [benchmarks.json](benchmarks.json). All subjects of a table ran in turns,
against the emulator in a process of its own. \`ratio\` compares with the last line of each setting. Milliseconds in a setting
are what the service takes for each request. Look at ratios and requests: times depend on the machine.

## What is asked

${targetsOf(report)}
${sections.join("\n")}`,
	);
}

function occasionOf({ at, commit, versions, machine }: Occasion): string {
	const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
	return `Measured on ${at.slice(0, 10)} at commit ${commit.slice(0, 7)}, ${named.join(", ")}, ${machine}.`;
}

function tableOf(figures: readonly Figure[]): string {
	const hasRequests = figures.some(({ requests }) => requests !== undefined);
	const head = ["what", "where", "who", "median", "spread", "runs", "ratio", ...(hasRequests ? ["requests"] : []), ""];
	const rows = figures.map(({ work, setting, subject, median, low, high, unit, runs, ratio, requests, note }) => [
		work,
		setting,
		subject,
		`${shown(median)} ${unit}`,
		`${shown(low)} to ${shown(high)}`,
		String(runs),
		ratio === undefined ? "" : ratio.toFixed(2),
		...(hasRequests ? [requests === undefined ? "" : shown(requests)] : []),
		note ?? "",
	]);
	return `${[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

const shown = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 4 });

/** The ratios beside each other, for a light and a dark page. What is compared with is 1. */
function chartOf(benchmark: string, figures: readonly Figure[], docs: string): string {
	const placeOf = ({ work, setting }: Figure) => `${work}: ${setting}`;
	const places = [...new Set(figures.map(placeOf))];
	const subjects = [...new Set(figures.map(({ subject }) => subject))];
	const image = (theme: string) =>
		`images/benchmark-${benchmark.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}-${theme}.svg`;
	for (const theme of ["light", "dark"]) {
		const size = { width: 860, height: 90 + places.length * (14 + subjects.length * 12) };
		const chart = init(null, theme === "dark" ? "dark" : undefined, { renderer: "svg", ssr: true, ...size });
		const bars = subjects.map((subject) => ({
			name: subject,
			type: "bar" as const,
			data: places.map((place) => {
				const figure = figures.find((each) => each.subject === subject && placeOf(each) === place);
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
	return `<picture><source media="(prefers-color-scheme: dark)" srcset="${image("dark")}"><img alt="${benchmark}: the ratios of the table below, as bars" src="${image("light")}"></picture>\n\n`;
}
