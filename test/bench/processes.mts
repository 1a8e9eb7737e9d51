/** B7: what a provider process costs: until it answers, for each call, and in memory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
	each,
	type Figure,
	inTurns,
	numberHandler,
	openSession,
	type Plan,
	range,
	root,
	Samples,
	startService,
	urnOf,
} from "./measure.mts";

export async function measureProcesses({ quick, runs, progress }: Plan): Promise<Figure[]> {
	progress("B7: start");
	const about = { benchmark: "B7", work: "start until the port line", setting: "the plugin", unit: "ms" } as const;
	const start = await inTurns({ runs: quick ? runs : 2 * runs }, about, [
		{ name: "pulumi-telephony", run: () => port(join(root, "bin/pulumi-resource-telephony")) },
		{ name: "Pulumi's protocol alone", run: () => port("-e", bare) },
	]);
	return [...start, ...(await measureCalls({ quick, runs, progress }))];
}

/** A provider without a resource: what loading the protocol and opening a port takes. */
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

/** Calls of the handler itself, without the engine; and what a process holds after a refresh of many. */
async function measureCalls({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const count = quick ? 1_000 : 10_000;
	const setting = `${count.toLocaleString("en")} numbers`;
	progress(`B7: ${setting}`);
	const calls = ["check", "diff", "read"].map((work) => ({
		work,
		samples: new Samples({ benchmark: "B7", work: `${work}, each`, setting, unit: "ms" }),
	}));
	const memory = new Samples({ benchmark: "B7", work: "memory that it takes", setting, unit: "MB" });
	const service = await startService("--kyc", "immediate");
	try {
		const entries: { id: string; inputs: Record<string, unknown>; outs: Record<string, unknown> }[] = [];
		const first = numberHandler(openSession(service));
		await each(range(count), 16, async (n) => {
			const declared = { country: "NL", type: "geographic", label: "Desk", resourceUrn: urnOf(`n${n}`) };
			const { inputs } = await first.check({}, declared);
			entries.push({ inputs, ...(await first.create(inputs)) });
		});
		for (let run = 0; run < runs; run++) {
			globalThis.gc?.();
			const before = process.memoryUsage().rss;
			const number = numberHandler(openSession(service));
			const works = {
				check: (entry: (typeof entries)[number]) => number.check(entry.inputs, entry.inputs),
				diff: ({ id, outs, inputs }: (typeof entries)[number]) => number.diff(id, outs, inputs),
				read: ({ id, outs }: (typeof entries)[number]) => number.read(id, outs),
			};
			for (const { work, samples } of calls) {
				const started = performance.now();
				await each(entries, 8, works[work as keyof typeof works]);
				samples.add("pulumi-telephony", (performance.now() - started) / count);
			}
			memory.add("pulumi-telephony", Math.max(0, process.memoryUsage().rss - before) / 2 ** 20);
		}
	} finally {
		service.stop();
	}
	return [...calls.flatMap(({ samples }) => samples.figures()), ...memory.figures()];
}
