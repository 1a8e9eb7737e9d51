/** Raw answers of the service to requests in its own words, as far as these are known. */

import type { Feature, Operation, OperationName } from "../provider/api/contract";
import { operations } from "../provider/api/contract";
import type { Description } from "../provider/api/description/description";
import { ServiceDescription } from "../provider/api/description/service-description";
import { isTelephonyError, type TelephonyError } from "../provider/api/errors";
import { noResponse } from "../provider/api/no-response";
import { Secrets } from "../provider/api/redact";
import { readResponse, requestIdIn } from "../provider/api/response";
import { type Call, type RawResponse, Wire } from "../provider/api/wire";
import type { Config } from "../provider/session/config";
import { parsed } from "./json";
import { mergedDescription } from "./service-description";

/** The question that an answer belongs to. */
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

/** One request and its raw answer. */
export interface Seen {
	readonly step: Step;
	readonly name: OperationName;
	/** As it went out: `GET /numbers`. */
	readonly doing: string;
	/** The id in its path. */
	readonly id?: string;
	/** How the request differs from the description: another name of the cursor, another method or path. */
	readonly instead?: string | undefined;
	readonly body?: unknown;
	readonly answer: RawResponse;
	/** The answer in the service's words; undefined if it isn't JSON. */
	readonly json: unknown;
}

export const isOk = ({ answer: { status } }: Seen): boolean => status >= 200 && status < 300;

export type Asked = Pick<Call, "segment" | "query" | "body" | "idempotencyKey"> & {
	readonly instead?: string | undefined;
	/** Instead of the account's API key. */
	readonly key?: string;
	/** Changes of the description for this request alone. */
	readonly words?: Description | undefined;
	/** The record as it was read last, for a change that sends all of it. */
	readonly last?: unknown;
};

/** Features that the stack states in addition to the description. */
export type Stated = ReadonlyMap<Feature, boolean>;

/** The dialect of a service that a description describes, as far as it is known. */
export const dialectOf = (description: Description): ServiceDescription =>
	new ServiceDescription(description, "what the answers show");

export class Checkup {
	readonly given: Description;
	readonly stated: Stated;
	readonly seen: Seen[] = [];
	readonly #config: Config;
	readonly #wire: Wire;
	readonly #secrets = new Secrets();

	constructor(config: Config) {
		this.#config = config;
		this.given = config.service?.description ?? {};
		this.stated = config.features;
		this.#secrets.addKey(config.apiKey);
		this.#wire = new Wire(config.baseUrl, config.apiKey);
	}

	mask(text: string): string {
		return this.#secrets.mask(text);
	}

	/** @throws TelephonyError if there is no answer, or the description doesn't offer the operation */
	async ask(step: Step, name: OperationName, description: Description, asked: Asked = {}): Promise<Seen> {
		const { instead, key, words, last, ...call } = asked;
		const dialect = dialectOf(mergedDescription(description, words ?? {}));
		const request = dialect.request(name, call, call.body, last);
		const doing = `${request.method} ${request.path}`;
		const wire = key === undefined ? this.#wire : new Wire(this.#config.baseUrl, key);
		const answer = await wire.send(request, undefined).catch((error: unknown) => {
			if (isTelephonyError(error)) throw error;
			const redact = (text: string) => this.mask(text);
			throw noResponse({ operation: name, doing, baseUrl: this.#config.baseUrl, error, redact }).failed;
		});
		if (wire !== this.#wire) await wire.close();
		const json = parsed(answer.body.toString());
		this.#secrets.note(json);
		const one: Seen = {
			step,
			name,
			doing,
			...(call.segment === undefined ? {} : { id: call.segment }),
			instead,
			...(call.body === undefined ? {} : { body: call.body }),
			answer,
			json,
		};
		this.seen.push(one);
		return one;
	}

	close(): Promise<void> {
		return this.#wire.close();
	}
}

/** The error that the client would make of this answer; undefined if it can read it. */
export function problemWith(
	{ name, doing, answer }: Seen,
	dialect: ServiceDescription,
	mask: (text: string) => string = (text) => text,
): TelephonyError | undefined {
	const operation: Operation = operations[name];
	try {
		const request = { name, operation, doing, query: {}, requestId: requestIdIn(answer, mask) };
		readResponse({ ...request, description: dialect, keep: () => {}, redact: mask }, answer);
		return undefined;
	} catch (error) {
		if (isTelephonyError(error)) return error;
		throw error;
	}
}
