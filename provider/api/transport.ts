/** Sends requests: within the service's limits, in its names, and again if that is safe. */
import { checkedApiKey, checkedBaseUrl, pathOf } from "./address";
import { type Clock, systemClock } from "./clock";
import { isRemoval } from "./confirmation";
import {
	accountHeader,
	type Feature,
	features,
	featuresHeader,
	type Operation,
	type OperationName,
	operations,
} from "./contract";
import { merged } from "./description/mapping";
import {
	type OwnOperations,
	type OwnRead,
	type OwnStep,
	type ServiceRequest,
	valuesIn,
} from "./description/own-operations";
import { changeOf, recordOf, singleReadOf } from "./description/records";
import { isList, outgoing, type ServiceDescription, serviceDescriptionOf } from "./description/service-description";
import { isNotFound, isTelephonyError, nextStep, saysNotOffered, TelephonyError } from "./errors";
import { defined, isObject, type Json, overlaid } from "./json";
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
	readAccepted,
	readBody,
	readResponse,
	readValues,
	requestIdIn,
	type ServiceResponse,
} from "./response";
import {
	defaultRetry,
	type FailedTry,
	mayBeCarriedOut,
	outcomeUnknown,
	type RetryPolicy,
	retryAfterMs,
	retryDelay,
} from "./retry";
import { pauses, until, type Waiter } from "./until";
import { type Call, type Outgoing, type RawResponse, type Timeouts, Wire } from "./wire";

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
	/** @internal Gets each response to an operation as it came, before the client reads it. */
	readonly observe?: (response: ObservedResponse) => void;
	/** Shared by clients of one service. @default those of this process, so that its clients share one limit */
	readonly states?: ServiceStates;
	/** Once it aborts, nothing more is sent. Reads end, and writes under way get their responses. Its reason says why. */
	readonly ending?: AbortSignal;
}

/** @internal A response to an operation, in the service's names. It may hold secrets. */
export interface ObservedResponse {
	readonly name: OperationName;
	/** Such as `GET /numbers`. */
	readonly doing: string;
	readonly response: RawResponse;
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
	#accountId: string | undefined;

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

	/** True if the service can set the field of a record: by a change of the record, or by an operation of the field's own. */
	sets(record: string, field: string): boolean {
		const change = changeOf(record);
		if (change === undefined || this.#description.lacks(record, field)) return false;
		if (this.#description.writesAlone(record, field)) return true;
		const { feature }: Operation = operations[change];
		return this.#description.target(change) !== undefined && (feature === undefined || this.offers(feature));
	}

	/** True if the stack declares, or the service shows, whether it offers the feature. Otherwise the contract decides. */
	knows(feature: Feature): boolean {
		return this.#findOffer(feature) !== undefined;
	}

	/** True if the stack or the service description declares that the service doesn't offer the feature. */
	declaresLack(feature: Feature): boolean {
		return this.#stated.get(feature) === false;
	}

	#findOffer(feature: Feature): boolean | undefined {
		return this.#stated.get(feature) ?? this.#service.offered.get(feature);
	}

	/** The time at the service by its last response, to the second; ours until there is one. */
	now(): number {
		return this.#clock.now() + this.#ahead;
	}

	/** The id of the account, if a response has shown it in a header. */
	get accountId(): string | undefined {
		return this.#accountId;
	}

	/** Sends the operation and returns its parsed response. @throws TelephonyError */
	send<N extends OperationName>(name: N, call?: Call): Promise<ServiceResponse<ResponseOf<N>>>;
	send<R>(name: OperationOf<R>, call?: Call): Promise<ServiceResponse<R>>;
	async send(name: OperationName, call: Call = {}): Promise<ServiceResponse<unknown>> {
		const ownOperations = this.#description.ownOperations(recordOf(name));
		return ownOperations === undefined ? this.#sendMain(name, call) : this.#sendAll(name, call, ownOperations);
	}

	/** Sends the operation, and the operations of properties that belong to it. */
	async #sendAll(name: OperationName, call: Call, ownOperations: OwnOperations): Promise<ServiceResponse<unknown>> {
		const { body, nextBody } = this.#planned(call);
		const { main, steps } = ownOperations.split(body);
		const { method }: Operation = operations[name];
		const isSkipped = steps.length > 0 && method === "PATCH" && this.#description.isNothing(name, main);
		const mainBody = steps.length === 0 ? nextBody : () => ownOperations.split(nextBody()).main;
		const response = isSkipped ? unshown : await this.#sendMain(name, { ...call, body: mainBody });
		const data = () => this.#dataAfter(name, call, response.data, { ownOperations, steps, nextBody });
		if (method !== "POST") return { ...response, data: await data() };
		// An object that an earlier request has made may be another's by now.
		if (response.replayed) return response;
		try {
			return { ...response, data: await data() };
		} catch (error) {
			if (!isTelephonyError(error)) throw error;
			// The object exists, and the read shows the fields that it lacks.
			return response;
		}
	}

