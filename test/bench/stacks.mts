/** B2: times of whole runs of the real engine. B6: sizes of their states. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { engineEnv, ensureEngine } from "../../scripts/engine.mts";
import { type Figure, type Plan, root, rounds, Samples, type Service, startService } from "./measure.mts";
import { programs } from "./programs.mts";

const operations = [
	["up", "--yes", "--skip-preview"],
	["preview", "--expect-no-changes"],
	["refresh", "--yes", "--skip-preview"],
	["destroy", "--yes", "--skip-preview"],
] as const;

/** Count of numbers, and the service's latency. */
type Setting = readonly [count: number, latencyMs: number];

const numbers = (count: number): string => `${count.toLocaleString("en")} numbers`;

export async function measureStacks(plan: Plan, settings: readonly Setting[]): Promise<Figure[]> {
	await ensureEngine(plan.progress);
	const figures: Figure[] = [];
	const most = Math.max(...settings.map(([count]) => count));
	const sizes = new Samples({ benchmark: "B6", work: "state of each number", setting: numbers(most), unit: "bytes" });
	for (const setting of settings)
		figures.push(...(await measureRuns(plan, setting, setting[0] === most ? sizes : undefined)));
	return [...figures, ...sizes.figures()];
}

async function measureRuns({ runs, progress }: Plan, [count, latencyMs]: Setting, sizes?: Samples): Promise<Figure[]> {
	const about = { benchmark: "B2", setting: `${numbers(count)}, ${latencyMs} ms`, unit: "s" } as const;
	const times = operations.map(([operation, ...args]) => {
		return { operation, args, samples: new Samples({ ...about, work: operation }) };
	});
	const all = times.map(({ samples }) => samples);
	for (const round of rounds(runs, all))
		await onNewAccount(latencyMs, programs(count), async (stacks, service) => {
			for (const { operation, args, samples } of times) {
				progress(`B2: ${about.setting}, ${operation}, ${round}`);
				for (const { name, pulumi, stateBytes } of stacks) {
					await samples.time(name, () => pulumi(operation, args), service);
					if (operation === "up") sizes?.add(name, stateBytes() / count);
				}
			}
		});
	return all.flatMap((samples) => samples.figures());
}

/** Runs the work with a new service and new stacks, as released numbers make purchases slower. */
export async function onNewAccount(
	latencyMs: number,
	sources: Readonly<Record<string, string>>,
	work: (stacks: readonly Stack[], service: Service) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
	const service = await startService("--kyc", "immediate");
	try {
		await service.control("PATCH", "/settings", { latencyMs });
		const stacks: Stack[] = [];
		for (const [name, program] of Object.entries(sources))
			stacks.push(await openStack(join(folder, name), name, program, service));
		await work(stacks, service);
	} finally {
		service.stop();
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

export interface Stack {
	readonly name: string;
	pulumi(operation: string, args: readonly string[]): Promise<unknown>;
	stateBytes(): number;
}

/** Makes a project in TypeScript and its stack. */
async function openStack(cwd: string, name: string, program: string, service: Service): Promise<Stack> {
	mkdirSync(join(cwd, "state"), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
	writeFileSync(
		join(cwd, "Pulumi.yaml"),
		`name: bench-${name}\nruntime: nodejs\nplugins:\n  providers:\n    - name: telephony\n      path: ${join(root, "bin")}\n`,
	);
	writeFileSync(join(cwd, "package.json"), '{ "main": "index.ts" }\n');
	writeFileSync(join(cwd, "index.ts"), program);
	const env = {
		...process.env,
		...engineEnv(),
		PULUMI_BACKEND_URL: `file://${join(cwd, "state")}`,
		PULUMI_CONFIG_PASSPHRASE: "bench",
		PULUMI_STACK: "dev",
		TELEPHONY_BASE_URL: service.url,
		TELEPHONY_API_KEY: service.apiKey,
	};
	const pulumi: Stack["pulumi"] = (operation, args) =>
		promisify(execFile)("pulumi", [operation, ...args, "--non-interactive"], { cwd, env, maxBuffer: 1e8 });
	await pulumi("stack", ["init", "dev"]);
	return {
		name,
		pulumi,
		stateBytes: () => statSync(join(cwd, "state/.pulumi/stacks", `bench-${name}`, "dev.json")).size,
	};
}
