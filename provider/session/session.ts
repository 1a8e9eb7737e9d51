/** The session of one provider process: configuration, client, reads, waits, time, and the run's memory. */
import { setMaxListeners } from "node:events";
import { type Client, createClient } from "../api/client";
import { systemClock, type TimerClock } from "../api/clock";
import type { NumberRecord } from "../api/contract";
import { isReleasedOrFailed } from "../api/record";
import { Secrets } from "../api/redact";
import type { TransportOptions } from "../api/transport";
import type { Referenced } from "../ownership/claim";
import { KeptReferences } from "../ownership/kept-references";
import { Memory } from "../ownership/memory";
import { acceptsUnknownNumbers } from "../properties/phone";
import type { Accepted } from "../properties/table";
import { AccountCheck, type KnownKind } from "../reads/account-check";
import { assertPinned } from "../reads/account-pin";
import { Poller } from "../reads/poller";
import { Prices } from "../reads/prices";
import { SharedReads, type Source } from "../reads/reads";
import { accountWarning, type Config, type ConfigSource, readConfig } from "./config";
import { forEachKind, type Kind, kinds, type RecordOf } from "./kinds";
import { Spending } from "./limits";
import { type Progress, type Reports, redacting, stderrProgress } from "./progress";
import { variableWarnings } from "./setting-names";

export interface SessionOptions {
	readonly env?: NodeJS.ProcessEnv;
	readonly cwd?: string;
	readonly clock?: TimerClock;
	readonly random?: () => number;
	readonly progress?: Progress;
	/** For a process that is simulated in this one. */
	readonly wire?: Pick<TransportOptions, "states" | "timeouts">;
}

export interface Service {
	readonly client: Client;
	readonly config: Config;
	readonly reads: { readonly [K in Kind]: SharedReads<RecordOf<K>> };
	readonly numbers: SharedReads<NumberRecord>;
	readonly account: AccountCheck;
	readonly references: KeptReferences;
	readonly prices: Prices;
	readonly waits: { readonly [K in Kind]: Poller<RecordOf<K>> };
}

export class Session {
	readonly clock: TimerClock;
	readonly random: () => number;
	readonly secrets = new Secrets();
	/** Masks secrets. */
	readonly progress: Reports;
	/** Declarations of this run, and holders of objects. */
	readonly memory = { ...forEachKind(() => new Memory()), pool: new Memory() } as const;
	/** Purchases and releases of this process, for the limits of the run. */
	readonly spending = new Spending();
	/** Aborts when the process has to end: waits end, and nothing more is sent. Its reason is a clause for messages. */
	readonly ending: AbortSignal;
	readonly #ending = new AbortController();
	/** Runs the work of one call. The end of the process waits for calls under way. */
	track: <T>(work: () => Promise<T>) => Promise<T> = (work) => work();
	/** The program's folder: the engine starts providers there. */
	readonly cwd: string;
	readonly #env: NodeJS.ProcessEnv;
	readonly #wire: SessionOptions["wire"];
	#stack: Promise<ConfigSource>;
	#configure: ((stack: ConfigSource) => void) | undefined;
	#config: Config | undefined;
	#service: Service | undefined;
	#hasWarned = false;

