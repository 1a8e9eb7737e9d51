/** Exchanges with the service, and what they show by a description. */

import { isErrorObject } from "../../provider/api/confirmation";
import { type Feature, type Operation, type OperationName, operations } from "../../provider/api/contract";
import { type Description, fieldOf } from "../../provider/api/description/description";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { at, isObject, type Json } from "../../provider/api/json";
import { readResponse, requestIdIn } from "../../provider/api/response";
import type { RawResponse } from "../../provider/api/wire";
import { type Attempt, isBusyStatus, isRefusedForRate } from "./attempt";
import type { Change, Step } from "./steps";

/** A request and its raw response. */
export interface Exchange {
	readonly step: Step;
	readonly name: OperationName;
	/** The id in its path. */
	readonly id?: string | undefined;
	/** The body in our names. */
	readonly body?: unknown;
	/** The request as sent: `GET /numbers`. */
	readonly doing: string;
	/** Differs from the description: another name of the cursor, another method or path. */
	readonly instead?: string | undefined;
	readonly answer: RawResponse;
	/** For a purchase whose response names no number, the id in the list. */
	bought?: string;
	/** The body in the service's words; undefined if it isn't JSON. */
	readonly json: unknown;
}

export const isOk = ({ answer: { status } }: Exchange): boolean => status >= 200 && status < 300;

/** True for a refusal that depends on the service's load, and shows nothing about the request. */
export const isBusy = ({ answer }: Exchange): boolean => isBusyStatus(answer.status);

/** `GET /numbers: HTTP 404`. */
export const resultOf = ({ doing, answer: { status } }: Exchange): string => `${doing}: HTTP ${status}`;

/** HTTP statuses for an operation that the service doesn't have. */
export const absentStatuses: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** Error codes for an operation that the service doesn't have. */
export const absentCodes: ReadonlySet<string> = new Set(["operation_not_offered", "method_not_allowed"]);

/** Returns the place that the description states for this operation's response. */
export function answerOf({ operations: stated }: Description, name: OperationName): string | false | undefined {
	const described = stated?.[name];
	return isObject(described) ? (described.answer as string | false | undefined) : undefined;
}

/** Features that the configuration declares in addition to the description. */
export type Declared = ReadonlyMap<Feature, boolean>;

export const dialectOf = (description: Description): ServiceDescription =>
	new ServiceDescription(description, "the findings");

export interface Exchanges {
	readonly exchanges: readonly Exchange[];
	/** Requests that the service refused for its rate. */
	readonly refused: readonly Exchange[];
	/** Changes of objects that the check has made. */
	readonly attempts: readonly Attempt[];
	readonly declared: Declared;
}

/** Exchanges, read with a description that includes earlier findings. */
export class Observations {
	readonly exchanges: readonly Exchange[];
	readonly description: Description;
	readonly dialect: ServiceDescription;
	/** Requests that the service refused for its rate. */
	readonly refused: readonly Exchange[];
	readonly #attempts: readonly Attempt[];
	readonly #declared: Declared;

	constructor({ exchanges, refused, attempts, declared }: Exchanges, description: Description) {
		this.exchanges = exchanges;
		this.refused = refused;
		this.#attempts = attempts;
		this.description = description;
		this.dialect = dialectOf(description);
		this.#declared = declared;
	}

	first = (step: Step): Exchange | undefined => this.exchanges.find((each) => each.step === step);
	last = (step: Step): Exchange | undefined => this.exchanges.findLast((each) => each.step === step);

	/** Returns what the configuration or the description declares about a feature. */
	offers = (feature: Feature): boolean | undefined => this.#declared.get(feature) ?? this.dialect.features.get(feature);

	/** True unless the configuration or the description rules out the operation or its feature. */
	allows = (name: OperationName, feature: Feature): boolean =>
		this.dialect.target(name) !== undefined && this.offers(feature) !== false;

	/** Returns the place of the cursor in a page. */
	get next(): string {
		return this.description.lists?.next ?? "next_cursor";
	}

	/** Returns the service's place of our field. */
	placeOf = (record: string, field: string): string => {
		const stated = this.description.records?.[record]?.[field];
		return (stated === undefined ? undefined : fieldOf(stated)?.at) ?? field;
	};

	items = (exchange: Exchange | undefined): readonly Json[] => {
		if (exchange === undefined) return [];
		const place = answerOf(this.description, exchange.name) || (this.description.lists?.items ?? "data");
		const items = at(exchange.json, place);
		return Array.isArray(items) ? items.filter(isObject) : [];
	};

	/** True if the service carried the request out. An error object behind a 2xx is a refusal. */
	isAccepted = (exchange: Exchange): boolean =>
		isOk(exchange) && !isErrorObject(exchange.name, exchange.json, this.dialect);

	errorCodeOf = ({ json }: Exchange): string | undefined => {
		const code = at(json, this.description.errors?.code ?? "error");
		return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
	};

	/** True if the service itself says that it doesn't have the operation. A 404 may also mean that it is elsewhere. */
	lacksOperation = (exchange: Exchange): boolean =>
		absentCodes.has(this.errorCodeOf(exchange) ?? "") || [405, 501].includes(exchange.answer.status);

	/** Returns the last change of this kind, unless the service refused it for its rate. */
	attempt = (step: Change): Attempt | undefined =>
		this.#attempts.findLast((each) => each.step === step && !isRefusedForRate(each));

	/** Returns the HTTP status of a refusal for the service's rate; undefined if there is none. */
	refusalOf = (step: string): number | undefined =>
		this.refused.find((each) => each.step === step)?.answer.status ??
		this.#attempts.find((each) => each.step === step && isRefusedForRate(each))?.failed?.status;

	/** Returns the number in a response. */
	number = ({ name, json }: Exchange): Json | undefined => {
		const place = answerOf(this.description, name) ?? this.description.envelopes?.number?.answer;
		if (place === false) return undefined;
		const found = place === undefined ? json : at(json, place);
		return isObject(found) ? found : undefined;
	};

	idOf = (record: Json | undefined, kind = "number"): string | undefined => {
		const id = at(record, this.placeOf(kind, "id"));
		return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;
	};
}

/** Returns what the client reads from this response. @throws TelephonyError */
export function readAsClient(
	{ name, id, doing, answer }: Exchange,
	dialect: ServiceDescription,
	mask: (text: string) => string = (text) => text,
	leaveOut?: (fields: readonly string[]) => void,
): ReturnType<typeof readResponse> {
	const operation: Operation = operations[name];
	const reading = { name, operation, id, doing, query: {}, description: dialect, requestId: requestIdIn(answer, mask) };
	const left = leaveOut && { leaveOut: (_: readonly string[], fields: readonly string[]) => leaveOut(fields) };
	return readResponse({ ...reading, ...left, keep: () => {}, redact: mask }, answer);
}

/** Returns the client's error for this response; undefined if the client can read it. */
export function findProblem(
	exchange: Exchange,
	dialect: ServiceDescription,
	mask?: (text: string) => string,
): TelephonyError | undefined {
	try {
		readAsClient(exchange, dialect, mask);
		return undefined;
	} catch (error) {
		if (isTelephonyError(error)) return error;
		throw error;
	}
}
