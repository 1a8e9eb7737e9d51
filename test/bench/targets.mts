/** Targets for the figures of docs/benchmarks.json. */
import type { Figure } from "./measure.mts";
import type { Report } from "./page.mts";

interface Target {
	readonly benchmark: string;
	readonly text: string;
	/** Setting of the figures. Default: all. */
	readonly setting?: string;
	/** The measured values with the most they may be. */
	values(of: Find): readonly (readonly [who: string, value: number, most: number])[];
	readonly unit?: string;
	/** Why the target isn't met. */
	readonly reason?: string;
}

/** Returns a figure. @throws Error if it wasn't measured */
type Find = (work: string, subject: string, setting?: string) => Figure;

const fronts = ["dynamic", "plugin"] as const;
const ours = "pulumi-telephony";

const works = ["up", "preview", "refresh", "destroy"] as const;
type Shares = Readonly<Partial<Record<(typeof works)[number], readonly [dynamic: number, plugin: number]>>>;

const whose = "most of the time is the engine's and the SDK's";

/** Returns targets for whole runs in one setting, as shares of docs-style's times. */
const ofDocsStyle = (benchmark: string, setting: string, shares: Shares, reason = whose): Target[] =>
	works.flatMap((work) => {
		const most = shares[work];
		return most === undefined
			? []
			: [
					{
						...{ benchmark, setting, reason, text: `${work}, ${setting}, as a share of docs-style` },
						values: (of) => fronts.map((front, n) => [front, of(work, front).ratio ?? Number.NaN, most[n] ?? 0]),
					},
				];
	});

const targets: readonly Target[] = [
	{
		benchmark: "B1",
		text: "requests of a refresh of 10,000 numbers: the pages and 2",
		values: (of) => [["", of("refresh", ours, "10,000").requests ?? 0, 102]],
	},
	{
		benchmark: "B1",
		text: "CPU time of a refresh of 10,000 numbers, as a share of docs-style",
		values: (of) => [["", of("CPU time", ours, "10,000").ratio ?? Number.NaN, 1]],
	},
	...ofDocsStyle(
		"B2 of 10",
		"10 numbers, 0 ms",
		{ up: [1, 0.85], preview: [1, 0.85], refresh: [1, 0.85], destroy: [1, 0.85] },
		"the process loads the package (0.1 s), and `up` of a new stack waits 0.25 s for the engine to report existing resources",
	),
	...ofDocsStyle("B2 of 300", "300 numbers, 0 ms", {
		up: [0.5, 0.45],
		preview: [0.8, 0.7],
		refresh: [0.9, 0.9],
		destroy: [0.4, 0.4],
	}),
	...ofDocsStyle("B2 of 300", "300 numbers, 20 ms", { up: [0.6, 0.6], destroy: [0.6, 0.6] }),
	...ofDocsStyle("B2 of 1,000", "1,000 numbers, 0 ms", {
		up: [0.55, 0.4],
		preview: [0.75, 0.75],
		refresh: [0.75, 0.65],
		destroy: [0.5, 0.5],
	}),
	{
		benchmark: "B6 of 300",
		text: "state per number",
		unit: "bytes",
		values: (of) => [
			["dynamic", of("state", "dynamic").median, 2_500],
			["plugin", of("state", "plugin").median, 2_000],
		],
	},
	{
		benchmark: "B7",
		text: "start until the first request, over an empty dynamic provider",
		unit: "ms",
		values: (of) => [
			["", of("start until the first", ours).median - of("start until the first", "empty dynamic provider").median, 90],
		],
	},
	{
		benchmark: "B7",
		text: "start of the plugin until it prints its port",
		unit: "ms",
		values: (of) => [["", of("start until the port line", ours).median, 200]],
	},
	{
		benchmark: "B7",
		text: "memory after 10,000 reads, over an empty dynamic provider",
		unit: "MB",
		values: (of) => [["", of("memory in use", ours).median - of("memory in use", "empty dynamic provider").median, 60]],
	},
	{
		benchmark: "B7",
		text: "peak memory, over an empty dynamic provider",
		unit: "MB",
		values: (of) => [["", of("most memory", ours).median - of("most memory", "empty dynamic provider").median, 80]],
	},
];

interface Judged {
	readonly benchmark: string;
	readonly text: string;
	/** Undefined if it wasn't measured. */
	readonly value?: number;
	readonly most?: number;
	readonly unit: string;
	readonly reason: string;
}

const judged = (report: Report): readonly Judged[] =>
	targets.flatMap(({ benchmark, setting, text, values, unit = "", reason = "" }) => {
		const measured = report[benchmark]?.figures ?? [];
		const figures = measured.filter((figure) => setting === undefined || figure.setting === setting);
		if (figures.length === 0) return [{ benchmark, text, unit, reason }];
		return values(finder(figures)).map(([who, value, most]) => {
			const name = who === "dynamic" ? "dynamic provider" : who;
			return { benchmark, text: `${text}${name && `, ${name}`}`, value, most, unit, reason };
		});
	});

const isMissed = ({ value, most }: Judged): boolean => value !== undefined && most !== undefined && value > most;

/** Returns the reasons for missed targets, each with its targets, as a list. */
export function missedOf(report: Report): string {
	const reasons = new Map<string, Judged[]>();
	for (const each of judged(report).filter(isMissed))
		reasons.set(each.reason, [...(reasons.get(each.reason) ?? []), each]);
	const items = [...reasons].map(([reason, all]) => {
		const names = [...new Set(all.map(({ text }) => text.replace(", as a share of docs-style", "")))];
		return `- ${reason}:\n${names.map((name) => `  - ${name}\n`).join("")}`;
	});
	return items.join("");
}

export function targetsOf(report: Report): string {
	const rows = judged(report).map((each) => {
		const { benchmark, text, value, most, unit } = each;
		if (value === undefined || most === undefined) return `| ${benchmark} | ${text} |  |  | not measured |`;
		return `| ${benchmark} | ${text} | ${rounded(most)} ${unit} | ${rounded(value)} ${unit} | ${isMissed(each) ? "**no**" : "yes"} |`;
	});
	return `| | target | at most | measured | met |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
}

const finder =
	(figures: readonly Figure[]): Find =>
	(work, subject, setting = "") => {
		const found = figures.find(
			(figure) =>
				figure.work.startsWith(work) &&
				figure.subject.endsWith(subject) &&
				` ${figure.setting}`.includes(` ${setting}`),
		);
		if (found === undefined) throw new Error(`no figure of ${work}, ${subject}, ${setting}`);
		return found;
	};

const rounded = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 3 });
