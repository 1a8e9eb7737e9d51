/** What all campaigns share: their command line, the progress line, the report, and how one trial fails. */
import { parseArgs } from "node:util";
import type { FrontName } from "../helpers/protocol.mts";

export const services = ["full", "no-key", "no-reference", "neither"] as const;
const fronts: readonly FrontName[] = ["dynamic", "plugin"];
export type ServiceName = (typeof services)[number];

export interface Options {
	readonly trials: number;
	readonly seed: number;
	readonly service: ServiceName;
	/** Of kill-provider: whose process. */
	readonly front: FrontName;
	/** The seed of one trial, as a report names it. */
	readonly replay: number | undefined;
	/** Trials at a time. */
	readonly workers: number;
	/** Whether the first violation ends it. */
	readonly untilFound: boolean;
}

/** Something that must never happen. */
export class Violation extends Error {
	override readonly name = "Violation";
}

export function must(condition: boolean, message: () => string): asserts condition {
	if (!condition) throw new Violation(message());
}

/** What one trial tells of itself. */
export interface Trial {
	readonly seed: number;
	readonly service: ServiceName;
	/** A line of the trial's story: printed by a replay, kept for a violation. */
	say(line: string): void;
	/** Counts in the report. */
	count(what: string): void;
}

interface Worker {
	trial(trial: Trial): Promise<void>;
	close(): Promise<void>;
}

interface Defaults {
	/** Trials if the command line doesn't say. */
	readonly trials: number;
	/** Default: one. */
	readonly workers?: number;
}

/** `open` makes what one worker keeps from trial to trial, if it keeps anything. */
export type Campaign = Defaults & { readonly name: string } & (
		| { readonly open: (options: Options) => Promise<Worker> }
		| Pick<Worker, "trial">
	);

function readOptions({ trials, workers = 1 }: Defaults): Options {
	const { values } = parseArgs({
		options: {
			trials: { type: "string", default: String(trials) },
			sequences: { type: "string" },
			seed: { type: "string", default: "1" },
			service: { type: "string", default: "full" },
			front: { type: "string", default: "dynamic" },
			replay: { type: "string" },
			workers: { type: "string", default: String(workers) },
			"until-found": { type: "boolean", default: false },
			/** Of kill-cli: a small program, and its first up only. */
			short: { type: "boolean" },
			/** See dialect.mts. */
			dialect: { type: "string" },
			/** Of lifecycle. */
			cli: { type: "boolean" },
			/** Of faults: at the operations of profiles, papers and orders. */
			filings: { type: "boolean" },
		},
	});
	const whole = (name: string, text: string) => {
		if (!/^\d{1,12}$/.test(text)) throw new RangeError(`--${name} must be a whole number, and is ${text}.`);
		return Number(text);
	};
	const service = services.find((each) => each === values.service);
	if (service === undefined) throw new RangeError(`--service must be one of ${services.join(", ")}.`);
	const front = fronts.find((each) => each === values.front);
	if (front === undefined) throw new RangeError(`--front must be one of ${fronts.join(", ")}.`);
	return {
		front,
		trials: whole("trials", values.sequences ?? values.trials),
		seed: whole("seed", values.seed),
		service,
		replay: values.replay === undefined ? undefined : whole("replay", values.replay),
		workers: Math.max(1, whole("workers", values.workers)),
		untilFound: values["until-found"],
	};
}

const sorted = (counts: Map<string, number>) =>
	Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));

/** As a report has it. */
export interface Finding {
	/** Of its trial. */
	readonly seed: number;
	readonly message: string;
	/** False where the campaign itself failed, or did not expect this. */
	readonly isBrokenPromise: boolean;
	readonly trace: readonly string[];
}

/** Runs the trials, prints the report as the last line, JSON, and leaves with 1 after a violation. */
export async function runCampaign(campaign: Campaign): Promise<void> {
	const options = readOptions(campaign);
	const started = performance.now();
	const seconds = () => Math.round((performance.now() - started) / 1000);
	const counts = new Map<string, number>();
	const violations: Finding[] = [];
	const { replay, service, untilFound } = options;
	const seeds = (
		replay === undefined
			? Array.from({ length: options.trials }, (_, index) => options.seed * 1_000_000 + index)
			: [replay]
	).values();
	let done = 0;
	const boundaries = () =>
		[...counts].reduce((sum, [what, count]) => (what.startsWith("kill ") ? sum + count : sum), 0);
	const [begin, end, every] = process.stderr.isTTY ? ["\r", "", 1_000] : ["", "\n", 20_000];
	const progress = () =>
		process.stderr.write(
			`${begin}${campaign.name} ${service}: ${done} trials, ${boundaries()} boundaries, ${violations.length} violations, ${seconds()} s${end}`,
		);
	const ticks = setInterval(progress, every);

	let stopping = false;
	// What has been found until then is reported.
	for (const signal of ["SIGINT", "SIGTERM"] as const) {
		process.once(signal, () => {
			stopping = true;
		});
	}
	const one = async (worker: Worker, seed: number) => {
		const trace: string[] = [];
		const say = (line: string) => {
			trace.push(line);
			if (replay !== undefined) console.error(line);
		};
		const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
		try {
			await worker.trial({ seed, service, say, count });
		} catch (error) {
			// What a campaign did not expect is a finding too.
			const isBrokenPromise = error instanceof Violation;
			const message = isBrokenPromise ? error.message : String((error as Error).stack ?? error);
			violations.push({ seed, message, isBrokenPromise, trace: trace.slice(-400) });
			console.error(`\nviolation, --replay ${seed}: ${message}`);
		}
		done += 1;
	};
	const work = async () => {
		const worker = "open" in campaign ? await campaign.open(options) : { ...campaign, close: async () => {} };
		try {
			for (const seed of seeds) {
				if (stopping || (untilFound && violations.length > 0)) break;
				await one(worker, seed);
			}
		} finally {
			await worker.close();
		}
	};
	await Promise.all(Array.from({ length: replay === undefined ? options.workers : 1 }, work));
	clearInterval(ticks);
	progress();
	if (process.stderr.isTTY) process.stderr.write("\n");
	const report = {
		campaign: campaign.name,
		service,
		front: options.front,
		seed: options.seed,
		trials: done,
		boundaries: boundaries(),
		counts: sorted(counts),
		violations,
		seconds: seconds(),
	};
	// A pipe takes a long report in parts: leaving before the last one would cut it.
	process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(violations.length > 0 ? 1 : 0));
}
