/**
 * B9: a pool of thousands of numbers as one resource: up, a growth by one hundredth, a refresh and a shrinkage by as much.
 * Each run is a process of its own, which calls the provider as the engine does.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { declared } from "./programs.mts";
import { type Figure, measure, numbers, type Plan, type Sample } from "./runner.mts";
import { root, type Service, startService } from "./service.mts";

interface Setting {
	readonly latencyMs: number;
	/** Null if the service has no limit. */
	readonly requestsPerSecond: number | null;
}

const settings: readonly Setting[] = [
	{ latencyMs: 0, requestsPerSecond: null },
	{ latencyMs: 20, requestsPerSecond: 50 },
];

/** Measures pools that have `count` numbers after the growth. */
export async function measureFleet({ rounds, progress }: Plan, count = 10_000): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const setting of settings)
		figures.push(
			...(await measure(rounds(1, 1), async (add) => {
				const service = await startService();
				try {
					await service.set(setting);
					await runAll(setting, count, service, add, progress);
				} finally {
					service.stop();
				}
			})),
		);
	return figures;
}

async function runAll(
	{ latencyMs, requestsPerSecond }: Setting,
	count: number,
	service: Service,
	add: (sample: Sample) => void,
	progress: Plan["progress"],
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
	const file = join(folder, "state.json");
	const limit = requestsPerSecond === null ? "" : `, ${requestsPerSecond} requests a second`;
	const about = { benchmark: "B9", setting: `${numbers(count)}, ${latencyMs} ms${limit}` } as const;
	const less = count - Math.ceil(count / 100);
	const runs = { up: less, "growth by 1 %": count, refresh: undefined, "shrinkage by 1 %": less };
	try {
		for (const [run, declaredCount] of Object.entries(runs)) {
			progress(`B9: ${about.setting}, ${run}`);
			const { seconds, cpuSeconds, mostMb, requests } = await runOf(declaredCount, file, service);
			const subject = "pulumi-telephony";
			add({ ...about, work: run, subject, unit: "s", value: seconds, requests });
			if (requestsPerSecond !== null)
				add({
					...about,
					work: run,
					subject: "the rate limit",
					unit: "s",
					value: requests / requestsPerSecond,
					requests,
				});
			add({ ...about, work: `CPU time, ${run}`, subject, unit: "s", value: cpuSeconds });
			add({ ...about, work: `most memory, ${run}`, subject, unit: "MB", value: mostMb });
			if (run !== "up") continue;
			const bytes = readFileSync(file).length / less;
			add({ ...about, work: "state of each number", subject, unit: "bytes", value: bytes });
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Brings the pool of a state to what is declared, or refreshes it if nothing is. */
const host = `
	const { numberPool } = require(${JSON.stringify(join(root, "dist/bundle/provider.js"))});
	const { existsSync, readFileSync, writeFileSync } = require("node:fs");
	const [file, declared] = process.argv.slice(2);
	let requests = 0;
	require("node:diagnostics_channel").subscribe("undici:request:create", () => requests++);
	async function main() {
		const started = performance.now();
		const { id, inputs, outs } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
		await numberPool.configure({ config: { get: () => undefined } });
		let state;
		if (declared === undefined) {
			const { id: found, props, inputs: live } = await numberPool.read(id, outs);
			state = { id: found, inputs: live, outs: props };
		} else {
			const checked = await numberPool.check(inputs ?? {}, JSON.parse(declared));
			if (checked.failures?.length > 0) throw new Error(JSON.stringify(checked.failures));
			if (outs === undefined) state = { inputs: checked.inputs, ...(await numberPool.create(checked.inputs)) };
			else {
				const { changes } = await numberPool.diff(id, outs, checked.inputs);
				const updated = changes ? await numberPool.update(id, outs, checked.inputs) : { outs };
				state = { id, inputs: checked.inputs, ...updated };
			}
		}
		writeFileSync(file, JSON.stringify(state));
		const { user, system } = process.cpuUsage();
		console.log(JSON.stringify({
			seconds: (performance.now() - started) / 1000,
			cpuSeconds: (user + system) / 1e6,
			mostMb: process.resourceUsage().maxRSS / 1024,
			requests,
		}));
		process.exit(0);
	}
	void main();
`;

async function runOf(count: number | undefined, state: string, { env }: Service) {
	const file = join(state, "../dynamic-provider.cjs");
	writeFileSync(file, host);
	const __resourceUrn = "urn:pulumi:dev::bench::pulumi-nodejs:dynamic/telephony:NumberPool::fleet";
	const pool = { ...declared, label: "Desk {index}", count, onDelete: "release", __resourceUrn };
	const child = spawn(process.execPath, [file, state, ...(count === undefined ? [] : [JSON.stringify(pool)])], {
		cwd: root,
		env: { ...process.env, ...env, PULUMI_BACKEND_URL: "https://bench.example" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
	return JSON.parse(output) as { seconds: number; cpuSeconds: number; mostMb: number; requests: number };
}
