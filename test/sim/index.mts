/**
 * `node test/sim/index.mts --profile NAME [--trials N] [--seed S] [--driver NAME] [--fault NAME]` tells stories and judges
 * them; `--replay SEED` tells one, and prints the shortest story that still breaks a promise. The last line is a report, JSON;
 * the exit code is 1 after a violation.
 */
import { parseArgs } from "node:util";
import { type ServiceName, services } from "./account.mts";
import { Violation } from "./checks/check.mts";
import { faultOf } from "./faults.mts";
import { type ProfileName, profileNames, profileOf } from "./profiles.mts";
import { seeded } from "./random.mts";
import { stories } from "./stories.mts";
import type { Step } from "./story.mts";
import { type Plot, tell } from "./tell.mts";
import { closeProcesses, type DriverName, driverNames, play, type Setting } from "./world.mts";

const usage = `node test/sim/index.mts [--profile NAME]... [--trials N] [--seed S] [--service NAME] [--driver NAME] [--fault NAME]
  [--until-found] [--replay SEED]
profiles: ${profileNames.join(", ")}
drivers: ${driverNames.join(", ")}
services: ${Object.keys(services).join(", ")}`;

export interface Finding {
	/** Replays the story. */
	readonly seed: number;
	readonly message: string;
	/** False for an error of the simulation itself. */
	readonly isBrokenPromise: boolean;
}

export interface Report {
	readonly profile: ProfileName;
	readonly seed: number;
	readonly trials: number;
	readonly counts: Readonly<Record<string, number>>;
	readonly violations: readonly Finding[];
	readonly seconds: number;
}

interface Options {
	readonly trials: number;
	readonly seed: number;
	readonly service?: ServiceName | undefined;
	readonly driver: DriverName;
	/** Ends at the first violation. */
	readonly isUntilFound?: boolean;
	/** Starts no story after so much time, ms. */
	readonly mostMs?: number;
	progress?(line: string): void;
}

const trialsOfSeed = 1_000_000;
const seedOf = (seed: number, trial: number) => seed * trialsOfSeed + trial;

function serviceOf(profile: ProfileName, seed: number, service?: ServiceName): ServiceName {
	const story = storyOf(profile, seed);
	if (story !== undefined) return story.service ?? "full";
	const all = profileOf(profile).services ?? ["full"];
	return service ?? all[seed % all.length] ?? "full";
}

/** The setting of a story. */
type Scene = Pick<Setting, "seed" | "service" | "driver">;

/** Returns the violation that a story ends with, if it does. */
async function judged(
	steps: readonly Step[],
	scene: Scene,
	{ say = () => {}, count = () => {} }: { say?(line: string): void; count?(what: string): void } = {},
): Promise<Finding | undefined> {
	return caught(scene, () => play(steps, { ...scene, say, count }));
}

async function caught({ seed }: Scene, work: () => Promise<void> | undefined): Promise<Finding | undefined> {
	try {
		await work();
		return undefined;
	} catch (error) {
		const isBrokenPromise = error instanceof Violation;
		const message = isBrokenPromise ? error.message : String((error as Error).stack ?? error);
		return { seed, message, isBrokenPromise };
	}
}

/** Returns a told story for the first trials, and random ones after. */
const stepsOf = (profile: ProfileName, plot: Plot, seed: number): readonly Step[] =>
	storyOf(profile, seed)?.steps ?? tell(plot, seeded(seed));

const storyOf = (profile: ProfileName, seed: number) => stories[profile]?.[seed % trialsOfSeed];

/** Performs one trial of a profile. */
async function tried(profile: ProfileName, scene: Scene, count: (what: string) => void): Promise<Finding | undefined> {
	const { plot, play: perform } = profileOf(profile);
	if (plot !== undefined) return judged(stepsOf(profile, plot, scene.seed), scene, { count });
	return caught(scene, () => perform?.({ ...scene, say: () => {}, count }));
}