	/** Sends the writes of properties after the main request, and returns the record after them. */
	async #dataAfter(
		name: OperationName,
		call: Call,
		data: unknown,
		{ ownOperations, steps, nextBody }: OwnWrites,
	): Promise<unknown> {
		const record = recordOf(name) ?? "";
		const { segment = idIn(data), signal } = call;
		if (segment !== undefined)
			for (const step of steps) await this.#write(record, { segment, signal, body: nextBody }, step, ownOperations);
		const single = singleReadOf(record);
		if (steps.length === 0 || single === undefined || segment === undefined)
			return this.#completed(name, call, data, ownOperations);
		// The response is older than the writes after it, but only it shows a new secret.
		if (data === undefined) return undefined;
		try {
			const { data: latest } = await this.send(single, { segment, signal });
			return overlaid(data as Json, latest as Json);
		} catch (error) {
			// A service may show a new record late.
			if (isNotFound(error)) return undefined;
			throw error;
		}
	}

	/** The body to plan with, which the first request sends. A body that is made for each try counts tries. */
	#planned({ body }: Call): { readonly body: unknown; readonly nextBody: () => unknown } {
		if (typeof body !== "function") return { body, nextBody: () => body };
		let planned: unknown[] = this.#ending?.aborted ? [] : [body()];
		const nextBody = (): unknown => {
			const [first] = planned;
			planned = [];
			return first ?? body();
		};
		return { body: planned[0], nextBody };
	}

	async #sendMain(name: OperationName, call: Call): Promise<ServiceResponse<unknown>> {
		await this.#readBefore(name, call);
		const operation: Operation = operations[name];
		return this.#repeat(operation, call, () => {
			const last = this.#records.get(recordKey(name, call.segment));
			return this.#exchange(name, operation, call, {
				target: this.#description.offeredTarget(name),
				request: (body) => this.#description.request(name, call, body, last),
				read: (reading, response) => this.#read(reading, response),
			});
		});
	}

	/** Sends the write of a property, after the read that a write of the whole is built from. */
	async #write(record: string, call: Call, step: OwnStep, ownOperations: OwnOperations): Promise<void> {
		const { write } = step;
		const before = ownOperations.readBefore(write);
		const last = before && (await this.#readAlone(record, call, before, readBody));
		const country = await this.#countryFor(record, call, step);
		const request = (body: unknown) => {
			const current = ownOperations.split(body).steps.find((candidate) => candidate.write === write) ?? step;
			return { ...outgoing(write, call.segment), body: ownOperations.body(current, last, country) };
		};
		try {
			await this.#sendAlone(record, call, { target: write, request, read: readAccepted });
		} catch (error) {
			// It has no value to clear.
			if (!write.isClear || !isNotFound(error)) throw error;
		}
	}

	/** The country of the record, if the form of a phone number depends on it. */
	async #countryFor(record: string, call: Call, { values }: OwnStep): Promise<string | undefined> {
		const change = changeOf(record);
		if (change === undefined || ![...values.keys()].some(({ needsCountry }) => needsCountry)) return undefined;
		await this.#readBefore(change, call);
		return this.#description.mapping(record)?.countryIn(this.#records.get(recordKey(change, call.segment)));
	}

	/** Adds the properties that only their own reads show. */
	async #completed(name: OperationName, call: Call, data: unknown, ownOperations: OwnOperations): Promise<unknown> {
		const record = recordOf(name) ?? "";
		const segment = idIn(data);
		const isSingle = isObject(data) && !isList(name) && name !== "buyNumber" && !isRemoval(name);
		if (!isSingle || segment === undefined || ownOperations.reads.length === 0) return data;
		const { signal, isPoll } = call;
		let all: Json = data;
		for (const read of ownOperations.reads) {
			const values = await this.#readAlone(record, { segment, signal, isPoll }, read, (...response) =>
				readValues(...response, isText(data.country) ? data.country : undefined),
			);
			all = merged(all, values ?? valuesIn(read, undefined));
		}
		return this.#description.mapping(record)?.withTags(all) ?? all;
	}

	/** Sends the read of a property. The record exists, so "not found" says that the property has no value. */
	async #readAlone<T>(
		record: string,
		{ segment, signal, isPoll }: Call,
		target: OwnRead,
		read: (reading: Reading, response: RawResponse, target: OwnRead) => T,
	): Promise<T | undefined> {
		try {
			return await this.#sendAlone(
				record,
				{ ...defined({ segment }), signal, isPoll },
				{
					target,
					request: () => outgoing(target, segment),
					read: (reading, response) => read(reading, response, target),
				},
			);
		} catch (error) {
			if (isNotFound(error)) return undefined;
			throw error;
		}
	}

	/** Sends a request of a property. */
	#sendAlone<T>(record: string, call: Call, request: Exchange<T>): Promise<T> {
		const { method } = request.target;
		const name = (method === "GET" ? singleReadOf(record) : changeOf(record)) as OperationName;
		// It shows nothing of the feature that reads or changes the record.
		const { feature: _, ...operation }: Operation = operations[name];
		return this.#repeat({ method }, call, () =>
			this.#exchange(name, { ...operation, method: method as Operation["method"] }, call, request),
		);
	}

	/** Tries a request until it succeeds, or must not be repeated. */
	async #repeat<T>(operation: Method, call: Call, attempt: () => Promise<Outcome<T>>): Promise<T> {
		const signal = call.signal ?? this.#ending;
		const { limiter } = this.#service;
		let mayBeDone = false;
		for (let tries = 1; ; tries++) {
			const outcome = await limiter.run(kindOf(operation, call), attempt, signal);
			if (!("failed" in outcome)) return outcome.done;
			const { failed, sent } = outcome;
			mayBeDone = mayBeCarriedOut(mayBeDone, failed, sent);
			const ms = this.#delayAfter(tries, operation, call, outcome);
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
		const patience = { for: pauses.written, passes: isNotFound };
		await until(
			this.run(signal),
			() => this.#sendMain(read, { segment, signal }),
			() => true,
			patience,
		);
	}

	/** Milliseconds until the next try; undefined if there is none. */
	#delayAfter(attempt: number, operation: Method, call: Call, outcome: FailedTry): number | undefined {
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

	async #exchange<T>(
		name: OperationName,
		operation: Operation,
		call: Call,
		{ target, request: makeRequest, read }: Exchange<T>,
	): Promise<Outcome<T>> {
		const doing = `${target.method} ${pathOf(target, call.segment)}`;
		const { limiter } = this.#service;
		const { pauseMs } = limiter;
		if (this.#ending?.aborted) return { failed: this.#interrupted(name, `${doing} was not sent`), sent: false };
		if (pauseMs > this.#retry.longestWaitMs) {
			const retryAfter = String(Math.ceil(pauseMs / 1000));
			const message = `${doing} was not sent: the service requests a pause of ${retryAfter} s. ${nextStep("RateLimited")}`;
			return { failed: new TelephonyError("RateLimited", message, { operation: name }), sent: false, retryAfter };
		}
		const body = typeof call.body === "function" ? call.body() : call.body;
		const secrets = this.#secrets.note(body);
		const redact = (text: string) => this.#secrets.mask(text, secrets);
		const redactId = (text: string) => this.#secrets.maskOnly(text, secrets);
		const request = makeRequest(body);
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
		const description = this.#description;
		const keep = (id: string, record: unknown) => {
			if (description.isKept(name)) this.#records.set(recordKey(name, id), record);
		};
		const leaveOut = (places: readonly string[]) => this.#warnOfLeftOut(name, places);
		const reading = { name, operation, id: call.segment, doing, query, requestId, redact, description, keep, leaveOut };
		const outcome = this.#outcome(response, operation, () => read(reading, response));
		if ("failed" in outcome && outcome.failed.kind === "RateLimited") limiter.rate.slowDown(started);
		else limiter.accept(response.headers);
		return outcome;
	}

	/** Learns from a response to any operation. */
	#learn({ headers }: RawResponse): void {
		const { offered } = this.#service;
		const named = headers[featuresHeader]?.split(",").map((feature) => feature.trim());
		if (named !== undefined) for (const feature of features) offered.set(feature, named.includes(feature));
		this.#accountId = headers[accountHeader] ?? this.#accountId;
		const date = Date.parse(headers.date ?? "");
		if (!Number.isNaN(date)) this.#ahead = date - this.#clock.now();
	}

	/** Warns once of each field of a kind of record. */
	#warnOfLeftOut(name: OperationName, places: readonly string[]): void {
		const kind = recordOf(name)?.replace("_", " ") ?? name;
		const fresh = places.filter((place) => !this.#leftOut.has(`${kind} ${place}`));
		for (const place of fresh) this.#leftOut.add(`${kind} ${place}`);
		if (fresh.length > 0) this.#options.warn?.("unreadable-response", leftOutWarning(kind, fresh));
	}

	#read(reading: Reading, response: RawResponse): ServiceResponse<unknown> {
		const { name, operation, doing } = reading;
		this.#options.observe?.({ name, doing, response });
		const { offered } = this.#service;
		const replayed = isReplayed(response, this.#description.replayedHeader);
		if (replayed) offered.set("idempotencyKey", true);
		const { data, isConfirmed } = readResponse(reading, response);
		// The record has changed, and the response doesn't show it.
		if (data === undefined) this.#records.delete(recordKey(name, reading.id));
		if (operation.feature !== undefined) offered.set(operation.feature, true);
		if (hasReference(data)) offered.set("reference", true);
		return { data, replayed, isConfirmed };
	}

	/** Reads a response, and learns from a refusal. */
	#outcome<T>(response: RawResponse, { feature }: Operation, read: () => T): Outcome<T> {
		const { offered, limiter } = this.#service;
		try {
			const done = read();
			this.#secrets.note(done);
			return { done };
		} catch (error) {
			if (!isTelephonyError(error)) throw error;
			const retryAfter = response.headers["retry-after"];
			// Before the next request gets its turn.
			if (error.kind === "RateLimited" || error.status === 503) limiter.pause(retryAfterMs(retryAfter, this.now()));
			if (saysNotOffered(error) && feature !== undefined) offered.set(feature, false);
			return { failed: error, retryAfter, sent: true };
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

/** The writes of properties that belong to an operation. */
interface OwnWrites {
	readonly ownOperations: OwnOperations;
	readonly steps: readonly OwnStep[];
	nextBody(): unknown;
}

const unshown: ServiceResponse<undefined> = { data: undefined, replayed: false, isConfirmed: false };

/** A response that was read, or a try that brought none. */
type Outcome<T> = { readonly done: T } | FailedTry;

/** A request at the service, and how its response is read. */
interface Exchange<T> {
	readonly target: Pick<ServiceRequest, "method" | "path">;
	/** @param body in the contract's names */
	request(body: unknown): Outgoing;
	/** @throws TelephonyError */
	read(reading: Reading, response: RawResponse): T;
}

type Method = Pick<ServiceRequest, "method">;
const isRead = ({ method }: Method) => method === "GET";

const kindOf = (operation: Method, { isPoll }: Call) => (isRead(operation) ? (isPoll ? "poll" : "read") : "write");

/** By the kind of record, as two kinds may share an id. */
const recordKey = (name: OperationName, id: string | undefined): string => `${recordOf(name)} ${id}`;

const isText = (value: unknown): value is string => typeof value === "string";

const idIn = (data: unknown): string | undefined =>
	isObject(data) && typeof data.id === "string" ? data.id : undefined;
