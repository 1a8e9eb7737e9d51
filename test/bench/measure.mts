/** Shared by the benchmarks: the service, runs in turns, exact counts, figures. */
import { spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(import.meta.url), "../../..");
const require = createRequire(import.meta.url);

/** Loads a module of the built package. */
const built = <T,>(path: string): T => require(`../../dist/${path}.js`) as T;

export const { createClient } = built<typeof import("../../provider/api/client.ts")>("provider/api/client");
export const { numberHandler } = built<typeof import("../../provider/resources/number/handler.ts")>(
	"provider/resources/number/handler",
);
const { Session } = built<typeof import("../../provider/session/session.ts")>("provider/session/session");

/** One line of a benchmark's table. */
export interface Figure {
	/** Such as B1. */
	readonly benchmark: string;
	/** Such as `refresh`. */
	readonly work: string;
	/** Size and latency, such as `1,000 numbers, 20 ms`. */
	readonly setting: string;
	readonly subject: string;
	readonly unit: "s" | "ms" | "bytes" | "MB" | "%";
	readonly median: number;
	readonly low: number;
	readonly high: number;
	readonly runs: number;
	/** Requests that one run sends; the most of any run. */
	readonly requests?: number;
	/** The median as a share of the comparator's in the same setting; absent for the comparator. */
	readonly ratio?: number;
	readonly note?: string;
}

export interface Plan {
	/** True to measure less of everything, with rough ratios. */
	readonly quick: boolean;
	/** Runs of each subject: at least, and at most while the times vary. */
	readonly runs: { readonly least: number; readonly most: number };
	readonly progress: (line: string) => void;
}

export interface Subject {
	readonly name: string;
	/** Its wall time counts, unless it returns a number in the figure's unit. */
	run(): Promise<unknown>;
}

/** Measurements of several subjects in one setting. The last one added is the comparator. */
export class Samples {
	readonly #about: Pick<Figure, "benchmark" | "work" | "setting" | "unit">;
	readonly #seen = new Map<string, { values: number[]; requests: number }>();

	constructor(about: Pick<Figure, "benchmark" | "work" | "setting" | "unit">) {
		this.#about = about;
	}

	add(subject: string, value: number, requests = 0): void {
		const { values = [], requests: most = 0 } = this.#seen.get(subject) ?? {};
		this.#seen.set(subject, { values: [...values, value], requests: Math.max(most, requests) });
	}

	/** Adds the wall time of the work, or the number it returns. The service counts requests of other processes. */
	async time(subject: string, work: () => Promise<unknown>, service?: Service): Promise<void> {
		const count = async () => (service === undefined ? sent : (await service.requests()).length);
		const before = await count();
		const started = performance.now();
		const result = await work();
		const ms = performance.now() - started;
		this.add(
			subject,
			typeof result === "number" ? result : this.#about.unit === "s" ? ms / 1000 : ms,
			(await count()) - before,
		);
	}

	/** True if more runs would hardly change a median. */
	get isSettled(): boolean {
		return [...this.#seen.values()].every(
			({ values }) => Math.max(...values) - Math.min(...values) <= settledSpread * medianOf(values),
		);
	}

