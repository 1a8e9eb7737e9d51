/** Sends requests: within the service's limits, in its names, and again if that is safe. */
import { checkedApiKey, checkedBaseUrl, pathOf } from "./address";
import { type Clock, systemClock } from "./clock";
import { type Feature, features, featuresHeader, type Operation, type OperationName, operations } from "./contract";
import { recordOf } from "./description/records";
import { type ServiceDescription, serviceDescriptionOf } from "./description/service-description";
import { isGone, isTelephonyError, nextStep, saysNotOffered, TelephonyError } from "./errors";
import { Limiter } from "./limiter";
import type { MessageCode } from "./message-codes";
import { errorCodeOf, noResponse } from "./no-response";
import type { Stated } from "./offer";
import type { Page } from "./pages";
import { Secrets } from "./redact";
import {
	hasReference,
	isReplayed,
	leftOutWarning,
	type Reading,
	type ResponseOf,
	readResponse,
	requestIdIn,
	type ServiceResponse,
} from "./response";
import {
	defaultRetry,
	type FailedTry,
	isPassedOn,
	mayBeCarriedOut,
	outcomeUnknown,
	type RetryPolicy,
	retryAfterMs,
	retryDelay,
} from "./retry";
import { pauses, until, type Waiter } from "./until";
import { type Call, type RawResponse, type Timeouts, Wire } from "./wire";

export interface TransportOptions {
	/** With the version segment, such as `https://api.example.com/v1`. https only, except for loopback and `allowHttp`. */
	readonly baseUrl: string;
	/** Exact names of hosts that may get the key over plain http, such as an emulator in another container. */
	readonly allowHttp?: readonly string[];
	readonly apiKey: string;
	/** Features that the service offers or lacks. They win over what responses show. */
	readonly features?: Stated;
	/** A service description, as docs/guides/your-service.md shows it, or one that was checked before. */
	readonly service?: unknown;
	readonly timeouts?: Timeouts;
	/** Requests under way from this process to one service; the first client of the service decides. @default 16 */
	readonly concurrency?: number;
	readonly retry?: Partial<RetryPolicy>;
	readonly clock?: Clock;
	/** In [0, 1); spreads the retries. */
	readonly random?: () => number;
	/** Secrets to mask, shared with everything else that reports on this client's requests. */
	readonly secrets?: Secrets;
	/** Gets one redacted line per request: method, path, status, ms, request_id. */
	readonly log?: (line: string) => void;
	/** Gets one warning for each field that the service shows in another type, and that is left out of its records. */
	readonly warn?: (code: MessageCode, text: string) => void;
	/** Shared by clients of one service. @default those of this process, so that its clients share one limit */
	readonly states?: ServiceStates;
	/** Once it aborts, nothing more is sent. Reads end, and writes under way get their responses. Its reason says why. */
	readonly ending?: AbortSignal;
}

/** Shared by all clients of one service in a process. */
interface ServiceState {
	readonly limiter: Limiter;
	/** Features that its responses show: a header names all of them, and a response to an operation shows its own. */
	readonly offered: Map<Feature, boolean>;
	/** Lists that refuse the parameter `limit`: the public description of the service doesn't show it. */
	readonly unlimited: Set<OperationName>;
}
/** By the service's address. */
export type ServiceStates = Map<string, ServiceState>;
const ofThisProcess: ServiceStates = new Map();

/** The operations whose response has this data. */
export type OperationOf<R> = { [N in OperationName]: ResponseOf<N> extends R ? N : never }[OperationName];

export class Transport {
	/** Without a trailing slash. */
	readonly #baseUrl: string;
	readonly #options: TransportOptions;
	readonly #clock: Clock;
	readonly #retry: RetryPolicy;
	readonly #wire: Wire;
	readonly #service: ServiceState;
	readonly #stated: Stated;
	readonly #description: ServiceDescription;
	/** Records as last read, in the service's names, by kind and id: for changes that send more than the changed fields. */
	readonly #records = new Map<string, unknown>();
	readonly #secrets: Secrets;
	readonly #ending: AbortSignal | undefined;
	/** Fields that a warning has named, by the kind of record. */
	readonly #leftOut = new Set<string>();
	/** The service's time minus ours, ms. */
	#ahead = 0;

	constructor(options: TransportOptions) {
		this.#baseUrl = checkedBaseUrl(options.baseUrl, options.allowHttp);
		const apiKey = checkedApiKey(options.apiKey);
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.#retry = { ...defaultRetry, ...options.retry };
		this.#description = serviceDescriptionOf(options.service, "the option `service`");
		this.#stated = new Map([...this.#description.features, ...(options.features ?? [])]);
		this.#secrets = options.secrets ?? new Secrets();
		this.#secrets.addKey(apiKey);
		this.#ending = options.ending;
		this.#wire = new Wire(this.#baseUrl, apiKey, options.timeouts);
		const states = options.states ?? ofThisProcess;
		this.#service = states.get(this.#baseUrl) ?? {
			limiter: new Limiter({
				clock: this.#clock,
				concurrency: options.concurrency ?? 16,
				longestWaitMs: this.#retry.longestWaitMs,
			}),
			offered: new Map(),
			unlimited: new Set(),
		};
		states.set(this.#baseUrl, this.#service);
	}

