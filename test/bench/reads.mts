/** B1: the time and requests of a refresh of N numbers. */
import {
	buyAll,
	createClient,
	type Entry,
	each,
	type Figure,
	inTurns,
	numberHandler,
	openSession,
	type Plan,
	range,
	type Service,
	startService,
} from "./measure.mts";

/** The engine's parallelism on two cores. */
const parallelism = 8;

export async function measureReads({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const figures: Figure[] = [];
	const service = await startService("--kyc", "immediate");
	const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
	const state: Entry[] = [];
	try {
		for (const count of quick ? [100, 1_000] : [100, 1_000, 10_000]) {
			await grow(service, state, count);
			for (const latencyMs of latenciesFor(count, quick)) {
				await service.control("PATCH", "/settings", { latencyMs });
				const setting = `${count.toLocaleString("en")} numbers, ${latencyMs} ms`;
				progress(`B1: ${setting}`);
				const subjects = [
					{ name: "pulumi-telephony", run: () => refresh(service, state) },
					{ name: "list loop", run: () => list(service) },
					{ name: "docs-style", run: () => each(state, parallelism, ({ id }) => client.numbers.get(id)) },
				];
				const about = { benchmark: "B1", setting, unit: "ms" } as const;
				figures.push(...(await inTurns({ runs }, { ...about, work: "refresh" }, subjects)));
				if (latencyMs > 0) continue;
				const byCpu = subjects.map(({ name, run }) => ({ name, run: () => cpuOf(run) }));
				figures.push(...(await inTurns({ runs }, { ...about, work: "CPU time of a refresh" }, byCpu)));
			}
			await service.control("PATCH", "/settings", { latencyMs: 0 });
		}
	} finally {
		await client.close();
		service.stop();
	}
	return figures;
}

/** A run of 10,000 GETs at 100 ms takes two minutes, and shows nothing new. */
const latenciesFor = (count: number, quick: boolean): readonly number[] =>
	count > 1_000 ? [0] : quick ? [0, 20] : [0, 20, 100];

/** Returns the CPU time that this process spends on the work, ms. The service is another process. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Buys until the state has `count` numbers. */
async function grow(service: Service, state: Entry[], count: number): Promise<void> {
	const number = numberHandler(openSession(service));
	// The engine reports existing resources first.
	for (const { id, inputs, outs } of state) await number.diff(id, outs, (await number.check(inputs, inputs)).inputs);
	await buyAll(number, state, range(count).slice(state.length));
}

async function refresh(service: Service, state: readonly Entry[]): Promise<void> {
	const number = numberHandler(openSession(service));
	await each(state, parallelism, ({ id, outs }) => number.read(id, outs));
}

/** Reads every page, one after the other, as the comparator. */
async function list({ url, apiKey }: Service): Promise<void> {
	const client = createClient({ baseUrl: url, apiKey });
	for await (const _ of client.numbers.list());
	await client.close();
}
