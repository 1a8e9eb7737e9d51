/** What is asked of the figures, as docs/benchmarks.md shows it: met or not, from docs/benchmarks.json alone. */
import type { Figure } from "./measure.mts";
import type { Report } from "./page.mts";

interface Target {
	readonly benchmark: string;
	readonly text: string;
	/** Of the figures, those with this setting; default: all. */
	readonly setting?: string;
	/** What was measured, and what it may be at most. Undefined: not measured. */
	values(of: Find): readonly (readonly [who: string, value: number, most: number])[];
	readonly unit?: string;
	/** Where it isn't met. */
	readonly reason?: string;
}

/** Throws where there is no such figure. */
type Find = (work: string, subject: string, setting?: string) => Figure;

const fronts = ["dynamic", "plugin"] as const;
const ours = "pulumi-telephony";

const works = ["up", "preview", "refresh", "destroy"] as const;
type Shares = Readonly<Partial<Record<(typeof works)[number], readonly [dynamic: number, plugin: number]>>>;

const whose = "B10 of 300 says whose time it is";

/** The time of whole runs in one setting, as a share of what docs-style takes. */
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
const all = (dynamic: number, plugin = dynamic): Shares =>
	Object.fromEntries(works.map((work) => [work, [dynamic, plugin]]));

const targets: readonly Target[] = [
	{
		benchmark: "B1",
		text: "requests of a refresh of 10,000: its pages and 2",
		values: (of) => [["", of("refresh", ours, "10,000").requests ?? 0, 102]],
	},
	...ofDocsStyle(
		"B2 of 10",
		"10 numbers, 0 ms",
		{ up: [1, 1], preview: [1, 1], refresh: [1, 1] },
		"it loads the package and undici, 0.1 s; `up` of a new stack also waits a quarter of a second for what the program declares beside its first purchase",
	),
	...ofDocsStyle("B2 of 300", "300 numbers, 0 ms", {
		up: [0.55, 0.45],
		preview: [0.8, 0.7],
		refresh: [1, 0.9],
		destroy: [0.5, 0.5],
	}),
	...ofDocsStyle("B2 of 300", "300 numbers, 20 ms", all(0.6)),
	...ofDocsStyle("B2 of 1,000", "1,000 numbers, 0 ms", {
		up: [0.55, 0.4],
		preview: [0.75, 0.75],
		refresh: [0.75, 0.65],
		destroy: [0.5, 0.5],
	}),
	{
		benchmark: "B2",
		text: "a preview without changes at 20 ms: 1.1 times do-nothing",
		setting: "100 numbers, 20 ms",
		unit: "s",
		values: (of) =>
			fronts.map((front) => [front, of("preview", front).median, 1.1 * of("preview", "do-nothing").median]),
	},
	{
		benchmark: "B3",
		text: "the end of all checks is known after 2 s",
		unit: "s",
		values: (of) => ["10", "100"].map((count) => [`${count} numbers`, of("known", ours, `${count} numbers`).median, 2]),
	},
	{
		benchmark: "B3",
		text: "requests of a wait for 100 numbers: as for 10, and 1",
		values: (of) => [["", of("known", ours, "100 n").requests ?? 0, 1 + (of("known", ours, "10 n").requests ?? 0)]],
	},
	{
		benchmark: "B4",
		text: "buying with checks: 1.2 times the least possible",
		values: (of) => [["", of("buy", ours).ratio ?? Number.NaN, 1.2]],
	},
	{
		benchmark: "B5",
		text: "part of the rate that isn't used",
		unit: "%",
		values: (of) => [["", 100 - of("rate used", ours).median, 10]],
	},
	{
		benchmark: "B5",
		text: "requests that are refused",
		unit: "%",
		values: (of) => [["", of("requests refused", ours).median, 5]],
	},
	{
		benchmark: "B5",
		text: "part of the rate that the slower of two processes doesn't get",
		unit: "%",
		values: (of) => [["", 100 - of("share", "two processes").median, 65]],
	},
	{
		benchmark: "B6",
		text: "state of each number",
		unit: "bytes",
		values: (of) => [
			["dynamic", of("state", "dynamic").median, 2_500],
			["plugin", of("state", "plugin").median, 2_000],
		],
	},
	{
		benchmark: "B7",
		text: "start until the first request, beyond an empty dynamic provider",
		unit: "ms",
		values: (of) => [
			["", of("start until the first", ours).median - of("start until the first", "empty dynamic provider").median, 90],
		],
	},
	{
		benchmark: "B7",
		text: "start of the plugin until its port line",
		unit: "ms",
		values: (of) => [["", of("start until the port line", ours).median, 200]],
	},
	{
		benchmark: "B7",
		text: "memory after 10,000 reads, beyond an empty dynamic provider",
		unit: "MB",
		values: (of) => [["", of("memory in use", ours).median - of("memory in use", "empty dynamic provider").median, 60]],
	},
	{
		benchmark: "B7",
		text: "the most memory meanwhile, beyond an empty dynamic provider",
		unit: "MB",
		values: (of) => [["", of("most memory", ours).median - of("most memory", "empty dynamic provider").median, 80]],
		reason:
			"V8 doubles its space for new objects as long as some survive: `NODE_OPTIONS=--max-semi-space-size=8 npm run bench -- --only B7` has it without",
	},
	{
		benchmark: "B8",
		text: "changed numbers that a refresh doesn't find",
		unit: "%",
		values: (of) => [["", 100 - of("changed", ours, "50 of").median, 0]],
	},
	{
		benchmark: "B9",
		text: "`up` of a pool of 1,000: 1.2 times the client loop and 3 s",
		unit: "s",
		values: (of) => fronts.map((front) => [front, of("up", front).median, 1.2 * of("up", "client loop").median + 3]),
		reason: "the engine and TypeScript alone, `do-nothing`, take nearly as long",
	},
	{
		benchmark: "B9",
		text: "state of each number of a pool",
		unit: "bytes",
		values: (of) => fronts.map((front) => [front, of("state", front).median, 400]),
	},
];

export function targetsOf(report: Report): string {
	const rows = targets.flatMap(({ benchmark, setting, text, values, unit = "", reason }) => {
		const measured = report[benchmark]?.figures ?? [];
		const figures = measured.filter((figure) => setting === undefined || figure.setting === setting);
		if (figures.length === 0) return [`| ${benchmark} | ${text} |  |  | not measured |`];
		return values(finder(figures)).map(([who, value, most]) => {
			const met = value <= most ? "yes" : `**no**${reason ? `: ${reason}` : ""}`;
			return `| ${benchmark} | ${text}${who && `, ${who}`} | ${shown(most)} ${unit} | ${shown(value)} ${unit} | ${met} |`;
		});
	});
	return `| | what | at most | measured | met |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
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

const shown = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 3 });
