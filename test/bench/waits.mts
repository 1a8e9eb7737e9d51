/** B3: what a wait for N identity checks costs. B4: what buying N numbers takes where each has such a check. */
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

export async function measureWaits({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const [count, checkS] = quick ? [16, 3] : [40, 5];
	const service = await startService("--kyc", `${checkS}s`);
	const setting = `${count} numbers, each checked for ${checkS} s`;
	const waiting = { benchmark: "B3", work: "wait, all bought at once", setting, unit: "s" } as const;
	const buying = { benchmark: "B4", work: `buy and wait, ${parallelism} at a time`, setting, unit: "s" } as const;
	try {
		progress(`B3: ${setting}`);
		const wait = await inTurns({ runs }, waiting, [
			{ name: "pulumi-telephony", run: () => fleet(service, count, count) },
			{ name: "docs-style", run: () => each(range(count), count, () => naive(service)) },
		]);
		progress(`B4: ${setting}`);
		const buy = await inTurns({ runs }, buying, [
			{ name: "pulumi-telephony", run: () => fleet(service, count, parallelism) },
			{ name: "docs-style", run: () => each(range(count), parallelism, () => naive(service)) },
		]);
		return [...wait, ...buy];
	} finally {
		service.stop();
	}
}

let made = 0;

/** As a program for a fleet has it: numbers that don't wait, and one Activation that does. */
async function fleet(service: Service, count: number, atOnce: number): Promise<void> {
	const session = openSession(service);
	const [number, activation] = [numberHandler(session), activationHandler(session)];
	const numberIds: string[] = [];
	await each(range(count), atOnce, async () => {
		const resourceUrn = urnOf(`n${made++}`);
		const { inputs } = await number.check({}, { country: "DE", type: "mobile", waitForActive: false, resourceUrn });
		numberIds.push((await number.create(inputs)).id);
	});
	const { inputs } = await activation.check({}, { numberIds, resourceUrn: urnOf("fleet") });
	await activation.create(inputs);
}

/** A create as Pulumi's docs teach it: buys, and asks again until the number is active. */
async function naive({ url, apiKey }: Service): Promise<void> {
	const client = createClient({ baseUrl: url, apiKey });
	const { data } = await client.numbers.buy({ country: "DE", type: "mobile" });
	while ((await client.numbers.get(data.id ?? "")).status !== "active")
		await new Promise((resolve) => setTimeout(resolve, pollMs));
	await client.close();
}
