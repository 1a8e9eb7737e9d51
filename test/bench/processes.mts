/** B7: the start and the memory of a provider process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeOf, type Figure, measure, numbers, type Plan, timeOf } from "./runner.mts";
import { type Entry, grow, root, type Service, startService } from "./service.mts";

/** A provider without resources, as the comparator. */
const bare = `
	const { createRequire } = require("node:module");
	const sdk = createRequire(require.resolve("@pulumi/pulumi"));
	const grpc = sdk("@grpc/grpc-js");
	sdk("@pulumi/pulumi/proto/provider_grpc_pb");
	const server = new grpc.Server();
	server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, port) => console.log(port));
`;

/** Returns our subjects with what `use` makes of each checkout, and the comparator last. */
function subjectsOf<T>(against: string | undefined, use: (checkout: string) => T, comparator: Record<string, T>) {
	const name = "pulumi-telephony";
	const before = against === undefined ? {} : { [beforeOf(name)]: use(against) };
	return { ...before, [name]: use(root), ...comparator };
}

/** Arguments of Node. */
const pluginsOf = (against?: string): Readonly<Record<string, readonly string[]>> =>
	subjectsOf<readonly string[]>(against, (checkout) => [join(checkout, "bin/pulumi-resource-telephony")], {
		"Pulumi's protocol alone": ["-e", bare],
	});

/** Handlers as the engine's dynamic host loads them. */
const handlersOf = (against?: string): Readonly<Record<string, string>> =>
	subjectsOf(against, (checkout) => `require(${JSON.stringify(join(checkout, "dist/bundle/provider.js"))}).number`, {
		"an empty dynamic provider": "{ configure: async () => {}, read: async (id, props) => ({ id, props }) }",
	});

export async function measureProcesses({ quick, against, rounds, progress }: Plan): Promise<Figure[]> {
	const plugins = pluginsOf(against);
	const handlers = handlersOf(against);
	const count = quick ? 1_000 : 10_000;
	const about = { benchmark: "B7", setting: numbers(count), unit: "MB" } as const;
	const start = { benchmark: "B7", unit: "ms" } as const;
	progress("B7: start");
	const ports = await measure(rounds(5, 10), async (add) => {
		const work = "start until the port line";
		for (const [subject, args] of Object.entries(plugins)) {
			const { ms } = await timeOf(() => printPort(args));
			add({ ...start, work, setting: "the plugin", subject, value: ms });
		}
	});
	progress(`B7: ${about.setting}`);
	const service = await startService();
	const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
	try {
		const entries: Entry[] = [];
		await grow(service, entries, count);
		const read = (handler: string, part: readonly Entry[]) => readAll(handler, part, folder, service);
		const first = await measure(rounds(10, 15), async (add) => {
			const work = "start until the first request";
			for (const [subject, handler] of Object.entries(handlers)) {
				const { firstMs } = await read(handler, entries.slice(0, 1));
				add({ ...start, work, setting: "the dynamic provider", subject, value: firstMs });
			}
		});
		const memory = await measure(rounds(2, 5), async (add) => {
			for (const [subject, handler] of Object.entries(handlers)) {
				const { usedMb, mostMb } = await read(handler, entries);
				add({ ...about, work: "memory in use when all are read", subject, value: usedMb });
				add({ ...about, work: "most memory until then", subject, value: mostMb });
			}
		});
		return [...ports, ...first, ...memory];
	} finally {
		service.stop();
		rmSync(folder, { recursive: true });
	}
}

async function printPort(args: readonly string[]): Promise<void> {
	const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
	await once(child.stdout, "data");
	child.kill("SIGKILL");
	await once(child, "close");
}

/** Reads the state of a file in another process, eight resources at a time. */
const host = (handler: string): string => `
	require(${JSON.stringify(join(root, "node_modules/@pulumi/pulumi"))});
	const provider = ${handler};
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

async function readAll(handler: string, entries: readonly Entry[], folder: string, service: Service) {
	// The provider uses its compile cache only in a process with this name.
	const file = join(folder, "dynamic-provider.cjs");
	const state = join(folder, "state.jsonl");
	writeFileSync(file, host(handler));
	writeFileSync(state, entries.map((entry) => JSON.stringify(entry)).join("\n"));
	const started = performance.now();
	const child = spawn(process.execPath, ["--expose-gc", file, state], {
		cwd: root,
		env: { ...process.env, ...service.env, PULUMI_BACKEND_URL: "https://bench.example" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	await lines.next();
	const firstMs = performance.now() - started;
	return { firstMs, ...(JSON.parse((await lines.next()).value ?? "") as { usedMb: number; mostMb: number }) };
}
