/** The service of the benchmarks, and the provider in this process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";

export const root = resolve(fileURLToPath(import.meta.url), "../../..");
const require = createRequire(import.meta.url);

/** Loads a module of the built package. */
const built = <T,>(path: string): T => require(`../../dist/${path}.js`) as T;

export const { createClient } = built<typeof import("../../provider/api/client.ts")>("provider/api/client");
export const { numberHandler } = built<typeof import("../../provider/resources/number/handler.ts")>(
	"provider/resources/number/handler",
);
const { Session } = built<typeof import("../../provider/session/session.ts")>("provider/session/session");

export interface Service {
	readonly url: string;
	/** Environment of a process that uses the service. */
	readonly env: { readonly TELEPHONY_API_KEY: string; readonly TELEPHONY_BASE_URL: string };
	setLatency(ms: number): Promise<unknown>;
	/** Changes settings of the emulator. */
	set(settings: object): Promise<unknown>;
	/** Number of requests so far. */
	requests(): Promise<number>;
	stop(): void;
}

export const apiKey = "emulator-key";

/** Starts a checkout's emulator in another process, which takes no time from the subjects. */
export async function startService(checkout: string = root): Promise<Service> {
	const options = ["--memory", "--port", "0", "--keep-requests", "1000000", "--kyc", "immediate"];
	const child = spawn(process.execPath, ["bin/telephony", "emulator", ...options], {
		cwd: checkout,
		stdio: ["ignore", "pipe", "inherit"],
	});
	const [line] = (await once(createInterface(child.stdout), "line")) as [string];
	const url = /listening on (\S+)/.exec(line)?.[1];
	if (url === undefined) throw new Error(line);
	child.stdout.resume();
	const control = async (path: string, init?: RequestInit): Promise<unknown> => {
		const response = await fetch(url.replace(/v1$/, `_emulator${path}`), init);
		if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
		return response.json();
	};
	const set = (settings: object): Promise<unknown> =>
		control("/settings", {
			method: "PATCH",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(settings),
		});
	return {
		url,
		env: { TELEPHONY_API_KEY: apiKey, TELEPHONY_BASE_URL: url },
		set,
		setLatency: (latencyMs) => set({ latencyMs }),
		requests: async () => ((await control("/requests")) as { data: unknown[] }).data.length,
		stop: () => child.kill("SIGTERM"),
	};
}

/** Returns the numbers' handler in the session of a new run. */
export function openRun({ env }: Service): ReturnType<typeof numberHandler> {
	const session = new Session({
		env: { ...env, PULUMI_BACKEND_URL: "https://bench.example" },
		progress: { status: () => {}, warn: () => {}, inform: () => {}, debug: () => {} },
		// A new process knows nothing of the service.
		wire: { states: new Map() },
	});
	session.configure(() => undefined);
	return numberHandler(session);
}

/** The state of one number. */
export interface Entry {
	readonly id: string;
	readonly inputs: Record<string, unknown>;
	readonly outs: Record<string, unknown>;
}

/** Buys until the state has `count` numbers. */
export async function grow(service: Service, state: Entry[], count: number): Promise<void> {
	const number = openRun(service);
	// The engine reports existing resources first.
	for (const { id, inputs, outs } of state) await number.diff(id, outs, (await number.check(inputs, inputs)).inputs);
	const missing = Array.from({ length: count - state.length }, (_, index) => state.length + index);
	await pLimit(16).map(missing, async (index) => {
		const __resourceUrn = `urn:pulumi:dev::bench::pulumi-nodejs:dynamic/telephony:Number::n${index}`;
		const { inputs } = await number.check({}, { country: "NL", type: "geographic", label: "Desk", __resourceUrn });
		state.push({ inputs, ...(await number.create(inputs)) });
	});
}
