/** A provider process in this process: the real handlers, virtual time, and a crash that loses what was under way. */
import { createRequire } from "node:module";
import type { Handler } from "../../provider/lifecycle/resource.ts";
import { InitFailed, type Values } from "../helpers/protocol.mts";
import { programFolder } from "./documents.mts";
import type { Provider } from "./engine.mts";

const require = createRequire(import.meta.url);
const { systemClock } = require("../../dist/provider/api/clock.js") as typeof import("../../provider/api/clock.ts");
const { Session } =
	require("../../dist/provider/session/session.js") as typeof import("../../provider/session/session.ts");
const { resources } =
	require("../../dist/provider/resources/index.js") as typeof import("../../provider/resources/index.ts");

export interface ProviderOptions {
	readonly service: { readonly url: string; readonly apiKey: string };
	readonly env?: Readonly<Record<string, string>>;
	readonly config?: Readonly<Record<string, string | undefined>>;
	/** Default: dev. */
	readonly stack?: string | undefined;
	/** The time of the service and the provider: a pause advances it. */
	readonly clock: { now(): number; advance(ms: number): void };
	/** True from the crash on. */
	isCrashed(): boolean;
	/** Called before each pause. */
	pausing(): void;
	say(line: string): void;
}

interface Failure {
	readonly id?: unknown;
	readonly reasons?: unknown;
	readonly properties?: unknown;
	readonly message: string;
	readonly cause?: unknown;
}

/** Returns the values as the engine's protocol carries them: plain JSON. */
const wire = (values: unknown): Values => JSON.parse(JSON.stringify(values ?? {})) as Values;

/** Returns the resource's class, which the frozen text of a state names in lower case. */
const typeOf = (values: Values): string =>
	(/provider"\)\.(\w+);/.exec(String(values.__provider))?.[1] ?? "").replace(/^./, (first) => first.toUpperCase());

/** Starts the provider of one run. */
export function openProvider(options: ProviderOptions): Provider {
	const { service, env, config = {}, stack = "dev", clock, isCrashed, pausing, say } = options;
	let ending: Promise<void> | undefined;
	let die: (reason: Error) => void = () => {};
	const death = new Promise<never>((_, reject) => {
		die = reject;
	});
	death.catch(() => {});
	const kill = () => {
		ending ??= session.close();
		die(new Error("killed"));
		return ending;
	};
	const sleep = async (ms: number) => {
		// A dead process never wakes up.
		if (ending !== undefined || isCrashed()) {
			void kill();
			return new Promise<void>(() => {});
		}
		pausing();
		clock.advance(Math.max(0, ms));
		await new Promise((resolve) => setImmediate(resolve));
	};
	const session = new Session({
		env: {
			TELEPHONY_API_KEY: service.apiKey,
			TELEPHONY_BASE_URL: service.url,
			PULUMI_BACKEND_URL: "https://state.example",
			...env,
		},
		cwd: programFolder(),
		clock: { ...systemClock, now: () => clock.now(), sleep },
		random: () => 0.5,
		// A new process knows nothing of the service.
		wire: { states: new Map(), timeouts: { total: 2_000 } },
		progress: {
			status: () => {},
			warn: (_, text) => say(`  [warning] ${text}`),
			inform: () => {},
			debug: (text) => say(`  [log] ${text}`),
		},
	});
	const handlers: Readonly<Record<string, Handler>> = Object.fromEntries(
		Object.entries(resources).map(([type, { handler }]) => [type, handler(session)]),
	);
	for (const handler of Object.values(handlers)) void handler.configure({ config: { get: (key) => config[key] } });

	const call = async <T,>(values: Values, work: (handler: Handler) => Promise<T>): Promise<T> => {
		try {
			const response = await Promise.race([work(handlers[typeOf(values)] as Handler), death]);
			if (!isCrashed()) return response;
		} catch (error) {
			const { id, reasons, properties, message, cause } = error as Failure;
			if (ending === undefined && !isCrashed()) {
				if (!Array.isArray(reasons)) throw error;
				const props = wire(properties);
				const failed = new InitFailed(message, {
					code: 0,
					id: String(id),
					reasons,
					props,
					refreshesBeforeUpdate: false,
				});
				throw Object.assign(failed, { cause });
			}
		}
		await kill();
		throw new Error("killed");
	};
	const withProvider = (values: unknown, { __provider }: Values): Values => ({ ...wire(values), __provider }) as Values;
	return {
		get isKilled() {
			return ending !== undefined;
		},
		check: (news, olds = {}) =>
			call(news, async (handler) => {
				const __resourceUrn = String(news.__resourceUrn).replace(/^urn:pulumi:\w+/, `urn:pulumi:${stack}`);
				const { inputs, failures } = await handler.check(olds, { ...news, __resourceUrn });
				return { inputs: wire(inputs), failures: failures.map(({ reason }) => reason) };
			}),
		diff: (id, olds, news) =>
			call(news, async (handler) => {
				const { changes, replaces } = await handler.diff(id, olds, news);
				return { changes, replaces: replaces.length > 0, detail: {} };
			}),
		create: (inputs) =>
			call(inputs, async (handler) => {
				const { id, outs } = await handler.create(inputs);
				return { id, props: withProvider(outs, inputs) };
			}),
		read: (id, props) =>
			call(props, async (handler) => {
				const read = await handler.read(id, props);
				return { id: read.id ?? "", props: withProvider(read.props, props), inputs: wire(read.inputs) };
			}),
		update: (id, olds, news) =>
			call(news, async (handler) => withProvider((await handler.update(id, olds, news)).outs, news)),
		delete: (id, props) => call(props, (handler) => handler.delete(id, props)),
		session,
		kill,
	};
}
