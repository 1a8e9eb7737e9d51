/** Sends a request within the service's limits, and again where that is safe. */
import { checkedApiKey, checkedBaseUrl, pathOf } from "./address";
import {
	type Answer,
	type AnswerOf,
	hasReference,
	isReplayed,
	type RawAnswer,
	type Reading,
	readAnswer,
	requestIdIn,
} from "./answer";
import { type Clock, systemClock } from "./clock";
import { type Feature, featuresHeader, type Operation, type OperationName, operations } from "./contract";
import { Interpreter } from "./dialect/interpreter";
import { isTelephonyError, mayBeWrongAddress, nextStep, saysNotOffered, TelephonyError } from "./errors";
import { Offer, type Stated } from "./offer";
import { Pace } from "./pace";
import { Secrets } from "./redact";
import { defaultRetry, nextTokenIn, type RetryPolicy, retryAfterMs, retryDelay } from "./retry";
import { errorCodeOf, outcomeUnknown, stillInDoubt, tooLong, unanswered } from "./unanswered";
import type { Waiter } from "./until";
import { type Call, type Timeouts, Wire } from "./wire";

export interface TransportOptions {
	/** With the version segment, such as `https://api.example.com/v1`. https only, except for loopback and `allowHttp`. */
	readonly baseUrl: string;
	/** Exact names of hosts reached over plain http, such as an emulator in another container: they get the key in clear. */
	readonly allowHttp?: readonly string[];
	readonly apiKey: string;
	/** What the service offers, if known: takes precedence over what it shows. */
	readonly features?: Stated;
	/** The service's own words: a description as docs/guides/your-service.md shows it, or one that was checked before. */
	readonly service?: unknown;
	readonly timeouts?: Timeouts;
	/** Requests in flight to one service from this process. Default 16; the first client of a service decides. */
	readonly concurrency?: number;
	readonly retry?: Partial<RetryPolicy>;
	readonly clock?: Clock;
	/** In [0, 1); spreads the retries. */
	readonly random?: () => number;
	/** Secrets to mask, shared with everything else that reports on this client's requests. */
	readonly secrets?: Secrets;
	/** Gets one redacted line per request: method, path, status, ms, request_id. */
	readonly log?: (line: string) => void;
	/** Shared by clients of one service. Default: this process's, so that all its clients keep to one limit. */
	readonly states?: ServiceStates;
	/** Once it aborts, nothing more is sent. Reads end, and writes under way are answered. Its reason says why. */
	readonly ending?: AbortSignal;
}

interface FailedRequest {
	readonly failed: TelephonyError;
	readonly retryAfter?: string | undefined;
	/** Whether the service may have received it. */
	readonly sent: boolean;
	/** No further try is allowed. */
	readonly last?: true;
}

/** Shared by all clients of one service: its pace, and what is known of it. */
interface ServiceState {
	readonly pace: Pace;
	/** Whether it has ever answered a request as the service would. */
	hasAnswered: boolean;
	readonly offer: Offer;
	/** Whether a list takes `limit`, once that is known: the description shows no parameters. */
	readonly limits: Map<OperationName, boolean>;
}
/** By the service's address. */
export type ServiceStates = Map<string, ServiceState>;
const ofThisProcess: ServiceStates = new Map();

export class Transport {
	/** Without a trailing slash. */
	readonly #baseUrl: string;
	readonly #apiKey: string;
	readonly #clock: Clock;
	readonly #random: () => number;
	readonly #retry: RetryPolicy;
	readonly #wire: Wire;
	readonly #service: ServiceState;
	readonly #stated: Stated;
	readonly #words: Interpreter;
	readonly #secrets: Secrets;
	readonly #log: ((line: string) => void) | undefined;
	readonly #ending: AbortSignal | undefined;
	/** How far the service's time is ahead of ours, ms. */
	#ahead = 0;

