/** B9: many matching numbers as one resource, beside a loop over the client that sends the same requests. */
import { createClient, each, type Figure, type Plan, range, rounds, Samples, type Service } from "./measure.mts";
import { declared, pools } from "./programs.mts";
import { onNewAccount } from "./stacks.mts";

/** Requests of the client at a time. */
const parallelism = 16;

export async function measurePools({ quick, runs, progress }: Plan): Promise<Figure[]> {
	const count = quick ? 100 : 1_000;
	const setting = `${count.toLocaleString("en")} numbers`;
	const times = Object.entries(loops).map(([operation, loop]) => ({
		operation,
		loop,
		samples: new Samples({ benchmark: "B9", work: operation, setting, unit: "s" }),
	}));
	const sizes = new Samples({ benchmark: "B9", work: "state of each number", setting, unit: "bytes" });
	const measure: Parameters<typeof onNewAccount>[2] = async (stacks, service) => {
		for (const { name, pulumi, stateBytes } of stacks) {
			for (const { operation, samples } of times) {
				await samples.time(name, () => pulumi(operation, ["--yes", "--skip-preview"]), service);
				if (operation === "up" && name !== "do-nothing") sizes.add(name, stateBytes() / count);
			}
		}
		for (const { loop, samples } of times) await samples.time("client loop", () => loop(service, count), service);
	};
	for (const round of rounds(
		runs,
		times.map(({ samples }) => samples),
	)) {
		progress(`B9: ${setting}, ${round}`);
		await onNewAccount(0, pools(count), measure);
	}
	return [...times, { samples: sizes }].flatMap(({ samples }) => samples.figures());
}

const open = ({ url, apiKey }: Service) => createClient({ baseUrl: url, apiKey });

/** Loops that send the same requests, and do nothing else. */
const loops: Readonly<Record<string, (service: Service, count: number) => Promise<void>>> = {
	up: async (service, count) => {
		const client = open(service);
		const { country, type, area, ...configured } = declared;
		await each(range(count), parallelism, async () => {
			const { data } = await client.numbers.buy({ country, type, area });
			await client.numbers.patch(data.id ?? "", configured);
		});
		await client.close();
	},
	refresh: async (service) => {
		const client = open(service);
		for await (const _ of client.numbers.list());
		await client.close();
	},
	destroy: async (service) => {
		const client = open(service);
		const ids: string[] = [];
		for await (const { id } of client.numbers.list()) ids.push(id);
		await each(ids, parallelism, (id) => client.numbers.release(id));
		await client.close();
	},
};
