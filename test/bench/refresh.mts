/**
 * `npm run bench`: what a refresh of N numbers costs, beside the naive way (one GET each) in the same run, against the
 * same emulator in a process of its own; and how much longer it takes where each request takes 100 ms. Prints requests
 * and medians; the last line is JSON.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Bench } from "tinybench";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const require = createRequire(import.meta.url);
const { Session } =
	require("../../dist/provider/session/session.js") as typeof import("../../provider/session/session.ts");
const { numberHandler } =
	require("../../dist/provider/resources/number/handler.js") as typeof import("../../provider/resources/number/handler.ts");
const { createClient } = require("../../dist/provider/api/client.js") as typeof import("../../provider/api/client.ts");

/** What each request takes in the second part, ms. */
const latency = 100;
/** As many reads in flight as the engine has on two cores. */
const parallelism = 8;

const emulator = spawn("node", ["bin/telephony", "emulator", "--memory", "--port", "0"], { cwd: root });
const baseUrl = await new Promise<string>((found) => {
	emulator.stdout.on("data", (text) => {
		const url = /listening on (\S+)/.exec(String(text))?.[1];
		if (url) found(url);
	});
});
const apiKey = "emulator-key";
const control = `${baseUrl.replace(/v1$/, "_emulator")}`;
const requests = async () => {
	const response = await fetch(`${control}/requests`);
	return ((await response.json()) as { data: unknown[] }).data.length;
};
const setLatency = (latencyMs: number) =>
	fetch(`${control}/settings`, {
		method: "PATCH",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ latencyMs }),
	});

/** Runs the work for each id, so many at a time. */
async function each(ids: readonly string[], work: (id: string) => Promise<unknown>): Promise<void> {
	const rest = ids.values();
	await Promise.all(
		Array.from({ length: parallelism }, async () => {
			for (const id of rest) await work(id);
		}),
	);
}

async function refresh(ids: readonly string[]): Promise<void> {
	const session = new Session({
		env: { TELEPHONY_API_KEY: apiKey, TELEPHONY_BASE_URL: baseUrl },
		progress: { status: () => {}, warn: () => {}, debug: () => {} },
	});
	session.configure(() => undefined);
	const number = numberHandler(session);
	const props = { resourceUrn: "urn:pulumi:bench::bench::telephony:index:Number::n", token: "t", lease: "" };
	await each(ids, (id) => number.read(id, props));
}

const client = createClient({ baseUrl, apiKey });
const naive = (ids: readonly string[]) => each(ids, (id) => client.numbers.get(id));

/** Median of the wall times, ms. */
async function timed(runs: number, work: () => Promise<void>): Promise<number> {
	const times: number[] = [];
	for (let run = 0; run < runs; run++) {
		const started = performance.now();
		await work();
		times.push(performance.now() - started);
	}
	return times.sort((one, other) => one - other)[runs >> 1] ?? 0;
}

async function counted(work: () => Promise<void>): Promise<number> {
	const before = await requests();
	await work();
	return (await requests()) - before;
}

const results = [];
const ids: string[] = [];
try {
	for (const count of [100, 1_000]) {
		while (ids.length < count) {
			const { data } = await client.numbers.buy({ country: "NL", type: "geographic" });
			if (data.id !== undefined) ids.push(data.id);
		}
		const bench = new Bench({ iterations: 7, time: 0, warmupIterations: 2, warmupTime: 0 });
		bench.add("shared", () => refresh(ids)).add("naive", () => naive(ids));
		await bench.run();
		const [shared = 0, alone = 0] = bench.tasks.map(({ result }) => ("latency" in result ? result.latency.p50 : 0));
		await setLatency(latency);
		const slow = await timed(5, () => refresh(ids));
		await setLatency(0);
		const pages = Math.ceil(count / 100);
		results.push({
			numbers: count,
			slower: { latencyMs: latency, byMs: Math.round(slow - shared), allowedMs: 1_500 + pages * latency },
			requests: { shared: await counted(() => refresh(ids)), naive: await counted(() => naive(ids)) },
			medianMs: { shared: Math.round(shared), naive: Math.round(alone) },
			ratio: Number((shared / alone).toFixed(3)),
		});
	}
	console.table(
		results.map(({ numbers, requests, medianMs, ratio, slower }) => ({
			numbers,
			"requests shared": requests.shared,
			"requests naive": requests.naive,
			"median shared (ms)": medianMs.shared,
			"median naive (ms)": medianMs.naive,
			ratio,
			[`slower by, at ${latency} ms each (ms)`]: slower.byMs,
			"allowed (ms)": slower.allowedMs,
		})),
	);
	console.log(JSON.stringify({ benchmark: "refresh", node: process.version, results }));
} finally {
	emulator.kill("SIGTERM");
	await client.close();
}
