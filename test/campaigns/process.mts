/** A provider process that is none: the handlers in this one, with a clock that is turned, and a crash that looks like one. */
import { createRequire } from "node:module";
import type { Handler } from "../../provider/lifecycle/resource.ts";
import { told } from "../helpers/dialect.mts";
import type { Host, Values } from "./host.mts";
import { InitFailed } from "./host.mts";
import { papersFolder } from "./papers.mts";

const require = createRequire(import.meta.url);
const { Session } =
	require("../../dist/provider/session/session.js") as typeof import("../../provider/session/session.ts");
const { resources } =
	require("../../dist/provider/resources/index.js") as typeof import("../../provider/resources/index.ts");

export interface ProcessOptions {
	readonly service: { readonly url: string; readonly apiKey: string };
	readonly env?: Readonly<Record<string, string>>;
	readonly config?: Readonly<Record<string, string | undefined>>;
	/** The name of the stack. Default: dev. */
	readonly stack?: string | undefined;
	/** What drips or never answers is given up after so many ms of real time. Default: two seconds. */
	readonly patienceMs?: number | undefined;
	/** The time of service and provider alike: to sleep is to turn it. */
	readonly clock: { now(): number; advance(ms: number): void };
	/** True from the moment of the crash on. */
	crashed(): boolean;
	/** Before each pause. */
	pausing(): void;
	say(line: string): void;
}

interface Reasoned {
	readonly id?: unknown;
	readonly reasons?: unknown;
	readonly properties?: unknown;
	readonly message: string;
}

/** What the wire makes of values: plain JSON. */
const wire = (values: unknown): Values => JSON.parse(JSON.stringify(values ?? {})) as Values;

/** The frozen text of a state names the export, which is the type in lower case. */
const typeOf = (values: Values): string =>
	(/provider"\)\.(\w+);/.exec(String(values.__provider))?.[1] ?? "").replace(/^./, (first) => first.toUpperCase());

/** A run of the engine's has one; the next run a new one. */
export function openProcess({
	service,
	env,
	config = {},
	stack = "dev",
	patienceMs = 2_000,
	clock,
	crashed,
	pausing,
	say,
}: ProcessOptions): Host {
	let ending: Promise<void> | undefined;
	let die: (reason: Error) => void = () => {};
	const death = new Promise<never>((_, reject) => {
		die = reject;
	});
	death.catch(() => {});
	/** Resolves once nothing that it has sent is under way any more. */
	const kill = () => {
		ending ??= session.service().then(({ client }) => client.close());
		die(new Error("killed"));
		return ending;
	};
	const session = new Session({
		env: {
			TELEPHONY_API_KEY: service.apiKey,
			TELEPHONY_BASE_URL: service.url,
			PULUMI_BACKEND_URL: "https://state.example",
			...told,
			...env,
		},
		cwd: papersFolder(),
		clock: {
			now: () => clock.now(),
			async sleep(ms) {
				// What is dead never wakes up.
				if (ending !== undefined || crashed()) {
					void kill();
					return new Promise(() => {});
				}
				pausing();
				clock.advance(Math.max(0, ms));
				await new Promise((resolve) => setImmediate(resolve));
			},
		},
		random: () => 0.5,
		// A process starts with nothing known of the service.
		wire: { states: new Map(), timeouts: { total: patienceMs } },
		progress: {
			status: () => {},
			warn: (_, text) => say(`  [warning] ${text}`),
			debug: (text) => say(`  [log] ${text}`),
		},
	});
	const handlers: Readonly<Record<string, Handler>> = Object.fromEntries(
		Object.entries(resources).map(([type, { handler }]) => [type, handler(session)]),
	);
	for (const handler of Object.values(handlers)) void handler.configure({ config: { get: (key) => config[key] } });

	const call = async <T,>(values: Values, work: (handler: Handler) => Promise<T>): Promise<T> => {
		try {
			const answer = await Promise.race([work(handlers[typeOf(values)] as Handler), death]);
			if (!crashed()) return answer;
		} catch (error) {
			const { id, reasons, properties, message } = error as Reasoned;
			if (ending === undefined && !crashed()) {
				if (!Array.isArray(reasons)) throw error;
				const props = wire(properties);
				throw new InitFailed(message, { code: 0, id: String(id), reasons, props, refreshesBeforeUpdate: false });
			}
		}
		await kill();
		throw new Error("killed");
	};
	return {
		get killed() {
			return ending !== undefined;
		},
		check: (news, olds = {}) =>
			call(news, async (handler) => {
				const resourceUrn = String(news.resourceUrn).replace(/^urn:pulumi:\w+/, `urn:pulumi:${stack}`);
				const { inputs, failures } = await handler.check(olds, { ...news, resourceUrn });
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
				return { id, props: { ...wire(outs), __provider: inputs.__provider } as Values };
			}),
		read: (id, props) =>
			call(props, async (handler) => {
				const read = await handler.read(id, props);
				return {
					id: read.id ?? "",
					props: { ...wire(read.props), __provider: props.__provider } as Values,
					inputs: wire(read.inputs),
				};
			}),
		update: (id, olds, news) =>
			call(news, async (handler) => {
				const { outs } = await handler.update(id, olds, news);
				return { ...wire(outs), __provider: news.__provider } as Values;
			}),
		delete: (id, props) => call(props, (handler) => handler.delete(id, props)),
		kill,
	};
}