	/**
	 * True if the service offers the feature. In order of precedence: `features`, the service description, its last response
	 * that shows it, the contract.
	 */
	offers(feature: Feature): boolean {
		return this.#findOffer(feature) ?? true;
	}

	/** True if the stack declares, or the service shows, whether it offers the feature. Otherwise the contract decides. */
	knows(feature: Feature): boolean {
		return this.#findOffer(feature) !== undefined;
	}

	#findOffer(feature: Feature): boolean | undefined {
		return this.#stated.get(feature) ?? this.#service.offered.get(feature);
	}

	/** The time at the service by its last response, to the second; ours until there is one. */
	now(): number {
		return this.#clock.now() + this.#ahead;
	}

	/** Sends the operation and returns its parsed response. @throws TelephonyError */
	send<N extends OperationName>(name: N, call?: Call): Promise<ServiceResponse<ResponseOf<N>>>;
	send<R>(name: OperationOf<R>, call?: Call): Promise<ServiceResponse<R>>;
	async send(name: OperationName, call: Call = {}): Promise<ServiceResponse<unknown>> {
		const operation: Operation = operations[name];
		await this.#readBefore(name, call);
		const signal = call.signal ?? this.#ending;
		const { limiter } = this.#service;
		let mayBeDone = false;
		for (let attempt = 1; ; attempt++) {
			const outcome = await limiter.run(kindOf(operation, call), () => this.#try(name, operation, call), signal);
			if (!("failed" in outcome)) return outcome;
			const { failed, sent } = outcome;
			mayBeDone = mayBeCarriedOut(mayBeDone, failed, sent);
			const ms = this.#delayAfter(attempt, operation, call, outcome);
			if (ms === undefined) throw operation.method === "POST" && mayBeDone ? outcomeUnknown(failed) : failed;
			await limiter.delay(ms, signal);
		}
	}

	/** Reads the record that a change is built from. A change of all of it needs the record as it is now. */
	async #readBefore(name: OperationName, { segment = "", signal }: Call): Promise<void> {
		const read = this.#description.readBefore(name);
		if (read === undefined) return;
		if (this.#records.has(recordKey(name, segment)) && !this.#description.offeredTarget(name).whole) return;
		// A service may show a new record late.
		const patience = { for: pauses.written, passes: isGone };
		await until(
			this.run(signal),
			() => this.send(read, { segment, signal }),
			() => true,
			patience,
		);
	}

	/** Milliseconds until the next try; undefined if there is none. */
	#delayAfter(attempt: number, operation: Operation, call: Call, outcome: FailedTry): number | undefined {
		if (call.signal?.aborted || this.#ending?.aborted) return undefined;
		// A POST is repeated only under a key that the service is known to honor. Otherwise it could buy twice.
		const isKeyed = call.idempotencyKey !== undefined && this.knows("idempotencyKey") && this.offers("idempotencyKey");
		const isRepeatable = operation.method !== "POST" || isKeyed;
		return retryDelay(outcome, { attempt, isRepeatable }, this.#retry, this, this.#options.random ?? Math.random);
	}

	/** Requests a page of a list, with `limit` unless the list has refused it. */
	async list<Item>(name: OperationOf<Page<Item>>, call: Call = {}): Promise<ServiceResponse<Page<Item>>> {
		const { unlimited } = this.#service;
		if (!unlimited.has(name)) {
			try {
				return await this.send<Page<Item>>(name, { ...call, query: { ...call.query, limit: 100 } });
			} catch (error) {
				if (!isTelephonyError(error, "Invalid")) throw error;
			}
		}
		// If the service refused something else, it refuses it again.
		const page = await this.send<Page<Item>>(name, call);
		unlimited.add(name);
		return page;
	}

	/** Says why requests of this process wait, for people; undefined if they don't. */
	waitingFor(): string | undefined {
		const { waiting, pauseMs, rate } = this.#service.limiter;
		if (waiting === 0) return undefined;
		const queue = `${waiting} ${waiting === 1 ? "request is" : "requests are"} waiting`;
		if (pauseMs > 0) return `the service requests a pause of ${Math.ceil(pauseMs / 1000)} s, ${queue}`;
		const { perSecond } = rate;
		if (perSecond === undefined) return undefined;
		return `the service accepts about ${Math.round(perSecond)} requests a second, ${queue}`;
	}

	/** For waits between requests: they end early if nothing more is to be sent. */
	run(signal: AbortSignal | undefined): Waiter {
		return { clock: this.#clock, ending: signal ?? this.#ending };
	}

	/** Ends open connections. */
	close(): Promise<void> {
		return this.#wire.close();
	}

	async #try(name: OperationName, operation: Operation, call: Call): Promise<ServiceResponse<unknown> | FailedTry> {
		const target = this.#description.offeredTarget(name);
		const doing = `${target.method} ${pathOf(target, call.segment)}`;
		const { limiter } = this.#service;
		const { pauseMs } = limiter;
		if (this.#ending?.aborted) return { failed: this.#interrupted(name, `${doing} was not sent`), sent: false };
		if (pauseMs > this.#retry.longestWaitMs) {
			const message = `${doing} was not sent: the service requests a pause of ${Math.ceil(pauseMs / 1000)} s. ${nextStep("RateLimited")}`;
			return { failed: new TelephonyError("RateLimited", message, { operation: name }), sent: false, last: true };
		}
		const body = typeof call.body === "function" ? call.body() : call.body;
		const secrets = this.#secrets.note(body);
		const redact = (text: string) => this.#secrets.mask(text, secrets);
		const redactId = (text: string) => this.#secrets.maskOnly(text, secrets);
		const request = this.#description.request(name, call, body, this.#records.get(recordKey(name, call.segment)));
		const started = this.#clock.now();
		let response: RawResponse;
		try {
			response = await this.#wire.send(request, this.#signalOf(operation, call));
		} catch (error) {
			this.#options.log?.(`${doing} ${errorCodeOf(error)} ${this.#clock.now() - started} ms`);
			if (this.#ending?.aborted && isRead(operation))
				return { failed: this.#interrupted(name, `${doing} was aborted`), sent: true };
			return noResponse({ operation: name, doing, baseUrl: this.#baseUrl, proxy: this.#wire.proxy, error, redact });
		}
		const requestId = requestIdIn(response, redactId);
		this.#options.log?.(`${doing} ${response.status} ${this.#clock.now() - started} ms ${requestId ?? "-"}`);
		this.#learn(response);
		const { query = {} } = call;
		const outcome = this.#read(response, { name, operation, id: call.segment, doing, query, requestId, redact });
		if ("failed" in outcome && outcome.failed.kind === "RateLimited") limiter.rate.slowDown(started);
		else limiter.accept(response.headers);
		return outcome;
	}

	/** Learns from a response to any operation. */
	#learn({ headers }: RawResponse): void {
		const { offered } = this.#service;
		const named = headers[featuresHeader]?.split(",").map((feature) => feature.trim());
		if (named !== undefined) for (const feature of features) offered.set(feature, named.includes(feature));
		const date = Date.parse(headers.date ?? "");
		if (!Number.isNaN(date)) this.#ahead = date - this.#clock.now();
	}

	/** Warns once of each field of a kind of record. */
	#warnOfLeftOut(name: OperationName, places: readonly string[]): void {
		const kind = recordOf(name)?.replace("_", " ") ?? name;
		const fresh = places.filter((place) => !this.#leftOut.has(`${kind} ${place}`));
		for (const place of fresh) this.#leftOut.add(`${kind} ${place}`);
		if (fresh.length > 0) this.#options.warn?.("unreadable-answer", leftOutWarning(kind, fresh));
	}

	#read(
		response: RawResponse,
		request: Omit<Reading, "description" | "keep" | "leaveOut">,
	): ServiceResponse<unknown> | FailedTry {
		const { name, operation } = request;
		const { offered, limiter } = this.#service;
		const description = this.#description;
		const replayed = isReplayed(response, description.replayedHeader);
		if (replayed) offered.set("idempotencyKey", true);
		const keep = (id: string, record: unknown) => {
			if (description.isKept(name)) this.#records.set(recordKey(name, id), record);
		};
		try {
			const leaveOut = (places: readonly string[]) => this.#warnOfLeftOut(name, places);
			const { data, isConfirmed } = readResponse({ ...request, description, keep, leaveOut }, response);
			// The record has changed, and the response doesn't show it.
			if (data === undefined) this.#records.delete(recordKey(name, request.id));
			this.#secrets.note(data);
			if (operation.feature !== undefined) offered.set(operation.feature, true);
			if (hasReference(data)) offered.set("reference", true);
			return { data, replayed, isConfirmed };
		} catch (error) {
			if (!isTelephonyError(error)) throw error;
			const retryAfter = response.headers["retry-after"];
			// Before the next request gets its turn.
			if (error.kind === "RateLimited" || error.status === 503) limiter.pause(retryAfterMs(retryAfter, this.now()));
			if (saysNotOffered(error) && operation.feature !== undefined) offered.set(operation.feature, false);
			return { failed: error, retryAfter, sent: isPassedOn(error) };
		}
	}

	#interrupted(operation: OperationName, what: string): TelephonyError {
		const message = `${what}: ${this.#ending?.reason}. ${nextStep("Interrupted")}`;
		return new TelephonyError("Interrupted", message, { operation });
	}

	/** At the end of the process reads are aborted. Writes aren't, as their responses would be lost. */
	#signalOf(operation: Operation, { signal }: Call): AbortSignal | undefined {
		if (this.#ending === undefined || !isRead(operation)) return signal;
		return signal === undefined ? this.#ending : AbortSignal.any([signal, this.#ending]);
	}
}

const isRead = ({ method }: Operation) => method === "GET";

const kindOf = (operation: Operation, { isPoll }: Call) => (isRead(operation) ? (isPoll ? "poll" : "read") : "write");

/** By the kind of record, as two kinds may share an id. */
const recordKey = (name: OperationName, id: string | undefined): string => `${recordOf(name)} ${id}`;