	constructor(options: TransportOptions) {
		this.#baseUrl = checkedBaseUrl(options.baseUrl, options.allowHttp);
		this.#apiKey = checkedApiKey(options.apiKey);
		this.#clock = options.clock ?? systemClock;
		this.#random = options.random ?? Math.random;
		this.#retry = { ...defaultRetry, ...options.retry };
		this.#words = new Interpreter(options.service);
		this.#stated = new Map([...(this.#words.dialect?.features ?? []), ...(options.features ?? [])]);
		this.#secrets = options.secrets ?? new Secrets();
		this.#secrets.addKey(this.#apiKey);
		this.#log = options.log;
		this.#ending = options.ending;
		this.#wire = new Wire(this.#baseUrl, this.#apiKey, options.timeouts);
		const states = options.states ?? ofThisProcess;
		const service = states.get(this.#baseUrl) ?? {
			pace: new Pace({
				clock: this.#clock,
				concurrency: options.concurrency ?? 16,
				longestWaitMs: this.#retry.longestWaitMs,
			}),
			hasAnswered: false,
			offer: new Offer(),
			limits: new Map(),
		};
		states.set(this.#baseUrl, service);
		this.#service = service;
	}

	/** Whether the service offers the feature: as far as is known, otherwise as its description promises. */
	offers(feature: Feature): boolean {
		return this.#service.offer.offers(feature, this.#stated);
	}

	/** Whether that is known: stated by the stack, or said or shown by the service. */
	knows(feature: Feature): boolean {
		return this.#service.offer.known(feature, this.#stated) !== undefined;
	}

	/** The time at the service by its last answer, to the second; ours until there is one. */
	now(): number {
		return this.#clock.now() + this.#ahead;
	}

	/** Sends the operation and returns its parsed answer. @throws TelephonyError */
	async send<N extends OperationName>(name: N, call: Call = {}): Promise<Answer<AnswerOf<N>>> {
		const operation: Operation = operations[name];
		const base = this.#words.baseOf(name, call);
		if (base !== undefined) await this.send(base, { segment: call.segment ?? "", signal: call.signal });
		const signal = call.signal ?? this.#ending;
		let inDoubt = false;
		for (let attempt = 1; ; attempt++) {
			const outcome = await this.#service.pace.run(
				kindOf(operation, call),
				() => this.#try(name, operation, call),
				signal,
			);
			if (!("failed" in outcome)) return outcome as Answer<AnswerOf<N>>;
			const { failed, sent } = outcome;
			await this.#assertAddress(failed);
			inDoubt = stillInDoubt(inDoubt, failed, sent);
			const delay = this.#delayAfter(attempt, operation, call, outcome);
			if (delay === undefined) throw operation.method === "POST" && inDoubt ? outcomeUnknown(failed) : failed;
			await this.#service.pace.rest(this.#clock.sleep(delay, signal));
		}
	}

