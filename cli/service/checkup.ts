/** Requests to the service in its own words, as far as they are known. */

import { type Clock, systemClock } from "../../provider/api/clock";
import type { OperationName } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { recordOf } from "../../provider/api/description/records";
import type { ServiceDescription } from "../../provider/api/description/service-description";
import { errorOfResponse, isTelephonyError } from "../../provider/api/errors";
import { type Json, textIn } from "../../provider/api/json";
import { Limiter } from "../../provider/api/limiter";
import { noResponse } from "../../provider/api/no-response";
import { Secrets } from "../../provider/api/redact";
import { defaultRetry, retryAfterMs, retryDelay } from "../../provider/api/retry";
import { type ServiceStates, Transport } from "../../provider/api/transport";
import { type Call, type Outgoing, type RawResponse, Wire } from "../../provider/api/wire";
import type { Config } from "../../provider/session/config";
import { findJson } from "../engine/json";
import { type Attempt, attempt, isBusyStatus, kindOf } from "./attempt";
import { contractOffers, type Offers } from "./document";
import { absentStatuses, type Declared, dialectOf, type Exchange, isBusy, isOk, Observations } from "./exchange";
import { descriptionOf, mergedDescription } from "./finding";
import { findingsOf } from "./findings";
import type { Change, Step } from "./steps";

export type Request = Pick<Call, "segment" | "query" | "body" | "idempotencyKey"> & {
	readonly instead?: string | undefined;
	/** Replaces the account's API key. */
	readonly key?: string;
	/** Changes the description for this request. */
	readonly words?: Description | undefined;
	/** The record as it was read last, for a change that sends all of it. */
	readonly last?: unknown;
};

export class Checkup {
	readonly given: Description;
	readonly declared: Declared;
	readonly exchanges: Exchange[] = [];
	/** Requests that the service refused for its rate, however often they were repeated. They show nothing else. */
	readonly refused: Exchange[] = [];
	readonly attempts: Attempt[] = [];
	readonly contract: Offers;
	readonly clock: Clock;
	readonly #config: Config;
	readonly #wire: Wire;
	readonly #secrets = new Secrets();
	readonly #limiter: Limiter;
	readonly #states: ServiceStates = new Map();
	#known: { readonly count: number; readonly observations: Observations } | undefined;

	constructor(config: Config, contract: Offers, clock: Clock) {
		this.#config = config;
		this.contract = contract;
		this.clock = clock;
		this.#limiter = new Limiter({ clock, concurrency: 1, longestWaitMs: defaultRetry.longestWaitMs });
		this.given = config.service?.description ?? {};
		this.declared = config.features;
		this.#secrets.addKey(config.apiKey);
		this.#wire = new Wire(config.baseUrl, config.apiKey);
	}

	static async open(config: Config, clock: Clock = systemClock): Promise<Checkup> {
		return new Checkup(config, await contractOffers(), clock);
	}

	mask(text: string): string {
		return this.#secrets.mask(text);
	}

	/** Returns all exchanges, by the description that follows from them. */
	get known(): Observations {
		const count = this.exchanges.length + this.refused.length + this.attempts.length;
		if (this.#known?.count !== count) {
			const observations = new Observations(this, descriptionOf(findingsOf(this), this.given));
			this.#known = { count, observations };
		}
		return this.#known.observations;
	}

	/**
	 * Sends a request within the service's rate, and again if the service refuses it for its rate.
	 * @throws TelephonyError if there is no response, or the description doesn't offer the operation
	 */
	async ask(
		step: Step,
		name: OperationName,
		request: Request = {},
		description = this.known.description,
	): Promise<Exchange> {
		const { instead, key, words, last, ...call } = request;
		const dialect = dialectOf(mergedDescription(description, words ?? {}));
		const body = dialect.ownOperations(recordOf(name))?.split(call.body).main ?? call.body;
		const outgoing = dialect.request(name, call, body, last);
		const doing = `${outgoing.method} ${outgoing.path}`;
		const wire = key === undefined ? this.#wire : new Wire(this.#config.baseUrl, key);
		const answer = await this.#send(wire, outgoing, doing).catch((error: unknown) => {
			if (isTelephonyError(error)) throw error;
			const redact = (text: string) => this.mask(text);
			const { proxy } = wire;
			throw noResponse({ operation: name, doing, baseUrl: this.#config.baseUrl, proxy, error, redact }).failed;
		});
		if (wire !== this.#wire) await wire.close();
		const json = findJson(textIn(answer.body));
		this.#secrets.note(json);
		const exchange: Exchange = { step, name, id: call.segment, body: call.body, doing, instead, answer, json };
		(isBusy(exchange) ? this.refused : this.exchanges).push(exchange);
		return exchange;
	}

	async #send(wire: Wire, outgoing: Outgoing, doing: string): Promise<RawResponse> {
		const limiter = this.#limiter;
		for (let attempt = 1; ; attempt++) {
			const started = this.clock.now();
			const answer = await limiter.run("read", () => wire.send(outgoing, undefined));
			const { status, headers } = answer;
			if (status === 429) limiter.rate.slowDown(started);
			else limiter.accept(headers);
			if (!isBusyStatus(status)) return answer;
			const retryAfter = headers["retry-after"];
			const failed = errorOfResponse(doing, { status, errorCode: "busy", message: "" });
			// A 429 is a refusal, so that even a purchase may follow.
			const order = { attempt, isRepeatable: outgoing.method !== "POST" || status === 429 };
			const ms = retryDelay({ failed, sent: true, retryAfter }, order, defaultRetry, this.clock, Math.random);
			if (ms === undefined) return answer;
			limiter.pause(retryAfterMs(retryAfter, this.clock.now()));
			await limiter.delay(ms, undefined);
		}
	}

	/** Tries other requests in turn if the service has no such one, and the description doesn't name another. */
	async askAny(step: Step, name: OperationName, alternatives: readonly string[], request: Request): Promise<Exchange> {
		const { description } = this.known;
		let found = await this.ask(step, name, request, description);
		if (description.operations?.[name] !== undefined || !absentStatuses.has(found.answer.status)) return found;
		for (const alternative of alternatives) {
			const words = { operations: { [name]: alternative } };
			found = await this.ask(step, name, { ...request, instead: alternative, words }, description);
			if (isOk(found)) break;
		}
		return found;
	}

	/** Changes an object as the provider does. If the service has no such request, tries a PUT of the whole object. */
	async change(step: Change, id: string, body: Json): Promise<Attempt> {
		const { dialect, description } = this.known;
		let made = await this.#attempt(dialect, step, id, body);
		const { change, read } = kindOf(step);
		if (absentStatuses.has(made.failed?.status ?? 0) && this.given.operations?.[change] === undefined) {
			const instead = { request: `PUT ${dialect.target(read)?.path}`, whole: true };
			const whole = dialectOf(mergedDescription(description, { operations: { [change]: instead } }));
			const second = await this.#attempt(whole, step, id, body);
			if (second.failed === undefined) made = { ...second, instead };
		}
		this.attempts.push(made);
		return made;
	}

	async #attempt(service: ServiceDescription, step: Change, id: string, body: Json): Promise<Attempt> {
		const shared = { clock: this.clock, secrets: this.#secrets, states: this.#states };
		const transport = new Transport({ ...this.#config, ...shared, service, features: this.declared });
		return attempt(transport, step, id, body).finally(() => transport.close());
	}

	close(): Promise<void> {
		return this.#wire.close();
	}
}
