/**
 * B2: times of whole runs of the real engine. B6: sizes of their states. B2 has a table for each size of a stack: 10
 * numbers show the cost of the start, and 300 that of each number.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { engineEnv, ensureEngine } from "../../scripts/engine.mts";
import { programs } from "./programs.mts";
import { type Figure, measure, numbers, type Plan, type Rounds, type Sample, timeOf } from "./runner.mts";
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
		{ count: 300, latencyMs: 0, rounds: rounds(1, 1), hasSizes: true },
		{ count: 300, latencyMs: 20, rounds: rounds(1, 1), hasSizes: false },
	];
}

export async function measureStacks(plan: Plan, settings: readonly Setting[]): Promise<Figure[]> {
	await ensureEngine(plan.progress);
	const figures: Figure[] = [];
	for (const setting of settings) {
		const { count, latencyMs, rounds } = setting;
		const measured = await measure(rounds, (add, name) =>
			onNewAccount(latencyMs, programs(count), async (stacks, service) => {
				for (const operation of operations) {
					plan.progress(`B2: ${numbers(count)}, ${latencyMs} ms, ${operation[0]}, ${name}`);
					for (const stack of stacks) await runOf(setting, operation, stack, service, add);
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
	{ name: subject, pulumi, stateBytes }: Stack,
	service: Service,
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

interface Stack {
	readonly name: string;
	pulumi(...args: string[]): Promise<unknown>;
	stateBytes(): number;
}

/** Runs the work with a new service and new stacks, as released numbers make purchases slower. */
async function onNewAccount(
	latencyMs: number,
	sources: Readonly<Record<string, string>>,
	work: (stacks: readonly Stack[], service: Service) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
	const service = await startService();
	try {
		await service.setLatency(latencyMs);
		const stacks: Stack[] = [];
		for (const [name, program] of Object.entries(sources))
			stacks.push(await openStack(join(folder, name), name, program, service));
		await work(stacks, service);
	} finally {
		service.stop();
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

/** Makes a project in JavaScript and its stack. */
async function openStack(cwd: string, name: string, program: string, service: Service): Promise<Stack> {
	mkdirSync(join(cwd, "state"), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
	const plugin = { name: "telephony", path: join(root, "bin") };
	const project = { name: `bench-${name}`, runtime: "nodejs", plugins: { providers: [plugin] } };
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
	const state = join(cwd, "state/.pulumi/stacks", `bench-${name}`, "dev.json");
	return { name, pulumi, stateBytes: () => statSync(state).size };
}
