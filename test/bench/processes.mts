/** B7: the start and the memory of a provider process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import {
	buyAll,
	type Entry,
	type Figure,
	inTurns,
	numberHandler,
	openSession,
	type Plan,
	range,
	root,
	rounds,
	Samples,
	type Service,
	startService,
} from "./measure.mts";

export async function measureProcesses({ quick, runs, progress }: Plan): Promise<Figure[]> {
	progress("B7: start");
	const about = { benchmark: "B7", work: "start until the port line", setting: "the plugin", unit: "ms" } as const;
	const start = await inTurns({ runs: quick ? runs : { least: 5, most: 10 } }, about, [
		{ name: "pulumi-telephony", run: () => port(join(root, "bin/pulumi-resource-telephony")) },
		{ name: "Pulumi's protocol alone", run: () => port("-e", bare) },
	]);
	return [...start, ...(await measureMemory({ quick, runs, progress }))];
}

/** A provider without resources, as the comparator. */
const bare = `
	const { createRequire } = require("node:module");
	const sdk = createRequire(require.resolve("@pulumi/pulumi"));
	const grpc = sdk("@grpc/grpc-js");
	sdk("@pulumi/pulumi/proto/provider_grpc_pb");
	const server = new grpc.Server();
	server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, port) => console.log(port));
`;

async function port(...args: string[]): Promise<void> {
	const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
	await once(child.stdout, "data");
	child.kill("SIGKILL");
	await once(child, "close");
}

/** Measures processes that read many numbers. */
async function measureMemory({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const count = quick ? 1_000 : 10_000;
	const setting = `${count.toLocaleString("en")} numbers`;
	progress(`B7: ${setting}`);
	const first = new Samples({
		benchmark: "B7",
		work: "start until the first request",
		setting: "the dynamic provider",
		unit: "ms",
	});
	const used = new Samples({ benchmark: "B7", work: "memory in use when all are read", setting, unit: "MB" });
	const most = new Samples({ benchmark: "B7", work: "most memory until then", setting, unit: "MB" });
	const service = await startService("--kyc", "immediate");
	const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
	try {
		const entries: Entry[] = [];
		await buyAll(numberHandler(openSession(service)), entries, range(count));
		const lines = entries.map((entry) => JSON.stringify(entry));
		const [firstEntry, state] = [join(folder, "one.jsonl"), join(folder, "state.jsonl")];
		writeFileSync(firstEntry, lines[0] ?? "");
		writeFileSync(state, lines.join("\n"));
		for (const _ of rounds(quick ? runs : { least: 10, most: 15 }, [first]))
			for (const [name, provider] of Object.entries(hosted))
				first.add(name, (await readAll(provider, firstEntry, service)).firstMs);
		for (const _ of rounds(runs, [used, most])) {
			for (const [name, provider] of Object.entries(hosted)) {
				const { usedMb, mostMb } = await readAll(provider, state, service);
				used.add(name, usedMb);
				most.add(name, mostMb);
			}
		}
	} finally {
		service.stop();
		rmSync(folder, { recursive: true });
	}
	return [first, used, most].flatMap((samples) => samples.figures());
}

/** Handlers as the engine's dynamic host loads them. */
const hosted = {
	"pulumi-telephony": `require(${JSON.stringify(join(root, "dist/bundle/provider.js"))}).number`,
	"an empty dynamic provider": "{ configure: async () => {}, read: async (id, props) => ({ id, props }) }",
} as const;

/** Reads the state of a file in another process, eight resources at a time. */
const host = (provider: string): string => `
	require(${JSON.stringify(join(root, "node_modules/@pulumi/pulumi"))});
	const provider = ${provider};
	const { createInterface } = require("node:readline");
	async function main() {
		await provider.configure({ config: { get: () => undefined } });
		let isFirst = true;
		// The empty provider sends no request, so its first response counts.
		const first = () => {
			if (isFirst) console.log("first");
			isFirst = false;
		};
		require("node:diagnostics_channel").subscribe("undici:request:create", first);
		const lines = createInterface({ input: require("node:fs").createReadStream(process.argv[2]) })[Symbol.asyncIterator]();
		const lane = async () => {
			for (let line = await lines.next(); !line.done; line = await lines.next()) {
				const { id, outs } = JSON.parse(line.value);
				await provider.read(id, outs);
				first();
			}
		};
		await Promise.all(Array.from({ length: 8 }, lane));
		const most = process.resourceUsage().maxRSS;
		gc();
		const { heapUsed, external } = process.memoryUsage();
		console.log(JSON.stringify({ usedMb: (heapUsed + external) / 2 ** 20, mostMb: most / 1024 }));
		process.exit(0);
	}
	void main();
`;

async function readAll(provider: string, state: string, { url, apiKey }: Service) {
	// The provider uses its compile cache only in a process with this name.
	const file = join(dirname(state), "dynamic-provider.cjs");
	writeFileSync(file, host(provider));
	const started = performance.now();
	const child = spawn(process.execPath, ["--expose-gc", file, state], {
		cwd: root,
		env: {
			...process.env,
			TELEPHONY_API_KEY: apiKey,
			TELEPHONY_BASE_URL: url,
			PULUMI_BACKEND_URL: "https://bench.example",
		},
		stdio: ["ignore", "pipe", "inherit"],
	});
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	await lines.next();
	const firstMs = performance.now() - started;
	return { firstMs, ...(JSON.parse((await lines.next()).value ?? "") as { usedMb: number; mostMb: number }) };
}
