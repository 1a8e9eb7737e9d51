/** Runs benchmarks in rounds until their medians settle, and makes figures of the samples. */
import { subscribe } from "node:diagnostics_channel";

/** One line of a benchmark's table. */
export interface Figure {
	/** Such as B1. */
	readonly benchmark: string;
	/** Such as `refresh`. */
	readonly work: string;
	/** Size and latency, such as `1,000 numbers, 20 ms`. */
	readonly setting: string;
	readonly subject: string;
	readonly unit: "s" | "ms" | "bytes" | "MB";
	readonly median: number;
	readonly low: number;
	readonly high: number;
	readonly runs: number;
	/** Requests that one run sends; the most of any run. */
	readonly requests?: number | undefined;
	/** The median as a share of the comparator's in the same setting; absent for the comparator. */
	readonly ratio?: number | undefined;
}

/** One measurement of one subject. */
export interface Sample extends Pick<Figure, "benchmark" | "work" | "setting" | "subject" | "unit" | "requests"> {
	readonly value: number;
}

/** Rounds of a benchmark: at least, and at most while the values vary. */
export interface Rounds {
	readonly least: number;
	readonly most: number;
}

export interface Plan {
	/** True to measure less of everything, with rough ratios. */
	readonly quick: boolean;
	/** Another built checkout of this repository to measure beside this one. */
	readonly against?: string | undefined;
	/** Returns the rounds that the command line fixes, otherwise these. */
	rounds(least: number, most: number): Rounds;
	progress(line: string): void;
}

/** Returns the name of a subject that another checkout has. */
export const beforeOf = (subject: string): string => `${subject} before`;
export const isBefore = ({ subject }: Figure): boolean => subject.endsWith(" before");

/** Measures every subject once, in turn. The subject added last is the comparator of its work. */
type Round = (add: (sample: Sample) => void, name: string) => Promise<void>;

export async function measure({ least, most }: Rounds, round: Round): Promise<Figure[]> {
	const samples: Sample[] = [];
	for (let n = 1; n <= most; n++) {
		if (n > least && hasSettled(samples)) break;
		await round((sample) => samples.push(sample), `${n} of ${n <= least ? least : most}`);
	}
	const tables = Map.groupBy(samples, ({ benchmark, work }) => `${benchmark} ${work}`);
	return [...tables.values()].flatMap(figuresOf);
}

/** Share of the median. */
const settledSpread = 0.15;

/** True if another round would hardly change a median. */
const hasSettled = (samples: readonly Sample[]): boolean =>
	[...Map.groupBy(samples, ({ benchmark, work, subject }) => `${benchmark} ${work} ${subject}`).values()].every(
		(group) => {
			const values = group.map(({ value }) => value);
			return Math.max(...values) - Math.min(...values) <= settledSpread * medianOf(values);
		},
	);

/** Returns the figures of one work in one setting. */
function figuresOf(samples: readonly Sample[]): Figure[] {
	const subjects = [...Map.groupBy(samples, ({ subject }) => subject).values()];
	const base = medianOf(subjects.at(-1)?.map(({ value }) => value) ?? []);
	return subjects.flatMap((group, index) => {
		const [first] = group;
		if (first === undefined) return [];
		const { value: _, ...about } = first;
		const values = group.map(({ value }) => value);
		const requests = Math.max(...group.map((sample) => sample.requests ?? 0));
		return {
			...about,
			median: rounded(medianOf(values)),
			low: rounded(Math.min(...values)),
			high: rounded(Math.max(...values)),
			runs: values.length,
			requests: requests > 0 ? requests : undefined,
			ratio: index < subjects.length - 1 ? rounded(medianOf(values) / base) : undefined,
		};
	});
}

function medianOf(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const upper = sorted[sorted.length >> 1] ?? Number.NaN;
	const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
	return (lower + upper) / 2;
}

/** Rounds to three significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(3));

/** Requests that this process has sent, with the client and with `fetch`. */
let sent = 0;
subscribe("undici:request:create", () => sent++);

/** Returns the wall time, CPU time and requests that this process spends on the work. */
export async function timeOf(work: () => Promise<unknown>) {
	const [started, cpu, before] = [performance.now(), process.cpuUsage(), sent];
	await work();
	const ms = performance.now() - started;
	const { user, system } = process.cpuUsage(cpu);
	return { ms, cpuMs: (user + system) / 1000, requests: sent - before };
}

/** Returns a setting's size, such as `1,000 numbers`. */
export const numbers = (count: number): string => `${count.toLocaleString("en")} numbers`;