/** Tells stories, one after the other. */
export async function simulate(profile: ProfileName, options: Options): Promise<Report> {
	const started = performance.now();
	const counts = new Map<string, number>();
	const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
	const violations: Finding[] = [];
	let trials = 0;
	const seconds = () => Math.round((performance.now() - started) / 1000);
	const isOver = () =>
		(options.isUntilFound === true && violations.length > 0) ||
		performance.now() - started > (options.mostMs ?? Number.POSITIVE_INFINITY);
	for (; trials < options.trials && !isOver(); trials += 1) {
		const seed = seedOf(options.seed, trials);
		const scene = { seed, service: serviceOf(profile, seed, options.service), driver: options.driver };
		const found = await tried(profile, scene, count);
		if (found !== undefined) {
			violations.push(found);
			options.progress?.(`--profile ${profile} --driver ${options.driver} --replay ${seed}: ${found.message}`);
		}
		if (trials % 50 === 49)
			options.progress?.(`${profile}: ${trials + 1} stories, ${violations.length} violations, ${seconds()} s`);
	}
	const sorted = Object.fromEntries([...counts].sort(([first], [second]) => (first < second ? -1 : 1)));
	return { profile, seed: options.seed, trials, counts: sorted, violations, seconds: seconds() };
}

/** Returns a message without its names, ids and numbers. */
const classOf = ({ message }: Finding): string => message.replaceAll(/\w*\d\w*|\b[a-z]+_\w+/g, "").slice(0, 60);

/** Returns the shortest story that still breaks the same promise: steps are left out while it does. */
async function shrunk(steps: readonly Step[], scene: Scene, found: Finding): Promise<readonly Step[]> {
	let shortest = steps;
	for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
		for (let from = 0; from < shortest.length; ) {
			const shorter = shortest.toSpliced(from, size);
			const finding = await judged(shorter, scene);
			if (finding !== undefined && classOf(finding) === classOf(found)) shortest = shorter;
			else from += size;
		}
	return shortest;
}

async function replay(profile: ProfileName, scene: Scene): Promise<boolean> {
	const { plot, play: perform } = profileOf(profile);
	const say = (line: string) => console.error(line);
	if (plot === undefined) {
		const found = await caught(scene, () => perform?.({ ...scene, say, count: () => {} }));
		say(found?.message ?? "no promise was broken");
		return found === undefined;
	}
	const steps = stepsOf(profile, plot, scene.seed);
	const found = await judged(steps, scene);
	const shortest = found === undefined ? steps : await shrunk(steps, scene, found);
	const last = await judged(shortest, scene, { say });
	say(last?.message ?? "no promise was broken");
	return last === undefined;
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			profile: { type: "string", multiple: true, default: [...profileNames] },
			trials: { type: "string" },
			seed: { type: "string", default: "1" },
			service: { type: "string" },
			driver: { type: "string", default: "in-process" },
			replay: { type: "string" },
			"until-found": { type: "boolean", default: false },
			fault: { type: "string" },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return;
	}
	const whole = (name: string, text: string) => {
		if (!/^\d{1,15}$/.test(text)) throw new RangeError(`--${name} must be a whole number, got ${text}.`);
		return Number(text);
	};
	const chosen = values.profile.map((name) => {
		const profile = profileNames.find((candidate) => candidate === name);
		if (profile === undefined) throw new RangeError(`--profile must be one of ${profileNames.join(", ")}.`);
		return profile;
	});
	if (values.service !== undefined && !(values.service in services))
		throw new RangeError(`--service must be one of ${Object.keys(services).join(", ")}.`);
	const service = values.service as ServiceName | undefined;
	const driver = driverNames.find((name) => name === values.driver);
	if (driver === undefined) throw new RangeError(`--driver must be one of ${driverNames.join(", ")}.`);
	if (values.fault !== undefined) faultOf(values.fault).plant();
	let isGood = true;
	for (const profile of chosen) {
		if (values.replay !== undefined) {
			const seed = whole("replay", values.replay);
			isGood &&= await replay(profile, { seed, service: serviceOf(profile, seed, service), driver });
			continue;
		}
		const report = await simulate(profile, {
			trials: values.trials === undefined ? profileOf(profile).trials : whole("trials", values.trials),
			seed: whole("seed", values.seed),
			service,
			driver,
			isUntilFound: values["until-found"],
			progress: (line) => console.error(line),
		});
		console.log(JSON.stringify(report));
		isGood &&= report.violations.length === 0;
	}
	await closeProcesses();
	process.exitCode = isGood ? 0 : 1;
}

if (import.meta.main) await main();
