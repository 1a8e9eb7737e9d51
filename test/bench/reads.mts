/** B1: what a refresh of N numbers costs. B8: whether it finds what somebody has changed, and nothing else. */
import {
	createClient,
	each,
	type Figure,
	inTurns,
	numberHandler,
	openSession,
	type Plan,
	range,
	type Service,
	startService,
	urnOf,
} from "./measure.mts";

/** As many resources as the engine has in hand on two cores. */
const parallelism = 8;

type Values = Record<string, unknown>;
interface Entry {
	readonly id: string;
	readonly inputs: Values;
	readonly outs: Values;
}

export async function measureReads(plan: Plan): Promise<Figure[]> {
	const { quick, runs, progress } = plan;
	const figures: Figure[] = [];
	const service = await startService("--kyc", "immediate");
	const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
	const state: Entry[] = [];
	try {
		for (const count of quick ? [100, 1_000] : [100, 1_000, 10_000]) {
			await grow(service, state, count);
			// A GET for each of 10,000 at 100 ms takes two minutes a run, and says nothing new.
			for (const latencyMs of count > 1_000 ? [0] : quick ? [0, 20] : [0, 20, 100]) {
				await service.control("PATCH", "/settings", { latencyMs });
				const setting = `${count.toLocaleString("en")} numbers, ${latencyMs} ms`;
				progress(`B1: ${setting}`);
				const subjects = [
					{ name: "pulumi-telephony", run: () => refresh(service, state) },
					{ name: "list loop", run: () => list(service) },
					{ name: "docs-style", run: () => each(state, parallelism, ({ id }) => client.numbers.get(id)) },
				];
				figures.push(...(await inTurns({ runs }, { benchmark: "B1", work: "refresh", setting, unit: "ms" }, subjects)));
			}
			await service.control("PATCH", "/settings", { latencyMs: 0 });
			if (count === 1_000) figures.push(...(await measureDrift(plan, service, state)));
		}
	} finally {
		await client.close();
		service.stop();
	}
	return figures;
}

/** Buys until the state has this many. */
async function grow(service: Service, state: Entry[], count: number): Promise<void> {
	const number = numberHandler(openSession(service));
	// As the engine tells of what the program has already.
	for (const { id, inputs, outs } of state) await number.diff(id, outs, (await number.check(inputs, inputs)).inputs);
	await each(range(count).slice(state.length), parallelism, async (index) => {
		const declared = { country: "NL", type: "geographic", label: "Desk", resourceUrn: urnOf(`n${index}`) };
		const { inputs } = await number.check({}, declared);
		state.push({ inputs, ...(await number.create(inputs)) });
	});
}

async function refresh(service: Service, state: readonly Entry[]): Promise<void> {
	const number = numberHandler(openSession(service));
	await each(state, parallelism, ({ id, outs }) => number.read(id, outs));
}

/** The service's own cost: every page, one after the other. */
async function list({ url, apiKey }: Service): Promise<void> {
	const client = createClient({ baseUrl: url, apiKey });
	for await (const _ of client.numbers.list());
	await client.close();
}

/** How many of the changed numbers a refresh finds, in percent, and how many others it reports. */
async function measureDrift({ runs, progress }: Plan, service: Service, state: readonly Entry[]): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const count of [1, 10, 50]) {
		const setting = `${count} of ${state.length.toLocaleString("en")} changed`;
		progress(`B8: ${setting}`);
		const changed = new Set<string>();
		const putBack = async () => {
			for (const id of changed) await edit(service, id, "Desk");
			changed.clear();
		};
		const prepare = async () => {
			await putBack();
			while (changed.size < count) changed.add(state[Math.floor(Math.random() * state.length)]?.id ?? "");
			for (const id of changed) await edit(service, id, "by hand");
		};
		let wrong = 0;
		const run = async () => {
			const number = numberHandler(openSession(service));
			const found = new Set<string>();
			await each(state, parallelism, async ({ id, inputs, outs }) => {
				const { props = {} } = await number.read(id, outs);
				if ((await number.diff(id, props, inputs)).changes) found.add(id);
			});
			wrong += [...found].filter((id) => !changed.has(id)).length;
			return (100 * [...changed].filter((id) => found.has(id)).length) / count;
		};
		const about = { benchmark: "B8", work: "changed numbers found", setting, unit: "%" } as const;
		const [figure] = await inTurns({ runs }, about, [{ name: "pulumi-telephony", prepare, run }]);
		if (figure) figures.push({ ...figure, note: `${wrong} false` });
		await putBack();
	}
	return figures;
}

async function edit({ url, apiKey }: Service, id: string, label: string): Promise<void> {
	const { ok } = await fetch(`${url}/numbers/${id}`, {
		method: "PATCH",
		headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
		body: JSON.stringify({ label }),
	});
	if (!ok) throw new Error(`the edit of ${id} was refused`);
}
