/** B1: the time and requests of a refresh of N numbers. */
import pLimit from "p-limit";
import { type Figure, measure, numbers, type Plan, timeOf } from "./runner.mts";
import { apiKey, createClient, type Entry, grow, openRun, type Service, startService } from "./service.mts";

/** The engine's parallelism on two cores. */
const parallelism = 8;

type Refresh = (service: Service, state: readonly Entry[]) => Promise<unknown>;

/** The comparator is the last one. */
const subjects: Readonly<Record<string, Refresh>> = {
	"pulumi-telephony": (service, state) => {
		const number = openRun(service);
		return pLimit(parallelism).map(state, ({ id, outs }) => number.read(id, outs));
	},
	/** Reads every page, one after the other. */
	"list loop": ({ url }) =>
		withClient(url, async ({ numbers }) => {
			for await (const _ of numbers.list());
		}),
	"docs-style": ({ url }, state) =>
		withClient(url, ({ numbers }) => pLimit(parallelism).map(state, ({ id }) => numbers.get(id))),
};

async function withClient(baseUrl: string, work: (client: ReturnType<typeof createClient>) => Promise<unknown>) {
	const client = createClient({ baseUrl, apiKey });
	await work(client);
	await client.close();
}

/** Latencies by size, ms. A run of 10,000 GETs at 100 ms takes two minutes, and shows nothing new. */
const sizes: readonly (readonly [count: number, latencies: readonly number[]])[] = [
	[100, [0, 20, 100]],
	[1_000, [0, 20, 100]],
	[10_000, [0]],
];
const quickSizes: typeof sizes = [
	[100, [0, 20]],
	[1_000, [0, 20]],
];

export async function measureReads({ quick, rounds, progress }: Plan): Promise<Figure[]> {
	const figures: Figure[] = [];
	const service = await startService();
	const state: Entry[] = [];
	try {
		for (const [count, latencies] of quick ? quickSizes : sizes) {
			await service.setLatency(0);
			await grow(service, state, count);
			for (const latencyMs of latencies) {
				await service.setLatency(latencyMs);
				const about = { benchmark: "B1", setting: `${numbers(count)}, ${latencyMs} ms`, unit: "ms" } as const;
				progress(`B1: ${about.setting}`);
				const measured = await measure(rounds(2, 5), async (add) => {
					for (const [subject, refresh] of Object.entries(subjects)) {
						const { ms, cpuMs, requests } = await timeOf(() => refresh(service, state));
						add({ ...about, work: "refresh", subject, value: ms, requests });
						if (latencyMs === 0) add({ ...about, work: "CPU time of a refresh", subject, value: cpuMs, requests });
					}
				});
				figures.push(...measured);
			}
		}
	} finally {
		service.stop();
	}
	return figures;
}
