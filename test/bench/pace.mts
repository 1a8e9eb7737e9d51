/** B5: how much of a service's rate is used that doesn't say it, what share is refused, and how processes share it. */
import { Agent, RetryAgent, request } from "undici";
import {
	each,
	type Figure,
	numberHandler,
	openSession,
	type Plan,
	range,
	rounds,
	Samples,
	type Service,
	startService,
	urnOf,
} from "./measure.mts";

interface Outcome {
	readonly used: number;
	readonly refused: number;
	readonly failed: number;
	/** When each process was done, s. */
	readonly ends: readonly number[];
}

const rate = 20;

export async function measurePace({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const numbers = quick ? 60 : 200;
	const setting = `${numbers} numbers at ${rate} requests/s`;
	const subjects: Record<string, (service: Service) => Promise<Omit<Outcome, "used" | "refused">>> = {
		"pulumi-telephony": (service) => buyAll(service, 1, numbers),
		"pulumi-telephony, two processes": (service) => buyAll(service, 2, numbers),
		"8 at a time, undici's RetryAgent": (service) => retrying(service, numbers),
	};
	const about = { benchmark: "B5", setting, unit: "%" } as const;
	const used = new Samples({ ...about, work: "rate used" });
	const refused = new Samples({ ...about, work: "requests refused" });
	const shares = new Samples({ ...about, work: "share of the rate that the slower one got" });
	const notes: Record<string, string> = {};
	for (const round of rounds(runs, [used, refused, shares])) {
		for (const [name, buy] of Object.entries(subjects)) {
			progress(`B5: ${setting}, ${name}, ${round}`);
			const outcome = await measured(buy);
			used.add(name, outcome.used);
			refused.add(name, outcome.refused);
			const { length } = outcome.ends;
			if (length > 1) shares.add(name, (100 * 2 * (numbers / length)) / (rate * Math.max(...outcome.ends)));
			notes[name] = `${outcome.failed} failed; done after ${outcome.ends.map(Math.round).join(" and ")} s`;
		}
	}
	return [...used.figures(notes), ...refused.figures(), ...shares.figures()];
}

async function measured(buy: (service: Service) => Promise<Omit<Outcome, "used" | "refused">>): Promise<Outcome> {
	const service = await startService("--kyc", "immediate");
	try {
		await service.control("PATCH", "/settings", {
			requestsPerSecond: rate,
			requestBurst: rate,
			rateLimitHeaders: false,
		});
		const started = performance.now();
		const outcome = await buy(service);
		const seconds = (performance.now() - started) / 1000;
		const requests = await service.requests();
		const refused = requests.filter(({ status }) => status === 429).length;
		// A full burst stands at the beginning.
		const used = (100 * (requests.length - refused)) / (rate * (seconds + 1));
		return { ...outcome, used, refused: (100 * refused) / requests.length };
	} finally {
		service.stop();
	}
}

/** In this many processes that know nothing of each other. */
async function buyAll(
	service: Service,
	processes: number,
	numbers: number,
): Promise<Omit<Outcome, "used" | "refused">> {
	const started = performance.now();
	let failed = 0;
	const ends = await Promise.all(
		range(processes).map(async (index) => {
			const handler = numberHandler(openSession(service, `process${index}`));
			const share = range(numbers / processes);
			await each(share, share.length, async (n) => {
				const resourceUrn = urnOf(`process${index}-${n}`);
				const { inputs } = await handler.check({}, { country: "NL", type: "mobile", label: "Desk", resourceUrn });
				await handler.create(inputs).catch(() => failed++);
			});
			return (performance.now() - started) / 1000;
		}),
	);
	return { failed, ends };
}

/** The same two requests for each number, retried by the HTTP client alone. */
async function retrying({ url, apiKey }: Service, numbers: number): Promise<Omit<Outcome, "used" | "refused">> {
	const started = performance.now();
	const dispatcher = new RetryAgent(new Agent(), { methods: ["POST", "PATCH"], statusCodes: [429] });
	const send = async (method: "POST" | "PATCH", path: string, body: object) => {
		const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
		const answer = await request(url + path, { dispatcher, method, headers, body: JSON.stringify(body) });
		const record = (await answer.body.json()) as { id?: string };
		if (answer.statusCode >= 400) throw new Error(String(answer.statusCode));
		return record;
	};
	let failed = 0;
	await each(range(numbers), 8, async () => {
		try {
			const { id } = await send("POST", "/numbers", { country: "NL", type: "mobile" });
			await send("PATCH", `/numbers/${id}`, { label: "Desk" });
		} catch {
			failed++;
		}
	});
	await dispatcher.close();
	return { failed, ends: [(performance.now() - started) / 1000] };
}