	figures(notes: Readonly<Record<string, string>> = {}): Figure[] {
		const all = [...this.#seen];
		const [, base] = all.at(-1) ?? [];
		return all.map(([subject, { values, requests }], index) => ({
			...this.#about,
			subject,
			median: rounded(medianOf(values)),
			low: rounded(Math.min(...values)),
			high: rounded(Math.max(...values)),
			runs: values.length,
			...(requests > 0 ? { requests } : {}),
			...(index < all.length - 1 ? { ratio: rounded(medianOf(values) / medianOf(base?.values ?? [])) } : {}),
			...(notes[subject] === undefined ? {} : { note: notes[subject] }),
		}));
	}
}

/** Share of the median. */
const settledSpread = 0.15;

/** Yields the name of each round until the samples have settled. */
export function* rounds({ least, most }: Plan["runs"], samples: readonly Samples[]): Generator<string> {
	for (let round = 1; round <= most; round++) {
		if (round > least && samples.every(({ isSettled }) => isSettled)) return;
		yield `${round} of ${round < least ? least : most}`;
	}
}

/** Measures each subject in turn, round by round. */
export async function inTurns(
	{ runs }: Pick<Plan, "runs">,
	about: Pick<Figure, "benchmark" | "work" | "setting" | "unit">,
	subjects: readonly Subject[],
): Promise<Figure[]> {
	const samples = new Samples(about);
	for (const _ of rounds(runs, [samples])) for (const { name, run } of subjects) await samples.time(name, run);
	return samples.figures();
}

const medianOf = (values: readonly number[]): number =>
	[...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Rounds to three significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(3));

/** Requests that this process has sent, with the client and with `fetch`. */
let sent = 0;
subscribe("undici:request:create", () => sent++);

export interface Service {
	readonly url: string;
	readonly apiKey: string;
	control(method: string, path: string, body?: object): Promise<unknown>;
	/** Requests so far, in order. */
	requests(): Promise<readonly { readonly status: number }[]>;
	stop(): void;
}

/** Starts the emulator in another process, which takes no time from the subjects. */
export async function startService(...args: string[]): Promise<Service> {
	const defaults = ["--memory", "--port", "0", "--keep-requests", "1000000"];
	const child = spawn(process.execPath, ["bin/telephony", "emulator", ...defaults, ...args], {
		cwd: root,
		stdio: ["ignore", "pipe", "inherit"],
	});
	const [line] = (await once(createInterface(child.stdout), "line")) as [string];
	const url = /listening on (\S+)/.exec(line)?.[1];
	if (url === undefined) throw new Error(line);
	child.stdout.resume();
	const control: Service["control"] = async (method, path, body) => {
		const headers = { "content-type": "application/json" };
		const init = body === undefined ? {} : { headers, body: JSON.stringify(body) };
		const response = await fetch(url.replace(/v1$/, `_emulator${path}`), { method, ...init });
		if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
		return response.status === 204 ? undefined : response.json();
	};
	return {
		url,
		apiKey: "emulator-key",
		control,
		requests: async () => ((await control("GET", "/requests")) as { data: { status: number }[] }).data,
		stop: () => child.kill("SIGTERM"),
	};
}

/** Opens the session of one run. */
export function openSession({ url, apiKey }: Pick<Service, "url" | "apiKey">) {
	const session = new Session({
		env: { TELEPHONY_API_KEY: apiKey, TELEPHONY_BASE_URL: url, PULUMI_BACKEND_URL: "https://bench.example" },
		progress: { status: () => {}, warn: () => {}, inform: () => {}, debug: () => {} },
		// A new process knows nothing of the service.
		wire: { states: new Map() },
	});
	session.configure(() => undefined);
	return session;
}

/** The state of one number. */
export interface Entry {
	readonly id: string;
	readonly inputs: Record<string, unknown>;
	readonly outs: Record<string, unknown>;
}

/** Buys a number for each index, and adds its state. */
export async function buyAll(number: ReturnType<typeof numberHandler>, state: Entry[], indices: readonly number[]) {
	await each(indices, 16, async (index) => {
		const __resourceUrn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/telephony:Number::n${index}`;
		const { inputs } = await number.check({}, { country: "NL", type: "geographic", label: "Desk", __resourceUrn });
		state.push({ inputs, ...(await number.create(inputs)) });
	});
}

/** Does the work for each item, `parallelism` at a time. */
export async function each<T>(
	items: Iterable<T>,
	parallelism: number,
	work: (item: T) => Promise<unknown>,
): Promise<void> {
	const rest = items[Symbol.iterator]();
	const lane = async () => {
		for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
	};
	await Promise.all(Array.from({ length: parallelism }, lane));
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