	constructor(options: SessionOptions = {}) {
		this.#env = options.env ?? process.env;
		this.cwd = options.cwd ?? process.cwd();
		this.clock = options.clock ?? systemClock;
		this.random = options.random ?? Math.random;
		this.#wire = options.wire;
		this.progress = redacting(options.progress ?? stderrProgress(), (text) => this.secrets.mask(text));
		this.ending = this.#ending.signal;
		// Each wait for a retry adds a listener.
		setMaxListeners(0, this.ending);
		// The host calls configure only once, and other calls may overtake it, so all wait for this promise.
		this.#stack = new Promise((resolve) => {
			this.#configure = resolve;
		});
	}

	// These are bound to this session, as `reporting` returns another object.

	/** Sets the stack's configuration. The engine passes it once per resource type, always the same. */
	readonly configure = (stack: ConfigSource): void => this.#configure?.(stack);

	/** Sets the configuration of the next operation, which starts with an empty memory. */
	readonly reconfigure = (stack: ConfigSource): void => {
		this.#stack = Promise.resolve(stack);
		this.#config = undefined;
		this.#service = undefined;
		this.spending.clear();
	};

	/** Ends waits and sends nothing more. `why` is a clause for messages, such as `the run was interrupted`. */
	readonly end = (why: string): void => this.#ending.abort(why);

	/** Returns the stack's configuration once it is set. */
	readonly stack = (): Promise<ConfigSource> => this.#stack;

	/** Returns warnings of misspelled variables, and nothing when called again. */
	readonly takeVariableWarnings = (): string[] => {
		if (this.#hasWarned) return [];
		this.#hasWarned = true;
		return variableWarnings(this.#env);
	};

	readonly accepted = (): Accepted => ({ unknownNumbers: acceptsUnknownNumbers(this.#env) });

	/** @throws TelephonyError of kind Config */
	readonly config = async (): Promise<Config> => {
		const stack = await this.#stack;
		if (this.#config === undefined) {
			this.#config = readConfig(stack, this.#env, this.cwd);
			const warning = accountWarning(stack, this.#env);
			if (warning !== undefined) this.progress.warn("", "config", warning);
		}
		return this.#config;
	};

	/** Compares the pinned account before anyone gets the service. @throws TelephonyError Config, or as a read */
	readonly service = async (): Promise<Service> => {
		const config = await this.config();
		this.#service ??= this.#connect(config);
		const service = this.#service;
		await service.account.assertPinned();
		return service;
	};

	/** Closes the connections to the service, if there are any. */
	readonly close = async (): Promise<void> => this.#service?.client.close();

	/** Returns what requests wait for, in words; undefined if they don't wait. */
	readonly waitingFor = (): string | undefined => this.#service?.client.waitingFor();

	reporting(progress: Reports): Session {
		return Object.create(this, { progress: { value: progress } });
	}

	#connect(config: Config): Service {
		const { apiKey, baseUrl, account, allowHttp, features, service } = config;
		const { clock, random, ending, secrets } = this;
		const client = createClient({
			...{ apiKey, baseUrl, allowHttp, features, service, clock, random, ending, secrets },
			...this.#wire,
			// No resource is at fault: the whole list may be in this form.
			warn: (code, text) => this.progress.warn("", code, text),
			...(this.#env.TELEPHONY_LOG === "debug" ? { log: (line) => this.progress.debug(line) } : {}),
		});
		const reads = forEachKind(
			(kind) => new SharedReads(kinds[kind](client) as Source<Referenced>, clock, ending),
		) as unknown as Service["reads"];
		return {
			client,
			config,
			reads,
			numbers: reads.number,
			prices: new Prices(client),
			references: new KeptReferences(),
			account: new AccountCheck({
				...{ clock, baseUrl },
				acceptsEmpty: this.#env.TELEPHONY_ACCEPT_EMPTY_ACCOUNT === "yes",
				...(account && { comparePin: () => assertPinned(client, account, baseUrl) }),
				kinds: Object.values(forEachKind((kind) => objectsOf(kind, this.memory[kind], reads[kind]))),
				released: () => releasedNumbers(client),
			}),
			waits: forEachKind(
				(kind) => new Poller(reads[kind] as unknown as SharedReads<Referenced>, clock, random, ending),
			) as unknown as Service["waits"],
		};
	}
}

const objectsOf = (
	noun: Kind,
	{ older, made }: Memory,
	reads: Pick<SharedReads<Referenced>, "all" | "readCurrent">,
): KnownKind => ({
	noun,
	older,
	made,
	live: () => reads.all(),
	read: (id) => reads.readCurrent(id),
});

/** A service may ignore the filter. */
async function* releasedNumbers(client: Client): AsyncGenerator<NumberRecord[]> {
	for await (const page of client.numbers.pages({ status: "released" })) yield page.filter(isReleasedOrFailed);
}
