/** Targets for the figures of docs/benchmarks.json. */
import type { Report } from "./page.mts";
import type { Figure } from "./runner.mts";

/** Values of a figure that a target limits, with their text. */
const values = {
	ratio: "as a share of the comparator",
	over: "over the comparator",
	overEngine: "over the engine's own share",
	requests: "requests",
	median: "",
} as const;

interface Target extends Pick<Figure, "work" | "setting" | "subject"> {
	/** Table of the report. */
	readonly table: string;
	readonly value: keyof typeof values;
	readonly most: number;
}

export const works = ["up", "preview", "refresh", "destroy"] as const;

/** Shares of the lean comparator's times for whole runs, in the order of `works`. */
const shares: readonly (readonly [table: string, setting: string, subject: string, ...most: (number | undefined)[]])[] =
	[
		["B2 of 10", "10 numbers, 0 ms", "dynamic", 1, 1, 1, 1],
		["B2 of 10", "10 numbers, 0 ms", "plugin", 0.85, 0.85, 0.85, 0.85],
		["B2 of 300", "300 numbers, 0 ms", "dynamic", 0.55, 0.95, 0.95, 0.55],
		["B2 of 300", "300 numbers, 0 ms", "plugin", 0.55, 0.95, 0.9, 0.55],
		["B2 of 300", "300 numbers, 20 ms", "dynamic", 0.6, undefined, undefined, 0.6],
		["B2 of 300", "300 numbers, 20 ms", "plugin", 0.6, undefined, undefined, 0.6],
		["B2 of 1,000", "1,000 numbers, 0 ms", "dynamic", 0.55, 0.95, 0.8, 0.55],
		["B2 of 1,000", "1,000 numbers, 0 ms", "plugin", 0.55, 0.95, 0.75, 0.55],
	];

const ofShares = shares.flatMap(([table, setting, subject, ...mosts]) =>
	works.flatMap((work, n): Target[] => {
		const most = mosts[n];
		if (most === undefined) return [];
		const run = { table, work, setting, subject };
		const share: Target = { ...run, value: "ratio", most };
		return subject === "plugin" ? [share] : [share, { ...run, value: "overEngine", most: 0.07 }];
	}),
);

const ofRefresh = { table: "B1", setting: "10,000 numbers, 0 ms", subject: "pulumi-telephony" };
const ofState = { table: "B6 of 300", work: "state of each number", setting: "300 numbers" };
const ofProcess = { table: "B7", setting: "10,000 numbers", subject: "pulumi-telephony" };
const first = { work: "start until the first request", setting: "the dynamic provider" };
const port = { work: "start until the port line", setting: "the plugin" };

const ofPool = {
	table: "B9 of 10,000",
	work: "up",
	setting: "10,000 numbers, 20 ms, 50 requests a second",
	subject: "pulumi-telephony",
};

const targets: readonly Target[] = [
	// 100 pages and 2.
	{ ...ofRefresh, work: "refresh", value: "requests", most: 102 },
	{ ...ofRefresh, work: "CPU time of a refresh", value: "ratio", most: 1 },
	...ofShares,
	{ ...ofPool, value: "ratio", most: 1.05 },
	{ ...ofState, subject: "dynamic", value: "median", most: 2_500 },
	{ ...ofState, subject: "plugin", value: "median", most: 2_000 },
	{ ...ofProcess, ...first, value: "over", most: 90 },
	{ ...ofProcess, ...port, value: "median", most: 200 },
	{ ...ofProcess, work: "memory in use when all are read", value: "over", most: 60 },
	{ ...ofProcess, work: "most memory until then", value: "over", most: 80 },
];

/** Returns the measured value of a target, and its unit; undefined if it wasn't measured. */
function measuredOf({ table, work, setting, subject, value }: Target, report: Report) {
	const figures = report[table]?.figures.filter((figure) => figure.work === work && figure.setting === setting) ?? [];
	const figure = figures.find((candidate) => candidate.subject === subject);
	const measured = figure && targetValueOf(figure, figures, value);
	if (figure === undefined || measured === undefined) return undefined;
	return { measured, unit: value === "over" || value === "median" ? ` ${figure.unit}` : "" };
}

/** Returns one value of a figure among those of the same work and setting. */
function targetValueOf(figure: Figure, figures: readonly Figure[], value: Target["value"]): number | undefined {
	if (value === "over") return figure.median - (figures.at(-1)?.median ?? 0);
	if (value !== "overEngine") return figure[value];
	const engine = figures.find(({ subject }) => subject === "do-nothing")?.ratio;
	return engine === undefined || figure.ratio === undefined ? undefined : figure.ratio - engine;
}

/** Returns the rows of the targets' table. */
export function judge(report: Report): string[][] {
	return targets.map((target) => {
		const { table, work, setting, subject, value, most } = target;
		const text = [work, setting, subject, values[value]].filter(Boolean).join(", ");
		const { measured, unit } = measuredOf(target, report) ?? {};
		if (measured === undefined) return [table, text, rounded(most), "", "not measured"];
		const isMet = measured <= most;
		return [table, text, `${rounded(most)}${unit}`, `${rounded(measured)}${unit}`, isMet ? "yes" : "**no**"];
	});
}

/** True if the ratio of a whole run misses its target. */
export const isMissed = (report: Report, table: string, { work, setting, subject }: Figure): boolean =>
	ofShares.some(
		(target) =>
			[target.table, target.work, target.setting, target.subject, target.value].join() ===
				[table, work, setting, subject, "ratio"].join() && (measuredOf(target, report)?.measured ?? 0) > target.most,
	);

const rounded = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 3 });
