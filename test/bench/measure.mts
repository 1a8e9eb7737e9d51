/** What the benchmarks share: a service of their own, runs in turns, exact counts, figures. */
import { spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(import.meta.url), "../../..");
const require = createRequire(import.meta.url);

/** A module of the built package, as its users load it. */
export const built = <T,>(path: string): T => require(`../../dist/${path}.js`) as T;

export const { createClient } = built<typeof import("../../provider/api/client.ts")>("provider/api/client");
export const { numberHandler } = built<typeof import("../../provider/resources/number/handler.ts")>(
	"provider/resources/number/handler",
);
const { Session } = built<typeof import("../../provider/session/session.ts")>("provider/session/session");

/** One line of a benchmark's table. */
export interface Figure {
	/** B1 to B10. */
	readonly benchmark: string;
	/** What was done, such as `refresh`. */
	readonly work: string;
	/** How much of it, and where, such as `1,000 numbers, 20 ms`. */
	readonly setting: string;
	/** Who did it. */
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
	/** For a look in passing: less of everything, and ratios that say little. */
	readonly quick: boolean;
	/** Of each subject: the least, and the most for what varies. */
	readonly runs: { readonly least: number; readonly most: number };
	readonly progress: (line: string) => void;
}

export interface Subject {
	readonly name: string;
	/** What isn't measured: before each run. */
	prepare?(): Promise<void>;
	/** Answers what it has measured itself, in the figure's unit; else its wall time counts. */
	run(): Promise<unknown>;
}

/** What is measured of several subjects in one setting. The one that is added last is what the others are compared with. */
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

	/** Adds the wall time of the work, or what it answers. Requests of other processes are counted at the service. */
	async time(subject: string, work: () => Promise<unknown>, service?: Service): Promise<void> {
		const count = async () => (service === undefined ? sent : (await service.requests()).length);
		const before = await count();
		const started = performance.now();
		const own = await work();
		const ms = performance.now() - started;
		this.add(
			subject,
			typeof own === "number" ? own : this.#about.unit === "s" ? ms / 1000 : ms,
			(await count()) - before,
		);
	}

	/** Whether more runs would hardly change a median. */
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

/** Of the median. */
const settledSpread = 0.15;

/** The numbers of the rounds that are due, from 1, with what that round is called. */
export function* rounds({ least, most }: Plan["runs"], samples: readonly Samples[]): Generator<string> {
	for (let round = 1; round <= most; round++) {
		if (round > least && samples.every(({ isSettled }) => isSettled)) return;
		yield `${round} of ${round < least ? least : most}`;
	}
}

/** Each subject in turn, round by round. */
export async function inTurns(
	{ runs }: Pick<Plan, "runs">,
	about: Pick<Figure, "benchmark" | "work" | "setting" | "unit">,
	subjects: readonly Subject[],
): Promise<Figure[]> {
	const samples = new Samples(about);
	for (const _ of rounds(runs, [samples]))
		for (const { name, prepare, run } of subjects) {
			await prepare?.();
			await samples.time(name, run);
		}
	return samples.figures();
}

const medianOf = (values: readonly number[]): number =>
	[...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

/** Three digits that count. */
export const rounded = (value: number): number => Number(value.toPrecision(3));

/** Requests that this process has sent, ours and those of `fetch`. */
let sent = 0;
subscribe("undici:request:create", () => sent++);

export interface Service {
	readonly url: string;
	readonly apiKey: string;
	control(method: string, path: string, body?: object): Promise<unknown>;
	/** What it has got so far, in order. */
	requests(): Promise<readonly { readonly status: number }[]>;
	stop(): void;
}

/** The emulator in a process of its own, so that it takes no time from what is measured. */
export async function startService(...args: string[]): Promise<Service> {
	const own = ["--memory", "--port", "0", "--keep-requests", "1000000"];
	const child = spawn(process.execPath, ["bin/telephony", "emulator", ...own, ...args], {
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

/** As one run of `pulumi` has it. */
export function openSession({ url, apiKey }: Pick<Service, "url" | "apiKey">, name = "bench") {
	const session = new Session({
		env: { TELEPHONY_API_KEY: apiKey, TELEPHONY_BASE_URL: url, PULUMI_BACKEND_URL: `https://${name}.example` },
		progress: { status: () => {}, warn: () => {}, debug: () => {} },
		// Nothing that another run has learnt.
		wire: { states: new Map() },
	});
	session.configure(() => undefined);
	return session;
}

export const urnOf = (name: string): string => `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/telephony:Number::${name}`;

/** Does the work for each item, this many at a time. */
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
