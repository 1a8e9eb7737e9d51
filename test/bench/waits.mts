/** B3: when the end of N identity checks is known, and what asking costs. B4: what buying N numbers takes where each is checked. */
import {
	built,
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

const { activationHandler } = built<typeof import("../../provider/resources/activation/handler.ts")>(
	"provider/resources/activation/handler",
);

/** As many resources as the engine has in hand on two cores. */
const parallelism = 8;
const pollMs = 2_000;

export async function measureChecks({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const figures: Figure[] = [];
	const checkS = quick ? 3 : 5;
	const service = await startService("--kyc", `${checkS}s`);
	try {
		for (const count of quick ? [10] : [10, 100]) {
			const setting = `${count} numbers, each checked for ${checkS} s`;
			progress(`B3: ${setting}`);
			const about = { benchmark: "B3", work: "known after its end", setting, unit: "s" } as const;
			figures.push(...(await detections({ runs }, about, service, count, checkS)));
		}
		return figures;
	} finally {
		service.stop();
	}
}

export async function measurePurchases({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const [count, checkS] = quick ? [16, 3] : [24, 12];
	const setting = `${count} numbers, each checked for ${checkS} s`;
	progress(`B4: ${setting}`);
	const about = { benchmark: "B4", work: `buy and wait, ${parallelism} at a time`, setting, unit: "s" } as const;
	const service = await startService("--kyc", `${checkS}s`);
	try {
		return await inTurns({ runs }, about, [
			{ name: "pulumi-telephony", run: () => fleet(service, count) },
			{ name: "docs-style", run: () => each(range(count), parallelism, () => naive(service)) },
			{ name: "buy all, then sleep", run: () => least(service, count, checkS) },
		]);
	} finally {
		service.stop();
	}
}

/** The numbers are bought before; what is measured begins when the last check must be over. */
async function detections(
	plan: Pick<Plan, "runs">,
	about: Pick<Figure, "benchmark" | "work" | "setting" | "unit">,
	service: Service,
	count: number,
	checkS: number,
): Promise<Figure[]> {
	let [ids, over]: [readonly string[], number] = [[], 0];
	const prepare = async () => {
		// What was bought before is listed too.
		await service.control("POST", "/reset");
		ids = await buyAll(service, count);
		over = performance.now() + checkS * 1_000;
	};
	const since = async (wait: () => Promise<unknown>) => {
		await wait();
		return (performance.now() - over) / 1_000;
	};
	return inTurns(plan, about, [
		{ name: "pulumi-telephony", prepare, run: () => since(() => activate(service, ids)) },
		{ name: "docs-style", prepare, run: () => since(() => each(ids, count, (id) => poll(service, id))) },
	]);
}

const ordered = { country: "DE", type: "mobile" } as const;
let made = 0;

/** As a program for a fleet has it: numbers that don't wait. */
async function buyAll(service: Service, count: number): Promise<string[]> {
	const number = numberHandler(openSession(service));
	const ids: string[] = [];
	await each(range(count), parallelism, async () => {
		const resourceUrn = urnOf(`n${made++}`);
		const { inputs } = await number.check({}, { ...ordered, waitForActive: false, resourceUrn });
		ids.push((await number.create(inputs)).id);
	});
	return ids;
}

/** And one Activation that does. */
async function activate(service: Service, numberIds: readonly string[]): Promise<void> {
	const activation = activationHandler(openSession(service));
	const { inputs } = await activation.check({}, { numberIds, resourceUrn: urnOf("fleet") });
	await activation.create(inputs);
}

const fleet = async (service: Service, count: number): Promise<void> => activate(service, await buyAll(service, count));

/** A create as Pulumi's docs teach it: buys, and asks again until the number is active. */
async function naive(service: Service): Promise<void> {
	const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
	const { data } = await client.numbers.buy(ordered);
	await client.close();
	await poll(service, data.id ?? "");
}

async function poll({ url, apiKey }: Service, id: string): Promise<void> {
	const client = createClient({ baseUrl: url, apiKey });
	while ((await client.numbers.get(id)).status !== "active") await sleep(pollMs);
	await client.close();
}

/** Less isn't possible: it knows how long the checks take. */
async function least({ url, apiKey }: Service, count: number, checkS: number): Promise<void> {
	const client = createClient({ baseUrl: url, apiKey });
	await each(range(count), parallelism, () => client.numbers.buy(ordered));
	await sleep(checkS * 1_000);
	await client.close();
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
