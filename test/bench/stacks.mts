/**
 * B2: times of whole runs of the real engine. B6: sizes of their states. B2 has a table for each size of a stack: 10
 * numbers show the cost of the start, and 300 that of each number.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { engineEnv, ensureEngine } from "../../scripts/engine.mts";
import { ourSubjects, programs } from "./programs.mts";
import { beforeOf, type Figure, measure, numbers, type Plan, type Rounds, type Sample, timeOf } from "./runner.mts";
import { root, type Service, startService } from "./service.mts";

const operations = [
	["up", "--yes", "--skip-preview"],
	["preview", "--expect-no-changes"],
	["refresh", "--yes", "--skip-preview"],
	["destroy", "--yes", "--skip-preview"],
] as const;

interface Setting {
	/** Numbers of each stack. */
	readonly count: number;
	/** A service that responds at once shows our own cost. */
	readonly latencyMs: number;
	readonly rounds: Rounds;
	/** True if B6 measures its states. */
	readonly hasSizes: boolean;
}

/** Returns the settings; `count` replaces the sizes. */
export function settingsOf({ quick, rounds }: Plan, count?: number): readonly Setting[] {
	if (quick || count !== undefined) return [{ count: count ?? 20, latencyMs: 0, rounds: rounds(2, 5), hasSizes: true }];
	return [
		{ count: 10, latencyMs: 0, rounds: rounds(5, 5), hasSizes: false },
		{ count: 300, latencyMs: 0, rounds: rounds(2, 2), hasSizes: true },
		{ count: 300, latencyMs: 20, rounds: rounds(1, 1), hasSizes: false },
	];
}

export async function measureStacks(plan: Plan, settings: readonly Setting[]): Promise<Figure[]> {
	await ensureEngine(plan.progress);
	const figures: Figure[] = [];
	for (const setting of settings) {
		const { count, latencyMs, rounds } = setting;
		const measured = await measure(rounds, (add, name) =>
			onNewStacks(latencyMs, subjectsOf(count, plan.against), async (stacks) => {
				for (const operation of operations) {
					plan.progress(`B2: ${numbers(count)}, ${latencyMs} ms, ${operation[0]}, ${name}`);
					for (const stack of stacks) await runOf(setting, operation, stack, add);
				}
			}),
		);
		figures.push(...measured);
	}
	return figures;
}

/** Measures one run of one stack. */
async function runOf(
	{ count, latencyMs, hasSizes }: Setting,
	[work, ...args]: (typeof operations)[number],
	{ name: subject, service, pulumi, stateBytes }: Stack,
	add: (sample: Sample) => void,
): Promise<void> {
	const before = await service.requests();
	const { ms } = await timeOf(() => pulumi(work, ...args));
	const requests = (await service.requests()) - before;
	const setting = `${numbers(count)}, ${latencyMs} ms`;
	add({ benchmark: "B2", work, setting, subject, unit: "s", value: ms / 1000, requests });
	if (work !== "up" || !hasSizes) return;
	const about = { benchmark: "B6", work: "state of each number", setting: numbers(count), unit: "bytes" } as const;
	add({ ...about, subject, value: stateBytes() / count });
}

interface Subject {
	readonly name: string;
	readonly program: string;
	/** The checkout whose build the program uses. */
	readonly checkout: string;
}

/** Returns the subjects, and those of another checkout before them. The comparator is the last one. */
function subjectsOf(count: number, against: string | undefined): readonly Subject[] {
	const subjects = Object.entries(programs(count)).map(([name, program]) => ({ name, program, checkout: root }));
	if (against === undefined) return subjects;
	const ours = subjects.filter(({ name }) => ourSubjects.includes(name));
	return [...ours.map(({ name, program }) => ({ name: beforeOf(name), program, checkout: against })), ...subjects];
}

interface Stack {
	readonly name: string;
	readonly service: Service;
	pulumi(...args: string[]): Promise<unknown>;
	stateBytes(): number;
}

/** Runs the work with new stacks, each with a service of its own. */
async function onNewStacks(
	latencyMs: number,
	subjects: readonly Subject[],
	work: (stacks: readonly Stack[]) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
	const services: Service[] = [];
	try {
		const stacks: Stack[] = [];
		for (const subject of subjects) {
			const service = await startService(subject.checkout);
			services.push(service);
			await service.setLatency(latencyMs);
			stacks.push(await openStack(join(folder, subject.name.replace(" ", "-")), subject, service));
		}
		await work(stacks);
	} finally {
		for (const service of services) service.stop();
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

/** Makes a project in JavaScript and its stack. */
async function openStack(cwd: string, { name, program, checkout }: Subject, service: Service): Promise<Stack> {
	mkdirSync(join(cwd, "state"), { recursive: true });
	symlinkSync(join(checkout, "node_modules"), join(cwd, "node_modules"));
	const plugin = { name: "telephony", path: join(checkout, "bin") };
	const projectName = `bench-${basename(cwd)}`;
	const project = { name: projectName, runtime: "nodejs", plugins: { providers: [plugin] } };
	writeFileSync(join(cwd, "Pulumi.yaml"), JSON.stringify(project));
	writeFileSync(join(cwd, "package.json"), '{ "main": "index.js" }\n');
	writeFileSync(join(cwd, "index.js"), program);
	const env = {
		...process.env,
		...engineEnv(),
		...service.env,
		PULUMI_BACKEND_URL: `file://${join(cwd, "state")}`,
		PULUMI_CONFIG_PASSPHRASE: "bench",
		PULUMI_STACK: "dev",
	};
	const pulumi: Stack["pulumi"] = (...args) =>
		promisify(execFile)("pulumi", [...args, "--non-interactive"], { cwd, env, maxBuffer: 1e8 });
	await pulumi("stack", "init", "dev");
	const state = join(cwd, "state/.pulumi/stacks", projectName, "dev.json");
	return { name, service, pulumi, stateBytes: () => statSync(state).size };
}
