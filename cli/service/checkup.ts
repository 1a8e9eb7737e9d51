/** Requests to the service in its own words, as far as they are known. */

import type { OperationName } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { isTelephonyError } from "../../provider/api/errors";
import { textIn } from "../../provider/api/json";
import { noResponse } from "../../provider/api/no-response";
import { Secrets } from "../../provider/api/redact";
import { type Call, Wire } from "../../provider/api/wire";
import type { Config } from "../../provider/session/config";
import { findJson } from "../engine/json";
import { contractOffers, type Offers } from "./document";
import { absentStatuses, type Declared, dialectOf, type Exchange, isOk, Observations, type Step } from "./exchange";
import { descriptionOf, mergedDescription } from "./finding";
import { findingsOf } from "./findings";

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
	readonly contract: Offers;
	readonly #config: Config;
	readonly #wire: Wire;
	readonly #secrets = new Secrets();

	constructor(config: Config, contract: Offers) {
		this.#config = config;
		this.contract = contract;
		this.given = config.service?.description ?? {};
		this.declared = config.features;
		this.#secrets.addKey(config.apiKey);
		this.#wire = new Wire(config.baseUrl, config.apiKey);
	}

	static async open(config: Config): Promise<Checkup> {
		return new Checkup(config, await contractOffers());
	}

	mask(text: string): string {
		return this.#secrets.mask(text);
	}

	/** Returns all exchanges, by the description that follows from them. */
	get known(): Observations {
		return new Observations(this.exchanges, descriptionOf(findingsOf(this), this.given), this.declared);
	}

	/** @throws TelephonyError if there is no response, or the description doesn't offer the operation */
	async ask(
		step: Step,
		name: OperationName,
		request: Request = {},
		description = this.known.description,
	): Promise<Exchange> {
		const { instead, key, words, last, ...call } = request;
		const outgoing = dialectOf(mergedDescription(description, words ?? {})).request(name, call, call.body, last);
		const doing = `${outgoing.method} ${outgoing.path}`;
		const wire = key === undefined ? this.#wire : new Wire(this.#config.baseUrl, key);
		const answer = await wire.send(outgoing, undefined).catch((error: unknown) => {
			if (isTelephonyError(error)) throw error;
			const redact = (text: string) => this.mask(text);
			const { proxy } = wire;
			throw noResponse({ operation: name, doing, baseUrl: this.#config.baseUrl, proxy, error, redact }).failed;
		});
		if (wire !== this.#wire) await wire.close();
		const json = findJson(textIn(answer.body));
		this.#secrets.note(json);
		const exchange: Exchange = { step, name, id: call.segment, doing, instead, answer, json };
		this.exchanges.push(exchange);
		return exchange;
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

	close(): Promise<void> {
		return this.#wire.close();
	}
}
