/**
 * `node test/bench/pace.mts [--numbers N] [--rate R] [--headers]`: buys N numbers from an emulator that takes R requests
 * a second and doesn't say so, in one process and then in two that know nothing of each other. Prints how much of the
 * rate was used, what share of the requests was refused, and how the two shared it. Takes about 4 N / R seconds.
 */
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

const require = createRequire(import.meta.url);
const { createEmulator } = require("../../dist/emulator/index.js") as typeof import("../../emulator/index.ts");
const { Session } =
	require("../../dist/provider/session/session.js") as typeof import("../../provider/session/session.ts");
const { numberHandler } =
	require("../../dist/provider/resources/number/handler.js") as typeof import("../../provider/resources/number/handler.ts");

const { values } = parseArgs({
	options: {
		numbers: { type: "string", default: "500" },
		rate: { type: "string", default: "20" },
		headers: { type: "boolean", default: false },
	},
});
const [numbers, rate] = [Number(values.numbers), Number(values.rate)];

async function measure(processes: number): Promise<Record<string, unknown>> {
	const emulator = await createEmulator({ kyc: "immediate" });
	emulator.control.settings({ requestsPerSecond: rate, requestBurst: rate, rateLimitHeaders: values.headers });
	const started = performance.now();
	const seconds = () => (performance.now() - started) / 1000;
	let failed = 0;
	const buyIn = async (name: string, count: number): Promise<number> => {
		const session = new Session({
			env: {
				TELEPHONY_API_KEY: emulator.apiKey,
				TELEPHONY_BASE_URL: emulator.url,
				PULUMI_BACKEND_URL: `https://${name}.example`,
			},
			wire: { states: new Map() },
		});
		const handler = numberHandler(session);
		await handler.configure({ config: { get: () => undefined } });
		const buy = async (index: number) => {
			const resourceUrn = `urn:pulumi:dev::${name}::pulumi-nodejs:dynamic/telephony:Number::number${index}`;
			const args = { country: "NL", type: "mobile", label: name, resourceUrn };
			await handler.create((await handler.check({}, args)).inputs).catch(() => failed++);
		};
		await Promise.all(Array.from({ length: count }, (_, index) => buy(index)));
		return seconds();
	};
	const names = Array.from({ length: processes }, (_, index) => `process${index}`);
	const ends = await Promise.all(names.map((name) => buyIn(name, numbers / processes)));
	const requests = emulator.control.requests();
	const refused = requests.filter(({ status }) => status === 429).length;
	const all = seconds();
	await emulator.close();
	const share = (value: number) => Math.round(value * 1000) / 1000;
	return {
		processes,
		numbers,
		failed,
		seconds: Math.round(all),
		rateUsed: share((requests.length - refused) / (rate * (all + 1))),
		refused: share(refused / requests.length),
		ends: ends.map(Math.round),
	};
}

for (const processes of [1, 2]) console.log(JSON.stringify(await measure(processes)));
