/** Requests to the service in its own words, as far as they are known, and its raw responses. */

import { type Feature, type Operation, type OperationName, operations } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { noResponse } from "../../provider/api/no-response";
import { Secrets } from "../../provider/api/redact";
import { readResponse, requestIdIn } from "../../provider/api/response";
import { type Call, type RawResponse, Wire } from "../../provider/api/wire";
import type { Config } from "../../provider/session/config";
import { findJson } from "../engine/json";
import { contractOffers, type Offers } from "./document";
import { mergedDescription } from "./finding";

/** The purpose of a request. */
export type Step =
	| "list"
	| "listWithoutLimit"
	| "wrongKey"
	| "firstPage"
	| "secondPage"
	| "single"
	| "unknown"
	| "statusFilter"
	| "trunks"
	| "trunk"
	| "webhooks"
	| "webhook"
	| "price"
	| "buy"
	| "replay"
	| "change"
	| "release"
	| "after"
	| "listAfter";

/** A request and its raw response. */
export interface Exchange {
	readonly step: Step;
	readonly name: OperationName;
	/** The request as sent: `GET /numbers`. */
	readonly doing: string;
	/** Differs from the description: another name of the cursor, another method or path. */
	readonly instead?: string | undefined;
	readonly answer: RawResponse;
	/** The body in the service's words; undefined if it isn't JSON. */
	readonly json: unknown;
}

export const isOk = ({ answer: { status } }: Exchange): boolean => status >= 200 && status < 300;

/** HTTP statuses for an operation that the service doesn't have. */
export const absentStatuses: ReadonlySet<number> = new Set([404, 405, 410, 501]);

export type Request = Pick<Call, "segment" | "query" | "body" | "idempotencyKey"> & {
	readonly instead?: string | undefined;
	/** Replaces the account's API key. */
	readonly key?: string;
	/** Changes the description for this request. */
	readonly words?: Description | undefined;
	/** The record as it was read last, for a change that sends all of it. */
	readonly last?: unknown;
};

/** Features that the configuration declares in addition to the description. */
export type Declared = ReadonlyMap<Feature, boolean>;

export const dialectOf = (description: Description): ServiceDescription =>
	new ServiceDescription(description, "the findings");

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

	/** @throws TelephonyError if there is no response, or the description doesn't offer the operation */
	async ask(step: Step, name: OperationName, description: Description, request: Request = {}): Promise<Exchange> {
		const { instead, key, words, last, ...call } = request;
		const outgoing = dialectOf(mergedDescription(description, words ?? {})).request(name, call, call.body, last);
		const doing = `${outgoing.method} ${outgoing.path}`;
		const wire = key === undefined ? this.#wire : new Wire(this.#config.baseUrl, key);
		const answer = await wire.send(outgoing, undefined).catch((error: unknown) => {
			if (isTelephonyError(error)) throw error;
			const redact = (text: string) => this.mask(text);
			throw noResponse({ operation: name, doing, baseUrl: this.#config.baseUrl, error, redact }).failed;
		});
		if (wire !== this.#wire) await wire.close();
		const json = findJson(answer.body.toString());
		this.#secrets.note(json);
		const exchange: Exchange = { step, name, doing, instead, answer, json };
		this.exchanges.push(exchange);
		return exchange;
	}

	close(): Promise<void> {
		return this.#wire.close();
	}
}

/** Returns the client's error for this response; undefined if the client can read it. */
export function findProblem(
	{ name, doing, answer }: Exchange,
	dialect: ServiceDescription,
	mask: (text: string) => string = (text) => text,
): TelephonyError | undefined {
	const operation: Operation = operations[name];
	const reading = { name, operation, doing, query: {}, description: dialect, requestId: requestIdIn(answer, mask) };
	try {
		readResponse({ ...reading, keep: () => {}, redact: mask }, answer);
		return undefined;
	} catch (error) {
		if (isTelephonyError(error)) return error;
		throw error;
	}
}