	/** Milliseconds until the next try; undefined if there is none. */
	#delayAfter(attempt: number, operation: Operation, call: Call, outcome: FailedRequest): number | undefined {
		const { failed, retryAfter, sent, last } = outcome;
		if (last || !isTransient(failed) || call.signal?.aborted || this.#ending?.aborted) return undefined;
		const repeatable = this.#repeatable(operation, call);
		const { status, errorCode } = failed;
		return retryDelay({ attempt, repeatable, sent, retryAfter, status, errorCode }, this.#retry, this, this.#random);
	}

	/** The same for a page of a list. Where `limit` is refused, it is asked for without, from then on. */
	async list<N extends OperationName>(name: N, call: Call = {}): Promise<Answer<AnswerOf<N>>> {
		const { limits } = this.#service;
		if (limits.get(name) === false) return this.send(name, call);
		try {
			const answer = await this.send(name, { ...call, query: { ...call.query, limit: 100 } });
			limits.set(name, true);
			return answer;
		} catch (error) {
			if (!isTelephonyError(error, "Invalid") || limits.get(name) === true) throw error;
		}
		// If something else was refused, it is refused again.
		const answer = await this.send(name, call);
		limits.set(name, false);
		return answer;
	}

	/** At a wrong address everything is missing, even lists that every service offers: that must not count as gone. */
	async #assertAddress(failed: TelephonyError): Promise<void> {
		if (this.#service.hasAnswered || !mayBeWrongAddress(failed)) return;
		try {
			await this.list("listNumbers");
		} catch (error) {
			if (failed.kind === "NotFound" || isTelephonyError(error, "Config")) throw error;
		}
	}

	/** What requests of this process wait for at the service, in words; undefined if they don't. */
	waitingFor(): string | undefined {
		const { waiting, quietMs, rate } = this.#service.pace;
		if (waiting === 0) return undefined;
		const queue = `${waiting} ${waiting === 1 ? "request is" : "requests are"} waiting`;
		if (quietMs > 0) return `the service requests a pause of ${Math.ceil(quietMs / 1000)} s, ${queue}`;
		const { perSecond } = rate;
		return perSecond === undefined
			? undefined
			: `the service accepts about ${Math.round(perSecond)} requests a second, ${queue}`;
	}

	/** For waits between requests: they end early if nothing more is to be sent. */
	run(signal: AbortSignal | undefined): Waiter {
		return { clock: this.#clock, ending: signal ?? this.#ending };
	}

	/** Ends open connections. */
	async close(): Promise<void> {
		await this.#wire.close();
	}

	/** A POST is repeated only under a key that the service is known to honour: a blind repeat could buy twice. */
	#repeatable(operation: Operation, call: Call): boolean {
		if (operation.method !== "POST") return true;
		return call.idempotencyKey !== undefined && this.knows("idempotencyKey") && this.offers("idempotencyKey");
	}

	async #try(name: OperationName, operation: Operation, call: Call): Promise<Answer<unknown> | FailedRequest> {
		const place = this.#words.placeOf(name);
		const doing = `${place.method} ${pathOf(place, call.segment)}`;
		const { pace } = this.#service;
		if (pace.quietMs > this.#retry.longestWaitMs && !this.#ending?.aborted)
			return { failed: tooLong(name, doing, pace.quietMs), sent: false, last: true };
		if (this.#ending?.aborted) return { failed: this.#interrupted(name, `${doing} was not sent`), sent: false };
		const body = typeof call.body === "function" ? call.body() : call.body;
		const own = this.#secrets.note(body);
		const redact = (text: string) => this.#secrets.mask(text, own);
		const redactId = (text: string) => this.#secrets.maskOnly(text, own);
		const started = this.#clock.now();
		let answer: RawAnswer;
		try {
			answer = await this.#wire.send(this.#words.outgoing(name, call, body), this.#signalOf(operation, call));
		} catch (error) {
			this.#log?.(`${doing} ${errorCodeOf(error)} ${this.#clock.now() - started} ms`);
			if (this.#ending?.aborted && isRead(operation))
				return { failed: this.#interrupted(name, `${doing} was aborted`), sent: true };
			return unanswered({ operation: name, doing, origin: new URL(this.#baseUrl).origin, error, redact });
		}
		this.#log?.(`${doing} ${answer.status} ${this.#clock.now() - started} ms ${requestIdIn(answer, redactId) ?? "-"}`);
		this.#learn(answer, started);
		return this.#read(name, operation, call, answer, { doing, redact, redactId });
	}

	/** Learns from an answer to any operation. */
	#learn({ status, headers }: RawAnswer, started: number): void {
		const { pace, offer } = this.#service;
		if (status === 429) pace.rate.refused(started);
		else pace.rate.taken(headers, pace.underWay);
		offer.name(headers[featuresHeader]);
		const date = Date.parse(headers.date ?? "");
		if (!Number.isNaN(date)) this.#ahead = date - this.#clock.now();
	}

	#read(
		name: OperationName,
		operation: Operation,
		{ segment, query = {} }: Call,
		answer: RawAnswer,
		texts: Pick<Reading, "doing" | "redact" | "redactId">,
	): Answer<unknown> | FailedRequest {
		const { offer, hasAnswered, pace } = this.#service;
		const replayed = isReplayed(answer, this.#words.dialect?.replayedHeader);
		if (replayed) offer.show("idempotencyKey", true);
		const retryAfter = answer.headers["retry-after"] ?? nextTokenIn(answer.headers.ratelimit);
		try {
			const result = readAnswer(
				{ name, operation, query, hasAnswered, ...this.#words.reading(name), ...texts },
				answer,
			);
			const { data } = result;
			// The response doesn't show the record as it is now.
			if (data === undefined) this.#words.forget(name, segment);
			this.#secrets.note(data);
			if (operation.answer !== undefined) this.#service.hasAnswered = true;
			if (operation.feature !== undefined) offer.show(operation.feature, true);
			if (hasReference(data)) offer.show("reference", true);
			return { ...result, replayed };
		} catch (error) {
			if (!isTelephonyError(error)) throw error;
			// Before the next request gets its turn.
			if (error.kind === "RateLimited" || error.status === 503) pace.keepQuiet(retryAfterMs(retryAfter, this.now()));
			if (saysNotOffered(error) && operation.feature !== undefined) offer.show(operation.feature, false);
			return { failed: error, retryAfter, sent: true };
		}
	}

	#interrupted(operation: OperationName, what: string): TelephonyError {
		const message = `${what}: ${this.#ending?.reason}. ${nextStep("Interrupted")}`;
		return new TelephonyError("Interrupted", message, { operation });
	}

	/** When the process ends, nobody waits for a read. A write is never broken off, as its answer would be lost. */
	#signalOf(operation: Operation, { signal }: Call): AbortSignal | undefined {
		if (this.#ending === undefined || !isRead(operation)) return signal;
		return signal === undefined ? this.#ending : AbortSignal.any([signal, this.#ending]);
	}
}

const isRead = ({ method }: Operation) => method === "GET";

const kindOf = (operation: Operation, { isPoll }: Call) => (isRead(operation) ? (isPoll ? "poll" : "read") : "write");

const isTransient = (error: TelephonyError) =>
	error.kind === "Unavailable" || error.kind === "RateLimited" || error.kind === "Conflict";
